//! Reads and writes `library.json`, which says what a published folder has. `docs/library.schema.json` describes it.
//!
//! The page that reads it trusts nothing in it, and neither does this program: [`Library::read`] checks every number, name and path
//! before anything is done with them.

use chrono::NaiveDate;
use plyfold_core::query;
use plyfold_core::query::language::{FIRST_LANGUAGE, LANGUAGE, in_this_language};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use crate::query_argument::OPENING_NAMES;

/// The name of the file.
pub const LIBRARY_FILE: &str = "library.json";
/// The folder of the files that are named after their digests, as paths begin.
pub const LIBRARY_FOLDER: &str = "library/";
/// The folder of packed tables.
pub const TABLES_FOLDER: &str = "tables/";

/// The most bytes of the file.
pub const MAX_LIBRARY_BYTES: u64 = 8 << 20;
/// The most letters of a title: of the library, of a question, or of a corpus. They are counted as JavaScript does, where some
/// count twice.
pub const MAX_TITLE_LETTERS: usize = 200;
/// The most bytes of a question's query.
pub const MAX_QUERY_BYTES: usize = 4096;
/// The most questions.
pub const MAX_QUESTIONS: usize = 100;
/// The most bytes of the publisher's text.
pub const MAX_ABOUT_BYTES: u64 = 64 << 10;
/// The most bytes of the names that stand for others, which every visitor fetches.
pub const MAX_ALIASES_BYTES: u64 = 4 << 20;
const MAX_CORPORA: usize = 1000;
/// The most shards of all corpora together.
const MAX_SHARDS: usize = 1 << 16;
const MAX_TABLES: usize = 10_000;
/// The fewest bytes of a scan part: those of its header.
const MIN_SCAN_BYTES: u64 = 64;
/// The most bytes of a scan part, packed or not. A visitor's browser has it in memory.
const MAX_SCAN_BYTES: u64 = 256 << 20;
/// The most bytes of the texts of a shard, which no file of the library exceeds.
pub const MAX_TEXT_BYTES: u64 = 1 << 30;
/// The greatest number that JavaScript has exactly.
const MAX_NUMBER: u64 = (1 << 53) - 1;

const FORMAT: &str = "plyfold library";
const VERSION: u32 = 2;
/// A version whose files are named after XXH3-64, so their names do not prove what is in them. It is read and never written.
const OLD_VERSION: u32 = 1;
/// Digits of the id of a corpus.
const ID_DIGITS: usize = 16;
const XXH3_DIGITS: usize = 16;
const SHA256_DIGITS: usize = 64;

/// A published library.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Library {
    format: String,
    version: u32,
    /// Its name, plain text.
    pub title: String,
    /// The day when something last changed, `YYYY-MM-DD`.
    pub updated: String,
    /// The publisher's text, a Markdown file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The names that stand for others, a file as `--aliases` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<String>,
    /// First questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// The corpora, in order.
    pub corpora: Vec<PublishedCorpus>,
    /// Endgame tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<PublishedTables>,
}

/// A query with a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// What it asks, in words.
    pub title: String,
    /// The query.
    pub query: String,
    /// The version of the language of the query.
    #[serde(default = "Question::first_language")]
    pub language: u32,
}

/// A corpus, shard by shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedCorpus {
    /// Its name.
    pub name: String,
    /// The id of the corpus, 16 hex digits.
    pub id: String,
    /// How many games it has.
    pub games: u64,
    /// How many plies they have.
    pub plies: u64,
    /// Its shards, in order.
    pub shards: Vec<PublishedShard>,
}

/// A shard, in two files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedShard {
    /// How many games it has.
    pub games: u64,
    /// How many plies they have.
    pub plies: u64,
    /// Bytes of the whole shard, unpacked.
    pub bytes: u64,
    /// What a scan reads, packed.
    pub scan: ScanFile,
    /// The texts of the games, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextFile>,
    /// The digest of the shard that it was made from. If the shard is still the same, it need not be packed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The packed scan part of a shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScanFile {
    /// Its path.
    pub file: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of the scan part.
    pub unpacked: u64,
    /// Their digest; libraries of version 1 have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpacked_sha256: Option<String>,
}

/// The texts of a shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TextFile {
    /// Its path.
    pub file: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Where the file's first byte lies in the shard.
    pub offset: u64,
}

/// The packed endgame tables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedTables {
    /// Their folder, which ends with a slash.
    pub folder: String,
    /// Their names, such as `KQvK`: each is a file `NAME.egp`.
    pub names: Vec<String>,
}

impl Library {
    /// A library without games.
    pub fn new(title: String, updated: String) -> Library {
        let (about, aliases, questions, corpora, tables) = (None, None, Vec::new(), Vec::new(), None);
        Library { format: FORMAT.into(), version: VERSION, title, updated, about, aliases, questions, corpora, tables }
    }

    /// Reads and checks the file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence without the name of the file.
    pub fn read(bytes: &[u8]) -> Result<Library, String> {
        if bytes.len() as u64 > MAX_LIBRARY_BYTES {
            return Err(format!("has more than {MAX_LIBRARY_BYTES} bytes"));
        }
        let library: Library = serde_json::from_slice(bytes).map_err(|error| format!("is no library: {error}"))?;
        library.check()?;
        Ok(library)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Returns whether the names of its files do not prove what is in them, because an earlier plyfold published it.
    pub fn is_of_old_form(&self) -> bool {
        self.version == OLD_VERSION
    }

    /// How many digits its digests have.
    fn digits(&self) -> usize {
        if self.is_of_old_form() { XXH3_DIGITS } else { SHA256_DIGITS }
    }

    /// The paths of all files that are named after their digests.
    pub fn named_files(&self) -> impl Iterator<Item = &str> {
        let shards = self.corpora.iter().flat_map(|corpus| &corpus.shards);
        let files = shards.flat_map(|shard| {
            [Some(&shard.scan.file), shard.text.as_ref().map(|text| &text.file)].into_iter().flatten()
        });
        files.chain(&self.about).chain(&self.aliases).map(String::as_str)
    }

    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("is no library: its format is not \"{FORMAT}\""));
        }
        if !(OLD_VERSION..=VERSION).contains(&self.version) {
            let Library { version, .. } = self;
            return Err(format!("has version {version}, and this program knows version {VERSION}: update plyfold"));
        }
        check_title(&self.title).map_err(|what| format!("the title {what}"))?;
        if !is_date(&self.updated) {
            return Err("`updated` is no date such as 2026-11-24".into());
        }
        if let Some(about) = &self.about {
            check_path(about, ".md", self.digits())?;
        }
        if let Some(aliases) = &self.aliases {
            check_path(aliases, ".tsv", self.digits())?;
        }
        check_count("questions", self.questions.len(), MAX_QUESTIONS)?;
        for (number, question) in (1..).zip(&self.questions) {
            question.check().map_err(|what| format!("question {number} {what}"))?;
        }
        check_count("corpora", self.corpora.len(), MAX_CORPORA)?;
        check_count("shards", self.corpora.iter().map(|corpus| corpus.shards.len()).sum(), MAX_SHARDS)?;
        for corpus in &self.corpora {
            corpus.check(self.digits()).map_err(|what| format!("the corpus {:?} {what}", corpus.name))?;
            if self.corpora.iter().filter(|other| other.id == corpus.id).count() > 1 {
                return Err(format!("two corpora have the id {}", corpus.id));
            }
        }
        self.tables.as_ref().map_or(Ok(()), PublishedTables::check)
    }
}

impl Question {
    /// A query of this version of the language, with a title.
    pub fn new(title: String, query: &str) -> Question {
        Question { title, query: query.to_owned(), language: LANGUAGE }
    }

    fn first_language() -> u32 {
        FIRST_LANGUAGE
    }

    /// Checks the title and compiles the query.
    ///
    /// # Errors
    ///
    /// What is wrong, to follow the place of the question.
    pub fn check(&self) -> Result<(), String> {
        check_title(&self.title).map_err(|what| format!("has a title that {what}"))?;
        if self.query.len() > MAX_QUERY_BYTES {
            return Err(format!("has a query of more than {MAX_QUERY_BYTES} bytes"));
        }
        let text = in_this_language(&self.query, self.language).map_err(|error| error.to_string())?;
        let compiled = query::compile_with_openings(&text, &OPENING_NAMES);
        compiled.map(drop).map_err(|error| format!("has a mistake: {error}"))
    }
}

impl PublishedCorpus {
    fn check(&self, digits: usize) -> Result<(), String> {
        check_title(&self.name).map_err(|what| format!("has a name that {what}"))?;
        if !is_hexadecimal(&self.id, ID_DIGITS) {
            return Err("has an id that is not 16 hex digits".into());
        }
        for (number, shard) in (1..).zip(&self.shards) {
            shard.check(digits).map_err(|what| format!("has a shard, number {number}, of which {what}"))?;
        }
        let sum = |part: fn(&PublishedShard) -> u64| self.shards.iter().map(part).sum::<u64>();
        if (sum(|shard| shard.games), sum(|shard| shard.plies)) != (self.games, self.plies) {
            return Err("has other counts than its shards".into());
        }
        if self.games > u64::from(u32::MAX) {
            return Err(format!("has more than {} games", u32::MAX));
        }
        Ok(())
    }
}

impl PublishedShard {
    fn check(&self, digits: usize) -> Result<(), String> {
        let PublishedShard { games, plies, bytes, scan, text, source } = self;
        check_path(&scan.file, ".scan", digits)?;
        for (name, number, least, most) in [
            ("games", *games, 0, u64::from(u32::MAX)),
            ("plies", *plies, 0, MAX_NUMBER / MAX_SHARDS as u64),
            ("scan.bytes", scan.bytes, 1, MAX_SCAN_BYTES),
            ("scan.unpacked", scan.unpacked, MIN_SCAN_BYTES, MAX_SCAN_BYTES),
            ("text.bytes", text.as_ref().map_or(1, |text| text.bytes), 1, MAX_TEXT_BYTES),
        ] {
            if !(least..=most).contains(&number) {
                return Err(format!("`{name}` is not between {least} and {most}"));
            }
        }
        if let Some(text) = text {
            check_path(&text.file, ".text", digits)?;
            if text.offset != scan.unpacked {
                return Err("`text.offset` is not `scan.unpacked`, where its texts begin".into());
            }
        }
        if scan.unpacked + text.as_ref().map_or(0, |text| text.bytes) != *bytes {
            return Err("`bytes` is not the sum of its two parts".into());
        }
        if source.as_ref().is_some_and(|source| !is_hexadecimal(source, digits)) {
            return Err(format!("`source` is not {digits} hex digits"));
        }
        let unpacked = scan.unpacked_sha256.as_ref();
        if digits == SHA256_DIGITS && !unpacked.is_some_and(|digest| is_hexadecimal(digest, digits)) {
            return Err(format!("`scan.unpacked_sha256` is not {digits} hex digits"));
        }
        Ok(())
    }
}

impl PublishedTables {
    fn check(&self) -> Result<(), String> {
        let folder = self.folder.strip_suffix('/');
        if !folder.is_some_and(is_plain_path) {
            return Err("`tables.folder` is no folder below that of the library, such as \"tables/\"".into());
        }
        check_count("tables", self.names.len(), MAX_TABLES)?;
        match self.names.iter().find(|name| !is_table_name(name)) {
            Some(wrong) => Err(format!("{wrong:?} is no name of a table")),
            None => Ok(()),
        }
    }
}

/// Whether the text has the form of a name such as `KQvK`.
fn is_table_name(name: &str) -> bool {
    let is_side =
        |pieces: &str| (1..=8).contains(&pieces.len()) && pieces.bytes().all(|piece| b"KQRBNP".contains(&piece));
    name.split_once('v').is_some_and(|(white, black)| is_side(white) && is_side(black))
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("has {count} {what}, and {most} is the most")) } else { Ok(()) }
}

/// Checks a title.
///
/// # Errors
///
/// What is wrong, to follow its name.
pub fn check_title(title: &str) -> Result<(), String> {
    if title.trim().is_empty() {
        return Err("is empty".into());
    }
    if title.encode_utf16().count() > MAX_TITLE_LETTERS {
        return Err(format!("has more than {MAX_TITLE_LETTERS} letters"));
    }
    if title.chars().any(char::is_control) {
        return Err("has control characters".into());
    }
    Ok(())
}

/// Checks the path of a file that is named after its digest.
fn check_path(path: &str, ending: &str, digits: usize) -> Result<(), String> {
    let name = path.strip_prefix(LIBRARY_FOLDER).and_then(|name| name.strip_suffix(ending));
    match name.is_some_and(|name| is_hexadecimal(name, digits)) {
        true => Ok(()),
        false => Err(format!("the path {path:?} is not {LIBRARY_FOLDER}, {digits} hex digits and {ending}")),
    }
}

/// Returns whether a text is the digest of a file in the name of the file, of any version.
pub fn is_digest(text: &str) -> bool {
    [SHA256_DIGITS, XXH3_DIGITS].into_iter().any(|digits| is_hexadecimal(text, digits))
}

/// The name of a file in a library of today: its SHA-256.
pub fn digest_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether the bytes are those that a digest stands for.
pub fn is_digest_of(digest: &str, bytes: &[u8]) -> bool {
    match digest.len() {
        XXH3_DIGITS => digest == format!("{:016x}", xxh3_64(bytes)),
        _ => digest == digest_of(bytes),
    }
}

fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether a path leads to a file below its folder, and is the same in a URL and on any disk.
pub fn is_plain_path(path: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"._-".contains(&letter))
    };
    path.len() <= 255 && path.split('/').all(is_name)
}

fn is_date(text: &str) -> bool {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_their_folder() {
        for right in ["a", "assets/index-4YutN6WV.js", "demo/demo.pgn.zst"] {
            assert!(is_plain_path(right), "{right}");
        }
        let long = "a".repeat(256);
        for wrong in ["", "/a", "a/", "a//b", "..", "a/../b", ".a", "a\\b", "c:", "a?b", "a#b", "a%2fb", "é", &long] {
            assert!(!is_plain_path(wrong), "{wrong}");
        }
    }

    #[test]
    fn dates_have_their_shape() {
        assert!(is_date("2026-11-24"));
        for wrong in
            ["", "2026-11-2", "2026-11-244", "2026/11/24", "2026-1a-24", "2026-13-01", "2026-02-29", "２026-11-24"]
        {
            assert!(!is_date(wrong), "{wrong}");
        }
    }
}
