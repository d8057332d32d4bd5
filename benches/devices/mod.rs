//! The devices that benches go through.

use nonius::{Blocking as _, Device, Select};

/// All of them, or that which `NONIUS_DEVICE` names; one that cannot be opened is named, with the reason.
pub(crate) fn devices() -> Vec<Device> {
    let selected = if std::env::var_os("NONIUS_DEVICE").is_some() {
        vec![("NONIUS_DEVICE".to_owned(), Select::Auto)]
    } else {
        let adapters = Device::list().block_on().into_iter();
        let selected = adapters.map(|adapter| (adapter.name, adapter.index.map_or(Select::Host, Select::Index)));
        selected.collect()
    };
    let opened = selected.into_iter().filter_map(|(name, select)| {
        let device = Device::open(select).block_on();
        device.inspect_err(|error| println!("{name}: {error}")).ok()
    });
    opened.collect()
}
