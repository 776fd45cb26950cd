//! Reads the built site that a published folder begins with: where it comes from, whether it is whole, and the title that it gets.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use plyfold_files::open;
use plyfold_serve::HeaderRules;

use super::frames::with_frames;
use super::hosting::cache_rules;
use super::service_worker::{ServiceWorker, digest_of};
use super::site_pages::{manifest_with_title, page_with_title};
use crate::failure::{CliFailure, Result};

/// The service worker, which lists all files but itself and [`HEADERS_FILE`].
pub const SERVICE_WORKER: &str = "sw.js";
/// The headers of the files.
pub const HEADERS_FILE: &str = "_headers";
/// The page.
pub const PAGE: &str = "index.html";
/// What installs the site as an app.
const MANIFEST: &str = "manifest.webmanifest";

/// The most bytes of a file of the site.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

#[cfg(feature = "site")]
static BUILT_SITE: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/../dist");

/// A site that is ready to be written.
pub struct Site {
    /// The files by their paths.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Its headers, rules for caches included.
    pub headers: HeaderRules,
}

/// Where the files come from.
enum SiteSource<'a> {
    Folder(&'a Path),
    #[cfg(feature = "site")]
    Program,
}

impl Site {
    /// Reads the site from a folder, or without one from the program, checks it, gives it the title and the address where it will be, if
    /// that is known, and lets the pages `frames` show it in a frame.
    ///
    /// # Errors
    ///
    /// There is none; a file is missing, or is not the one that the service worker lists.
    pub fn read(folder: Option<&Path>, title: &str, address: Option<&str>, frames: &[String]) -> Result<Site> {
        let source = match folder {
            Some(folder) => SiteSource::Folder(folder),
            #[cfg(feature = "site")]
            None => SiteSource::Program,
            #[cfg(not(feature = "site"))]
            None => {
                let what = "this program was built without the site: give its folder with --site DIR. `cargo xtask dist` in the \
                            sources of plyfold builds it into dist; `cargo build --release --features site` \
                            in its folder cli then builds a program that has it inside";
                return Err(CliFailure::Usage(what.into()));
            }
        };
        let text = |path: &str| {
            let bytes = source.read(path)?;
            String::from_utf8(bytes).map_err(|_| source.wrong(path, "is not UTF-8".into()))
        };
        let worker = ServiceWorker::read(with_frames(&text(SERVICE_WORKER)?, frames))
            .map_err(|what| source.wrong(SERVICE_WORKER, what))?;
        let mut files = BTreeMap::new();
        for (path, digest) in worker.files() {
            let bytes = source.read(path)?;
            if digest_of(&bytes) != digest {
                let what = "is not the file that sw.js lists: build the site again (cargo xtask dist)";
                return Err(source.wrong(path, what.into()));
            }
            files.insert(path.to_owned(), bytes);
        }
        let page = page_with_title(&text(PAGE)?, title, address).map_err(|what| source.wrong(PAGE, what))?;
        let manifest = manifest_with_title(&text(MANIFEST)?, title).map_err(|what| source.wrong(MANIFEST, what))?;
        for (path, text) in [(PAGE, page), (MANIFEST, manifest)] {
            files.insert(path.to_owned(), text.into_bytes());
        }
        let headers = with_frames(&text(HEADERS_FILE)?, frames);
        // A site from a published folder has these rules already.
        let rules = cache_rules();
        let headers = format!("{}\n{rules}", headers.replace(&rules, "").trim_end());
        let read = HeaderRules::read(&headers)
            .map_err(|(line, what)| source.wrong(HEADERS_FILE, format!("line {line}: {what}")))?;
        let worker = worker.for_files(|path| files.get(path).map(Vec::as_slice), headers.as_bytes());
        files.insert(SERVICE_WORKER.to_owned(), worker.into_bytes());
        files.insert(HEADERS_FILE.to_owned(), headers.into_bytes());
        Ok(Site { files, headers: read })
    }
}

impl SiteSource<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        match self {
            SiteSource::Folder(folder) => {
                let path = folder.join(path);
                if !path.exists() {
                    let what = "has no such file, so it is not a whole site: build it with `cargo xtask dist`, which makes dist";
                    let name = path.strip_prefix(folder).unwrap_or(&path).display();
                    return Err(CliFailure::unsuitable(folder, format!("{name}: {what}")));
                }
                read_bounded(&path, MAX_FILE_BYTES)
            }
            #[cfg(feature = "site")]
            SiteSource::Program => match BUILT_SITE.get_file(path) {
                Some(file) => Ok(file.contents().to_vec()),
                None => Err(self.wrong(path, "is missing".into())),
            },
        }
    }

    fn wrong(&self, path: &str, what: String) -> CliFailure {
        let path = match self {
            SiteSource::Folder(folder) => folder.join(path),
            #[cfg(feature = "site")]
            SiteSource::Program => Path::new("the site in this program").join(path),
        };
        CliFailure::unsuitable(path, what)
    }
}

/// The bytes of a file that has at most `limit`.
///
/// # Errors
///
/// It cannot be read, or is larger.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let cannot = || CliFailure::file(path, "cannot be read");
    let file = open(path).map_err(cannot())?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(cannot())?;
    if bytes.len() as u64 > limit {
        let what = format!("has more than {limit} bytes, which is the most here");
        return Err(CliFailure::unsuitable(path, what));
    }
    Ok(bytes)
}

/// The files of the site in a published folder with their digests, as its service worker lists them; none if there is no sound one.
pub fn site_files(folder: &Path) -> Option<BTreeMap<String, String>> {
    let text = read_bounded(&folder.join(SERVICE_WORKER), MAX_FILE_BYTES).ok()?;
    let worker = ServiceWorker::read(String::from_utf8(text).ok()?).ok()?;
    Some(worker.files().map(|(path, digest)| (path.to_owned(), digest.to_owned())).collect())
}

/// Returns whether a file of the site is the one with this digest.
pub fn is_site_file(path: &Path, digest: &str) -> bool {
    read_bounded(path, MAX_FILE_BYTES).is_ok_and(|bytes| digest_of(&bytes) == digest)
}
