//! Paths inside the project.

use std::path::{Path, PathBuf};

/// Root folder of the project, absolute.
pub fn project_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask/ lies inside the project")
}

/// A path inside the project, given from its root with `/` between parts.
pub fn in_project(path: &str) -> PathBuf {
    project_root().join(path)
}
