//! A corpus opened from the browser's storage: what scans read is in memory, the texts stay where they are.

use std::collections::BTreeMap;

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, OldShards, OpenCorpus};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::game::{Game, GameSpan, corpus_spans, game_by_id, span_of_game};
use plyfold_core::reduce::game_set::GameSet;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::JsFailure;
use crate::source::{BrowserStorage, JsSource};

/// An open corpus.
#[wasm_bindgen]
pub struct Corpus {
    pub(crate) opened: OpenCorpus<BrowserStorage, AlignedBytes>,
    /// What names of sets stand for.
    pub(crate) sets: BTreeMap<String, GameSet>,
}

/// Games and plies of the corpus that begins with these 64 bytes.
///
/// # Errors
///
/// Bytes that begin no corpus.
#[wasm_bindgen]
pub fn facts(head: &[u8]) -> Result<Vec<f64>, JsFailure> {
    let header = CorpusFileHeader::read(head)?;
    Ok(vec![header.games as f64, header.plies as f64])
}

#[wasm_bindgen]
impl Corpus {
    /// Reads and checks everything but the texts of a corpus of `size_bytes`. What older versions did not write is made in memory;
    /// the file stays as it is.
    ///
    /// # Errors
    ///
    /// Bytes that are no whole corpus; storage that cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn open(source: JsSource, size_bytes: f64) -> Result<Corpus, JsFailure> {
        let storage = BrowserStorage { source, size_bytes: size_bytes as u64 };
        let opened = OpenCorpus::open_storage(storage, CorpusCheck::WithoutTexts, OldShards::Upgraded)?;
        Ok(Corpus { opened, sets: BTreeMap::new() })
    }

    /// How many games there are.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.opened.header.games as f64
    }

    /// How many plies there are.
    #[wasm_bindgen(getter)]
    pub fn plies(&self) -> f64 {
        self.opened.header.plies as f64
    }

    /// The text of game `id` (from 0), byte for byte as it was imported.
    ///
    /// # Errors
    ///
    /// No such game, damaged text, storage that cannot be read.
    pub fn text(&self, id: u32) -> Result<Vec<u8>, JsFailure> {
        self.opened.text(id)
    }

    /// The texts of these games (from 0) one after the other, an empty line between them.
    ///
    /// # Errors
    ///
    /// As [`text`](Corpus::text).
    pub fn texts(&self, ids: &[u32]) -> Result<Vec<u8>, JsFailure> {
        let mut read = self.opened.texts();
        let mut texts = Vec::new();
        for &id in ids {
            texts.extend_from_slice(read.get(id)?);
            while texts.last().is_some_and(u8::is_ascii_whitespace) {
                texts.pop();
            }
            texts.extend_from_slice(b"\n\n");
        }
        Ok(texts)
    }
}

impl Corpus {
    /// Names the corpus for what is made of it.
    pub(crate) fn id(&self) -> u64 {
        self.opened.header.id
    }

    /// All games, a span a shard.
    pub(crate) fn spans(&self) -> Vec<GameSpan<'_>> {
        corpus_spans(&self.opened)
    }

    /// The shard that holds game `id`, and the game's index in it.
    pub(crate) fn locate_shard(&self, id: u32) -> Result<(Shard<'_>, u32), JsFailure> {
        Ok(self.opened.find_game(id).ok_or_else(|| self.opened.no_such_game(id))?)
    }

    /// The span of game `id` alone.
    pub(crate) fn span(&self, id: u32) -> Result<GameSpan<'_>, JsFailure> {
        Ok(span_of_game(&self.opened, id).ok_or_else(|| self.opened.no_such_game(id))?)
    }

    /// Game `id`.
    pub(crate) fn game(&self, id: u32) -> Result<Game<'_>, JsFailure> {
        Ok(game_by_id(&self.opened, id).ok_or_else(|| self.opened.no_such_game(id))?)
    }
}
