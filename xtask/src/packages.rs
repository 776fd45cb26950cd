//! Packs the crates that other projects use as for a registry, and builds each package from its own files, so that a file
//! outside of it is missed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::command::{cargo, run as run_command};
use crate::paths::in_project;

/// The crates that other projects use, each after those that it needs.
const PACKAGES: &[&str] = &[
    "plyfold-transform",
    "plyfold-twinning",
    "plyfold-tables",
    "plyfold-annotations",
    "plyfold-board",
    "plyfold-corpus",
    "plyfold-pgn",
    "plyfold-scan",
    "plyfold-query",
    "plyfold-reduce",
    "plyfold-index",
    "plyfold-pmote",
    "plyfold-core",
    "plyfold-files",
    "plyfold-serve",
    "plyfold-terminal",
    "egtgen",
];

/// Packs the crates and builds the packages.
///
/// # Errors
/// A package that lacks a file or does not build.
pub fn check() -> Result<()> {
    remove_unpacked(&cargo_home()?.join("registry/src"))?;
    remove_built(&in_project("target/debug/deps"))?;
    run_command(
        cargo()
            // Everything it needs has been downloaded for the steps before.
            .args(["package", "--offline", "--allow-dirty"])
            .args(PACKAGES.iter().flat_map(|package| ["--package", package]))
            // These builds are not debugged.
            .env("CARGO_PROFILE_DEV_DEBUG", "none"),
    )
}

/// Removes what an earlier run unpacked of these packages into Cargo's folder of sources.
///
/// Cargo names what it unpacks by the path of the project, the package and its version, and leaves alone what is there.
/// After a change in another clone at the same path, `egtgen` would be built with an older `plyfold-core`.
fn remove_unpacked(sources: &Path) -> Result<()> {
    if !sources.is_dir() {
        return Ok(());
    }
    for registry in fs::read_dir(sources)? {
        let registry = registry?;
        // The folder of a registry on the network begins with its host, that of a local one with the dash after it.
        if !registry.file_name().to_string_lossy().starts_with('-') {
            continue;
        }
        for package in fs::read_dir(registry.path())? {
            let package = package?.path();
            if is_one_of_the_packages(&package) {
                fs::remove_dir_all(&package).with_context(|| format!("cannot remove {}", package.display()))?;
            }
        }
    }
    Ok(())
}

/// Removes what an earlier run built of these packages. Cargo assumes that the sources of a registry never change.
fn remove_built(outputs: &Path) -> Result<()> {
    if !outputs.is_dir() {
        return Ok(());
    }
    for output in fs::read_dir(outputs)? {
        let sources = output?.path();
        if sources.extension().is_none_or(|extension| extension != "d") {
            continue;
        }
        let Some(unit) = sources.file_stem().and_then(OsStr::to_str) else { continue };
        let names_unpacked = |path: &str| Path::new(path).ancestors().any(is_one_of_the_packages);
        if fs::read_to_string(&sources)?.split_whitespace().any(names_unpacked) {
            for library in [format!("lib{unit}.rlib"), format!("lib{unit}.rmeta")] {
                let _absent = fs::remove_file(outputs.join(library));
            }
        }
    }
    Ok(())
}

/// Whether a folder is named by one of [`PACKAGES`] and a version.
fn is_one_of_the_packages(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    PACKAGES.iter().any(|package| {
        let version = name.strip_prefix(package).and_then(|rest| rest.strip_prefix('-'));
        version.is_some_and(|version| version.starts_with(|letter: char| letter.is_ascii_digit()))
    })
}

fn cargo_home() -> Result<PathBuf> {
    env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("neither CARGO_HOME nor a home folder is set")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacked_packages_are_removed_and_nothing_else() -> Result<()> {
        let sources = env::temp_dir().join(format!("plyfold-unpacked-{}", std::process::id()));
        let stale = ["-0f1e/plyfold-core-0.1.0", "-2d3c/plyfold-files-0.1.0", "-2d3c/egtgen-1.2.3"];
        let kept = ["-0f1e/plyfold-core-extras-0.1.0", "index.crates.io-0f1e/plyfold-core-0.1.0", "-2d3c/other-0.1.0"];
        for folder in stale.iter().chain(&kept) {
            fs::create_dir_all(sources.join(folder).join("src"))?;
        }
        remove_unpacked(&sources)?;
        assert!(stale.iter().all(|folder| !sources.join(folder).exists()));
        assert!(kept.iter().all(|folder| sources.join(folder).is_dir()));
        fs::remove_dir_all(&sources)?;
        // Before the first download there is no such folder.
        remove_unpacked(&sources)
    }

    #[test]
    fn what_was_built_of_unpacked_packages_is_removed_and_nothing_else() -> Result<()> {
        let outputs = env::temp_dir().join(format!("plyfold-built-{}", std::process::id()));
        fs::create_dir_all(&outputs)?;
        let units = [
            ("plyfold_core-01", ".cargo/registry/src/-0f1e/plyfold-core-0.1.0/src/lib.rs", false),
            ("plyfold_core-02", "core/src/lib.rs", true),
            ("other-03", ".cargo/registry/src/-0f1e/other-0.1.0/src/lib.rs", true),
        ];
        for (unit, source, _) in units {
            fs::write(outputs.join(format!("{unit}.d")), format!("target/lib{unit}.rlib: {source}\n"))?;
            fs::write(outputs.join(format!("lib{unit}.rlib")), "")?;
        }
        remove_built(&outputs)?;
        for (unit, _, stays) in units {
            assert_eq!(outputs.join(format!("lib{unit}.rlib")).exists(), stays, "{unit}");
        }
        fs::remove_dir_all(&outputs)?;
        Ok(())
    }
}
