//! Next moves: how games continued from matching positions, as an opening explorer shows it.
//!
//! A row has all moves of one [name](MoveName), and each row another name.
//!
//! This is the only output that counts the start position of a game as a position, because users look up the start position most
//! often.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use hashbrown::{HashTable, hash_table};
use plyfold_board::board::Board;
use plyfold_board::moves::Move;
use plyfold_scan::game::{Game, GameSpan, Ply, ShardParts, game_in_spans};
use plyfold_scan::headers::{Date, GameResult};
use plyfold_scan::notation::notate_move;
use plyfold_scan::scan::Query;
use plyfold_scan::scan::reducer::{MatchingPosition, Reducer, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;

use super::game_set::GameSet;
use super::hash::hash;
use super::matching_positions::PositionRef;
use super::move_name::{CheckMark, ChosenMove, MoveName};
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::{PartialState, partial_struct};
use super::result_counts::ResultCounts;
use super::result_table::{
    CellKind, FIRST_COLUMNS, RESULT_COLUMNS, ResultColumn, ResultTable, first_cells, result_cells,
};
use super::sorted::sorted;

/// How games continued from the matching positions.
pub const NEXT_MOVES: OutputDefinition = OutputDefinition {
    name: "next_moves",
    option: "next",
    summary: "The next moves from the matching positions; only here does the start of a game count as a position",
    title: "Next moves",
    legend: None,
    argument: OutputArgument::Nothing,
    takes_positions: |_| true,
    asks_tables: false,
    parts: |_| ShardParts::MOVES,
    reducer: |arguments, context| Box::new(NextMoveReducer::new(arguments.chosen, context)),
    partial_states: PartialStates::of::<NextMoveTable>(),
};

/// Counts by the name of a move.
struct NextMoveReducer {
    /// Whether the initial position must match, and whether it may match.
    initial_match: (bool, bool),
    /// Matching games.
    games_found: GameSet,
    totals: HashTable<MoveTotals>,
    /// Games that have matching positions.
    games: ResultCounts,
    positions: u64,
    /// What was played after the matching positions of the game that comes next.
    played: Vec<Option<PlayedMove>>,
    /// A move, and the games that continued with it.
    chosen: Option<(ChosenMove, GameSet)>,
}

/// A move after a matching position.
struct PlayedMove {
    name: MoveName,
    check: CheckMark,
    mv: Move,
    ply: Ply,
    by_black: bool,
}

#[derive(Clone)]
struct MoveTotals {
    name: MoveName,
    check: CheckMark,
    times: u64,
    results: ResultCounts,
    first_position: PositionRef,
    /// The move after this position.
    first_move: Move,
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

/// The moves of one name with which games continued.
#[derive(Clone, PartialEq, Debug)]
pub struct NextMove {
    /// The name.
    pub name: MoveName,
    /// What the move gave every time: mate only if it was always mate.
    pub check: CheckMark,
    /// The move after the first position.
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
    /// The move as SAN, which is the name with what it [gave](Self::check), and as UCI after the first position.
    pub written: [String; 2],
}

/// How games continued.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NextMoveTable {
    /// Games that have a matching position, each once.
    pub results: ResultCounts,
    /// Matching positions, the start of games included.
    pub positions: u64,
    /// How many moves there are.
    pub distinct: u64,
    /// The moves, the most frequent first, by games; equally frequent ones by name.
    pub moves: Vec<NextMove>,
    /// The games that continued with the [chosen](OutputArguments::chosen) move, if one was chosen.
    pub chosen_games: Option<GameSet>,
}

partial_struct!(RatingSums { games, own, score, decided, others_decided });

impl PartialState for NextMove {
    fn write(&self, out: &mut Vec<u8>) {
        let NextMove {
            name,
            check,
            mv,
            times,
            results,
            first,
            last_played,
            rating: _,
            performance: _,
            rating_sums,
            written,
        } = self;
        name.write(out);
        check.write(out);
        mv.write(out);
        times.write(out);
        results.write(out);
        first.write(out);
        last_played.write(out);
        rating_sums.write(out);
        written.iter().for_each(|text| text.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<NextMove> {
        let totals = MoveTotals {
            name: PartialState::read(bytes)?,
            check: PartialState::read(bytes)?,
            first_move: PartialState::read(bytes)?,
            times: PartialState::read(bytes)?,
            results: PartialState::read(bytes)?,
            first_position: PartialState::read(bytes)?,
            last_game: 0,
            last_played: PartialState::read(bytes)?,
            ratings: PartialState::read(bytes)?,
        };
        let written = [String::read(bytes)?, String::read(bytes)?];
        Some(NextMove { written, ..totals.finish() })
    }
}

impl PartialState for NextMoveTable {
    /// Writes no chosen games: the other shards do not have them.
    fn write(&self, out: &mut Vec<u8>) {
        self.results.write(out);
        self.positions.write(out);
        self.moves.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<NextMoveTable> {
        let (results, positions) = (PartialState::read(bytes)?, PartialState::read(bytes)?);
        let moves: Vec<NextMove> = PartialState::read(bytes)?;
        Some(NextMoveTable { results, positions, distinct: moves.len() as u64, moves, chosen_games: None })
    }
}

impl NextMoveReducer {
    /// A reducer without moves. The query decides which start positions match.
    fn new(chosen: Option<ChosenMove>, context: &OutputContext<'_>) -> NextMoveReducer {
        let initial = Board::initial();
        NextMoveReducer {
            initial_match: context.query.start_match_bounds(&initial),
            games_found: GameSet::empty(context.games),
            totals: HashTable::new(),
            games: ResultCounts::default(),
            positions: 0,
            played: Vec::new(),
            chosen: chosen.map(|mv| (mv, GameSet::empty(context.games))),
        }
    }

    /// Adds the matching start positions of games that have no other matching position.
    fn add_start_positions(&mut self, context: &OutputContext<'_>, spans: &[GameSpan<'_>]) {
        let initial = Board::initial();
        for span in spans {
            for index in 0..span.len() {
                let game = span.game(index);
                let is_open =
                    !self.games_found.contains(game.id) && context.within.is_none_or(|within| within.contains(game.id));
                if is_open && (self.initial_match.1 || game.has_custom_start()) {
                    let own = game.custom_start_board();
                    let start = own.as_ref().unwrap_or(&initial);
                    if self.start_matches(context.query, &game, start, (span, index)) {
                        let played = PlayedMove::after(&game, Ply::START, start, &self.totals);
                        self.add_played(&game, played);
                        self.games.add_game(game.record.result() as usize);
                    }
                }
            }
        }
    }

    /// Whether the start position of a game matches.
    fn start_matches(&self, query: &Query, game: &Game<'_>, start: &Board, (span, nth): (&GameSpan<'_>, u32)) -> bool {
        let (must, may) = if game.has_custom_start() { (false, true) } else { self.initial_match };
        must || may && query.start_matches(start, span, nth)
    }

    fn add_played(&mut self, game: &Game<'_>, played: Option<PlayedMove>) {
        self.positions += 1;
        let Some(PlayedMove { name, check, mv, ply, by_black }) = played else { return };
        if let Some((chosen, games)) = &mut self.chosen
            && (*chosen == ChosenMove::Named(name) || *chosen == ChosenMove::Resolved(mv))
        {
            games.insert(game.id);
        }
        let first = PositionRef { game: game.id, ply };
        let entry = entry_of(&mut self.totals, name);
        let totals = entry.or_insert_with(|| MoveTotals::new(name, check, (first, mv))).into_mut();
        totals.start_with(check, (first, mv));
        totals.times += 1;
        if totals.last_game != game.id.0 + 1 {
            totals.last_game = game.id.0 + 1;
            totals.game(game, by_black);
        }
    }
}

impl PlayedMove {
    /// The move that a game plays after this ply, if it has not ended. `counted` has the moves so far.
    fn after(game: &Game<'_>, ply: Ply, board: &Board, counted: &HashTable<MoveTotals>) -> Option<PlayedMove> {
        let &mv = game.moves.get(ply.moves())?;
        let name = MoveName::of(board, mv);
        // PERF: a name that has once been played without check has no mark, whatever comes.
        let has_no_mark = |totals: &MoveTotals| totals.name == name && totals.check == CheckMark::None;
        let check = match counted.find(hash(name.bits().into()), has_no_mark) {
            Some(_) => CheckMark::None,
            None => CheckMark::of(board, mv),
        };
        Some(PlayedMove { name, check, mv, ply, by_black: board.turn.is_black() })
    }
}

/// The place of the counts of a name.
fn entry_of(all: &mut HashTable<MoveTotals>, name: MoveName) -> hash_table::Entry<'_, MoveTotals> {
    let of = |name: MoveName| hash(name.bits().into());
    all.entry(of(name), |totals| totals.name == name, |totals| of(totals.name))
}

/// Moves in the order of a table.
fn in_order(moves: Vec<NextMove>) -> Vec<NextMove> {
    sorted(moves, |a, b| b.results.games().cmp(&a.results.games()).then(a.name.cmp(&b.name)))
}

impl Summary for NextMoveTable {
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let mut columns = Vec::from(["san", "uci"].map(ResultColumn::text));
        columns.extend(["games", "times"].map(ResultColumn::count));
        columns.extend(RESULT_COLUMNS);
        columns.extend([
            ResultColumn::new(CellKind::Rating, "average_elo").optional(),
            ResultColumn::new(CellKind::Signed, "performance").optional(),
            ResultColumn::new(CellKind::Date, "last_played").optional(),
            ResultColumn::new(CellKind::Year, "last_year").optional(),
        ]);
        columns.extend(FIRST_COLUMNS);
        let rows = self.moves.iter().map(|next| {
            let [san, uci] = &next.written;
            let mut row = vec![(&**san).into(), (&**uci).into(), next.results.games().into(), next.times.into()];
            row.extend(result_cells(&next.results));
            let last_played = (next.last_played.year() != 0).then_some(next.last_played);
            let last_year = last_played.map(|date| u64::from(date.year()));
            row.extend([next.rating.map(u64::from).into(), next.performance.into()]);
            row.extend([last_played.into(), last_year.into()]);
            row.extend(first_cells(next.first));
            row
        });
        let [white, draw, black, unknown] = self.results.in_columns();
        ResultTable::new(columns, rows).of_distinct(self.distinct).with_totals(&[
            ("games", self.results.games()),
            ("positions", self.positions),
            ("white", white),
            ("draw", draw),
            ("black", black),
            ("unknown", unknown),
        ])
    }

    fn merged(parts: Vec<NextMoveTable>, arguments: &OutputArguments) -> NextMoveTable {
        let mut all = NextMoveTable::default();
        let mut merged: BTreeMap<MoveName, NextMove> = BTreeMap::new();
        for part in &parts {
            all.results.add(&part.results);
            all.positions += part.positions;
        }
        for next in parts.into_iter().flat_map(|part| part.moves) {
            match merged.entry(next.name) {
                Entry::Vacant(vacant) => {
                    vacant.insert(next);
                }
                Entry::Occupied(mut sum) => sum.get_mut().add(next),
            }
        }
        all.distinct = merged.len() as u64;
        all.moves = in_order(merged.into_values().collect());
        all.moves.truncate(arguments.max_rows);
        all
    }
}

impl NextMove {
    /// Adds the same name in other games.
    fn add(&mut self, other: NextMove) {
        self.check = self.check.min(other.check);
        self.times += other.times;
        self.results.add(&other.results);
        self.last_played = self.last_played.max(other.last_played);
        self.rating_sums.add(&other.rating_sums);
        (self.rating, self.performance) = (self.rating_sums.average(), self.rating_sums.performance());
        if other.first < self.first {
            (self.first, self.mv) = (other.first, other.mv);
            self.written[1] = other.written[1].clone();
        }
        self.written[0] = self.san();
    }

    fn san(&self) -> String {
        format!("{}{}", self.name, self.check.suffix())
    }

    /// Writes the move, as UCI as after its first position.
    fn write_in(&mut self, spans: &[GameSpan<'_>]) {
        if let Some(game) = game_in_spans(spans, self.first.game) {
            self.written = [self.san(), notate_move(&game.board_at(self.first.ply), self.mv).uci];
        }
    }
}

impl MoveTotals {
    /// No games yet.
    fn new(name: MoveName, check: CheckMark, (first_position, first_move): (PositionRef, Move)) -> MoveTotals {
        MoveTotals {
            name,
            check,
            times: 0,
            results: ResultCounts::default(),
            first_position,
            first_move,
            last_game: 0,
            last_played: Date::default(),
            ratings: RatingSums::default(),
        }
    }

    /// Takes over another first position if it is earlier, and gives what both gave.
    fn start_with(&mut self, check: CheckMark, (position, mv): (PositionRef, Move)) {
        self.check = self.check.min(check);
        if position < self.first_position {
            (self.first_position, self.first_move) = (position, mv);
        }
    }

    fn game(&mut self, game: &Game<'_>, by_black: bool) {
        let record = game.record;
        let result = record.result();
        self.results.add_game(result as usize);
        if record.date.year() != 0 {
            self.last_played = self.last_played.max(record.date);
        }
        self.ratings.add_game([record.white_elo, record.black_elo], result, by_black);
    }

    fn finish(self) -> NextMove {
        NextMove {
            name: self.name,
            check: self.check,
            mv: self.first_move,
            times: self.times,
            results: self.results,
            first: self.first_position,
            last_played: self.last_played,
            rating: self.ratings.average(),
            performance: self.ratings.performance(),
            rating_sums: self.ratings,
            written: Default::default(),
        }
    }

    fn merge(&mut self, other: &MoveTotals) {
        self.start_with(other.check, (other.first_position, other.first_move));
        self.times += other.times;
        self.results.add(&other.results);
        self.last_played = self.last_played.max(other.last_played);
        self.ratings.add(&other.ratings);
    }
}

impl RatingSums {
    /// Adds a game of White, or of Black, by the ratings of both; one in which a player has no rating, 0, adds nothing.
    pub fn add_game(&mut self, ratings: [u16; 2], result: GameResult, of_black: bool) {
        let [white, black] = ratings.map(u64::from);
        if white == 0 || black == 0 {
            return;
        }
        let (own, other) = if of_black { (black, white) } else { (white, black) };
        self.games += 1;
        self.own += own;
        if result != GameResult::Unknown {
            self.decided += 1;
            self.others_decided += other;
            self.score += match result {
                GameResult::Draw => 1,
                GameResult::White => 2 * u64::from(!of_black),
                _ => 2 * u64::from(of_black),
            };
        }
    }

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

impl SummaryReducer for NextMoveReducer {
    type Summary = NextMoveTable;

    fn needs(&self) -> ReplayNeeds {
        ReplayNeeds::BITBOARDS
    }

    fn position(&mut self, found: &MatchingPosition<'_>) {
        let played = PlayedMove::after(found.game, found.ply, found.board, &self.totals);
        self.played.push(played);
    }

    fn game(&mut self, found_game: &ScanMatch<'_>, context: &OutputContext<'_>) {
        let (game, start) = (found_game.game, found_game.start_board);
        let before = self.positions;
        self.games_found.insert(game.id);
        if self.start_matches(context.query, game, start, (found_game.span, found_game.game_in_span)) {
            let played = PlayedMove::after(game, Ply::START, start, &self.totals);
            self.add_played(game, played);
        }
        let mut played = core::mem::take(&mut self.played);
        played.drain(..).for_each(|played| self.add_played(game, played));
        self.played = played;
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
        for totals in other.totals {
            match entry_of(&mut self.totals, totals.name) {
                hash_table::Entry::Occupied(mut own) => own.get_mut().merge(&totals),
                hash_table::Entry::Vacant(free) => _ = free.insert(totals),
            }
        }
    }

    fn finish(mut self, output: &Output, context: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> NextMoveTable {
        self.add_start_positions(context, spans);
        let mut moves = in_order(self.totals.into_iter().map(MoveTotals::finish).collect());
        let distinct = moves.len() as u64;
        moves.truncate(output.arguments.max_rows);
        for next in &mut moves {
            next.write_in(spans);
        }
        let chosen_games = self.chosen.map(|(_, games)| games);
        NextMoveTable { results: self.games, positions: self.positions, distinct, moves, chosen_games }
    }
}
