//! The seam between bytes and scan: a game is an identity, a start board and resolved moves.
//!
//! A scan sees [`Span`]s, slices of consecutive games, and knows nothing of files.

use alloc::vec::Vec;

use crate::board::Board;
use crate::corpus::file::Corpus;
use crate::corpus::record::{OWN_START, Record};
use crate::corpus::shard::{Shard, StartEntry};
use crate::course::Course;
use crate::moves::Move;

/// Consecutive games of one shard.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// Corpus-wide number of the first game, from 0.
    pub first: u32,
    /// Index of the shard in the corpus.
    pub shard: u32,
    /// Index in the shard of the first game.
    pub offset: u32,
    records: &'a [Record],
    moves: &'a [Move],
    starts: &'a [StartEntry],
}

/// One game.
#[derive(Clone, Copy, Debug)]
pub struct Game<'a> {
    /// Corpus-wide number, from 0.
    pub id: u32,
    /// Facts from its header.
    pub record: &'a Record,
    /// Its moves; ply `k` is `moves[k - 1]`.
    pub moves: &'a [Move],
    /// Its captures, promotions and changes of pawns, if the corpus has them.
    pub course: Option<Course<'a>>,
    start: Option<&'a StartEntry>,
}

impl Game<'_> {
    /// Whether it begins with another position than the usual array.
    pub fn has_own_start(&self) -> bool {
        self.start.is_some()
    }

    /// The board before the first ply, where it is not the usual array.
    pub fn own_start(&self) -> Option<Board> {
        self.start.map(|entry| Board::from_start(&entry.start))
    }

    /// The board before the first ply.
    pub fn start(&self) -> Board {
        self.own_start().unwrap_or_else(Board::initial)
    }
}

impl<'a> Span<'a> {
    /// All games of a shard whose first game has number `first`.
    pub fn of(shard: &Shard<'a>, index: u32, first: u32) -> Span<'a> {
        Span { first, shard: index, offset: 0, records: shard.records, moves: shard.moves, starts: shard.starts }
    }

    /// How many games there are.
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many plies the games have together.
    pub fn plies(&self) -> u64 {
        self.records.iter().map(|record| u64::from(record.plies)).sum()
    }

    /// The same games in spans of at most `games`.
    pub fn split(self, games: u32) -> impl Iterator<Item = Span<'a>> {
        let size = games.max(1) as usize;
        self.records.chunks(size).enumerate().map(move |(nth, records)| {
            let skipped = (nth * size) as u32;
            Span { first: self.first + skipped, offset: self.offset + skipped, records, ..self }
        })
    }

    /// The games, in order.
    #[inline]
    pub fn games(&self) -> impl Iterator<Item = Game<'a>> + use<'a> {
        let Span { first, offset, records, moves, mut starts, .. } = *self;
        let skip = starts.partition_point(|entry| entry.game < offset);
        starts = &starts[skip..];
        records.iter().enumerate().map(move |(nth, record)| {
            let start = if record.flags() & OWN_START != 0 { starts.split_off_first() } else { None };
            let from = record.moves as usize;
            let moves = moves.get(from..from + usize::from(record.plies)).unwrap_or(&[]);
            Game { id: first + nth as u32, record, moves, course: None, start }
        })
    }
}

/// The games of a corpus, a span a shard.
pub fn spans<'a>(corpus: &Corpus<'a>) -> Vec<Span<'a>> {
    spans_of(corpus.shards().copied())
}

/// The games of consecutive shards, a span each.
pub fn spans_of<'a>(shards: impl IntoIterator<Item = Shard<'a>>) -> Vec<Span<'a>> {
    let mut first = 0;
    let shards = shards.into_iter().enumerate();
    shards
        .map(|(index, shard)| {
            let span = Span::of(&shard, index as u32, first);
            first += span.len();
            span
        })
        .collect()
}
