//! `plyfold publish --check`: reads a published folder back whole and lists the files that are wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use egtgen::TableMaterial;
use plyfold_core::aliases::Aliases;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::corpus::transport::unpack_scan_part;
use plyfold_serve::HeaderRules;
use rayon::prelude::*;
use serde::Serialize;

use super::library::{
    LIBRARY_FILE, Library, MAX_ABOUT_BYTES, MAX_ALIASES_BYTES, MAX_LIBRARY_BYTES, PublishedShard, PublishedTables,
    is_digest_of,
};
use super::service_worker::{ServiceWorker, digest_of};
use super::site::{HEADERS_FILE, MAX_FILE_BYTES, PAGE, SERVICE_WORKER, read_bounded};
use super::site_pages::has_library;
use super::tables::open_table;
use crate::failure::{CliFailure, Result};
use crate::progress::ScanProgress;

/// What to do about a file that has changed on its way or on the disk.
const REMOVE: &str = "remove it and publish again, or copy it again from where it was published";
/// What to do about a file of the site.
const REWRITE: &str = "publish again, or copy it again from where it was published";

/// What a check found, and the JSON object.
#[derive(Serialize)]
pub struct FolderCheck {
    /// How many files were read.
    pub files: u64,
    pub games: u64,
    pub plies: u64,
    pub tables: u64,
    /// Whether the names of its files do not prove what is in them, because an earlier plyfold published it.
    pub is_of_old_form: bool,
    pub problems: Vec<Problem>,
}

/// A file that is wrong.
#[derive(Serialize)]
pub struct Problem {
    pub file: String,
    /// What is wrong with it, and what to do.
    pub what: String,
}

type Checked = Result<(), Problem>;

/// Reads everything in a published folder.
///
/// # Errors
///
/// It has no `library.json`, or one that cannot be read; then nothing else can be.
pub fn check_folder(root: &Path) -> Result<FolderCheck> {
    let path = root.join(LIBRARY_FILE);
    if !path.exists() {
        let what = "has no library.json, so it is no published folder: `plyfold publish OUT --corpus FILE` makes one";
        return Err(CliFailure::unsuitable(root, what));
    }
    let bytes = read_bounded(&path, MAX_LIBRARY_BYTES)?;
    let library = Library::read(&bytes).map_err(|what| {
        CliFailure::unsuitable(path, format!("{what}; publish again, or copy it again from where it was published"))
    })?;
    let shards: Vec<&PublishedShard> = library.corpora.iter().flat_map(|corpus| &corpus.shards).collect();
    let bar = ScanProgress::for_games(shards.iter().map(|shard| shard.games).sum());
    let check = |shard: &&PublishedShard| {
        let checked = check_shard(root, shard);
        bar.add_games(shard.games as u32);
        checked
    };
    let mut problems: Vec<Problem> = shards.par_iter().flat_map(check).collect();
    problems.extend(check_about(root, &library).err());
    problems.extend(check_aliases(root, &library).err());
    let (tables, wrong) = library.tables.as_ref().map_or((0, Vec::new()), |tables| check_tables(root, tables));
    problems.extend(wrong);
    let (site, wrong) = check_site(root);
    problems.extend(wrong);
    let named: BTreeSet<&str> = library.named_files().collect();
    Ok(FolderCheck {
        files: 1 + named.len() as u64 + tables + site,
        games: library.corpora.iter().map(|corpus| corpus.games).sum(),
        plies: library.corpora.iter().map(|corpus| corpus.plies).sum(),
        tables,
        is_of_old_form: library.is_of_old_form(),
        problems,
    })
}

fn problem(file: &str, what: impl Into<String>, advice: &str) -> Problem {
    Problem { file: file.to_owned(), what: format!("{}: {advice}", what.into()) }
}

/// The bytes of a file that is named after its digest. It has at most `limit`.
fn read_named(root: &Path, file: &str, limit: u64) -> Result<Vec<u8>, Problem> {
    let path = root.join(file);
    let advice = if path.exists() { REMOVE } else { REWRITE };
    let read = read_bounded(&path, limit).map_err(|error| problem(file, without_path(&error, &path), advice))?;
    let name = file.rsplit('/').next().and_then(|name| name.split('.').next());
    match name.is_some_and(|digest| is_digest_of(digest, &read)) {
        true => Ok(read),
        false => Err(problem(file, "its bytes do not have the digest in its name", REMOVE)),
    }
}

/// The same of a file that has this many bytes.
fn read_part(root: &Path, file: &str, bytes: u64) -> Result<Vec<u8>, Problem> {
    match fs::metadata(root.join(file)) {
        Ok(found) if found.len() != bytes => {
            Err(problem(file, format!("has {} bytes in place of {bytes}", found.len()), REMOVE))
        }
        _ => read_named(root, file, bytes),
    }
}

/// Checks both files of a shard, and returns what is wrong with either.
fn check_shard(root: &Path, shard: &PublishedShard) -> Vec<Problem> {
    let scan = read_part(root, &shard.scan.file, shard.scan.bytes);
    let text = shard.text.as_ref().map_or(Ok(Vec::new()), |text| read_part(root, &text.file, text.bytes));
    match (scan, text) {
        (Ok(scan), Ok(text)) => check_parts(shard, &scan, &text).err().into_iter().collect(),
        (scan, text) => [scan.err(), text.err()].into_iter().flatten().collect(),
    }
}

/// Unpacks the scan part of a shard, joins it with its texts, and checks it as a shard with every text.
fn check_parts(shard: &PublishedShard, packed: &[u8], text_bytes: &[u8]) -> Checked {
    let PublishedShard { games, plies, bytes, scan, text, .. } = shard;
    let in_scan = |what: String| problem(&scan.file, what, REMOVE);
    let unpacked = unpack_scan_part(packed, scan.unpacked).map_err(|error| in_scan(error.to_string()))?;
    let unpacked = unpacked.as_ref();
    if scan.unpacked_sha256.as_ref().is_some_and(|digest| !is_digest_of(digest, unpacked)) {
        return Err(problem(LIBRARY_FILE, format!("{} has another `unpacked_sha256`", scan.file), REWRITE));
    }
    let mut whole = AlignedBytes::zeroed(unpacked.len() + text_bytes.len());
    whole.as_mut()[..unpacked.len()].copy_from_slice(unpacked);
    whole.as_mut()[unpacked.len()..].copy_from_slice(text_bytes);
    let layout = ShardLayout::check(whole.as_ref()).map_err(|error| in_scan(error.to_string()))?;
    let header = layout.header;
    if (u64::from(header.games), header.plies, header.length, header.scan_length)
        != (*games, *plies, *bytes, scan.unpacked)
    {
        let what = "has other games, plies or bytes than library.json says";
        return Err(problem(LIBRARY_FILE, format!("{} {what}", scan.file), REWRITE));
    }
    let file = text.as_ref().map_or(&scan.file, |text| &text.file);
    let in_text = |error: CorpusError| problem(file, error.to_string(), REMOVE);
    layout.check_text(whole.as_ref()).map_err(in_text)?;
    check_texts(&Shard::new(&layout, whole.as_ref()), whole.as_ref()).map_err(in_text)
}

/// Unpacks every block of text, and finds the text of every game in its block.
fn check_texts(shard: &Shard<'_>, whole: &[u8]) -> Result<(), CorpusError> {
    let mut block: Option<(u64, Vec<u8>)> = None;
    for game in 0..shard.records.len() as u32 {
        let Some(place) = shard.text_location(game) else { continue };
        // Neighbouring games share a block.
        if block.as_ref().is_none_or(|(offset, _)| *offset != place.offset) {
            block = Some((place.offset, place.unpack(whole.get(place.offset as usize..).unwrap_or_default())?));
        }
        place.game_text(block.as_ref().map_or(&[][..], |(_, raw)| raw))?;
    }
    Ok(())
}

fn check_about(root: &Path, library: &Library) -> Checked {
    let Some(file) = &library.about else { return Ok(()) };
    let text = read_named(root, file, MAX_ABOUT_BYTES)?;
    String::from_utf8(text).map(drop).map_err(|_| problem(file, "is not UTF-8", "publish it again as UTF-8"))
}

fn check_aliases(root: &Path, library: &Library) -> Checked {
    let Some(file) = &library.aliases else { return Ok(()) };
    let wrong = |what: String| problem(file, what, "publish it again");
    let text =
        String::from_utf8(read_named(root, file, MAX_ALIASES_BYTES)?).map_err(|_| wrong("is not UTF-8".into()))?;
    Aliases::parse(&text).map(drop).map_err(wrong)
}

/// Opens every table and checks every byte. Returns how many there are, and what is wrong.
fn check_tables(root: &Path, tables: &PublishedTables) -> (u64, Vec<Problem>) {
    let check = |name: &String| -> Checked {
        let file = format!("{}{name}.egp", tables.folder);
        let wrong = |what: String| problem(&file, what, REWRITE);
        let path = root.join(&file);
        if !path.exists() {
            return Err(wrong("is not there".into()));
        }
        let material = TableMaterial::parse(name).map_err(|error| wrong(error.to_string()))?;
        let table = open_table(&path, material).map_err(|error| problem(&file, without_path(&error, &path), REMOVE))?;
        table.check().map_err(|error| problem(&file, without_path(&error, &path), REMOVE))
    };
    let problems = tables.names.par_iter().map(check).filter_map(|checked| checked.err()).collect();
    (tables.names.len() as u64, problems)
}

/// The message without the path with which it begins.
fn without_path(error: &dyn std::fmt::Display, path: &Path) -> String {
    let message = error.to_string();
    let begins = format!("{}: ", path.display());
    message.strip_prefix(&begins).map(str::to_owned).unwrap_or(message)
}

/// Compares the site with the digests of its service worker. Returns how many files it has, and what is wrong.
fn check_site(root: &Path) -> (u64, Vec<Problem>) {
    let read = |file: &str| {
        let bytes = read_bounded(&root.join(file), MAX_FILE_BYTES);
        bytes.map_err(|error| problem(file, without_path(&error, &root.join(file)), REWRITE))
    };
    let text = |file: &str| String::from_utf8(read(file)?).map_err(|_| problem(file, "is not UTF-8", REWRITE));
    let worker = text(SERVICE_WORKER)
        .and_then(|text| ServiceWorker::read(text).map_err(|what| problem(SERVICE_WORKER, what, REWRITE)));
    let worker = match worker {
        Ok(worker) => worker,
        Err(problem) => return (1, vec![problem]),
    };
    let listed: Vec<(&str, &str)> = worker.files().collect();
    let check = |&(file, digest): &(&str, &str)| -> Checked {
        match digest_of(&read(file)?) == digest {
            true => Ok(()),
            false => Err(problem(file, "is not the file that sw.js lists", REWRITE)),
        }
    };
    let mut problems: Vec<Problem> = listed.par_iter().map(check).filter_map(|checked| checked.err()).collect();
    let headers = text(HEADERS_FILE);
    if !headers.as_ref().is_ok_and(|text| worker.is_as_published(text.as_bytes())) {
        problems.push(problem(SERVICE_WORKER, "it or _headers is not the file that was published", REWRITE));
    }
    let rules = headers.and_then(|text| {
        let wrong = |(line, what)| problem(HEADERS_FILE, format!("line {line}: {what}"), REWRITE);
        HeaderRules::read(&text).map(drop).map_err(wrong)
    });
    problems.extend(rules.err());
    if text(PAGE).is_ok_and(|page| !has_library(&page)) {
        problems.push(problem(PAGE, "does not open library.json", REWRITE));
    }
    (listed.len() as u64 + 2, problems)
}
