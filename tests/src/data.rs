//! Real games and reference answers, used where they stand beside the project.

use std::path::PathBuf;

/// The file `name` under `shared/data` beside the project; none, and a line that says so, where it is missing.
pub fn shared(name: &str) -> Option<PathBuf> {
    beside("data", name)
}

/// The same under `shared/facts`: answers found by others.
pub fn facts(name: &str) -> Option<PathBuf> {
    beside("facts", name)
}

fn beside(folder: &str, name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")).join(folder).join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: shared/{folder}/{name} does not stand beside the project");
    None
}
