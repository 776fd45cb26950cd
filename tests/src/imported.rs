//! PGN files as corpora in memory, imported in the same way as a user's file.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::{OpeningTable, PgnImportReport, read_opening_lines};
use plyfold_input::PgnSource;
use plyfold_input::import::{ImportOptions, import_games};

use crate::games::Aligned;

/// The openings that the command line knows.
pub static OPENING_TABLE: LazyLock<Arc<OpeningTable>> =
    LazyLock::new(|| Arc::new(read_opening_lines(plyfold_openings::LINES)));

/// The corpus of all games of the file, and the report of its import.
pub fn file(path: &Path) -> (Aligned, PgnImportReport) {
    source(
        &mut PgnSource::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        &ImportOptions { openings: Some(Arc::clone(&OPENING_TABLE)), ..ImportOptions::default() },
    )
}

/// The bytes of a corpus file, or the corpus of all games of a PGN file.
pub fn corpus(path: &Path) -> Aligned {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if bytes.starts_with(b"plyfold\0") { Aligned::new(&bytes) } else { file(path).0 }
}

/// The corpus of all games of a source, and the report of its import.
pub fn source(source: &mut PgnSource, options: &ImportOptions) -> (Aligned, PgnImportReport) {
    let mut header = CorpusFileHeader::empty();
    let mut body = vec![0; CorpusFileHeader::BYTES];
    let report = import_games(source, options, &mut |_, _| true, &mut |shard| {
        header.append(&shard)?;
        body.extend_from_slice(&shard);
        Ok(())
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    body[..CorpusFileHeader::BYTES].copy_from_slice(&header.to_bytes());
    (Aligned::new(&body), report)
}
