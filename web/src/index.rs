//! The position index: made of the open corpus, read from storage, and asked for positions.

use js_sys::{Array, Function, Uint8Array};
use plyfold_core::index::build::{BuildError, build_index};
use plyfold_core::index::error::IndexError;
use plyfold_core::index::fen;
use plyfold_core::index::layout::{IndexCheck, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, covers};
use plyfold_core::index::position_match::{IndexedResults, PositionMatch};
use plyfold_core::notation::notate_move;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::{JsFailure, message_of};
use crate::game_rows::js_object;
use crate::source::JsSource;

/// Plies of a segment at most: building takes about 19 bytes of the engine's memory for each, which never shrinks again.
const MAX_SEGMENT_PLIES: u64 = 8_000_000;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Games by result. */
export interface ByResult {
  games: number;
  white: number;
  draw: number;
  black: number;
  unknown: number;
}

/** What is known of a position: games that have it by result, of which `begin` begin with it and `reach` reach it after a ply, in
 *  `positions` places; and the next moves, the most frequent first. A null move is `--` and `0000`. */
export interface PositionAnswer extends ByResult {
  begin: number;
  reach: number;
  positions: number;
  next: (ByResult & { san: string; uci: string })[];
}
"#;

#[wasm_bindgen]
extern "C" {
    /// What is known of a position.
    #[wasm_bindgen(typescript_type = "PositionAnswer")]
    pub type JsPositionAnswer;
    /// Takes the bytes of an index, piece by piece, from byte 64 on.
    #[wasm_bindgen(typescript_type = "(piece: Uint8Array) => void")]
    pub type JsIndexSink;
    /// Hears of the advance: how much of how much is done.
    #[wasm_bindgen(typescript_type = "(done: number, all: number) => void")]
    pub type JsIndexProgress;
}

/// A position index in memory.
#[wasm_bindgen]
pub struct PositionIndex {
    /// The bytes of the file; words, so that they are aligned.
    words: Vec<u64>,
    layout: IndexLayout,
}

impl PositionIndex {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }
}

impl From<IndexError> for JsFailure {
    fn from(error: IndexError) -> JsFailure {
        JsFailure::new("bad-index", error.to_string())
    }
}

#[wasm_bindgen]
impl PositionIndex {
    /// Reads an index of `size_bytes`. Whether it is that of a corpus is asked by [`Corpus::check_index`].
    ///
    /// # Errors
    ///
    /// Bytes that are no whole index; storage that cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn open(source: JsSource, size_bytes: f64) -> Result<PositionIndex, JsFailure> {
        // Before any memory is asked for: the size may be nonsense.
        let mut head = [0; IndexFileHeader::BYTES];
        let read = source.fill(&mut head, 0)?;
        let header = IndexFileHeader::read(&head[..read])?;
        let size = size_bytes as u64;
        if header.length != size || !size.is_multiple_of(8) {
            let missing = header.length.saturating_sub(size);
            return Err(IndexError::Truncated { part: "file", offset: 0, missing }.into());
        }
        let mut words = vec![0u64; (size / 8) as usize];
        let read = source.fill(bytemuck::cast_slice_mut(&mut words), 0)?;
        words.truncate(read / 8);
        let layout = IndexLayout::check(bytemuck::cast_slice(&words), IndexCheck::Headers)?;
        Ok(PositionIndex { words, layout })
    }

    /// Games that it covers.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.layout.header.games as f64
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Makes the index of all games, going on from an older one if there is one. `sink` gets its bytes from byte 64 on; those
    /// returned belong before them.
    ///
    /// # Errors
    ///
    /// An older index that is of other games or damaged; storage that fails; a request that was given up. What went to `sink` is
    /// then of no use.
    #[wasm_bindgen(js_name = buildIndex)]
    pub fn build_index(
        &self,
        old: Option<PositionIndex>,
        sink: &JsIndexSink,
        tell: &JsIndexProgress,
    ) -> Result<Vec<u8>, JsFailure> {
        let (sink, tell): (&Function, &Function) = (sink.unchecked_ref(), tell.unchecked_ref());
        let spans = self.spans();
        let old = old.as_ref().map(|old| old.layout.index(old.bytes()));
        let plan = IndexPlan::new(self.id(), &spans, old.as_ref(), MAX_SEGMENT_PLIES)?;
        let (mut done, total) = (0, 2 * plan.plies());
        let mut advance = |plies: u64| {
            done += plies;
            // What the page makes of the numbers is no reason to stop.
            let _ = tell.call2(&JsValue::NULL, &(done as f64).into(), &(total as f64).into());
            !cancel::is_cancelled()
        };
        let header = build_index(&plan, old.as_ref(), &mut advance, &mut |piece| {
            sink.call1(&JsValue::NULL, &Uint8Array::from(piece)).map(drop)
        });
        let header = header.map_err(|stopped| match stopped {
            BuildError::Cancelled => JsFailure::cancelled(),
            BuildError::OldIndex(error) => error.into(),
            BuildError::Sink(thrown) => JsFailure::new("storage", message_of(&thrown)),
        })?;
        Ok(header.to_bytes().to_vec())
    }

    /// Whether an index is that of this corpus, all of it. Asked once; the questions below take it for granted.
    ///
    /// # Errors
    ///
    /// It is of other games, or does not cover all.
    #[wasm_bindgen(js_name = checkIndex)]
    pub fn check_index(&self, index: &PositionIndex) -> Result<(), JsFailure> {
        Ok(covers(&index.layout.index(index.bytes()), self.id(), &self.spans())?)
    }

    /// What is known of the position that a FEN describes.
    ///
    /// # Errors
    ///
    /// No FEN; a damaged index.
    pub fn position(&self, index: &PositionIndex, fen: &str) -> Result<JsPositionAnswer, JsFailure> {
        let board = fen::board_from_fen(fen).map_err(|error| JsFailure::new("bad-input", error.to_string()))?;
        let position = self.look_up(index, board.hash)?;
        let next = Array::new();
        for entry in &position.next_moves {
            let letters = notate_move(&board, entry.mv);
            let mut properties = result_properties(&entry.results).to_vec();
            properties.extend([("san", letters.san.into()), ("uci", letters.uci.into())]);
            next.push(&js_object(&properties));
        }
        let mut properties = result_properties(&position.results).to_vec();
        properties.extend([
            ("begin", js_number(position.started_games)),
            ("reach", js_number(position.reached_games)),
            ("positions", js_number(position.occurrences)),
            ("next", next.into()),
        ]);
        Ok(JsValue::from(js_object(&properties)).unchecked_into())
    }

    /// The numbers (from 0) of the games that have the position that a FEN describes, ascending, at most `most`.
    ///
    /// # Errors
    ///
    /// No FEN; a damaged index.
    #[wasm_bindgen(js_name = positionGames)]
    pub fn position_games(&self, index: &PositionIndex, fen: &str, most: usize) -> Result<Vec<u32>, JsFailure> {
        let board = fen::board_from_fen(fen).map_err(|error| JsFailure::new("bad-input", error.to_string()))?;
        Ok(self.look_up(index, board.hash)?.game_ids()?.take(most).map(|game| game.0).collect())
    }
}

impl Corpus {
    fn look_up<'i>(&self, index: &'i PositionIndex, hash: u64) -> Result<PositionMatch<'i>, JsFailure> {
        Ok(index.layout.index(index.bytes()).look_up(&self.spans(), hash)?)
    }
}

fn result_properties(results: &IndexedResults) -> [(&'static str, JsValue); 5] {
    let IndexedResults { white, draw, black, unknown } = *results;
    [("games", results.games()), ("white", white), ("draw", draw), ("black", black), ("unknown", unknown)]
        .map(|(name, count)| (name, js_number(count)))
}

fn js_number(count: u64) -> JsValue {
    JsValue::from_f64(count as f64)
}
