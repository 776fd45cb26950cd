//! The position index: it is built from the open corpus, read from storage, and used to look up positions.

use js_sys::{Array, Function};
use plyfold_core::corpus::storage::{AlignedBytes, CorpusStorage};
use plyfold_core::index::build::{BuildError, build_index};
use plyfold_core::index::error::IndexError;
use plyfold_core::index::fen;
use plyfold_core::index::layout::{IndexCheck, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, covers};
use plyfold_core::index::position_match::{IndexedResults, PositionMatch};
use plyfold_core::notation::notate_move;
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::FileSystemSyncAccessHandle;

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::groups::OutcomeCounts;
use crate::pace::Pace;
use crate::plain::{Js, List, plain_object, to_js};
use crate::sink::Sink;
use crate::source::{BrowserStorage, ByteSource, CorpusFile, JsByteSource};

/// The most plies of a segment. Building needs about 19 bytes per ply, and the engine's memory never shrinks.
const MAX_SEGMENT_PLIES: u64 = 8_000_000;

/// A next move of a position, with its games by result.
#[derive(Tsify)]
pub struct PositionMove {
    /// The move as SAN; a null move is `--`.
    pub san: String,
    /// The move as UCI writes it; a null move is `0000`.
    pub uci: String,
    /// The games by result.
    #[serde(flatten)]
    pub results: OutcomeCounts,
}
plain_object!(PositionMove { san, uci, ..results });

/// The games of a position, by result, and its next moves.
#[derive(Tsify)]
pub struct PositionFacts {
    /// Number of games that begin with the position.
    pub begin: f64,
    /// Number of games that reach the position after a ply.
    pub reach: f64,
    /// How often the position occurs in these games.
    pub positions: f64,
    /// The next moves, the most frequent first.
    pub next: List<PositionMove>,
    /// The games by result.
    #[serde(flatten)]
    pub results: OutcomeCounts,
}
plain_object!(PositionFacts { begin, reach, positions, next, ..results });

/// A position index in memory.
#[wasm_bindgen]
pub struct PositionIndex {
    bytes: AlignedBytes,
    layout: IndexLayout,
}

impl PositionIndex {
    fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[wasm_bindgen]
impl PositionIndex {
    /// Reads an index, whose file is closed then. [`Corpus::check_index`] checks whether it belongs to a corpus.
    ///
    /// # Errors
    ///
    /// The bytes are not a complete index; the storage cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn open(source: JsByteSource) -> Result<PositionIndex, JsFailure> {
        let file = BrowserStorage(CorpusFile::hold(ByteSource::new(&source), None)?);
        // The size may be nonsense, so the header is checked before memory is allocated.
        let header = IndexFileHeader::read(file.read(0, IndexFileHeader::BYTES as u64)?.as_ref())?;
        let size = file.size_bytes();
        if header.length != size || !size.is_multiple_of(8) {
            let missing = header.length.saturating_sub(size);
            return Err(IndexError::Truncated { part: "file", offset: 0, missing }.into());
        }
        let bytes = file.read(0, size)?;
        let layout = IndexLayout::check(bytes.as_ref(), IndexCheck::Headers)?;
        Ok(PositionIndex { bytes, layout })
    }

    /// Number of games in the index.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.layout.header.games as f64
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Builds the index of all games, or extends an older one. It is written to an empty private file, which is closed then, or kept in
    /// memory if there is none, or no room in it; its bytes are returned if they are in memory. From time to time, `progress` gets how much of
    /// the work is done, and how much there is.
    ///
    /// # Errors
    ///
    /// The older index belongs to other games or is damaged; storage fails; the request was cancelled. What was written is then useless.
    #[wasm_bindgen(js_name = buildIndex, unchecked_return_type = "Uint8Array[] | undefined")]
    pub fn build_index(
        &self,
        old: Option<PositionIndex>,
        file: Option<FileSystemSyncAccessHandle>,
        #[wasm_bindgen(unchecked_param_type = "(done: number, all: number) => void")] progress: &Function,
    ) -> Result<Option<Array>, JsFailure> {
        let mut written = Sink::new(file, &[0; IndexFileHeader::BYTES]);
        let spans = self.spans()?;
        let old = old.as_ref().map(|old| old.layout.index(old.bytes()));
        let plan = IndexPlan::new(self.id(), &spans, old.as_ref(), MAX_SEGMENT_PLIES)?;
        let (mut done, total, mut pace) = (0, 2 * plan.plies(), Pace::default());
        let mut advance = |plies: u64| {
            done += plies;
            if pace.is_due() {
                // If the page fails to show progress, the building continues.
                let _ = progress.call2(&JsValue::NULL, &(done as f64).into(), &(total as f64).into());
            }
            !cancel::is_cancelled()
        };
        let header = build_index(&plan, old.as_ref(), &mut advance, &mut |piece| written.append(piece));
        let header = header.map_err(|stopped| match stopped {
            BuildError::Cancelled => JsFailure::cancelled(),
            BuildError::OldIndex(error) => error.into(),
            BuildError::Sink(failure) => failure,
            other => JsFailure::new("bad-index", other.to_string()),
        })?;
        written.finish(&header.to_bytes())
    }

    /// Checks that an index covers exactly this corpus. Call it once; the functions below do not check again.
    ///
    /// # Errors
    ///
    /// The index belongs to other games, or does not cover all games.
    #[wasm_bindgen(js_name = checkIndex)]
    pub fn check_index(&self, index: &PositionIndex) -> Result<(), JsFailure> {
        Ok(covers(&index.layout.index(index.bytes()), self.id(), &self.spans()?)?)
    }

    /// Looks up the position of a FEN: its games and next moves.
    ///
    /// # Errors
    ///
    /// The FEN cannot be read; the index is damaged.
    pub fn position(&self, index: &PositionIndex, fen: &str) -> Result<Js<PositionFacts>, JsFailure> {
        let board = fen::board_from_fen(fen).map_err(|error| JsFailure::new("bad-input", error.to_string()))?;
        let position = self.look_up(index, board.hash)?;
        let next = position.next_moves.iter().map(|entry| {
            let letters = notate_move(&board, entry.mv);
            PositionMove { san: letters.san, uci: letters.uci, results: (&entry.results).into() }
        });
        Ok(to_js(PositionFacts {
            begin: position.started_games as f64,
            reach: position.reached_games as f64,
            positions: position.occurrences as f64,
            next: next.collect(),
            results: (&position.results).into(),
        }))
    }

    /// Returns the numbers (from 0) of the games with the position of a FEN, ascending, at most `most`.
    ///
    /// # Errors
    ///
    /// The FEN cannot be read; the index is damaged.
    #[wasm_bindgen(js_name = positionGames)]
    pub fn position_games(&self, index: &PositionIndex, fen: &str, most: usize) -> Result<Vec<u32>, JsFailure> {
        let board = fen::board_from_fen(fen).map_err(|error| JsFailure::new("bad-input", error.to_string()))?;
        Ok(self.look_up(index, board.hash)?.game_ids()?.take(most).map(|game| game.0).collect())
    }
}

impl Corpus {
    fn look_up<'i>(&self, index: &'i PositionIndex, hash: u64) -> Result<PositionMatch<'i>, JsFailure> {
        Ok(index.layout.index(index.bytes()).look_up(&self.spans()?, hash)?)
    }
}

impl From<&IndexedResults> for OutcomeCounts {
    fn from(results: &IndexedResults) -> OutcomeCounts {
        let IndexedResults { white, draw, black, unknown } = *results;
        OutcomeCounts {
            games: results.games() as f64,
            white: white as f64,
            draw: draw as f64,
            black: black as f64,
            unknown: unknown as f64,
        }
    }
}
