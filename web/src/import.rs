//! Importing: files of PGN in, shards of a corpus out.

use std::io::{self, Read};

use js_sys::{Array, Function, Uint8Array};
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::PgnImportReport;
use plyfold_input::InputError;
use plyfold_input::import::ImportOptions;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::cancel;
use crate::error::{JsFailure, message_of};
use crate::game_rows::js_object;
use crate::source::JsSource;

/// A file of the page, read from its beginning to its end.
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

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A game that was not taken. `byte` counts in the decompressed file, `game` from 1, `ply` from 1 or 0 for none. */
export interface Refused {
  file: string;
  byte: number;
  game: number;
  ply: number;
  reason: string;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Games that were not taken.
    #[wasm_bindgen(typescript_type = "Refused[]")]
    pub type JsRefusedGames;
    /// Takes the bytes of a finished shard.
    #[wasm_bindgen(typescript_type = "(shard: Uint8Array) => void")]
    pub type JsShardSink;
    /// Hears of the advance: bytes of this file, and of all files games taken, games refused, plies.
    #[wasm_bindgen(typescript_type = "(bytes: number, games: number, refused: number, plies: number) => void")]
    pub type JsImportProgress;
}

/// An import of one or more files into one corpus.
#[wasm_bindgen]
pub struct Import {
    header: CorpusFileHeader,
    report: PgnImportReport,
    /// Names of the files, and how many refusals were listed and games met before each.
    files: Vec<(String, usize, u64)>,
}

#[wasm_bindgen]
impl Import {
    /// Nothing imported yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Import {
        Import { header: CorpusFileHeader::empty(), report: PgnImportReport::default(), files: Vec::new() }
    }

    /// The first bytes of the corpus file, as of now. The shards follow them.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        self.header.to_bytes().to_vec()
    }

    /// Imports one file of `size_bytes`, plain or compressed, called `name` in what is said of it.
    ///
    /// # Errors
    ///
    /// A file that is no PGN or cannot be decompressed; storage that fails; a request that was given up. What went to
    /// `sink` is then of no use.
    pub fn file(
        &mut self,
        name: String,
        file: JsSource,
        size_bytes: f64,
        sink: &JsShardSink,
        tell: &JsImportProgress,
    ) -> Result<(), JsFailure> {
        let failed = |error: InputError| match error {
            InputError::Cancelled => JsFailure::cancelled(),
            InputError::Store(error) => JsFailure::new("storage", error.to_string()),
            error => JsFailure::new("bad-input", format!("{name} {error}")),
        };
        let mut source = plyfold_input::PgnSource::new(PageFileReader { file, at: 0 }, Some(size_bytes as u64))
            .map_err(failed)?
            .with_name(&name);
        let (sink, tell): (&Function, &Function) = (sink.unchecked_ref(), tell.unchecked_ref());
        let header = &mut self.header;
        let (games, refused, plies) = (self.report.imported, self.report.rejected, self.report.plies);
        let report = plyfold_input::import::import_games(
            &mut source,
            &ImportOptions::default(),
            &mut |progress| {
                let numbers =
                    [progress.bytes_in, games + progress.games, refused + progress.refused, plies + progress.plies];
                let [bytes, games, refused, plies] = numbers.map(|number| JsValue::from_f64(number as f64));
                // What the page makes of the numbers is no reason to stop.
                let _ = tell.call4(&JsValue::NULL, &bytes, &games, &refused, &plies);
                !cancel::is_cancelled()
            },
            &mut |shard| {
                header.append(&shard)?;
                let bytes = Uint8Array::from(&shard[..]);
                sink.call1(&JsValue::NULL, &bytes).map_err(|thrown| message_of(&thrown))?;
                Ok(())
            },
        )
        .map_err(failed)?;
        self.files.push((name, self.report.rejections.len(), self.report.games()));
        self.report.append(report);
        Ok(())
    }

    /// Games taken.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.header.games as f64
    }

    /// Plies of the games taken.
    #[wasm_bindgen(getter)]
    pub fn plies(&self) -> f64 {
        self.header.plies as f64
    }

    /// Games not taken.
    #[wasm_bindgen(getter)]
    pub fn refused(&self) -> f64 {
        self.report.rejected as f64
    }

    /// Bytes of PGN read.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.report.bytes as f64
    }

    /// The games not taken, at most [`PgnImportReport::MAX_REJECTIONS`].
    #[must_use]
    pub fn refusals(&self) -> JsRefusedGames {
        let list = Array::new();
        for (index, refusal) in self.report.rejections.iter().enumerate() {
            let file = self.files.iter().rev().find(|(_, listed, _)| *listed <= index);
            let (name, games_before) = file.map_or(("", 0), |(name, _, games)| (name.as_str(), *games));
            list.push(&js_object(&[
                ("file", name.into()),
                ("byte", (refusal.offset as f64).into()),
                ("game", ((refusal.game - games_before) as f64).into()),
                ("ply", refusal.ply.into()),
                ("reason", refusal.reason.to_string().into()),
            ]));
        }
        list.unchecked_into()
    }
}

impl Default for Import {
    fn default() -> Import {
        Import::new()
    }
}
