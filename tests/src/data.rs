//! Real games and reference results. Tests use them if they are beside the project. Each such test has a smaller form that
//! runs on files of the project: the demo games, `tests/torture` and `tests/vectors`.

use std::io::Write;
use std::path::PathBuf;

/// The file `name` in `shared/data` beside the project. If it is missing, prints a note and returns `None`.
pub fn shared(name: &str) -> Option<PathBuf> {
    beside("data", name)
}

/// The same for `shared/facts`, which has results of other programs.
pub fn facts(name: &str) -> Option<PathBuf> {
    beside("facts", name)
}

/// The demo games, which are part of the project.
pub fn demo() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/demo.pgn.zst"))
}

/// A file of `tests/vectors`: some of the reference results of `shared/facts`.
pub fn vectors(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors")).join(name)
}

fn beside(folder: &str, name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")).join(folder).join(name);
    if path.exists() {
        return Some(path);
    }
    // The test harness captures `eprintln!` of tests that pass, and this line must be seen.
    let line = format!(
        "\nSKIPPED: shared/{folder}/{name} is not beside the project; the smaller form of this test runs alone\n"
    );
    std::io::stderr().write_all(line.as_bytes()).ok();
    None
}
