//! `sw.js`, the service worker of the site: it has a list of the site's files with their digests, and a version.
//!
//! The build writes them as `["path","sha256-…"]` and as 12 hex digits, in any kind of quotes. A browser refuses a file with another
//! digest, and takes a site for unchanged as long as the version is. So both are replaced when the page gets its title.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::library::is_plain_path;

/// How a digest begins.
const DIGEST_PREFIX: &str = "sha256-";
/// Letters of a digest after its beginning.
const DIGEST_LETTERS: usize = 44;
/// Hex digits of the version.
const VERSION_DIGITS: usize = 12;
/// What the list names the page.
const PAGE: &str = "./";

/// The text of a service worker, and where its list and its version are.
pub struct ServiceWorker {
    text: String,
    files: Vec<ListedFile>,
    version: Range<usize>,
}

/// A file of the list.
struct ListedFile {
    path: String,
    /// Where its digest is in the text.
    digest: Range<usize>,
}

/// The digest of a file, as the list has it.
pub fn digest_of(bytes: &[u8]) -> String {
    format!("{DIGEST_PREFIX}{}", STANDARD.encode(Sha256::digest(bytes)))
}

impl ServiceWorker {
    /// Finds list and version.
    ///
    /// # Errors
    ///
    /// Why the text is not the service worker of a site.
    pub fn read(text: String) -> Result<ServiceWorker, String> {
        let mut files = Vec::new();
        for (at, _) in text.match_indices(DIGEST_PREFIX) {
            let (path, digest) = listed_file(&text, at).ok_or_else(|| format!("byte {at}: a digest without a file"))?;
            // The page has two names, and only the list knows the shorter one.
            let path = if path == PAGE { "index.html" } else { path };
            if !is_plain_path(path) {
                return Err(format!("names the file {path:?}, which is not below its folder"));
            }
            files.push(ListedFile { path: path.to_owned(), digest });
        }
        if !files.iter().any(|file| file.path == "index.html") {
            return Err("does not have the list of the site's files".into());
        }
        let mut versions = versions(&text);
        match (versions.pop(), versions.pop()) {
            (Some(version), None) => Ok(ServiceWorker { text, files, version }),
            _ => Err("does not have one version of 12 hex digits".into()),
        }
    }

    /// The paths of the list, and the digests.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.path.as_str(), &self.text[file.digest.clone()]))
    }

    /// The same service worker for other files: `bytes_of` has the bytes of each that is listed, `headers` those of `_headers`.
    pub fn for_files<'a>(&self, bytes_of: impl Fn(&str) -> Option<&'a [u8]>, headers: &[u8]) -> String {
        let mut text = self.text.clone();
        for file in &self.files {
            // A digest is as long as any other, so the others stay where they are.
            text.replace_range(file.digest.clone(), &digest_of(bytes_of(&file.path).unwrap_or_default()));
        }
        let version = self.version_of(&text, headers);
        text.replace_range(self.version.clone(), &version);
        text
    }

    /// Returns whether the version is that of this text and of these headers, as [`for_files`](Self::for_files) writes it.
    pub fn is_as_published(&self, headers: &[u8]) -> bool {
        self.text[self.version.clone()] == self.version_of(&self.text, headers)
    }

    /// The version of a text: a digest of all but the version. It has the digests of the files.
    fn version_of(&self, text: &str, headers: &[u8]) -> String {
        let mut hasher = Sha256::new();
        for part in [&text[..self.version.start], &text[self.version.end..]] {
            hasher.update(part);
        }
        hasher.update(headers);
        let digits: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        digits[..VERSION_DIGITS].to_owned()
    }
}

/// Whether the letter is a quote of JavaScript.
fn is_quote(letter: u8) -> bool {
    matches!(letter, b'"' | b'\'' | b'`')
}

/// The path that stands before the digest at `at`, and where the digest is.
fn listed_file(text: &str, at: usize) -> Option<(&str, Range<usize>)> {
    let digest = at..at + DIGEST_PREFIX.len() + DIGEST_LETTERS;
    let quote = *text.as_bytes().get(at.checked_sub(1)?)?;
    let is_digest = is_quote(quote)
        && text.as_bytes().get(digest.end) == Some(&quote)
        && STANDARD.decode(text.get(at + DIGEST_PREFIX.len()..digest.end)?).is_ok();
    let before = text[..at - 1].trim_end().strip_suffix(',')?.trim_end();
    let quote = before.chars().next_back().filter(|&letter| u8::try_from(letter).is_ok_and(is_quote))?;
    let before = &before[..before.len() - 1];
    let begin = before.rfind(quote)? + 1;
    is_digest.then_some((&before[begin..], digest))
}

/// Returns where texts of 12 hex digits in quotes are.
fn versions(text: &str) -> Vec<Range<usize>> {
    let is_version = |letters: &&[u8]| {
        is_quote(letters[0])
            && letters[0] == letters[VERSION_DIGITS + 1]
            && letters[1..=VERSION_DIGITS].iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    let windows = text.as_bytes().windows(VERSION_DIGITS + 2).enumerate();
    windows.filter(|(_, letters)| is_version(letters)).map(|(at, _)| at + 1..at + 1 + VERSION_DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(quote: char) -> String {
        let (page, style) = (digest_of(b"page"), digest_of(b"style"));
        let text = format!("var v='0123456789ab',l=[['assets/a.css', '{style}'],['./','{page}']];f(`x`)");
        text.replace('\'', &quote.to_string())
    }

    #[test]
    fn list_and_version_are_found_and_replaced() {
        for quote in ['"', '\'', '`'] {
            let read = ServiceWorker::read(worker(quote)).expect("a service worker");
            let files: Vec<_> = read.files().collect();
            let (page, style) = (digest_of(b"page"), digest_of(b"style"));
            assert_eq!(files, [("assets/a.css", style.as_str()), ("index.html", page.as_str())]);
            let files = |path: &str| Some(if path == "index.html" { &b"other"[..] } else { b"style" });
            let new = read.for_files(files, b"/*");
            assert_eq!(new.len(), worker(quote).len());
            assert!(new.contains(&digest_of(b"other")) && new.contains(&style) && !new.contains(&page), "{new}");
            assert!(!new.contains("0123456789ab"), "{new}");
            let again = ServiceWorker::read(new.clone()).expect("a service worker");
            assert_eq!(again.for_files(files, b"/*"), new, "the same files are the same version");
            assert!(again.is_as_published(b"/*") && !again.is_as_published(b"/") && !read.is_as_published(b"/*"));
            assert_ne!(read.for_files(files, b"/"), new);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let worker = worker('"');
        for wrong in [
            String::new(),
            worker.replace("0123456789ab", "0123456789a"),
            worker.replace("f(`x`)", "f(`0123456789ab`)"),
            worker.replace("./", "other.html"),
            worker.replace("assets/a.css", "../a.css"),
            worker.replace("assets/a.css\", ", "assets/a.css\"; "),
            worker.replace("sha256-", "sha256-!"),
        ] {
            assert!(ServiceWorker::read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
