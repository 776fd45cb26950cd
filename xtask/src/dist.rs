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

    let dist = in_project("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).context("the old dist/ cannot be removed")?;
    }
    copy_folder(&built, &dist)?;
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

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("{} cannot be written", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_references_are_found() {
        assert_eq!(absolute_reference("<link href=\"./a.css\"><script src=\"/b.js\">"), Some("/b.js"));
        assert_eq!(absolute_reference("<a href=\"./a\">"), None);
        assert_eq!(absolute_reference("<a href=\"https://a.org/\">"), None);
    }
}
