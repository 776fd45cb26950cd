//! Next moves: how games continued from matching positions, as an opening explorer shows it.
//!
//! This is the only output that counts the start position of a game as a position, because users look up the start position most
//! often.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::moves::Move;
use plyfold_scan::game::{Game, GameSpan, Ply, game_in_spans};
use plyfold_scan::headers::{Date, GameResult};
use plyfold_scan::notation::{MoveNotation, notate_move};
use plyfold_scan::scan::Query;
use plyfold_scan::scan::reducer::{Reducer, ScanMatch};

use super::game_set::GameSet;
use super::matching_positions::PositionRef;
use super::result_counts::ResultCounts;
use super::result_table::{CellKind, RESULT_COLUMNS, ResultColumn, ResultTable, result_cells};

/// Counts by move.
pub struct NextMoveReducer<'q> {
    query: &'q Query,
    /// The games that are scanned; none for all.
    within: Option<&'q GameSet>,
    /// The initial position.
    initial: Board,
    /// Whether the initial position must match, and whether it may match.
    initial_match: (bool, bool),
    /// Matching games.
    games_found: GameSet,
    /// For the bits of a move, one more than its index in `totals`; 0 if it has none.
    totals_index: Vec<u32>,
    totals: Vec<(u16, MoveTotals)>,
    /// Games that have matching positions.
    games: ResultCounts,
    positions: u64,
    /// A move, and the games that continued with it.
    chosen: Option<(Move, GameSet)>,
}

#[derive(Clone, Default)]
struct MoveTotals {
    times: u64,
    results: ResultCounts,
    first_position: PositionRef,
    /// One more than the number of the game that was counted last.
    last_game: u32,
    last_played: Date,
    ratings: RatingSums,
}

/// Sums over games in which both players have a rating, from which the averages of a move follow. The sums of parts of a corpus
/// [add up](RatingSums::add) to those of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RatingSums {
    /// How many such games there are.
    pub games: u64,
    /// Ratings of the players who made the move.
    pub own: u64,
    /// Half points of the players who made the move.
    pub score: u64,
    /// The number of these games that have a result.
    pub decided: u64,
    /// Ratings of the opponents in the games that have a result.
    pub others_decided: u64,
}

/// A move with which games continued.
#[derive(Clone, PartialEq, Debug)]
pub struct NextMove {
    /// The move.
    pub mv: Move,
    /// Matching positions after which it was played.
    pub times: u64,
    /// Games in which it was played, each once.
    pub results: ResultCounts,
    /// The first position after which it was played; it may be the start of a game.
    pub first: PositionRef,
    /// When the move was played last; unknown if no game has a year.
    pub last_played: Date,
    /// Average rating of the players of the move, in games where both ratings are known.
    pub rating: Option<u32>,
    /// Their performance rating: the average rating of their opponents, plus 400 points times wins minus losses per game.
    pub performance: Option<i64>,
    /// The sums from which both follow.
    pub rating_sums: RatingSums,
}

/// How games continued.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NextMoveTable {
    /// Games that have a matching position, each once.
    pub results: ResultCounts,
    /// Matching positions, the start of games included.
    pub positions: u64,
    /// The moves, the most frequent first, by games; equally frequent ones by their bits.
    pub moves: Vec<NextMove>,
}

impl<'q> NextMoveReducer<'q> {
    /// A reducer without moves, for a corpus of `games` games, or for the games `within`. The query decides which start positions
    /// match.
    pub fn new(query: &'q Query, within: Option<&'q GameSet>, games: u32) -> NextMoveReducer<'q> {
        let initial = Board::initial();
        NextMoveReducer {
            query,
            within,
            initial_match: query.start_match_bounds(&initial),
            initial,
            games_found: GameSet::empty(games),
            totals_index: vec![0; 1 << 16],
            totals: Vec::new(),
            games: ResultCounts::default(),
            positions: 0,
            chosen: None,
        }
    }

    /// Also collects the games in which this move was played after a matching position.
    #[must_use]
    pub fn with_chosen(mut self, chosen: Option<Move>) -> NextMoveReducer<'q> {
        self.chosen = chosen.map(|mv| (mv, GameSet::empty(self.games_found.games())));
        self
    }

    /// Adds the matching start positions of games that have no other matching position.
    pub fn add_start_positions(&mut self, spans: &[GameSpan<'_>]) {
        for span in spans {
            for index in 0..span.len() {
                let game = span.game(index);
                let is_open =
                    !self.games_found.contains(game.id) && self.within.is_none_or(|within| within.contains(game.id));
                if is_open && (self.initial_match.1 || game.has_custom_start()) {
                    let own = game.custom_start_board();
                    let start = own.as_ref().unwrap_or(&self.initial);
                    let (matches, by_black) = (self.start_matches(&game, start, (span, index)), start.turn.is_black());
                    if matches {
                        self.add_played(&game, Ply::START, by_black);
                        self.games.add_game(game.record.result() as usize);
                    }
                }
            }
        }
    }

    /// Whether the start position of a game matches.
    fn start_matches(&self, game: &Game<'_>, start: &Board, (span, nth): (&GameSpan<'_>, u32)) -> bool {
        let (must, may) = if game.has_custom_start() { (false, true) } else { self.initial_match };
        must || may && self.query.start_matches(start, span, nth)
    }

    /// The games that continued with the chosen move, if one was chosen.
    pub fn chosen(&mut self) -> Option<GameSet> {
        self.chosen.take().map(|(_, games)| games)
    }

    /// The counts.
    pub fn finish(self) -> NextMoveTable {
        let moves = self.totals.into_iter().map(|(bits, totals)| totals.finish(Move::from_bits(bits)));
        NextMoveTable { results: self.games, positions: self.positions, moves: sorted(moves.collect()) }
    }

    /// The counts of a move that was played after this position.
    fn totals_of(&mut self, bits: u16, first: PositionRef) -> &mut MoveTotals {
        let index = &mut self.totals_index[usize::from(bits)];
        if *index == 0 {
            self.totals.push((bits, MoveTotals { first_position: first, ..MoveTotals::default() }));
            *index = self.totals.len() as u32;
        }
        let totals = &mut self.totals[*index as usize - 1].1;
        totals.first_position = totals.first_position.min(first);
        totals
    }

    fn add_played(&mut self, game: &Game<'_>, ply: Ply, by_black: bool) {
        self.positions += 1;
        let Some(&mv) = game.moves.get(ply.moves()) else { return };
        if let Some((chosen, games)) = &mut self.chosen
            && *chosen == mv
        {
            games.insert(game.id);
        }
        let totals = self.totals_of(mv.bits(), PositionRef { game: game.id, ply });
        totals.times += 1;
        if totals.last_game != game.id.0 + 1 {
            totals.last_game = game.id.0 + 1;
            totals.game(game, by_black);
        }
    }
}

/// The moves of parts of a corpus as those of the whole, in the order of a table.
pub fn merged_moves(parts: impl Iterator<Item = NextMove>) -> Vec<NextMove> {
    let mut merged: BTreeMap<u16, MoveTotals> = BTreeMap::new();
    for next in parts {
        let NextMove { times, results, first: first_position, last_played, rating_sums: ratings, .. } = next;
        let part = MoveTotals { times, results, first_position, last_game: 0, last_played, ratings };
        let add = |sum: &mut MoveTotals| {
            sum.first_position = sum.first_position.min(part.first_position);
            sum.merge(&part);
        };
        merged.entry(next.mv.bits()).and_modify(add).or_insert(part);
    }
    sorted(merged.into_iter().map(|(bits, totals)| totals.finish(Move::from_bits(bits))).collect())
}

/// Moves in the order of a table.
fn sorted(mut moves: Vec<NextMove>) -> Vec<NextMove> {
    moves.sort_unstable_by(|a, b| b.results.games().cmp(&a.results.games()).then(a.mv.bits().cmp(&b.mv.bits())));
    moves
}

impl NextMoveTable {
    /// The first moves as a table, at most so many, as written at their first occurrence in these games.
    pub fn table(&self, spans: &[GameSpan<'_>], max_rows: usize) -> ResultTable<'static> {
        let mut columns = Vec::from(["san", "uci"].map(ResultColumn::text));
        columns.extend(["games", "times"].map(ResultColumn::count));
        columns.extend(RESULT_COLUMNS);
        columns.extend([
            ResultColumn::count("average_elo").optional(),
            ResultColumn::new(CellKind::Signed, "performance").optional(),
            ResultColumn::text("last_played").optional(),
        ]);
        let rows = self.moves.iter().take(max_rows).map(|next| {
            let (san, uci) = next.notation(spans).map_or_else(Default::default, |written| (written.san, written.uci));
            let mut row = vec![san.into(), uci.into(), next.results.games().into(), next.times.into()];
            row.extend(result_cells(&next.results));
            let last_played = (next.last_played.year() != 0).then(|| next.last_played.to_string());
            row.extend([next.rating.map(u64::from).into(), next.performance.into(), last_played.into()]);
            row
        });
        ResultTable::new(columns, rows)
    }
}

impl NextMove {
    /// The move as it is written after the first position; none if these games do not have that position.
    pub fn notation(&self, spans: &[GameSpan<'_>]) -> Option<MoveNotation> {
        let game = game_in_spans(spans, self.first.game)?;
        Some(notate_move(&game.board_at(self.first.ply), self.mv))
    }
}

impl MoveTotals {
    fn game(&mut self, game: &Game<'_>, by_black: bool) {
        let record = game.record;
        let result = record.result();
        self.results.add_game(result as usize);
        if record.date.year() != 0 {
            self.last_played = self.last_played.max(record.date);
        }
        let (white, black) = (u64::from(record.white_elo), u64::from(record.black_elo));
        if white != 0 && black != 0 {
            let (own, other) = if by_black { (black, white) } else { (white, black) };
            let ratings = &mut self.ratings;
            ratings.games += 1;
            ratings.own += own;
            if result != GameResult::Unknown {
                ratings.decided += 1;
                ratings.others_decided += other;
                ratings.score += match result {
                    GameResult::Draw => 1,
                    GameResult::White => 2 * u64::from(!by_black),
                    _ => 2 * u64::from(by_black),
                };
            }
        }
    }

    fn finish(self, mv: Move) -> NextMove {
        NextMove {
            mv,
            times: self.times,
            results: self.results,
            first: self.first_position,
            last_played: self.last_played,
            rating: self.ratings.average(),
            performance: self.ratings.performance(),
            rating_sums: self.ratings,
        }
    }

    fn merge(&mut self, other: &MoveTotals) {
        self.times += other.times;
        self.results.add(&other.results);
        self.last_played = self.last_played.max(other.last_played);
        self.ratings.add(&other.ratings);
    }
}

impl RatingSums {
    /// Adds the sums of other games.
    pub fn add(&mut self, other: &RatingSums) {
        self.games += other.games;
        self.own += other.own;
        self.score += other.score;
        self.decided += other.decided;
        self.others_decided += other.others_decided;
    }

    /// The average rating of the players of the move, rounded down; none without a game.
    pub fn average(&self) -> Option<u32> {
        (self.games > 0).then(|| (self.own / self.games) as u32)
    }

    /// Their performance rating: the average rating of their opponents, plus 400 points times wins minus losses per game; none
    /// without a game that has a result.
    pub fn performance(&self) -> Option<i64> {
        let RatingSums { score, decided, others_decided, .. } = *self;
        (decided > 0).then(|| {
            let (decided, score) = (decided as i64, score as i64);
            (others_decided as i64 + 400 * (score - decided)) / decided
        })
    }
}

impl Reducer for NextMoveReducer<'_> {
    fn game(&mut self, found_game: &ScanMatch<'_>) {
        let game = found_game.game;
        let black_at_even = found_game.start_board.turn.is_black();
        let before = self.positions;
        self.games_found.insert(game.id);
        if self.start_matches(game, found_game.start_board, (found_game.span, found_game.game_in_span)) {
            self.add_played(game, Ply::START, black_at_even);
        }
        for ply in found_game.matches.iter() {
            self.add_played(game, ply, (ply.0 % 2 == 0) == black_at_even);
        }
        if self.positions > before {
            self.games.add_game(game.record.result() as usize);
        }
    }

    fn merge(&mut self, other: Self) {
        self.games.add(&other.games);
        self.games_found.merge(other.games_found);
        self.positions += other.positions;
        if let (Some((_, games)), Some((_, more))) = (&mut self.chosen, other.chosen) {
            games.merge(more);
        }
        for (bits, totals) in other.totals {
            self.totals_of(bits, totals.first_position).merge(&totals);
        }
    }
}
