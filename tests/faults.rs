//! Faults, as values: lost devices, exhausted memory, operands that do not fit; and sharing a device with its owner.
#![cfg(feature = "wgpu")]

use std::ffi::OsStr;
use std::process::Command;
use std::sync::{Barrier, OnceLock};

use nonius::dense::{self, Matrix, Vector};
use nonius::device::{Buffer, Options};
use nonius::wgpu;
use nonius::{Blocking as _, Device, Error, Select};

/// The first adapter, opened afresh: a test may spoil it. None where there is no GPU adapter.
fn gpu(options: Options) -> Option<Device> {
    let there_is_one = Device::list().block_on().iter().any(|adapter| adapter.index == Some(0));
    if !there_is_one {
        let required = std::env::var("NONIUS_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(!required, "NONIUS_REQUIRE_GPU=1, and there is no GPU adapter");
        return None;
    }
    Some(
        Device::open_with(Select::Index(0), options)
            .block_on()
            .expect("it opens"),
    )
}

/// A device of the user's own. It is never destroyed, and neither is its instance, nor is OpenGL begun: beside tests that end,
/// NVIDIA's driver bears none of these (ARCHITECTURE.md).
fn own_wgpu() -> Option<(wgpu::Device, wgpu::Queue)> {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    gpu(Options::default())?;
    let instance = INSTANCE.get_or_init(|| {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    });
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions::default())
        .block_on()
        .ok()?;
    let opened = adapter.request_device(&wgpu::DeviceDescriptor::default()).block_on();
    let (device, queue) = opened.expect("it opens");
    std::mem::forget(device.clone());
    Some((device, queue))
}

#[test]
fn a_destroyed_device_is_an_error_of_every_operation() {
    let Some((raw, queue)) = own_wgpu() else { return };
    let device = Device::from_wgpu(raw.clone(), queue, Options::default())
        .block_on()
        .expect("it is measured");
    let x = Vector::from_slice(&device, &[1.0_f32; 1000]).expect("it fits");
    let mut y = Vector::from_slice(&device, &[1.0_f32; 1000]).expect("it fits");
    dense::axpy(2.0, &x, &mut y).expect("it is recorded");
    raw.destroy();
    let lost = |operation: &str, error: Option<Error>| {
        assert!(
            matches!(error, Some(Error::DeviceLost { .. })),
            "{operation}: {error:?}"
        );
    };
    lost("read-back", y.to_host().block_on().err());
    lost("launch", dense::axpy(2.0, &x, &mut y).err());
    lost("reduction", dense::dot(&x, &y).block_on().err());
    lost("write", y.write(&[0.0; 1000]).err());
    lost("allocation", Vector::<f32>::zeros(&device, 10).err());
    lost("upload", Vector::from_slice(&device, &[1.0_f32]).err());
    lost("submission", device.submit().err());
    lost("wait", device.synchronize().block_on().err());
}

#[test]
fn a_loss_is_told_whatever_is_asked_first() {
    type Operation = fn(&Device, &mut Vector<f32>) -> nonius::Result<()>;
    let operations: [(&str, Operation); 5] = [
        ("allocation", |device, _| {
            Vector::<f32>::zeros(device, 10)?.to_host().block_on().map(drop)
        }),
        ("upload", |device, _| Vector::from_slice(device, &[1.0_f32]).map(drop)),
        ("write", |device, x| {
            x.write(&[0.0; 10]).and_then(|()| device.synchronize().block_on())
        }),
        ("launch", |_, x| {
            dense::scal(2.0, &mut *x).and_then(|()| x.to_host().block_on().map(drop))
        }),
        ("first launch", |device, x| {
            dense::fill(2.0, x).and_then(|()| device.synchronize().block_on())
        }),
    ];
    for (operation, run) in operations {
        let Some((raw, queue)) = own_wgpu() else { return };
        let device = Device::from_wgpu(raw.clone(), queue, Options::default())
            .block_on()
            .expect("it is measured");
        let mut x = Vector::from_slice(&device, &[1.0_f32; 10]).expect("it fits");
        dense::scal(2.0, &mut x).expect("it is recorded");
        device.synchronize().block_on().expect("nothing is wrong yet");
        raw.destroy();
        let outcome = run(&device, &mut x);
        assert!(
            matches!(outcome, Err(Error::DeviceLost { .. })),
            "{operation}: {outcome:?}"
        );
    }
}

#[test]
fn memory_beyond_the_budget_is_an_error_and_comes_back() {
    let mut options = Options::default();
    options.memory = Some(1 << 20);
    let Some(device) = gpu(options) else { return };
    let quarter = || Vector::<f32>::zeros(&device, 1 << 16);
    let held = [quarter(), quarter(), quarter()].map(|vector| vector.expect("it fits"));
    let whole = Vector::<f32>::zeros(&device, 1 << 18).expect_err("it does not fit beside the others");
    let Error::OutOfMemory { bytes, .. } = &whole else {
        panic!("{whole}")
    };
    assert_eq!(*bytes, 1 << 20);
    drop(held);
    Vector::<f32>::zeros(&device, 1 << 18).expect("what was dropped is free again");
}

#[test]
fn what_exceeds_a_limit_names_it() {
    let Some(device) = gpu(Options::default()) else { return };
    let limit = device
        .adapter()
        .limit("maxStorageBufferBindingSize")
        .expect("every adapter has it");
    let beyond = usize::try_from(limit / 4 + 1).expect("fits");
    let error = Vector::<f32>::zeros(&device, beyond).expect_err("beyond the limit");
    let Error::TooLarge {
        bytes,
        limit: named,
        limit_name,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((*bytes, *named), (beyond as u64 * 4, limit));
    assert_eq!(*limit_name, "maxStorageBufferBindingSize");
    for device in [device, Device::host()] {
        let error = Matrix::<f32>::zeros(&device, usize::MAX, 2).expect_err("no such matrix");
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    }
}

/// Their bytes would be few again, counted in 64 bits.
#[test]
fn more_values_than_there_are_bytes_are_refused() {
    let Some(device) = gpu(Options::default()) else { return };
    for device in [device, Device::host()] {
        for len in [usize::MAX / 8 + 1, usize::MAX / 4 + 1025, usize::MAX] {
            let refused = [
                Vector::<f32>::zeros(&device, len).err(),
                Buffer::<u64>::zeros(&device, len).err(),
                Matrix::<f32>::zeros(&device, len / 1024, 1024).err(),
            ];
            for error in refused {
                assert!(
                    matches!(error, Some(Error::TooLarge { .. } | Error::OutOfMemory { .. })),
                    "{len} on {}: {error:?}",
                    device.name()
                );
            }
        }
    }
}

/// Copies to and from a GPU are of whole words: a smaller value would lose what is recorded beside it.
#[test]
fn values_that_are_no_whole_words_are_refused() {
    let Some(device) = gpu(Options::default()) else { return };
    let host = Device::host();
    assert_eq!(
        Buffer::from_slice(&host, &[1_u8, 2, 3]).and_then(|buffer| buffer.read(1, 2).block_on()),
        Ok(vec![2, 3])
    );
    for error in [
        Buffer::<u8>::from_slice(&device, &[1, 2, 3]).err(),
        Buffer::<u16>::zeros(&device, 8).err(),
        Buffer::<[u16; 3]>::zeros(&device, 4).err(),
        Buffer::<()>::zeros(&device, 4).err(),
    ] {
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    }
    let buffer = Buffer::from_slice(&device, &[[1_u16, 2], [3, 4]]).expect("values of four bytes");
    assert_eq!(buffer.read(1, 1).block_on(), Ok(vec![[3, 4]]));
}

/// What a driver keeps of a thread must outlive the thread, whoever gives a device back meanwhile.
#[test]
fn devices_come_and_go_in_threads_that_end() {
    std::thread::scope(|scope| {
        for turn in 0..6 {
            scope.spawn(move || {
                for n in 1..4 {
                    let Some(device) = gpu(Options::default()) else { return };
                    let n = 100 * n + turn;
                    let x = Vector::from_slice(&device, &vec![1.0_f32; n]).expect("it fits");
                    let sum = dense::sum(&x).block_on().expect("it is computed");
                    assert_eq!(sum, f32::from(u16::try_from(n).expect("it is small")));
                }
            });
        }
    });
}

#[test]
fn operands_on_different_devices_are_refused_by_name() {
    let (host, Some(device)) = (Device::host(), gpu(Options::default())) else {
        return;
    };
    let x = Vector::from_slice(&host, &[1.0_f32]).expect("it fits");
    let mut y = Vector::from_slice(&device, &[1.0_f32]).expect("it fits");
    let error = dense::axpy(1.0, &x, &mut y).expect_err("two devices");
    let Error::DeviceMismatch {
        operation,
        first,
        second,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (*operation, first.as_str(), second.as_str()),
        ("axpy", "host", device.name())
    );
    // Two openings of one adapter share nothing either.
    let other = gpu(Options::default()).expect("it was there");
    let x = Vector::from_slice(&other, &[1.0_f32]).expect("it fits");
    let error = dense::dot(&x, &y).block_on().expect_err("two devices");
    assert!(matches!(error, Error::DeviceMismatch { .. }), "{error}");
    assert!(error.to_string().contains("two openings of one"), "{error}");
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    for device in [Some(Device::host()), gpu(Options::default())].into_iter().flatten() {
        let (three, four) = (vector(&device, 3), vector(&device, 4));
        let mut y = vector(&device, 4);
        let a = Matrix::<f32>::zeros(&device, 4, 3).expect("it fits");
        let mut c = Matrix::<f32>::zeros(&device, 4, 4).expect("it fits");
        let refused = [
            ("axpy", dense::axpy(1.0, &three, &mut y)),
            ("copy", dense::copy(&three, &mut y)),
            ("axpyz", dense::axpyz(1.0, &four, &three, &mut y)),
            ("hadamard", dense::hadamard(&four, &three, &mut y)),
            ("dot", dense::dot(&three, &four).block_on().map(drop)),
            ("dot", dense::dot_into(&four, &four, &mut y)),
            ("gemv", dense::gemv(1.0, &a, &four, 0.0, &mut y)),
            ("gemv", dense::gemv(1.0, a.view().t(), &three, 0.0, &mut y)),
            ("gemm", dense::gemm(1.0, &a, &a, 0.0, &mut c)),
            ("write", y.write(&[0.0])),
            ("a strided view", four.strided(1, 2, 3).map(drop)),
            ("a strided view", four.strided(0, 2, 0).map(drop)),
            ("a strided view", four.strided(usize::MAX, 2, usize::MAX).map(drop)),
            ("a block", a.block(2, 0, 3, 1).map(drop)),
            ("a block", a.block(usize::MAX, 0, 1, 1).map(drop)),
            (
                "a matrix from rows",
                Matrix::from_rows(&device, 2, 2, &[1.0_f32; 3]).map(drop),
            ),
            ("read", four.buffer().read(3, 2).block_on().map(drop)),
        ];
        for (expected, outcome) in refused {
            let error = outcome.expect_err(expected);
            let Error::Shape { operation, .. } = &error else {
                panic!("{expected}: {error}")
            };
            assert_eq!(*operation, expected, "{error}");
        }
    }
}

fn vector(device: &Device, n: usize) -> Vector<f32> {
    Vector::zeros(device, n).expect("it fits")
}

#[test]
fn an_unknown_device_is_told_what_there_is() {
    // Part of every name is no name.
    let names = ["no such device", "", " "].map(|name| Select::Name(name.to_owned()));
    for select in names.into_iter().chain([Select::Index(999)]) {
        let error = Device::open(select).block_on().expect_err("there is none such");
        let Error::NoDevice { available, .. } = &error else {
            panic!("{error}")
        };
        let names: Vec<_> = Device::list()
            .block_on()
            .into_iter()
            .map(|adapter| adapter.name)
            .collect();
        assert_eq!(*available, names);
    }
}

/// In processes of their own, since the environment belongs to all threads of one.
#[test]
fn the_environment_chooses_the_device() {
    const CHILD: &str = "NONIUS_TEST_PRINTS_DEVICE";
    if std::env::var_os(CHILD).is_some() {
        match Device::open(Select::Auto).block_on() {
            Ok(device) => println!("opened {}", device.name()),
            Err(error) => println!("{error}"),
        }
        return;
    }
    let opened = |asked: &OsStr| {
        let program = std::env::current_exe().expect("this test has a path");
        let mut child = Command::new(program);
        child.args(["--exact", "the_environment_chooses_the_device", "--nocapture"]);
        let output = child
            .env(CHILD, "1")
            .env("NONIUS_DEVICE", asked)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(opened("host".as_ref()).contains("opened host"));
    // Nothing is as if it were not set.
    let auto = opened("auto".as_ref());
    let line = auto
        .lines()
        .find(|line| line.starts_with("opened "))
        .expect("there is the host");
    for nothing in ["", " "] {
        assert!(opened(nothing.as_ref()).contains(line), "{nothing:?}");
    }
    assert!(opened("no such device".as_ref()).contains("no device \"no such device\"; there are: "));
    #[cfg(unix)]
    {
        let no_text = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff host");
        assert!(opened(no_text).contains("no device \"\u{fffd} host\"; there are: "));
    }
    for adapter in Device::list().block_on() {
        let Some(index) = adapter.index else { continue };
        assert!(opened(index.to_string().as_ref()).contains(&format!("opened {}", adapter.name)));
    }
}

#[test]
fn buffers_are_shared_with_passes_of_the_owner() {
    let Some((raw, queue)) = own_wgpu() else { return };
    let device = Device::from_wgpu(raw.clone(), queue.clone(), Options::default())
        .block_on()
        .expect("it is measured");
    let mut x = Vector::from_slice(&device, &[1.0_f32, 2.0, 3.0, 4.0]).expect("it fits");
    dense::scal(10.0, &mut x).expect("it is recorded");
    // Ours first, then theirs, then ours again.
    device.submit().expect("it is submitted");
    negate(&raw, &queue, x.buffer());
    dense::scal(2.0, &mut x).expect("it is recorded");
    assert_eq!(
        x.to_host().block_on().expect("it is read"),
        [-20.0, -40.0, -60.0, -80.0]
    );
}

/// What an owner does to what it was shown is an error too, and not the end of a program that handles no errors of wgpu's.
#[test]
fn a_buffer_that_its_owner_destroyed_is_an_error() {
    type Operation = fn(&mut Vector<f32>) -> nonius::Result<()>;
    let operations: [(&str, Operation); 4] = [
        ("launch", |x| dense::scal(2.0, x)),
        ("copy", |x| x.to_host().block_on().map(drop)),
        ("upload", |x| x.write(&[0.0; 10])),
        ("clear", |x| dense::fill(0.0, x)),
    ];
    let Some((raw, queue)) = own_wgpu() else { return };
    let device = Device::from_wgpu(raw, queue, Options::default())
        .block_on()
        .expect("it is measured");
    for (operation, run) in operations {
        let mut x = Vector::from_slice(&device, &[1.0_f32; 10]).expect("it fits");
        let bound = Vector::from_slice(&device, &[1.0_f32; 10]).expect("it fits");
        dense::scal(2.0, &mut x).expect("it is recorded");
        device.synchronize().block_on().expect("nothing is wrong yet");
        x.buffer().wgpu().expect("it lives on a GPU").destroy();
        let outcome = run(&mut x).and_then(|()| device.synchronize().block_on());
        assert!(
            matches!(outcome, Err(Error::Refused { .. })),
            "{operation}: {outcome:?}"
        );
        // The device goes on with what is whole.
        assert_eq!(bound.to_host().block_on(), Ok(vec![1.0; 10]), "{operation}");
    }
}

/// What a thread has recorded may be submitted by another, with a buffer of its own that is destroyed.
#[test]
fn a_submission_that_is_refused_is_told_to_all_who_recorded_it() {
    let Some((raw, queue)) = own_wgpu() else { return };
    let device = Device::from_wgpu(raw, queue, Options::default())
        .block_on()
        .expect("it is measured");
    let vector = || Vector::from_slice(&device, &[1.0_f32; 10]).expect("it fits");
    let (mut x, mut y, step) = (vector(), vector(), Barrier::new(2));
    device.synchronize().block_on().expect("nothing is wrong yet");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            dense::scal(2.0, &mut y).expect("it is recorded");
            step.wait();
            step.wait();
            let outcome = y.to_host().block_on();
            assert!(matches!(outcome, Err(Error::Refused { .. })), "{outcome:?}");
            // Once: y is as it was, and the device goes on.
            dense::scal(3.0, &mut y).expect("it is recorded");
            assert_eq!(y.to_host().block_on(), Ok(vec![3.0; 10]));
        });
        step.wait();
        dense::scal(2.0, &mut x).expect("it is recorded");
        x.buffer().wgpu().expect("it lives on a GPU").destroy();
        let outcome = device.submit();
        assert!(matches!(outcome, Err(Error::Refused { .. })), "{outcome:?}");
        assert_eq!(device.submit(), Ok(()), "once");
        step.wait();
    });
}

/// x ← -x in a pass that knows nothing of this library.
fn negate(device: &wgpu::Device, queue: &wgpu::Queue, x: &Buffer<f32>) {
    let text = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = -x[id.x]; }";
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: x.wgpu().expect("it lives on a GPU").as_entire_binding(),
        }],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(u32::try_from(x.len()).expect("few"), 1, 1);
    }
    queue.submit([encoder.finish()]);
}

#[test]
fn run_time_checks_change_no_result() {
    let mut options = Options::default();
    options.checks = true;
    let (Some(checked), Some(unchecked)) = (gpu(options), gpu(Options::default())) else {
        return;
    };
    let run = |device: &Device| {
        let (n, k) = (37, 53);
        let values: Vec<f32> = (0_u16..n * k).map(|i| f32::from(i % 101) / 7.0 - 5.0).collect();
        let (n, k) = (usize::from(n), usize::from(k));
        let a = Matrix::from_rows(device, n, k, &values).expect("it fits");
        let mut c = Matrix::zeros(device, n, n).expect("it fits");
        dense::gemm(1.5, &a, a.view().t(), 0.0, &mut c).expect("it is recorded");
        let x = Vector::from_slice(device, &values).expect("it fits");
        let norm = dense::nrm2(&x).block_on().expect("it is computed");
        let mut y = Vector::from_slice(device, &values).expect("it fits");
        dense::axpy(norm, &x, &mut y).expect("it is recorded");
        (
            c.to_host().block_on().expect("it is read"),
            y.to_host().block_on().expect("it is read"),
            norm,
        )
    };
    assert_eq!(run(&checked), run(&unchecked));
}

#[test]
fn thousands_of_launches_may_be_recorded_at_once() {
    let Some(device) = gpu(Options::default()) else { return };
    let one = Vector::from_slice(&device, &[1.0_f32; 3]).expect("it fits");
    let mut sum = Vector::<f32>::zeros(&device, 3).expect("it fits");
    let launches = 5000_u16;
    for k in 0..launches {
        dense::axpy(f32::from(k), &one, &mut sum).expect("it is recorded");
    }
    // Every launch had parameters of its own: 0 + 1 + ... are exact below 2^24.
    let expected = f32::from(launches) * f32::from(launches - 1) / 2.0;
    assert!(expected < 16_777_216.0);
    assert_eq!(sum.to_host().block_on().expect("it is read"), [expected; 3]);
}

#[test]
fn uploads_keep_the_order_in_which_they_were_asked_for() {
    for device in [Some(Device::host()), gpu(Options::default())].into_iter().flatten() {
        let mut x = Vector::from_slice(&device, &[1.0_f32]).expect("it fits");
        let mut y = Vector::<f32>::zeros(&device, 1).expect("it fits");
        let mut expected = 0.0;
        for k in 1_u8..=20 {
            dense::axpy(1.0, &x, &mut y).expect("it is recorded");
            expected += if k == 1 { 1.0 } else { f32::from(k - 1) * 100.0 };
            x.write(&[f32::from(k) * 100.0]).expect("it is written");
        }
        assert_eq!(
            y.to_host().block_on().expect("it is read"),
            [expected],
            "on {}",
            device.name()
        );
    }
}
