//! `cargo xtask dist`: builds the deployable static site in one folder, `dist/`, which works under any path of a host.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::command::{program, run};
use crate::paths::in_project;
use crate::{machine, wasm};

/// Builds the wasm packages and the site into `dist/`.
///
/// # Errors
/// A build fails, or the page has absolute paths, which would break it under a path of a host.
pub fn build() -> Result<()> {
    wasm::build()?;
    build_site()
}

/// Builds the site for those who want to see it soon: without threads.
///
/// # Errors
/// As [`build`].
pub fn build_quickly() -> Result<()> {
    wasm::build_quickly()?;
    build_site()
}

/// Builds the site with the existing wasm packages.
///
/// # Errors
/// As [`build`].
pub fn build_site() -> Result<()> {
    machine::ensure_npm_packages("www")?;
    run(program("npm").args(["run", "--silent", "build"]).current_dir(in_project("www")))?;

    let built = in_project("www/dist");
    let page = built.join("index.html");
    let html = fs::read_to_string(&page).with_context(|| format!("the site's build left no {}", page.display()))?;
    if let Some(reference) = absolute_reference(&html) {
        bail!("index.html points at {reference}, which breaks under a sub-path: keep Vite's base relative");
    }

    mirror_folder(&built, &in_project("dist"))?;
    println!("the site is in dist/, ready for any static host");
    Ok(())
}

/// The first `src` or `href` that begins at the root of the host.
fn absolute_reference(html: &str) -> Option<&str> {
    ["src=\"/", "href=\"/"].iter().find_map(|start| {
        let at = html.find(start)?;
        let reference = html[at..].split('"').nth(1)?;
        Some(reference)
    })
}

/// Makes `to` the same as `from`. Files that are the same stay, so that a program which has them inside is not built again.
fn mirror_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        let source = from.join(entry.file_name());
        let cannot = || format!("the old {} cannot be removed", entry.path().display());
        match entry.file_type()?.is_dir() {
            true if !source.is_dir() => fs::remove_dir_all(entry.path()).with_context(cannot)?,
            false if !source.is_file() => fs::remove_file(entry.path()).with_context(cannot)?,
            _ => {}
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            mirror_folder(&entry.path(), &target)?;
            continue;
        }
        let bytes = fs::read(entry.path())?;
        if !fs::read(&target).is_ok_and(|old| old == bytes) {
            fs::write(&target, bytes).with_context(|| format!("{} cannot be written", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_the_same_and_keeps_what_is() {
        let folder = std::env::temp_dir().join(format!("plyfold-mirror-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        for (path, text) in [
            ("from/same", "a"),
            ("from/in/new", "b"),
            ("to/same", "a"),
            ("to/old/er", "c"),
            ("to/in/gone", "d"),
            ("to/new", ""),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        }
        let written = |path: &str| fs::metadata(to.join(path)).and_then(|found| found.modified()).expect("a time");
        let before = written("same");
        mirror_folder(&from, &to).expect("room");
        let names = |path: &Path| {
            let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            let mut names: Vec<_> = entries.collect();
            names.sort();
            names
        };
        assert_eq!(names(&to), ["in", "same"]);
        assert_eq!((names(&to.join("in")), written("same")), (vec!["new".into()], before));
        assert_eq!(fs::read(to.join("in/new")).expect("a file"), b"b");
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn absolute_references_are_found() {
        assert_eq!(absolute_reference("<link href=\"./a.css\"><script src=\"/b.js\">"), Some("/b.js"));
        assert_eq!(absolute_reference("<a href=\"./a\">"), None);
        assert_eq!(absolute_reference("<a href=\"https://a.org/\">"), None);
    }
}
