//! Which device: what there is, and what was asked for.

use std::fmt;
use std::str::FromStr;

use super::Gpu;
use super::adapter::Adapter;
use super::options::Options;
use crate::error::{Error, Result};

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Select {
    /// `NONIUS_DEVICE` if it is set, and not to nothing; else the first discrete GPU, integrated GPU, software adapter, or the host.
    #[default]
    Auto,
    /// The host.
    Host,
    /// The first adapter whose name contains this, in any case. Nothing, which is part of every name, names none.
    Name(String),
    /// The adapter of this index in [`super::Device::list`].
    Index(usize),
}

impl Select {
    /// What `NONIUS_DEVICE` asks for where nothing else is asked.
    #[must_use]
    pub fn or_environment(self) -> Self {
        match (self, std::env::var_os("NONIUS_DEVICE")) {
            // What is no text names no device either, and is not to be passed over.
            (Self::Auto, Some(text)) => text.to_string_lossy().parse().unwrap_or(Self::Auto),
            (select, _) => select,
        }
    }
}

impl FromStr for Select {
    type Err = std::convert::Infallible;

    /// `auto` or nothing, `host` or `cpu`, an index, or else a name; blanks around it do not count.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let text = text.trim();
        Ok(match text.to_ascii_lowercase().as_str() {
            "" | "auto" => Self::Auto,
            "host" | "cpu" => Self::Host,
            lower => lower.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index),
        })
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Host => f.write_str("host"),
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// An adapter that was chosen but not opened yet.
pub(super) struct Found {
    adapter: Adapter,
    #[cfg(feature = "wgpu")]
    raw: ::wgpu::Adapter,
}

impl Found {
    #[cfg_attr(
        not(feature = "wgpu"),
        allow(clippy::unused_async, reason = "without a backend, nothing is opened")
    )]
    pub(super) async fn open(self, options: Options) -> Result<(Adapter, Gpu)> {
        #[cfg(feature = "wgpu")]
        return super::wgpu::open(self.adapter, self.raw, options).await;
        #[cfg(not(feature = "wgpu"))]
        {
            let _ = options;
            Err(Error::NoDevice {
                asked: self.adapter.name,
                available: vec!["host".to_owned()],
            })
        }
    }
}

#[cfg(feature = "wgpu")]
async fn adapters() -> Vec<Found> {
    let raw = super::wgpu::adapters().await;
    raw.into_iter()
        .enumerate()
        .map(|(index, raw)| Found {
            adapter: super::wgpu::describe(Some(index), &raw),
            raw,
        })
        .collect()
}

#[cfg(not(feature = "wgpu"))]
async fn adapters() -> Vec<Found> {
    Vec::new()
}

pub(super) async fn list() -> Vec<Adapter> {
    let found = adapters().await.into_iter().map(|found| found.adapter);
    found.chain([Adapter::host()]).collect()
}

/// The adapter that `select` names; none for the host.
pub(super) async fn find(select: &Select) -> Result<Option<Found>> {
    if *select == Select::Host {
        return Ok(None);
    }
    let mut found = adapters().await;
    let names = found.iter().map(|found| found.adapter.name.clone());
    let available = names.chain(["host".to_owned()]).collect();
    let position = match select {
        Select::Auto => best(&found),
        Select::Index(index) => Some(*index).filter(|index| *index < found.len()),
        Select::Name(name) => {
            let name = name.trim().to_lowercase();
            let is_named = |found: &Found| found.adapter.name.to_lowercase().contains(&name);
            found.iter().position(|found| !name.is_empty() && is_named(found))
        }
        Select::Host => None,
    };
    match (position, select) {
        (Some(position), _) => Ok(Some(found.swap_remove(position))),
        (None, Select::Auto) => Ok(None),
        (None, _) => Err(Error::NoDevice {
            asked: select.to_string(),
            available,
        }),
    }
}

/// The best kind, and among equals the first (drivers list their preferred one first).
fn best(found: &[Found]) -> Option<usize> {
    (0..found.len()).min_by_key(|index| (found[*index].adapter.kind, *index))
}
