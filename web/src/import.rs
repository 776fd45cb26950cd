//! Importing: PGN files become shards of a corpus.

use js_sys::{Array, Function};
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::{NoteKind, PgnImportReport};
use plyfold_input::import::{ImportOptions, import_games};
use plyfold_input::{InputError, PgnSource};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::FileSystemSyncAccessHandle;

use crate::cancel;
use crate::error::JsFailure;
use crate::openings::opening_table;
use crate::pace::Pace;
use crate::plain::{List, plain_object};
use crate::sink::Sink;
use crate::source::{JsByteSource, SequentialReader};

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

/// An import of one or more files into one corpus.
#[wasm_bindgen]
pub struct Import {
    header: CorpusFileHeader,
    corpus: Sink,
    pace: Pace,
    report: PgnImportReport,
    /// The names of the files; for each file, the numbers of refusals and of games before it.
    files: Vec<(String, usize, u64)>,
    /// What was not understood of the games of all files, by [`NoteKind::ALL`].
    notes: [Option<ImportNote>; NoteKind::ALL.len()],
}

#[wasm_bindgen]
impl Import {
    /// Begins an import without files. The corpus is written to an empty private file, or kept in memory if there is none, or no room in
    /// it. The file belongs to the import from now on.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(file: Option<FileSystemSyncAccessHandle>) -> Import {
        let (header, report) = (CorpusFileHeader::empty(), PgnImportReport::default());
        let corpus = Sink::new(file, &header.to_bytes());
        Import { header, corpus, pace: Pace::default(), report, files: Vec::new(), notes: Default::default() }
    }

    /// Imports one file, plain or compressed; messages call it `name`. From time to time, `progress` gets the bytes of this file, and
    /// games, refused games and plies of all files; by returning false it cancels the import.
    ///
    /// # Errors
    ///
    /// The file is not PGN or cannot be decompressed; storage fails; the request was cancelled. Games before that place are in the corpus.
    pub fn file(
        &mut self,
        name: String,
        file: &JsByteSource,
        #[wasm_bindgen(
            unchecked_param_type = "(bytes: number, games: number, refused: number, plies: number) => boolean | void"
        )]
        progress: &Function,
    ) -> Result<(), JsFailure> {
        let failed = |error: InputError| match error {
            InputError::Cancelled => JsFailure::cancelled(),
            InputError::Store(error) => JsFailure::new("storage", error.to_string()),
            error => JsFailure::new("bad-input", format!("{name} {error}")),
        };
        let reader = SequentialReader::new(file)?;
        let size_bytes = Some(reader.size_bytes);
        let mut source = PgnSource::new(reader, size_bytes).map_err(failed)?.with_name(&name);
        let report = self.import_source(&mut source, progress).map_err(failed)?;
        self.note(&name, &report);
        self.files.push((name, self.report.rejections.len(), self.report.games()));
        let report = report.counted_from(self.report.games());
        self.report.append(report);
        Ok(())
    }

    /// Completes the corpus and closes its file. Returns its bytes if they are in memory.
    ///
    /// # Errors
    ///
    /// The file cannot be completed, and not be read either.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array[] | undefined")]
    pub fn finish(&mut self) -> Result<Option<Array>, JsFailure> {
        self.corpus.finish(&self.header.to_bytes())
    }

    /// Length of the corpus.
    #[wasm_bindgen(getter)]
    pub fn size_bytes(&self) -> f64 {
        self.header.length as f64
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
    fn import_source(&mut self, source: &mut PgnSource, listener: &Function) -> Result<PgnImportReport, InputError> {
        let (header, corpus, pace) = (&mut self.header, &mut self.corpus, &mut self.pace);
        let (games, refused, plies) = (self.report.imported, self.report.rejected, self.report.plies);
        import_games(
            source,
            &ImportOptions { openings: opening_table(), ..ImportOptions::default() },
            &mut |progress, _| {
                let (games, refused, plies) =
                    (games + progress.games, refused + progress.refused, plies + progress.plies);
                let told = [progress.bytes_in, games, refused, plies].map(|number| JsValue::from(number as f64));
                let [bytes, games, refused, plies] = &told;
                // If the page fails to show progress, the import continues.
                let goes_on = !pace.is_due()
                    || listener.call4(&JsValue::NULL, bytes, games, refused, plies) != Ok(JsValue::FALSE);
                goes_on && !cancel::is_cancelled()
            },
            &mut |shard| {
                header.append(&shard)?;
                Ok(corpus.append(&shard)?)
            },
        )
    }
}
