//! A corpus opened from the browser's storage: what scans read is in memory, the texts stay where they are.

use std::collections::BTreeMap;

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::layout::{ShardHeader, ShardLayout};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::upgrade::upgrade_scan_part;
use plyfold_core::game::{GameId, GameSpan, spans_of_shards};
use plyfold_core::reduce::game_set::GameSet;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::JsFailure;
use crate::source::JsSource;

/// The scan part of one shard.
struct LoadedShard {
    /// Where the shard begins in the file.
    offset: u64,
    /// Its bytes; words, so that records and moves are aligned.
    words: Vec<u64>,
    layout: ShardLayout,
    /// By how much they have grown since they were read: texts lie so much nearer in the file.
    grown_bytes: u64,
}

impl LoadedShard {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }
}

/// An open corpus.
#[wasm_bindgen]
pub struct Corpus {
    header: CorpusFileHeader,
    held: Vec<LoadedShard>,
    /// Number of the first game of each shard.
    first: Vec<u32>,
    source: JsSource,
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
        let size = size_bytes as u64;
        let mut head = [0; CorpusFileHeader::BYTES];
        let read = source.fill(&mut head, 0)?;
        let header = CorpusFileHeader::read(&head[..read])?;
        let mut parts = Vec::new();
        let mut offset = CorpusFileHeader::BYTES as u64;
        while offset < header.length {
            let part = read_part(&source, offset, size.min(header.length))?;
            offset += part.0.length;
            parts.push(part);
        }
        let ready = prepare_shards(parts)?;
        let mut corpus = Corpus { header, held: Vec::new(), first: Vec::new(), source, sets: BTreeMap::new() };
        let mut games = 0;
        for held in ready {
            corpus.first.push(games);
            games += held.layout.header.games;
            corpus.held.push(held);
        }
        let plies: u64 = corpus.held.iter().map(|held| held.layout.header.plies).sum();
        if (corpus.held.len() as u32, u64::from(games), plies) != (header.shards, header.games, header.plies) {
            let what = "its counts are not those of the shards";
            return Err(CorpusError::Inconsistent { section: "file header", offset: 0, what }.into());
        }
        Ok(corpus)
    }

    /// How many games there are.
    #[wasm_bindgen(getter)]
    pub fn games(&self) -> f64 {
        self.header.games as f64
    }

    /// How many plies there are.
    #[wasm_bindgen(getter)]
    pub fn plies(&self) -> f64 {
        self.header.plies as f64
    }

    /// The text of game `id` (from 0), byte for byte as it was imported.
    ///
    /// # Errors
    ///
    /// No such game, damaged text, storage that cannot be read.
    pub fn text(&self, id: u32) -> Result<Vec<u8>, JsFailure> {
        let mut text = Vec::new();
        self.append_text(id, &mut UnpackedBlock::default(), &mut text)?;
        Ok(text)
    }

    /// The texts of these games (from 0) one after the other, an empty line between them.
    ///
    /// # Errors
    ///
    /// As [`text`](Corpus::text).
    pub fn texts(&self, ids: &[u32]) -> Result<Vec<u8>, JsFailure> {
        let mut texts = Vec::new();
        let mut unpacked = UnpackedBlock::default();
        for &id in ids {
            self.append_text(id, &mut unpacked, &mut texts)?;
            while texts.last().is_some_and(u8::is_ascii_whitespace) {
                texts.pop();
            }
            texts.extend_from_slice(b"\n\n");
        }
        Ok(texts)
    }
}

impl Corpus {
    fn shard(&self, at: usize) -> Shard<'_> {
        let held = &self.held[at];
        held.layout.shard(held.bytes())
    }

    /// Names the corpus for what is made of it.
    pub(crate) fn id(&self) -> u64 {
        self.header.id
    }

    /// All games, a span a shard.
    pub(crate) fn spans(&self) -> Vec<GameSpan<'_>> {
        spans_of_shards((0..self.held.len()).map(|at| self.shard(at)))
    }

    /// The shard that holds game `id`, and the game's index in it.
    pub(crate) fn locate_shard(&self, id: u32) -> Result<(Shard<'_>, u32), JsFailure> {
        let (at, game) = self.locate(id)?;
        Ok((self.shard(at), game))
    }

    /// The span of game `id` alone.
    pub(crate) fn span(&self, id: u32) -> Result<GameSpan<'_>, JsFailure> {
        let (at, game) = self.locate(id)?;
        let whole = GameSpan::from_shard(&self.shard(at), at as u32, GameId(self.first[at]));
        whole.split(1).nth(game as usize).ok_or_else(|| self.no_such_game(id))
    }

    fn locate(&self, id: u32) -> Result<(usize, u32), JsFailure> {
        if u64::from(id) >= self.header.games {
            return Err(self.no_such_game(id));
        }
        let at = self.first.partition_point(|&first| first <= id) - 1;
        Ok((at, id - self.first[at]))
    }

    fn no_such_game(&self, id: u32) -> JsFailure {
        CorpusError::NoSuchGame { number: u64::from(id) + 1, games: self.header.games }.into()
    }

    /// Appends the text of game `id`. `unpacked` is the block that served last; neighbours share one.
    fn append_text(&self, id: u32, unpacked: &mut UnpackedBlock, to: &mut Vec<u8>) -> Result<(), JsFailure> {
        let (at, game) = self.locate(id)?;
        let LoadedShard { offset, grown_bytes: grown, .. } = self.held[at];
        let Some(mut location) = self.shard(at).text_location(game) else {
            return Ok(());
        };
        location.offset -= grown;
        if unpacked.offset != Some(offset + location.offset) {
            let mut block = vec![0; location.length];
            let read = self.source.fill(&mut block, offset + location.offset)?;
            unpacked.text = location.unpack(&block[..read]).map_err(|error| error.with_offset_base(offset))?;
            unpacked.offset = Some(offset + location.offset);
        }
        to.extend_from_slice(location.game_text(&unpacked.text).map_err(|error| error.with_offset_base(offset))?);
        Ok(())
    }
}

/// A block of texts as it was before it was packed, and where it lies in the file.
#[derive(Default)]
struct UnpackedBlock {
    offset: Option<u64>,
    text: Vec<u8>,
}

type ShardPart = (ShardHeader, u64, Vec<u64>);

/// The scan part of the shard at `offset`; the file ends at `end`.
fn read_part(source: &JsSource, offset: u64, end: u64) -> Result<ShardPart, JsFailure> {
    let mut head = [0; size_of::<ShardHeader>()];
    let read = source.fill(&mut head, offset)?;
    let header = ShardLayout::read_header(&head[..read]).map_err(|error| error.with_offset_base(offset))?;
    // Before any memory is asked for: the length may be nonsense.
    if offset.saturating_add(header.length) > end {
        let missing = offset.saturating_add(header.length) - end;
        return Err(CorpusError::Truncated { section: "shard", offset, missing }.into());
    }
    let mut words = vec![0u64; header.scan_length as usize / 8];
    let read = source.fill(bytemuck::cast_slice_mut(&mut words), offset)?;
    words.truncate(read / 8);
    Ok((header, offset, words))
}

/// Checks every part and makes what it lacks, on all threads where there are several.
fn prepare_shards(parts: Vec<ShardPart>) -> Result<Vec<LoadedShard>, CorpusError> {
    let ready =
        |(_, offset, words): ShardPart| prepare_shard(offset, words).map_err(|error| error.with_offset_base(offset));
    #[cfg(feature = "threads")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        parts.into_par_iter().map(ready).collect()
    }
    #[cfg(not(feature = "threads"))]
    parts.into_iter().map(ready).collect()
}

fn prepare_shard(offset: u64, words: Vec<u64>) -> Result<LoadedShard, CorpusError> {
    let layout = ShardLayout::check(bytemuck::cast_slice(&words))?;
    let upgraded = match layout.is_current() {
        true => None,
        false => upgrade_scan_part(bytemuck::cast_slice(&words))?,
    };
    let Some(upgraded) = upgraded else {
        return Ok(LoadedShard { offset, words, layout, grown_bytes: 0 });
    };
    let mut words = vec![0u64; upgraded.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..upgraded.len()].copy_from_slice(&upgraded);
    let new = ShardLayout::check(bytemuck::cast_slice(&words))?;
    let grown = new.header.scan_length - layout.header.scan_length;
    Ok(LoadedShard { offset, words, layout: new, grown_bytes: grown })
}
