//! Memory of the host, that is refused before it is written to. Allocators that promise more than there is (Linux as many
//! containers set it up, macOS) end the process when the promise is called in.

use std::fmt::Display;

use crate::error::{Error, Result};

/// Room for `len` values, which are called `what` where there is none.
///
/// # Errors
/// [`Error::OutOfMemory`] when they are more than the machine has left, or than the allocator gives.
pub(crate) fn reserved<T>(len: usize, what: impl Display) -> Result<Vec<T>> {
    let mut values = Vec::new();
    room(&mut values, len, what)?;
    Ok(values)
}

/// Room for `more` values behind those that are there; where there is not, for as many as are there at least, so that a loop
/// may ask for one after another. Errors as [`reserved`].
pub(crate) fn room<T>(values: &mut Vec<T>, more: usize, what: impl Display) -> Result<()> {
    if more <= values.capacity() - values.len() {
        return Ok(());
    }
    let more = more.max(values.len());
    let bytes = (more as u64).saturating_mul(size_of::<T>() as u64);
    if is_there(bytes) && values.try_reserve_exact(more).is_ok() {
        return Ok(());
    }
    Err(Error::OutOfMemory {
        device: "host".to_owned(),
        bytes,
        what: what.to_string(),
    })
}

/// `len` copies of `value`, as [`reserved`].
pub(crate) fn filled<T: Clone>(len: usize, value: T, what: impl Display) -> Result<Vec<T>> {
    let mut values = reserved(len, what)?;
    values.resize(len, value);
    Ok(values)
}

/// Whether the machine has so many bytes left.
fn is_there(bytes: u64) -> bool {
    /// What it is not asked for.
    const LITTLE: u64 = 1 << 28;
    bytes <= LITTLE || left().is_none_or(|left| bytes <= left)
}

/// Bytes that can still be had, in memory and swap, on this machine and in the container that this may be; none where nobody says.
#[cfg(not(target_arch = "wasm32"))]
fn left() -> Option<u64> {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(memory);
    // Only Linux says what it could free; elsewhere swap grows, and what is not there at all is refused.
    let [memory, swap] = if cfg!(any(target_os = "linux", target_os = "android")) {
        [system.available_memory(), system.free_swap()]
    } else {
        [system.total_memory(), system.total_swap()]
    };
    // Files that a container has read count as free, as they do for the machine.
    let container = system.cgroup_limits();
    let container = container.map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    (memory > 0).then_some(memory.min(container) + swap)
}

/// A page's memory is as large as it was declared, and its allocator promises no more.
#[cfg(target_arch = "wasm32")]
fn left() -> Option<u64> {
    None
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_machine_has_is_refused() {
        let left = left().expect("this system says what it has");
        assert!((1 << 24..1 << 50).contains(&left), "{left}");
        // Others take and give back meanwhile.
        let len = usize::try_from(left / 4).expect("fits");
        let error = reserved::<f64>(len, "too much").expect_err("there is no room");
        assert_eq!(
            error.to_string(),
            format!("host is out of memory: {} bytes for too much", len * 8)
        );
        assert!(is_there(left / 2), "{left}");
    }

    #[test]
    fn what_no_address_reaches_is_refused() {
        for len in [usize::MAX, usize::MAX / 8, usize::MAX / 16] {
            assert!(reserved::<u128>(len, "").is_err(), "{len}");
        }
        assert_eq!(filled(3, 7, "").expect("there is room"), [7; 3]);
    }
}
