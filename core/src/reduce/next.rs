//! Next moves: how games went on from matching positions, as an opening explorer shows it.
//!
//! Here alone the start position of a game counts, where it matches: whoever asks how games go on asks it most often of that one.

use alloc::vec;
use alloc::vec::Vec;

use super::games::GameSet;
use super::results::Results;
use crate::board::Board;
use crate::game::{Game, Span};
use crate::headers::{Date, Outcome};
use crate::moves::Move;
use crate::scan::Query;
use crate::scan::reducer::{Found, Reducer};

/// Counts by move.
pub struct NextMoves<'q> {
    query: &'q Query,
    /// The games that are looked at, where not all are.
    within: Option<&'q GameSet>,
    /// The usual array.
    initial: Board,
    /// Whether it surely matches, and whether it may.
    usual: (bool, bool),
    /// Games that the scan found.
    seen: GameSet,
    /// By the bits of a move: one above the index of its cell, 0 if it has none.
    places: Vec<u32>,
    cells: Vec<(u16, Cell)>,
    /// Games that have matching positions.
    games: Results,
    positions: u64,
    /// A move, and the games that went on with it.
    chosen: Option<(Move, GameSet)>,
}

#[derive(Clone, Default)]
struct Cell {
    times: u64,
    results: Results,
    first: (u32, u32),
    /// One above the number of the game that was counted last.
    last: u32,
    played: Date,
    ratings: Ratings,
}

/// Sums over games in which both players have a rating.
#[derive(Clone, Copy, Default)]
struct Ratings {
    games: u64,
    /// Of those who made the move, and of the others.
    own: u64,
    others: u64,
    /// Half points of those who made the move.
    score: u64,
    /// Of these, games with a result.
    decided: u64,
    others_decided: u64,
}

/// A move that games went on with.
#[derive(Clone, PartialEq, Debug)]
pub struct NextMove {
    /// The move.
    pub mv: Move,
    /// Matching positions after which it was played.
    pub times: u64,
    /// Games in which it was, each once.
    pub results: Results,
    /// The first position after which it was played: number of the game from 0, and of the ply, 0 for the start.
    pub first: (u32, u32),
    /// When it was played last; unknown if no game has a year.
    pub last_played: Date,
    /// Average rating of those who played it, in games where both ratings are known.
    pub rating: Option<u32>,
    /// What rating their results are worth against the average of their opponents: 400 points for all of the games won more than lost,
    /// in proportion.
    pub performance: Option<i64>,
}

/// How games went on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Next {
    /// Games that have a matching position, each once.
    pub results: Results,
    /// Matching positions, the start of games included.
    pub positions: u64,
    /// The most frequent first, by games; equal ones by their bits.
    pub moves: Vec<NextMove>,
}

impl<'q> NextMoves<'q> {
    /// None yet, of a corpus of `games`, or of those `within`. The query says which start positions match.
    pub fn new(query: &'q Query, within: Option<&'q GameSet>, games: u32) -> NextMoves<'q> {
        let initial = Board::initial();
        NextMoves {
            query,
            within,
            usual: query.matches_at_start(&initial),
            initial,
            seen: GameSet::empty(games),
            places: vec![0; 1 << 16],
            cells: Vec::new(),
            games: Results::default(),
            positions: 0,
            chosen: None,
        }
    }

    /// Keeps the games in which this move was played after a matching position, too.
    #[must_use]
    pub fn keep(mut self, chosen: Option<Move>) -> NextMoves<'q> {
        self.chosen = chosen.map(|mv| (mv, GameSet::empty(self.seen.games())));
        self
    }

    /// Adds the start positions that match, of games that have no other position that does.
    pub fn starts(&mut self, spans: &[Span<'_>]) {
        for span in spans {
            for nth in 0..span.len() {
                let game = span.game(nth);
                let is_open = !self.seen.contains(game.id) && self.within.is_none_or(|within| within.contains(game.id));
                if is_open && (self.usual.1 || game.has_own_start()) {
                    let own = game.own_start();
                    let start = own.as_ref().unwrap_or(&self.initial);
                    let (matches, by_black) = (self.begins(&game, start, (span, nth)), start.turn != 0);
                    if matches {
                        self.played(&game, 0, by_black);
                        self.games.count(game.record.result() as usize);
                    }
                }
            }
        }
    }

    /// Whether the start position of a game matches.
    fn begins(&self, game: &Game<'_>, start: &Board, (span, nth): (&Span<'_>, u32)) -> bool {
        let (must, may) = if game.has_own_start() { (false, true) } else { self.usual };
        must || may && self.query.matches_before(start, span, nth)
    }

    /// The games that went on with the move that was chosen, if one was.
    pub fn chosen(&mut self) -> Option<GameSet> {
        self.chosen.take().map(|(_, games)| games)
    }

    /// What was counted.
    pub fn finish(self) -> Next {
        let mut moves: Vec<NextMove> =
            self.cells.into_iter().map(|(bits, cell)| cell.finish(Move::from_bits(bits))).collect();
        moves.sort_unstable_by(|a, b| b.results.games().cmp(&a.results.games()).then(a.mv.bits().cmp(&b.mv.bits())));
        Next { results: self.games, positions: self.positions, moves }
    }

    /// The cell of a move that was played after this position.
    fn cell(&mut self, bits: u16, first: (u32, u32)) -> &mut Cell {
        let place = &mut self.places[usize::from(bits)];
        if *place == 0 {
            self.cells.push((bits, Cell { first, ..Cell::default() }));
            *place = self.cells.len() as u32;
        }
        let cell = &mut self.cells[*place as usize - 1].1;
        cell.first = cell.first.min(first);
        cell
    }

    fn played(&mut self, game: &Game<'_>, ply: u32, by_black: bool) {
        self.positions += 1;
        let Some(&mv) = game.moves.get(ply as usize) else { return };
        if let Some((chosen, games)) = &mut self.chosen
            && *chosen == mv
        {
            games.insert(game.id);
        }
        let cell = self.cell(mv.bits(), (game.id, ply));
        cell.times += 1;
        if cell.last != game.id + 1 {
            cell.last = game.id + 1;
            cell.game(game, by_black);
        }
    }
}

impl Cell {
    fn game(&mut self, game: &Game<'_>, by_black: bool) {
        let record = game.record;
        let result = record.result();
        self.results.count(result as usize);
        if record.date.year() != 0 {
            self.played = self.played.max(record.date);
        }
        let (white, black) = (u64::from(record.white_elo), u64::from(record.black_elo));
        if white != 0 && black != 0 {
            let (own, other) = if by_black { (black, white) } else { (white, black) };
            let ratings = &mut self.ratings;
            ratings.games += 1;
            ratings.own += own;
            ratings.others += other;
            if result != Outcome::Unknown {
                ratings.decided += 1;
                ratings.others_decided += other;
                ratings.score += match result {
                    Outcome::Draw => 1,
                    Outcome::White => 2 * u64::from(!by_black),
                    _ => 2 * u64::from(by_black),
                };
            }
        }
    }

    fn finish(self, mv: Move) -> NextMove {
        let Ratings { games, own, score, decided, others_decided, .. } = self.ratings;
        let performance = (decided > 0).then(|| {
            let (decided, score) = (decided as i64, score as i64);
            (others_decided as i64 + 400 * (score - decided)) / decided
        });
        NextMove {
            mv,
            times: self.times,
            results: self.results,
            first: self.first,
            last_played: self.played,
            rating: (games > 0).then(|| (own / games) as u32),
            performance,
        }
    }

    fn merge(&mut self, other: &Cell) {
        self.times += other.times;
        self.results.add(&other.results);
        self.played = self.played.max(other.played);
        let (mine, theirs) = (&mut self.ratings, &other.ratings);
        mine.games += theirs.games;
        mine.own += theirs.own;
        mine.others += theirs.others;
        mine.score += theirs.score;
        mine.decided += theirs.decided;
        mine.others_decided += theirs.others_decided;
    }
}

impl Reducer for NextMoves<'_> {
    fn game(&mut self, found: &Found<'_>) {
        let game = found.game;
        let black_at_even = found.start.turn != 0;
        let before = self.positions;
        self.seen.insert(game.id);
        if self.begins(game, found.start, (found.span, found.nth)) {
            self.played(game, 0, black_at_even);
        }
        for ply in found.matches.iter() {
            self.played(game, ply, (ply % 2 == 0) == black_at_even);
        }
        if self.positions > before {
            self.games.count(game.record.result() as usize);
        }
    }

    fn merge(&mut self, other: Self) {
        self.games.add(&other.games);
        self.seen.merge(other.seen);
        self.positions += other.positions;
        if let (Some((_, games)), Some((_, more))) = (&mut self.chosen, other.chosen) {
            games.merge(more);
        }
        for (bits, cell) in other.cells {
            self.cell(bits, cell.first).merge(&cell);
        }
    }
}
