//! Importing: files of PGN in, shards of a corpus out.

use js_sys::{Array, Function};
use plyfold_core::corpus::file::FileHeader;
use plyfold_core::pgn::{self, Report};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::cancel;
use crate::error::Failure;
use crate::source::Source;
use crate::table::object;

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
    pub type RefusedGames;
    /// Takes the bytes of a finished shard.
    #[wasm_bindgen(typescript_type = "(shard: Uint8Array) => void")]
    pub type Sink;
    /// Hears of the advance: bytes of this file, and of all files games taken, games refused, plies.
    #[wasm_bindgen(typescript_type = "(bytes: number, games: number, refused: number, plies: number) => void")]
    pub type Tell;
}

/// An import of one or more files into one corpus.
#[wasm_bindgen]
pub struct Import {
    header: FileHeader,
    report: Report,
    /// Names of the files, and the number of refusals listed before each.
    files: Vec<(String, usize)>,
}

#[wasm_bindgen]
impl Import {
    /// Nothing imported yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Import {
        Import { header: FileHeader::empty(), report: Report::default(), files: Vec::new() }
    }

    /// The first bytes of the corpus file, as of now. The shards follow them.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        self.header.to_bytes().to_vec()
    }

    /// Imports one file.
    ///
    /// # Errors
    pub fn file(&mut self, name: String, source: &Source, sink: &Sink, tell: &Tell) -> Result<(), Failure> {
        self.files.push((name, self.report.refusals.len()));
        let sink: &Function = sink.unchecked_ref();
        let tell: &Function = tell.unchecked_ref();
        let mut text = vec![0; 4 << 20];
        let mut filled = 0;
        let mut at = 0u64;
        let mut report = Report::default();
        loop {
            if cancel::is_cancelled() {
                return Err(Failure::cancelled());
            }
            let read = source.fill(&mut text[filled..], at + filled as u64)?;
            filled += read;
            let end = if read == 0 { filled } else { pgn::last_border(&text[..filled]).unwrap_or(filled) };
            let (shard, part) = pgn::into_shard(&text[..end], at);
            report.append(part);
            if !shard.is_empty() {
                self.header.append(&shard)?;
                sink.call1(&JsValue::NULL, &js_sys::Uint8Array::from(&shard[..])).map_err(|thrown| Failure::storage(&thrown))?;
            }
            text.copy_within(end..filled, 0);
            filled -= end;
            at += end as u64;
            let _ = tell.call4(&JsValue::NULL, &(at as f64).into(), &(report.imported as f64).into(), &(report.refused as f64).into(), &(report.plies as f64).into());
            if read == 0 {
                break;
            }
        }
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
        self.report.refused as f64
    }

    /// Bytes of PGN read.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.report.bytes as f64
    }

    /// The games not taken, at most [`Report::MOST_REFUSALS`].
    #[must_use]
    pub fn refusals(&self) -> RefusedGames {
        let list = Array::new();
        for (nth, refusal) in self.report.refusals.iter().enumerate() {
            let file = self.files.iter().rev().find(|(_, before)| *before <= nth).map_or("", |(name, _)| name);
            list.push(&object(&[
                ("file", file.into()),
                ("byte", (refusal.offset as f64).into()),
                ("game", (refusal.game as f64).into()),
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
