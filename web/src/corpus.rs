//! A corpus opened from the browser's storage. The parts that scans read are in memory, and checked when they are first used; the texts
//! stay in storage.

use std::collections::BTreeMap;
use std::rc::Rc;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, OldShards, OpenCorpus};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::game::{Game, GameId, GameSpan, corpus_spans, game_by_id, span_of_game};
use plyfold_core::reduce::game_set::GameSet;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::aliases::ConfirmedNames;
use crate::edits::PendingEdits;
use crate::error::JsFailure;
use crate::plain::{Js, plain_object, to_js};
use crate::source::{BrowserStorage, ByteSource, CorpusFile, JsByteSource};

/// An open corpus.
#[wasm_bindgen]
pub struct Corpus {
    pub(crate) opened: OpenCorpus<BrowserStorage, AlignedBytes>,
    pub(crate) file: Rc<CorpusFile>,
    /// The named sets of the corpus, by name.
    pub(crate) sets: BTreeMap<String, GameSet>,
    pub(crate) edits: PendingEdits,
    pub(crate) names: ConfirmedNames,
}

/// What a row of a list of games has, names among it.
pub(crate) const ROW_PARTS: ShardParts = ShardParts::RECORDS
    .union(ShardParts::COLUMNS)
    .union(ShardParts::PLAYERS)
    .union(ShardParts::EVENTS)
    .union(ShardParts::SITES)
    .union(ShardParts::SOURCES)
    .union(ShardParts::HEADER_TEXTS)
    .union(ShardParts::OPENINGS);

/// How large a corpus is.
#[derive(Tsify)]
pub struct CorpusSize {
    /// Number of games.
    pub games: f64,
    /// Number of plies.
    pub plies: f64,
}
plain_object!(CorpusSize { games, plies });

/// Reads the size of a corpus from its first 64 bytes.
///
/// # Errors
///
/// The bytes are not the beginning of a corpus.
#[wasm_bindgen(js_name = corpusSize)]
pub fn corpus_size(head: &[u8]) -> Result<Js<CorpusSize>, JsFailure> {
    let header = CorpusFileHeader::read(head)?;
    Ok(to_js(CorpusSize { games: header.games as f64, plies: header.plies as f64 }))
}

#[wasm_bindgen]
impl Corpus {
    /// Opens a corpus: reads everything but the texts, and checks what says where the parts are. A private file belongs to the corpus from now on, and is closed with
    /// it; `stored_as` is the name of the corpus among those of the browser.
    ///
    /// Sections that older versions did not write are made in memory; the file stays as it is.
    ///
    /// # Errors
    ///
    /// The bytes are not a complete corpus; the storage cannot be read. What is damaged behind the beginnings of shards is an error where
    /// it is first used.
    #[wasm_bindgen(constructor)]
    pub fn open(source: JsByteSource, stored_as: Option<String>) -> Result<Corpus, JsFailure> {
        let file = CorpusFile::hold(ByteSource::new(&source), stored_as)?;
        let storage = BrowserStorage(Rc::clone(&file));
        let opened = OpenCorpus::open_storage(storage, CorpusCheck::WhenUsed, OldShards::Upgraded)?;
        let edits = PendingEdits::none(opened.header.id);
        Ok(Corpus { opened, file, sets: BTreeMap::new(), edits, names: ConfirmedNames::default() })
    }

    /// Closes the file of the corpus, because the page is being left. What is in memory can still be searched.
    pub fn release(&self) {
        self.file.release();
    }

    /// Whether the file was closed by [`release`](Corpus::release). What has no file that others wait for stays open.
    #[wasm_bindgen(getter)]
    pub fn is_released(&self) -> bool {
        self.file.is_released()
    }

    /// Takes the file again, opened anew.
    pub fn resume(&self, source: JsByteSource) {
        self.file.resume(ByteSource::new(&source));
    }

    /// Length of the file.
    #[wasm_bindgen(getter)]
    pub fn size_bytes(&self) -> f64 {
        self.opened.header.length as f64
    }

    /// Number of games.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.opened.header.games as f64
    }

    /// Number of plies.
    #[wasm_bindgen(getter)]
    pub fn plies(&self) -> f64 {
        self.opened.header.plies as f64
    }

    /// Returns the text of game `id` (from 0), byte for byte as it was imported but for its edits and names that stand for others.
    ///
    /// # Errors
    ///
    /// There is no such game; the text is damaged; the storage cannot be read.
    pub fn text(&self, id: u32) -> Result<Vec<u8>, JsFailure> {
        Ok(self.names.of_text(self.opened.text(id)?.into()).into_owned())
    }

    /// Returns the texts of these games (from 0), as [`text`](Corpus::text) does, separated by empty lines. Deleted games are left out.
    ///
    /// # Errors
    ///
    /// As [`text`](Corpus::text).
    pub fn texts(&self, ids: &[u32]) -> Result<Vec<u8>, JsFailure> {
        let mut read = self.opened.texts();
        let mut texts = Vec::new();
        for &id in ids.iter().filter(|id| !self.deleted().contains(GameId(**id))) {
            texts.extend_from_slice(&self.names.of_text(read.get(id)?.into()));
            while texts.last().is_some_and(u8::is_ascii_whitespace) {
                texts.pop();
            }
            texts.extend_from_slice(b"\n\n");
        }
        Ok(texts)
    }
}

impl Corpus {
    /// Returns the number that identifies the corpus in files made from it.
    pub(crate) fn id(&self) -> u64 {
        self.opened.header.id
    }

    /// Checks all that a search in the texts reads beside them, as far as it has not been used.
    ///
    /// # Errors
    ///
    /// It is damaged.
    pub(crate) fn check_all(&self) -> Result<(), JsFailure> {
        Ok(self.opened.require(ShardParts::ALL_WITH_TEXT_PLACES)?)
    }

    /// Returns all games with these parts and their companions, one span per shard.
    ///
    /// # Errors
    ///
    /// They are damaged.
    pub(crate) fn spans_with(&self, parts: ShardParts) -> Result<Vec<GameSpan<'_>>, JsFailure> {
        self.opened.require(parts.with_companions())?;
        Ok(corpus_spans(&self.opened))
    }

    /// Finds the shard of game `id` with what a row of a list has, and the game's index in that shard.
    ///
    /// # Errors
    ///
    /// There is no such game; its shard is damaged.
    pub(crate) fn locate_shard(&self, id: u32) -> Result<(Shard<'_>, u32), JsFailure> {
        self.locate_shard_with(id, ROW_PARTS)
    }

    fn locate_shard_with(&self, id: u32, parts: ShardParts) -> Result<(Shard<'_>, u32), JsFailure> {
        let found = self.opened.locate(id).ok_or_else(|| self.opened.no_such_game(id))?;
        Ok((self.opened.shard_with(found.shard, parts)?, found.game))
    }

    /// Returns a span of game `id` alone.
    pub(crate) fn span(&self, id: u32) -> Result<GameSpan<'_>, JsFailure> {
        self.locate_shard_with(id, ShardParts::ALL)?;
        Ok(span_of_game(&self.opened, GameId(id)).ok_or_else(|| self.opened.no_such_game(id))?)
    }

    /// Returns game `id`.
    pub(crate) fn game(&self, id: u32) -> Result<Game<'_>, JsFailure> {
        self.locate_shard_with(id, ShardParts::ALL)?;
        Ok(game_by_id(&self.opened, GameId(id)).ok_or_else(|| self.opened.no_such_game(id))?)
    }
}
