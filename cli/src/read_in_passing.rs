//! Opens a corpus or library, and in its place files of games: PGN, also compressed, in archives and in folders.
//!
//! Such a file becomes a corpus in memory, by the same import that writes corpora, and is gone with the command. It takes about as
//! many bytes as the corpus would take on disk, texts included, and for a moment one shard more.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::PgnImportReport;
use plyfold_files::PrintablePath;
use plyfold_input::import::{ImportOptions, import_games};
use plyfold_input::{InputError, PgnSource};
use plyfold_library::{MappedCorpus, MappedFile, corpus_files, is_corpus_name};
use plyfold_terminal::table::grouped;
use plyfold_terminal::write_note;

use crate::companions::corpus_beside;
use crate::failure::{CliFailure, Result};
use crate::progress::ImportBar;
use crate::query_argument::OPENING_TABLE;

/// Opens what a path means. A note says what was read in passing, and how it opens at once the next time.
///
/// # Errors
///
/// Those of [`MappedCorpus::open`]; a file of games cannot be read, or no game of it can.
pub fn open(path: &Path) -> Result<MappedCorpus> {
    let mut files = corpus_files(path)?.into_iter().map(MappedFile::open).collect::<Result<Vec<_>, _>>()?;
    let games: Vec<&mut MappedFile> = files.iter_mut().filter(|file| has_games(file)).collect();
    if !games.is_empty() {
        let bar = ImportBar::for_files(&games.iter().map(|file| file.path().to_path_buf()).collect::<Vec<_>>());
        let mut sum = PgnImportReport::default();
        for file in games {
            let (corpus, report) = read_games(file.path(), &bar)?;
            *file = corpus;
            (sum.imported, sum.rejected, sum.in_part) =
                (sum.imported + report.imported, sum.rejected + report.rejected, sum.in_part + report.in_part);
        }
        drop(bar);
        write_note(&note(path, &sum));
    }
    Ok(MappedCorpus::of_files(path, files))
}

/// Opens one corpus, for a command that writes beside it or looks there, and in its place one or more files of games as [`open`] does. A
/// corpus in memory has the id of its games, so what lies beside them fits as long as they are the same.
///
/// # Errors
///
/// Those of [`open`]; the path means several corpora.
pub fn open_one(path: &Path) -> Result<MappedCorpus> {
    if means_games(path) { open(path) } else { Ok(MappedCorpus::open_one(path)?) }
}

/// Whether a path means files of games, and no corpus.
pub fn means_games(path: &Path) -> bool {
    let files = corpus_files(path).unwrap_or_default();
    !files.is_empty() && files.into_iter().all(|file| MappedFile::open(file).is_ok_and(|file| has_games(&file)))
}

fn has_games(file: &MappedFile) -> bool {
    !is_corpus_name(file.path()) && file.detect_import_format().is_some()
}

/// Reads the games of a file into a corpus in memory.
fn read_games(path: &Path, bar: &ImportBar) -> Result<(MappedFile, PgnImportReport)> {
    let failed = |error: InputError| CliFailure::unsuitable(path, error.to_string());
    let mut source = PgnSource::open(path).map_err(failed)?;
    let (mut header, mut pieces) = (CorpusFileHeader::empty(), vec![Vec::new()]);
    let before = bar.state();
    let report = import_games(
        &mut source,
        &ImportOptions { openings: Some(Arc::clone(&OPENING_TABLE)), ..ImportOptions::default() },
        &mut |now, _| {
            bar.draw(before, now);
            true
        },
        &mut |shard| {
            header.append(&shard).map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>)?;
            pieces.push(shard);
            Ok(())
        },
    );
    let report = report.map_err(failed)?;
    if report.imported == 0 {
        let why = report
            .rejections
            .first()
            .map_or("has no games: is it a PGN file?".into(), |first| format!("no game of it can be read: {first}"));
        return Err(CliFailure::unsuitable(path, why));
    }
    pieces[0] = header.to_bytes().to_vec();
    Ok((MappedFile::in_memory(path.to_path_buf(), pieces)?, report))
}

/// What is told of games that were read in passing.
fn note(path: &Path, read: &PgnImportReport) -> String {
    let named = PrintablePath(path);
    let wrong = match (read.rejected, read.in_part) {
        (0, 0) => String::new(),
        (refused, in_part) => format!(", {} in part and {} refused", grouped(in_part), grouped(refused)),
    };
    let keep = match path.is_file() {
        true => format!("`plyfold import {named}` writes {}, which opens at once", PrintablePath(&corpus_beside(path))),
        false => "`plyfold import FILES -o OUT.plyfold` writes a corpus, which opens at once".into(),
    };
    format!("{named}: {} games read in passing{wrong}: {keep}", grouped(read.imported))
}
