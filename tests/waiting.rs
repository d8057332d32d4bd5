//! A thread that waits for a device keeps no other thread from it.
#![cfg(feature = "wgpu")]

#[path = "support/devices.rs"]
mod devices;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nonius::dense::{Vector, sum};
use nonius::{Blocking as _, Device, Result};

/// For a thread to begin to wait, and for a small sum.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whom to tell that a thread begins to wait, and who lets it go on.
static HOLD: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

/// wgpu says that it waits when it has taken what locks it waits under: whoever is held there has them.
struct Log;

impl log::Log for Log {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("wgpu_core::device")
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) || !record.args().to_string().contains("waiting for submission") {
            return;
        }
        let held = HOLD.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((waits, go_on)) = held {
            // Who has given up holds nobody.
            let _ = waits.send(());
            let _ = go_on.recv();
        }
    }

    fn flush(&self) {}
}

fn compute(device: &Device) -> Result<f32> {
    let mut x = Vector::from_slice(device, &[1.0_f32, 2.0])?;
    x.write(&[3.0, 4.0])?;
    device.synchronize().block_on()?;
    sum(&x).block_on()
}

#[test]
fn a_thread_computes_while_another_waits() {
    let devices = devices::devices().iter().filter(|device| !device.is_host());
    log::set_logger(&Log).expect("there is no other");
    log::set_max_level(log::LevelFilter::Trace);
    for device in devices {
        assert_eq!(compute(device), Ok(7.0));
        let ((waits, waiting), (go_on, held)) = (channel(), channel());
        *HOLD.lock().expect("nobody panicked") = Some((waits, held));
        let (sender, computed) = channel();
        thread::scope(|scope| {
            scope.spawn(|| device.synchronize().block_on());
            waiting.recv_timeout(PATIENCE).expect("wgpu says that it waits");
            scope.spawn(move || sender.send(compute(device)));
            let computed = computed.recv_timeout(PATIENCE);
            drop(go_on);
            assert_eq!(computed, Ok(Ok(7.0)), "{}", device.name());
        });
    }
}
