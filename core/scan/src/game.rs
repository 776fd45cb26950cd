//! The seam between corpus and scan: a game is an identity, a start board and resolved moves.
//!
//! A scan sees [`GameSpan`]s, slices of consecutive games, and knows nothing of files.

use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};
use shakmaty::Color;

use plyfold_annotations::PackedAnnotations;
use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_annotations::columns::{AnnotatedGame, AnnotationNumber};
use plyfold_board::board::Board;
use plyfold_board::board::make::FullState;
use plyfold_board::irreversible::{EventStreams, home_pawns, material, pawns};
use plyfold_board::matsig::MatSig;
use plyfold_board::moves::Move;
use plyfold_corpus::file::{GameLocation, OpenCorpus};
use plyfold_corpus::names::ShardNames;
use plyfold_corpus::record::{CUSTOM_START, HeaderRecord};
use plyfold_corpus::shard::{Shard, StartEntry, annotations_at};
use plyfold_corpus::{HeaderColumns, sum_of_selected};

pub use plyfold_corpus::ShardParts;

/// Number of a game in its corpus, from 0. People are shown one more: [`number`](GameId::number).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct GameId(pub u32);

impl GameId {
    /// As an index into what has one entry a game.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// As people count, from 1.
    pub const fn number(self) -> u64 {
        self.0 as u64 + 1
    }
}

/// Number of a ply in its game, from 1, and of the position after it; 0 is the start of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Ply(pub u32);

impl Ply {
    /// The start of the game, before its first ply.
    pub const START: Ply = Ply(0);

    /// The ply that so many moves lead to.
    #[inline(always)]
    pub const fn after_moves(moves: usize) -> Ply {
        Ply(moves as u32)
    }

    /// Returns how many moves lead there: also the index of the move that follows.
    #[inline(always)]
    pub const fn moves(self) -> usize {
        self.0 as usize
    }
}

/// Consecutive games of one shard.
#[derive(Clone, Copy, Debug)]
pub struct GameSpan<'a> {
    /// The first game.
    pub first_game: GameId,
    /// Index of the shard in the corpus.
    pub shard: u32,
    /// Index in the shard of the first game.
    pub first_in_shard: u32,
    records: &'a [HeaderRecord],
    names: ShardNames<'a>,
    columns: Option<HeaderColumns<'a>>,
    moves: &'a [Move],
    starts: &'a [StartEntry],
    /// One per game, or none at all.
    signatures: &'a [MatSig],
    /// One entry more than there are games, or none at all.
    stream_index: &'a [[u32; 2]],
    material_events: &'a [material::MaterialEvent],
    pawn_events: &'a [pawns::PawnEvent],
    /// The columns of all games of the shard, one after another, or none at all.
    home_pawns: &'a [u8],
    /// One entry more than there are games, or none at all.
    annotation_index: &'a [u32],
    annotations: &'a [u8],
    stores_annotations: bool,
    /// One per game, or none at all.
    annotation_bounds: &'a [AnnotationBounds],
    parts: ShardParts,
}

/// One game.
#[derive(Clone, Copy, Debug)]
pub struct Game<'a> {
    /// Corpus-wide number, from 0.
    pub id: GameId,
    /// Its header record.
    pub record: &'a HeaderRecord,
    /// Its moves; ply `k` is `moves[k - 1]`.
    pub moves: &'a [Move],
    /// The signature of its last position, with exact pawn steps where they are known; none in a shard of an older version.
    pub final_signature: Option<&'a MatSig>,
    /// Its captures, promotions and changes of pawns, at plies from 1 to its last; none in a shard of an older version.
    pub event_streams: Option<EventStreams<'a>>,
    /// What its text says of its plies beside the moves; nothing in a shard of an older version.
    pub annotations: PackedAnnotations<'a>,
    custom_start: Option<&'a StartEntry>,
    has_moves: bool,
}

impl<'a> Game<'a> {
    /// Its annotations with what is needed to read them; `first_mover` is the side to move at its start.
    pub fn annotated(&self, first_mover: Color) -> AnnotatedGame<'a> {
        AnnotatedGame {
            number: self.id.0,
            packed: self.annotations,
            plies: self.moves.len(),
            first_mover,
            has_initial_start: !self.has_custom_start(),
        }
    }

    /// Returns whether it does not begin with the initial position.
    pub fn has_custom_start(&self) -> bool {
        self.custom_start.is_some()
    }

    /// The board before the first ply, if it is not the initial position.
    pub fn custom_start_board(&self) -> Option<Board> {
        self.custom_start.map(|entry| Board::from_start(&entry.start))
    }

    /// The board before the first ply.
    pub fn start_board(&self) -> Board {
        self.custom_start_board().unwrap_or_else(Board::initial)
    }

    /// The board after a ply, with every field up to date. A ply beyond the last gives the last board.
    ///
    /// # Panics
    ///
    /// If the moves of the shard have not been read.
    pub fn board_at(&self, ply: Ply) -> Board {
        assert!(self.has_moves, "the moves of this shard have not been read");
        let mut board = self.start_board();
        for &mv in self.moves.iter().take(ply.moves()) {
            board.make::<FullState>(mv);
        }
        board
    }
}

impl<'a> GameSpan<'a> {
    /// All games of a shard that begins with `first_game`.
    pub fn from_shard(shard: &Shard<'a>, index: u32, first_game: GameId) -> GameSpan<'a> {
        GameSpan {
            first_game,
            shard: index,
            first_in_shard: 0,
            records: shard.records,
            names: shard.names(),
            columns: shard.columns,
            moves: shard.moves,
            starts: shard.starts,
            signatures: shard.signatures,
            stream_index: shard.event_stream_index,
            material_events: shard.material_events,
            pawn_events: shard.pawn_events,
            home_pawns: shard.home_pawns,
            annotation_index: shard.annotation_index,
            annotations: shard.annotations,
            stores_annotations: shard.has_annotations(),
            annotation_bounds: shard.annotation_bounds,
            parts: shard.parts(),
        }
    }

    /// Returns which parts of the shard have been read. A scan refuses spans without the parts that its query reads.
    pub fn parts(&self) -> ShardParts {
        self.parts
    }

    /// Returns whether the annotations of the texts have been read; in a shard of an older version they have not.
    pub fn stores_annotations(&self) -> bool {
        self.stores_annotations
    }

    /// The bounds of the games' annotations, one per game; empty if no game of the shard has any, and in a shard of an older version.
    pub(crate) fn annotation_bounds(&self) -> &'a [AnnotationBounds] {
        self.annotation_bounds
    }

    /// Whether a game may have one of these numbers; it is known of shards that have no annotations at all, or keep their bounds.
    pub(crate) fn may_have_annotation(&self, numbers: &[AnnotationNumber]) -> bool {
        // A game without times has the bound 0 of them.
        let is_bounded = |number, most| number != AnnotationNumber::TimeSpent || most > 0;
        match self.annotation_bounds {
            [] => !self.annotations.is_empty(),
            bounds => bounds.iter().any(|game| {
                numbers.iter().any(|&number| game.range_of(number).is_some_and(|(_, most)| is_bounded(number, most)))
            }),
        }
    }

    /// The index in the span of a game of the corpus; none if it is not one of these.
    pub fn index_of(&self, game: GameId) -> Option<u32> {
        game.0.checked_sub(self.first_game.0).filter(|&index| index < self.len())
    }

    /// The number of games.
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The header records of the games, in order.
    ///
    /// # Panics
    ///
    /// If the span has only some parts of its shard, and they are not among them. The same holds for [`record`](Self::record) and the
    /// games.
    pub fn records(&self) -> &'a [HeaderRecord] {
        assert!(self.parts.contains(ShardParts::RECORDS), "the header records have not been read");
        self.records
    }

    /// The header record of the game with this index in the span.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn record(&self, game: u32) -> &'a HeaderRecord {
        &self.records()[game as usize]
    }

    /// The header records by column; none in a shard of an older version.
    pub(crate) fn columns(&self) -> Option<HeaderColumns<'a>> {
        self.columns
    }

    /// The names to which the records refer by number.
    pub fn names(&self) -> ShardNames<'a> {
        self.names
    }

    /// Returns how many plies the games have together; 0 if neither the header records nor their columns have been read.
    pub fn plies(&self) -> u64 {
        if !self.parts.contains(ShardParts::RECORDS) {
            return self.columns.map_or(0, |columns| columns.plies().iter().map(|&plies| u64::from(plies)).sum());
        }
        // The moves of the games are stored one after the other.
        let (Some(first), Some(last)) = (self.records().first(), self.records().last()) else { return 0 };
        u64::from(last.first_move) + u64::from(last.plies) - u64::from(first.first_move)
    }

    /// Returns how many plies the games whose bits are set have together.
    pub fn plies_in(&self, games: &[u64]) -> u64 {
        let Some(columns) = self.columns else {
            let chosen = games.iter().zip(self.records().chunks(64)).flat_map(|(&word, records)| {
                shakmaty::Bitboard(word).into_iter().filter_map(|bit| records.get(bit as usize))
            });
            return chosen.map(|record| u64::from(record.plies)).sum();
        };
        sum_of_selected(columns.plies(), games)
    }

    /// The same games in spans of at most `games` games.
    pub fn split(self, games: u32) -> impl Iterator<Item = GameSpan<'a>> {
        let size = games.max(1);
        (0..self.len())
            .step_by(size as usize)
            .map(move |from| self.slice(from, self.len().min(from.saturating_add(size))))
    }

    /// The games from `from` up to, but not including, `to`; none if there are fewer games.
    #[must_use]
    pub fn slice(&self, from: u32, to: u32) -> GameSpan<'a> {
        let (begin, end) = (from as usize, to as usize);
        GameSpan {
            first_game: GameId(self.first_game.0 + from),
            first_in_shard: self.first_in_shard + from,
            records: self.records.get(begin..end).unwrap_or(&[]),
            columns: self.columns.map(|columns| columns.slice(begin, end)),
            signatures: self.signatures.get(begin..end).unwrap_or(&[]),
            stream_index: self.stream_index.get(begin..=end).unwrap_or(&[]),
            annotation_index: self.annotation_index.get(begin..=end).unwrap_or(&[]),
            annotation_bounds: self.annotation_bounds.get(begin..end).unwrap_or(&[]),
            ..*self
        }
    }

    /// Returns how many captures, promotions and changes of pawns the games have together; 0 in a shard of an older version.
    pub fn event_count(&self) -> u64 {
        let (Some(from), Some(to)) = (self.stream_index.first(), self.stream_index.last()) else { return 0 };
        u64::from(to[0].saturating_sub(from[0])) + u64::from(to[1].saturating_sub(from[1]))
    }

    /// The signatures of the games' last positions, one per game; empty in a shard of an older version.
    pub fn signatures(&self) -> &'a [MatSig] {
        self.signatures
    }

    /// A column of the games' [home_pawns], one byte per game; empty in a shard of an older version.
    #[inline]
    pub(crate) fn home_pawn_column(&self, column: usize) -> &'a [u8] {
        let from = self.home_pawns.len() / home_pawns::SIGNATURE_COLUMNS * column + self.first_in_shard as usize;
        self.home_pawns.get(from..from + self.records.len()).unwrap_or(&[])
    }

    /// Reads the first words of the game with this index into the cache. The returned value means nothing.
    ///
    /// PERF: the data of a game lies in several places, and waiting for one after the other takes longer than most tests. A caller
    /// that knows the next games prefetches them, so that the processor reads these places in parallel.
    #[inline(always)]
    pub(crate) fn prefetch(&self, game: u32) -> u64 {
        let at = game as usize;
        let [_, pawns] = self.stream_index.get(at).copied().unwrap_or_default();
        let (record, event) = (&self.records[at], self.pawn_events.get(pawns as usize));
        let moved = self.moves.get(record.first_move as usize).map_or(0, |mv| mv.bits());
        u64::from(moved) ^ event.map_or(0, |&event| u64::from(event))
    }

    /// The game with this index in the span.
    ///
    /// Cost: constant; for a game with its own start position, a search among those of its shard.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[inline]
    pub fn game(&self, game: u32) -> Game<'a> {
        let own = self.record(game).flags() & CUSTOM_START != 0;
        let start = if own { self.custom_start_entry(game) } else { None };
        self.game_with_start(game, start)
    }

    /// The games, in order.
    #[inline]
    pub fn games(&self) -> impl Iterator<Item = Game<'a>> + use<'a> {
        let (span, records) = (*self, self.records());
        let skip = span.starts.partition_point(|entry| entry.game < span.first_in_shard);
        let mut starts = &span.starts[skip..];
        (0..span.len()).map(move |nth| {
            let has_custom_start = records[nth as usize].flags() & CUSTOM_START != 0;
            span.game_with_start(nth, if has_custom_start { starts.split_off_first() } else { None })
        })
    }

    #[cold]
    fn custom_start_entry(&self, index: u32) -> Option<&'a StartEntry> {
        let game = self.first_in_shard + index;
        self.starts.binary_search_by_key(&game, |entry| entry.game).ok().map(|at| &self.starts[at])
    }

    #[inline(always)]
    fn game_with_start(&self, game: u32, start: Option<&'a StartEntry>) -> Game<'a> {
        let at = game as usize;
        let record = &self.records[at];
        let from = record.first_move as usize;
        let moves = self.moves.get(from..from + usize::from(record.plies)).unwrap_or(&[]);
        let course = match self.stream_index.get(at..at + 2) {
            Some(&[from, to]) => Some(EventStreams::slice_of(self.material_events, self.pawn_events, from, to)),
            _ => None,
        };
        Game {
            id: GameId(self.first_game.0 + game),
            record,
            moves,
            final_signature: self.signatures.get(at),
            event_streams: course,
            annotations: annotations_at(self.annotation_index, self.annotations, at),
            custom_start: start,
            has_moves: self.parts.contains(ShardParts::MOVES),
        }
    }
}

/// The games of a corpus, one span per shard.
pub fn corpus_spans<S, B: AsRef<[u8]>>(corpus: &OpenCorpus<S, B>) -> Vec<GameSpan<'_>> {
    let mut first = 0;
    let shards = corpus.shards().enumerate();
    shards
        .map(|(index, shard)| {
            let span = GameSpan::from_shard(&shard, index as u32, GameId(first));
            first += span.len();
            span
        })
        .collect()
}

/// A game of a corpus as a span of its own; none if there is no such game.
///
/// Cost: that of [`GameSpan::game`], whatever the number of the game.
pub fn span_of_game<S, B: AsRef<[u8]>>(corpus: &OpenCorpus<S, B>, id: GameId) -> Option<GameSpan<'_>> {
    let GameLocation { shard, game } = corpus.locate(id.0)?;
    Some(GameSpan::from_shard(&corpus.shard(shard), shard, GameId(id.0 - game)).slice(game, game + 1))
}

/// A game of a corpus; none if there is no such game. Cost: as [`span_of_game`].
pub fn game_by_id<S, B: AsRef<[u8]>>(corpus: &OpenCorpus<S, B>, id: GameId) -> Option<Game<'_>> {
    span_of_game(corpus, id).map(|span| span.game(0))
}

/// A game among ascending spans; none if it is in none of them.
pub fn game_in_spans<'a>(spans: &[GameSpan<'a>], id: GameId) -> Option<Game<'a>> {
    let span = spans[..spans.partition_point(|span| span.first_game <= id)].last()?;
    Some(span.game(span.index_of(id)?))
}
