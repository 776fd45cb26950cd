//! `cargo xtask npm`: builds the npm package `plyfold` in `npm/dist` and packs it into `target/`.

use std::fs;

use anyhow::{Context, Result};

use crate::command::{program, run};
use crate::paths::in_project;
use crate::{machine, wasm};

/// Builds the wasm packages and the npm package, and packs it.
///
/// # Errors
/// A build fails.
pub fn build() -> Result<()> {
    wasm::build()?;
    build_package()?;
    let target = in_project("target");
    fs::create_dir_all(&target).with_context(|| format!("{} cannot be made", target.display()))?;
    run(program("npm").args(["pack", "--pack-destination"]).arg(target).current_dir(in_project("npm")))
}

/// Builds the npm package with the existing wasm packages. The end-to-end tests check it.
///
/// # Errors
/// As [`build`].
pub fn build_package() -> Result<()> {
    machine::ensure_npm_packages("www")?;
    run(program("npm").args(["run", "--silent", "build:package"]).current_dir(in_project("www")))
}
