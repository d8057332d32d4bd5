//! Files that a command will write, looked at before what lasts.

use std::io;
use std::path::{Path, PathBuf};

use nonius::{Error, Result};

/// That there is a folder to write a file in.
///
/// # Errors
/// [`Error::File`].
pub(crate) fn check_folder_of(file: &Path) -> Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let error = |reason: String| Error::File {
        path: file.to_path_buf(),
        reason,
    };
    match folder.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(error(io::Error::from(io::ErrorKind::NotADirectory).to_string())),
        Err(reason) => Err(error(reason.to_string())),
    }
}

/// Makes a folder, unless it is there.
///
/// # Errors
/// [`Error::File`].
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    let failed = |error: io::Error| Error::File {
        path: PathBuf::from(folder),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    // It may be there and take nothing.
    let trial = folder.join(format!(".nonius-{}", std::process::id()));
    std::fs::File::create_new(&trial)
        .and_then(|_| std::fs::remove_file(&trial))
        .map_err(failed)
}
