//! The seam between bytes and scan: a game is an identity, a start board and resolved moves.
//!
//! A scan sees [`Span`]s, slices of consecutive games, and knows nothing of files.

use alloc::vec::Vec;

use crate::board::Board;
use crate::corpus::columns::{Columns, Half, sum_of};
use crate::corpus::file::Corpus;
use crate::corpus::record::{OWN_START, Record};
use crate::corpus::shard::{Shard, ShardNames, StartEntry};
use crate::course::{Course, men, milestones, pawns};
use crate::matsig::MatSig;
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
    names: ShardNames<'a>,
    columns: Option<Columns<'a>>,
    moves: &'a [Move],
    starts: &'a [StartEntry],
    /// One a game, or none at all.
    signatures: &'a [MatSig],
    /// One more than there are games, or none at all.
    course_index: &'a [[u32; 2]],
    men_events: &'a [men::Event],
    pawn_events: &'a [pawns::Event],
    /// Those of all games of the shard, column after column, or none at all.
    milestones: &'a [u8],
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
    /// The signature of its last position, pawn steps exact where they can be known; none in a shard of an older version.
    pub last: Option<&'a MatSig>,
    /// Its captures, promotions and changes of pawns, at plies from 1 to its last; none in a shard of an older version.
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
        Span {
            first,
            shard: index,
            offset: 0,
            records: shard.records,
            names: shard.names(),
            columns: shard.columns,
            moves: shard.moves,
            starts: shard.starts,
            signatures: shard.signatures,
            course_index: shard.course_index,
            men_events: shard.men_events,
            pawn_events: shard.pawn_events,
            milestones: shard.milestones,
        }
    }

    /// How many games there are.
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The facts of the games, one after the other.
    pub fn records(&self) -> &'a [Record] {
        self.records
    }

    /// The facts of the game with this index in the span.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn record(&self, nth: u32) -> &'a Record {
        &self.records[nth as usize]
    }

    /// The same facts by column; none in a shard of an older version.
    pub fn columns(&self) -> Option<Columns<'a>> {
        self.columns
    }

    /// What the numbers in the records are the names of.
    pub fn names(&self) -> ShardNames<'a> {
        self.names
    }

    /// How many plies the games have together.
    pub fn plies(&self) -> u64 {
        // Moves follow one another.
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else { return 0 };
        u64::from(last.moves) + u64::from(last.plies) - u64::from(first.moves)
    }

    /// How many plies some of the games have together: those of which a bit is set.
    pub fn plies_of(&self, games: &[u64]) -> u64 {
        let Some(columns) = self.columns else {
            let chosen = games.iter().zip(self.records.chunks(64)).flat_map(|(&word, records)| {
                shakmaty::Bitboard(word).into_iter().filter_map(|bit| records.get(bit as usize))
            });
            return chosen.map(|record| u64::from(record.plies)).sum();
        };
        sum_of(columns.half(Half::Plies), games)
    }

    /// The same games in spans of at most `games`.
    pub fn split(self, games: u32) -> impl Iterator<Item = Span<'a>> {
        let size = games.max(1);
        (0..self.len())
            .step_by(size as usize)
            .map(move |from| self.part(from, self.len().min(from.saturating_add(size))))
    }

    /// The games from `from` up to, not including, `to`; none if there are not so many.
    #[must_use]
    pub fn part(&self, from: u32, to: u32) -> Span<'a> {
        let (begin, end) = (from as usize, to as usize);
        Span {
            first: self.first + from,
            offset: self.offset + from,
            records: self.records.get(begin..end).unwrap_or(&[]),
            columns: self.columns.map(|columns| columns.part(begin, end)),
            signatures: self.signatures.get(begin..end).unwrap_or(&[]),
            course_index: self.course_index.get(begin..=end).unwrap_or(&[]),
            ..*self
        }
    }

    /// How many captures, promotions and changes of pawns the games have together; 0 in a shard of an older version.
    pub fn events(&self) -> u64 {
        let (Some(from), Some(to)) = (self.course_index.first(), self.course_index.last()) else { return 0 };
        u64::from(to[0].saturating_sub(from[0])) + u64::from(to[1].saturating_sub(from[1]))
    }

    /// The signatures of the games' last positions, one a game; empty in a shard of an older version.
    pub fn signatures(&self) -> &'a [MatSig] {
        self.signatures
    }

    /// A column of the games' [milestones], one a game; empty in a shard of an older version.
    #[inline]
    pub fn milestones(&self, column: usize) -> &'a [u8] {
        let from = self.milestones.len() / milestones::COLUMNS * column + self.offset as usize;
        self.milestones.get(from..from + self.records.len()).unwrap_or(&[])
    }

    /// Reads some of the first words of the game with this index, and nothing more. What it returns says nothing.
    ///
    /// PERF: a game lies in several places, and to wait for one after the other takes longer than most tests. Who knows which games
    /// come next reads these words first, which the processor can do side by side.
    #[inline(always)]
    pub fn fetch(&self, nth: u32) -> u64 {
        let at = nth as usize;
        let [_, pawns] = self.course_index.get(at).copied().unwrap_or_default();
        let (record, event) = (&self.records[at], self.pawn_events.get(pawns as usize));
        let moved = self.moves.get(record.moves as usize).map_or(0, |mv| mv.bits());
        u64::from(moved) ^ event.map_or(0, |&event| u64::from(event))
    }

    /// The game with this index in the span.
    ///
    /// Cost: constant; a game from its own start is looked for among those of its shard.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[inline]
    pub fn game(&self, nth: u32) -> Game<'a> {
        let own = self.records[nth as usize].flags() & OWN_START != 0;
        let start = if own { self.own_start(nth) } else { None };
        self.game_from(nth, start)
    }

    /// The games, in order.
    #[inline]
    pub fn games(&self) -> impl Iterator<Item = Game<'a>> + use<'a> {
        let span = *self;
        let skip = span.starts.partition_point(|entry| entry.game < span.offset);
        let mut starts = &span.starts[skip..];
        (0..span.len()).map(move |nth| {
            let own = span.records[nth as usize].flags() & OWN_START != 0;
            span.game_from(nth, if own { starts.split_off_first() } else { None })
        })
    }

    #[cold]
    fn own_start(&self, nth: u32) -> Option<&'a StartEntry> {
        let game = self.offset + nth;
        self.starts.binary_search_by_key(&game, |entry| entry.game).ok().map(|at| &self.starts[at])
    }

    #[inline(always)]
    fn game_from(&self, nth: u32, start: Option<&'a StartEntry>) -> Game<'a> {
        let at = nth as usize;
        let record = &self.records[at];
        let from = record.moves as usize;
        let moves = self.moves.get(from..from + usize::from(record.plies)).unwrap_or(&[]);
        let course = match self.course_index.get(at..at + 2) {
            Some(&[from, to]) => Some(Course::between(self.men_events, self.pawn_events, from, to)),
            _ => None,
        };
        Game { id: self.first + nth, record, moves, last: self.signatures.get(at), course, start }
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
