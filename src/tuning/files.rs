//! Tests of files: what is written is read again, and what is damaged is reported and ignored.

use std::path::{Path, PathBuf};

use super::synthetic::{PRECISION, TUNABLE, adapter, entry, noisy};
use super::{Database, Effort, Shape, Tuning, search};
use crate::Error;

const SQUARE: Shape = Shape::new(4096, 1, 4096);

fn chosen(tuning: &Tuning, shape: Shape) -> String {
    tuning.choose(&TUNABLE, PRECISION, shape).to_string()
}

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("nonius-tuning-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join("tuning.json");
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_saved_is_loaded_to_the_bit() {
    let folder = Folder::new("round-trip");
    let found = search(
        &TUNABLE,
        &adapter(),
        PRECISION,
        TUNABLE.regimes,
        &Effort::quick(),
        &mut noisy(4, 0.01, 0.0),
        &mut (),
    )
    .expect("it runs");
    assert!(found.regimes.iter().any(|choice| !choice.candidates.is_empty()));
    let tuning = Tuning::untuned(&adapter());
    assert_eq!(tuning.merge(vec![found], &[&TUNABLE]), Ok(()));
    // An override is of this run only.
    assert_eq!(tuning.override_with(entry("square", &[64, 1]), &[&TUNABLE]), Ok(()));
    let path = folder.0.join("deep/er/tuning.json");
    assert_eq!(tuning.save_file(&path), Ok(()));
    assert_eq!(tuning.save_file(&path), Ok(()));
    let again = Tuning::untuned(&adapter());
    assert_eq!(again.load_file(&path, &[&TUNABLE]), Ok(()));
    assert_eq!(again.entries()[..], tuning.entries()[1..]);
    let left = std::fs::read_dir(path.parent().expect("a folder"))
        .expect("readable")
        .count();
    assert_eq!(left, 1, "nothing is left beside it");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_and_leaves_nothing() {
    let folder = Folder::new("unwritable");
    let path = folder.0.join("tuning.json");
    std::fs::create_dir_all(path.join("in the way")).expect("a folder");
    let written = Tuning::untuned(&adapter()).save_file(&path);
    assert!(matches!(written, Err(Error::File { .. })), "{written:?}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("readable").count(), 1);
}

#[test]
fn every_damaged_file_is_reported_and_none_is_taken_in() {
    let folder = Folder::new("damaged");
    let mut database = Database::new(&adapter());
    database.insert(entry("square", &[64, 2]));
    let sound = database.to_json();
    let fingerprint = database.entries[0].fingerprint.clone();
    let replaced = |from: &str, to: &str| {
        assert!(sound.contains(from), "{from} in {sound}");
        sound.replacen(from, to, 1).into_bytes()
    };
    let entries = sound.find("\"entries\"").expect("entries");
    let twice = sound.replace("      \"operation\"", "@").replace(
        "  \"entries\": [",
        &format!(
            "  \"entries\": [{},",
            serde_json::to_string(&database.entries[0]).expect("an entry")
        ),
    );
    let damaged: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("half", sound.as_bytes()[..sound.len() / 2].to_vec()),
        ("without its end", sound.as_bytes()[..sound.len() - 1].to_vec()),
        ("with more after it", [sound.as_bytes(), b"}"].concat()),
        ("not text", vec![0xff, 0xfe, 0, 1, 2]),
        ("zeros", vec![0; 4096]),
        ("another kind", b"[1, 2, 3]".to_vec()),
        ("null", b"null".to_vec()),
        ("deep", "[".repeat(100_000).into_bytes()),
        (
            "no entries",
            format!("{}}}", sound[..entries].trim_end().trim_end_matches(',')).into_bytes(),
        ),
        ("another format", replaced("\"format\": 1", "\"format\": 2")),
        (
            "a format that is a text",
            replaced("\"format\": 1", "\"format\": \"1\""),
        ),
        ("another adapter", replaced("Synthetic 9000", "Synthetic 9001")),
        ("another backend", replaced("vulkan", "metal")),
        ("another driver", replaced("driver 1.0", "driver 1.1")),
        (
            "a member that is unknown",
            replaced("\"format\"", "\"colour\": 3, \"format\""),
        ),
        ("not a number", replaced("1e-6", "NaN")),
        ("an infinity", replaced("1e-6", "1e999")),
        ("null for a number", replaced("1e-6", "null")),
        ("a negative time", replaced("1e-6", "-1e-6")),
        ("an absurd time", replaced("1e-6", "1e300")),
        ("a text for a number", replaced("1e-6", "\"1e-6\"")),
        ("a negative period", replaced("640.0", "-640.0")),
        ("a period of nothing", replaced("640.0", "0.0")),
        ("an endless period", replaced("640.0", "1e200")),
        ("an absurd error of the fit", replaced("0.01", "1e9")),
        ("a negative error of the fit", replaced("0.01", "-0.01")),
        (
            "an unknown operation",
            replaced("\"operation\": \"rows\"", "\"operation\": \"cols\""),
        ),
        (
            "an unknown kernel",
            replaced("\"kernel\": \"rows\"", "\"kernel\": \"cols\""),
        ),
        (
            "an unknown scalar",
            replaced("\"scalar\": \"f32\"", "\"scalar\": \"f31\""),
        ),
        (
            "an unknown element",
            replaced("\"element\": \"f32\"", "\"element\": \"\""),
        ),
        ("an unknown regime", replaced("\"square\"", "\"round\"")),
        ("an unknown constant", replaced("\"ROWS\"", "\"COLS\"")),
        ("a value out of range", replaced("\"ROWS\": 2", "\"ROWS\": 3")),
        ("a value that is no integer", replaced("\"ROWS\": 2", "\"ROWS\": 2.5")),
        ("a value that is negative", replaced("\"ROWS\": 2", "\"ROWS\": -2")),
        ("a value that is huge", replaced("\"ROWS\": 2", "\"ROWS\": 4294967298")),
        ("another fingerprint", replaced(&fingerprint, "0123456789abcdef")),
        ("no fingerprint", replaced(&fingerprint, "fingerprint?")),
        ("twice the same", twice.replace('@', "      \"operation\"").into_bytes()),
        ("more than anything", vec![b' '; 17 << 20]),
    ];
    assert!(damaged.len() >= 20);
    for (what, text) in damaged {
        let path = folder.file(text);
        let tuning = Tuning::untuned(&adapter());
        match tuning.load_file(&path, &[&TUNABLE]) {
            Err(error @ Error::File { .. }) => {
                let text = error.to_string();
                assert!(text.contains("tuning.json: ") && text.len() < 600, "{what}: {text}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert!(tuning.entries().is_empty(), "{what}");
        // By itself, the same file is a warning.
        tuning.load_user_file(&path);
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=128 ROWS=1", "{what}");
    }
    let sound = folder.file(sound);
    let tuning = Tuning::untuned(&adapter());
    assert_eq!(tuning.load_file(&sound, &[&TUNABLE]), Ok(()));
    assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=2");
    tuning.clear();
    tuning.load_user_file(&sound);
    assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=2");
    let missing = tuning.load_file(Path::new("/nonexistent/tuning.json"), &[]);
    assert!(matches!(missing, Err(Error::File { .. })));
}

/// Who opens a pipe waits for who writes into it, and a device may be opened in a folder that others may write to.
#[test]
#[cfg(unix)]
fn what_is_no_file_is_reported_and_not_waited_for() {
    use std::process::Command;

    let folder = Folder::new("no-files");
    let pipe = folder.0.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("it runs");
    assert!(made.success());
    let directory = folder.0.join("directory");
    std::fs::create_dir_all(&directory).expect("a folder");
    let link = folder.0.join("link");
    std::os::unix::fs::symlink(&pipe, &link).expect("a link");
    let (send, receive) = std::sync::mpsc::channel();
    let paths = [pipe, directory, link, PathBuf::from("/dev/zero")];
    std::thread::spawn(move || {
        for path in paths {
            let tuning = Tuning::untuned(&adapter());
            let loaded = tuning.load_file(&path, &[&TUNABLE]);
            // By itself, the same is a warning.
            tuning.load_user_file(&path);
            send.send((path, loaded, chosen(&tuning, SQUARE)))
                .expect("somebody listens");
        }
    });
    for _ in 0..4 {
        let waited = receive.recv_timeout(std::time::Duration::from_secs(20));
        let (path, loaded, chosen) = waited.expect("it does not block");
        let Err(Error::File { reason, .. }) = &loaded else {
            panic!("{path:?}: {loaded:?}")
        };
        assert_eq!(reason, "it is no file", "{path:?}");
        assert_eq!(chosen, "rows WORKGROUP=128 ROWS=1", "{path:?}");
    }
}
