//! Real games and reference answers, used where they stand beside the project.

use std::path::PathBuf;

/// The file `name` under `shared/data` beside the project; none, and a line that says so, where it is missing.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: shared/data/{name} does not stand beside the project");
    None
}
