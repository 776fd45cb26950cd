//! Importing: PGN files become shards of a corpus.

use std::io::{self, Read};

use js_sys::{Array, Uint8Array};
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::{NoteKind, PgnImportReport};
use plyfold_input::import::{ImportOptions, import_games};
use plyfold_input::{InputError, PgnSource};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cancel;
use crate::error::{JsFailure, message_of};
use crate::plain::{List, plain_object};
use crate::source::JsSource;

/// A file of the page, read from beginning to end.
struct PageFileReader {
    file: JsSource,
    at: u64,
}

impl Read for PageFileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.fill(buffer, self.at).map_err(io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// A game that could not be read, or not to its end.
#[derive(Tsify)]
pub struct Refusal {
    /// Name of the file.
    pub file: String,
    /// Where the move at fault stands, or where the game begins, counted in bytes from the start of the decompressed file.
    pub byte: f64,
    /// Number of the game in its file, from 1.
    pub game: f64,
    /// The ply that could not be played, from 1; 0 if no move is at fault.
    pub ply: u32,
    /// Why the game could not be read.
    pub reason: String,
    /// Whether the moves before are kept as a game.
    pub kept_in_part: bool,
}
plain_object!(Refusal { file, byte, game, ply, reason, kept_in_part });

/// How many games have something that was not understood, and the first of them.
#[derive(Clone, Tsify)]
pub struct ImportNote {
    /// What it is: `tag`, `after_result`, `date`, `time_control`, `clock`, `command` or `encoding`.
    pub kind: String,
    /// How many games.
    pub games: f64,
    /// Name of the file of the first one.
    pub file: String,
    /// Its number in the file, from 1.
    pub game: f64,
    /// What was not understood, or the game, in bytes of the decompressed file.
    pub byte: f64,
}
plain_object!(ImportNote { kind, games, file, game, byte });

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What the page does during an import. */
export interface ImportListener {
  /** Takes the bytes of a finished shard. What it throws ends the import. */
  shard(bytes: Uint8Array): void;
  /** Receives the progress of the import: bytes of this file, and of all files games, refused games and plies. */
  progress(bytes: number, games: number, refused: number, plies: number): void;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The callbacks of an import.
    #[wasm_bindgen(typescript_type = "ImportListener")]
    pub type JsImportListener;

    /// Takes the bytes of a complete shard.
    #[wasm_bindgen(method, structural, catch)]
    fn shard(this: &JsImportListener, bytes: &Uint8Array) -> Result<(), JsValue>;

    /// Receives the progress: bytes of this file; games, refused games and plies of all files.
    #[wasm_bindgen(method, structural, catch)]
    fn progress(this: &JsImportListener, bytes: f64, games: f64, refused: f64, plies: f64) -> Result<(), JsValue>;
}

/// An import of one or more files into one corpus.
#[wasm_bindgen]
pub struct Import {
    header: CorpusFileHeader,
    report: PgnImportReport,
    /// The names of the files; for each file, the numbers of refusals and of games before it.
    files: Vec<(String, usize, u64)>,
    /// What was not understood of the games of all files, by [`NoteKind::ALL`].
    notes: [Option<ImportNote>; NoteKind::ALL.len()],
}

#[wasm_bindgen]
impl Import {
    /// Begins an import without files.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Import {
        let (header, report) = (CorpusFileHeader::empty(), PgnImportReport::default());
        Import { header, report, files: Vec::new(), notes: Default::default() }
    }

    /// Returns the current header of the corpus file. The shards follow it.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        self.header.to_bytes().to_vec()
    }

    /// Imports one file of `size_bytes`, plain or compressed; messages call it `name`.
    ///
    /// # Errors
    ///
    /// The file is not PGN or cannot be decompressed; storage fails; the request was cancelled. The shards
    /// that `listener` got are then useless.
    pub fn file(
        &mut self,
        name: String,
        file: JsSource,
        size_bytes: f64,
        listener: &JsImportListener,
    ) -> Result<(), JsFailure> {
        let failed = |error: InputError| match error {
            InputError::Cancelled => JsFailure::cancelled(),
            InputError::Store(error) => JsFailure::new("storage", error.to_string()),
            error => JsFailure::new("bad-input", format!("{name} {error}")),
        };
        let mut source =
            PgnSource::new(PageFileReader { file, at: 0 }, Some(size_bytes as u64)).map_err(failed)?.with_name(&name);
        let report = self.import_source(&mut source, listener).map_err(failed)?;
        self.note(&name, &report);
        self.files.push((name, self.report.rejections.len(), self.report.games()));
        let report = report.counted_from(self.report.games());
        self.report.append(report);
        Ok(())
    }

    /// Number of imported games.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.header.games as f64
    }

    /// Number of plies of the imported games.
    #[wasm_bindgen(getter)]
    pub fn plies(&self) -> f64 {
        self.header.plies as f64
    }

    /// Number of games that could not be read.
    #[wasm_bindgen(getter)]
    pub fn refused(&self) -> f64 {
        self.report.rejected as f64
    }

    /// Number of imported games of which only the moves before a fault are kept.
    #[wasm_bindgen(getter)]
    pub fn in_part(&self) -> f64 {
        self.report.in_part as f64
    }

    /// Lists what else was not understood.
    #[wasm_bindgen(unchecked_return_type = "ImportNote[]")]
    #[must_use]
    pub fn notes(&self) -> Array {
        self.notes.iter().flatten().cloned().collect::<List<_>>().0
    }

    /// Number of bytes of PGN read.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.report.bytes as f64
    }

    /// Lists the games that could not be read, or not to their ends, at most [`PgnImportReport::MAX_REJECTIONS`].
    #[wasm_bindgen(unchecked_return_type = "Refusal[]")]
    #[must_use]
    pub fn refusals(&self) -> Array {
        let refusals = self.report.rejections.iter().enumerate().map(|(index, refusal)| {
            let file = self.files.iter().rev().find(|(_, listed, _)| *listed <= index);
            let (name, games_before) = file.map_or(("", 0), |(name, _, games)| (name.as_str(), *games));
            Refusal {
                file: name.into(),
                byte: refusal.offset as f64,
                game: (refusal.game - games_before) as f64,
                ply: refusal.ply,
                reason: refusal.reason.to_string(),
                kept_in_part: refusal.kept_in_part,
            }
        });
        refusals.collect::<List<_>>().0
    }
}

impl Import {
    /// Adds what was not understood of a file.
    fn note(&mut self, file: &str, report: &PgnImportReport) {
        for (nth, &kind) in NoteKind::ALL.iter().enumerate() {
            let Some(first) = report.notes.iter().find(|note| note.kind == kind) else { continue };
            let (game, byte) = (first.game as f64, first.offset as f64);
            let none = || ImportNote { kind: kind.name().into(), games: 0.0, file: file.into(), game, byte };
            self.notes[nth].get_or_insert_with(none).games += report.noted[nth] as f64;
        }
    }

    /// Imports the games of a file and updates the header of the corpus file.
    fn import_source(
        &mut self,
        source: &mut PgnSource,
        listener: &JsImportListener,
    ) -> Result<PgnImportReport, InputError> {
        let header = &mut self.header;
        let (games, refused, plies) = (self.report.imported, self.report.rejected, self.report.plies);
        import_games(
            source,
            &ImportOptions::default(),
            &mut |progress, _| {
                let (games, refused, plies) =
                    (games + progress.games, refused + progress.refused, plies + progress.plies);
                // If the page fails to show progress, the import continues.
                let _ = listener.progress(progress.bytes_in as f64, games as f64, refused as f64, plies as f64);
                !cancel::is_cancelled()
            },
            &mut |shard| {
                header.append(&shard)?;
                Ok(listener.shard(&Uint8Array::from(&shard[..])).map_err(|thrown| message_of(&thrown))?)
            },
        )
    }
}

impl Default for Import {
    fn default() -> Import {
        Import::new()
    }
}
