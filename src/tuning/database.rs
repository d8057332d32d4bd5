//! Entries on disk: one file of JSON for each adapter, and those that are shipped with the library.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::space::Fnv;
use crate::device::Adapter;
use crate::error::{Error, Result};

/// The entries of one adapter. Its text is JSON, made to be read, edited and merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// The version of this format.
    format: u32,
    /// The adapter's name.
    pub adapter: String,
    /// The interface that it was reached through: the same hardware differs in speed from one to the next.
    pub backend: String,
    /// The driver's name and version.
    pub driver: String,
    /// What was tuned.
    pub entries: Vec<Entry>,
}

const FORMAT: u32 = 1;
/// Tens of entries take some ten kilobytes each; this is not read.
const MOST_BYTES: u64 = 16 << 20;

/// Files of `src/tuning/shipped/`, by their names.
pub(crate) const SHIPPED: &[(&str, &str)] = &[(
    "nvidia-h200-vulkan.json",
    include_str!("shipped/nvidia-h200-vulkan.json"),
)];

impl Database {
    /// An adapter with nothing tuned.
    #[must_use]
    pub fn new(adapter: &Adapter) -> Self {
        Self {
            format: FORMAT,
            adapter: adapter.name.clone(),
            backend: adapter.backend.clone(),
            driver: adapter.driver.clone(),
            entries: Vec::new(),
        }
    }

    /// The database of a text.
    ///
    /// # Errors
    /// [`Error::Parse`] when it is not JSON of this form; [`Error::Tuning`] for numbers that no device has.
    pub fn parse(text: &str) -> Result<Self> {
        let database: Self = serde_json::from_str(text).map_err(|error| Error::Parse {
            line: error.line(),
            reason: error.to_string(),
        })?;
        if database.format != FORMAT {
            let reason = format!("format {} of the tuning, expected {FORMAT}", database.format);
            return Err(Error::Parse { line: 1, reason });
        }
        for (index, entry) in database.entries.iter().enumerate() {
            entry.check()?;
            if database.entries[..index].iter().any(|other| entry.replaces(other)) {
                return Err(Error::Tuning {
                    operation: entry.operation.clone(),
                    reason: format!("there are two entries for {}", entry.scalar),
                });
            }
        }
        Ok(database)
    }

    /// Its text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.unwrap_or_else(|error| unreachable!("text and finite numbers have a form: {error}"))
    }

    /// Takes an entry in, in place of one for the same operation and precision.
    pub fn insert(&mut self, entry: Entry) {
        self.entries.retain(|known| !entry.replaces(known));
        self.entries.push(entry);
    }

    /// Whether the times are those of an adapter, with any driver.
    #[must_use]
    pub fn is_of(&self, adapter: &Adapter) -> bool {
        self.adapter == adapter.name && self.backend == adapter.backend
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::File`] with the path, when it cannot be read or is not right.
    pub fn read(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for who writes into it.
        if !fs::metadata(path).map_err(|error| at(path, error))?.is_file() {
            return Err(at(path, "it is no file"));
        }
        let mut text = String::new();
        let file = fs::File::open(path).map_err(|error| at(path, error))?;
        file.take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(|error| at(path, error))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(at(path, format!("larger than {MOST_BYTES} bytes, which no tuning is")));
        }
        Self::parse(&text).map_err(|error| at(path, error))
    }

    /// Writes a file whole or not at all: beside it first, then in its place. Folders are made.
    ///
    /// # Errors
    /// [`Error::File`] with the path.
    pub fn write(&self, path: &Path) -> Result<()> {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let folder = path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        // Browsers have no processes, and asking for one panics there.
        let process = if cfg!(target_arch = "wasm32") {
            0
        } else {
            std::process::id()
        };
        let count = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_extension(format!("{process}-{count}.tmp"));
        let write = || {
            let mut file = fs::File::create(&beside)?;
            file.write_all(self.to_json().as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&beside, path)
        };
        write().map_err(|error| {
            // What is left behind is of no use; that it cannot be removed is no news.
            let _ = fs::remove_file(&beside);
            at(path, error)
        })
    }
}

pub(super) fn at(path: &Path, reason: impl ToString) -> Error {
    Error::File {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// The user's file for an adapter; none for the host, in browsers, and where the environment names no folder.
pub(super) fn user_file(adapter: &Adapter) -> Option<PathBuf> {
    if adapter.kind == crate::device::AdapterKind::Host {
        return None;
    }
    Some(folder(&|name| std::env::var_os(name).map(PathBuf::from))?.join(file_name(adapter)))
}

/// `NONIUS_TUNING_DIR` (empty for none), or what the system has for files that can be made again.
fn folder(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|path| !path.as_os_str().is_empty());
    // A relative XDG_CACHE_HOME is invalid and to be ignored (XDG Base Directory Specification).
    let absolute = |name| set(name).filter(|path| path.is_absolute());
    if let Some(asked) = variable("NONIUS_TUNING_DIR") {
        return Some(asked).filter(|path| !path.as_os_str().is_empty());
    }
    let cache = if cfg!(target_arch = "wasm32") {
        None
    } else if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_vendor = "apple") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))
    };
    Some(cache?.join("nonius/tuning"))
}

/// Readable, and different for adapters whose names differ only in what a file's name may not hold.
fn file_name(adapter: &Adapter) -> String {
    let mut hash = Fnv::default();
    hash.write(adapter.name.as_bytes());
    hash.write(adapter.backend.as_bytes());
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = format!("{} {}", adapter.name, adapter.backend)
        .chars()
        .take(60)
        .map(kept)
        .collect();
    format!("{name}-{:016x}.json", hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::adapter;

    #[test]
    fn what_is_shipped_can_be_read() {
        for (name, text) in SHIPPED {
            let database = Database::parse(text);
            assert!(database.is_ok(), "{name}: {database:?}");
        }
    }

    #[test]
    fn everything_in_the_folder_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tuning/shipped");
        for file in fs::read_dir(folder).expect("the folder").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let listed = SHIPPED.iter().any(|(shipped, _)| *shipped == name);
            assert!(listed || !name.ends_with(".json"), "{name}");
        }
    }

    #[test]
    #[cfg(all(unix, not(target_vendor = "apple")))]
    fn the_environment_names_the_folder() {
        let find = |set: &[(&str, &str)]| {
            let variable = |name: &str| Some(PathBuf::from(set.iter().find(|(key, _)| *key == name)?.1));
            folder(&variable).map(|path| path.to_string_lossy().into_owned())
        };
        let home = ("HOME", "/home/ada");
        let found = |path: &str| Some(path.to_owned());
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[home]), found("/home/ada/.cache/nonius/tuning"));
        assert_eq!(
            find(&[home, ("XDG_CACHE_HOME", "/cache")]),
            found("/cache/nonius/tuning")
        );
        assert_eq!(
            find(&[home, ("XDG_CACHE_HOME", "cache")]),
            found("/home/ada/.cache/nonius/tuning")
        );
        assert_eq!(find(&[home, ("NONIUS_TUNING_DIR", "here")]), found("here"));
        assert_eq!(find(&[home, ("NONIUS_TUNING_DIR", "")]), None);
    }

    #[test]
    fn files_of_different_adapters_have_different_names() {
        let mut names = std::collections::HashSet::new();
        for name in ["A/B", "A B", "A", "../../etc/passwd", "日本", ""] {
            let adapter = Adapter {
                name: name.to_owned(),
                ..adapter()
            };
            let file = file_name(&adapter);
            assert!(
                file.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)) && !file.contains(".."),
                "{file}"
            );
            assert!(names.insert(file), "{name}");
        }
    }
}
