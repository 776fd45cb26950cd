//! The manoeuvres of games: the ways on which pieces came into play, and how those games ended.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;
use plyfold_board::board::make::castling_targets;
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::moves::Move;
use plyfold_scan::game::{GameId, GameSpan, ShardParts};
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::{Role, Square};

use super::hash::FibonacciHasher;
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::{PartialState, partial_struct};
use super::result_counts::ResultCounts;
use super::result_table::{CellKind, RESULT_COLUMNS, ResultColumn, ResultTable, result_cells};
use super::sorted::sorted;

/// The manoeuvres of the matching games.
pub const MANOEUVRES: OutputDefinition = OutputDefinition {
    name: "manoeuvres",
    option: "manoeuvres",
    summary: "The ways on which knights, bishops, rooks and queens came into play in the matching games, such as Nb1-d2-f1-g3: their first two or \
              three moves, none of which captures, within 60 plies; the most frequent first",
    title: "Manoeuvres",
    legend: None,
    argument: OutputArgument::Maximum(50),
    takes_positions: |_| false,
    asks_tables: false,
    parts: |_| ShardParts::RECORDS.union(ShardParts::MOVES),
    reducer: |_, _| Box::new(ManoeuvreReducer::default()),
    partial_states: PartialStates::of::<Manoeuvres>(),
};

/// How far a game is looked at, in plies.
pub const MANOEUVRE_PLIES: usize = 60;
/// The fewest moves of a manoeuvre.
const MIN_MOVES: u32 = 2;
/// The most moves of a manoeuvre.
const MAX_MOVES: u32 = 3;

/// A piece and the squares that it came to: six bits for each square, the last one lowest, above them the number of moves and the code of
/// the piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PieceWay(u64);

/// The bits of four squares.
const SQUARE_BITS: u32 = 24;

impl PieceWay {
    /// The way of a piece that has not moved.
    fn starting(piece: PieceCode, square: usize) -> PieceWay {
        PieceWay(u64::from(piece.bits()) << (SQUARE_BITS + 2) | square as u64)
    }

    /// The way with one more move.
    fn with_move(self, to: usize) -> PieceWay {
        let (head, squares) = (self.0 >> SQUARE_BITS, self.0 & ((1 << SQUARE_BITS) - 1));
        PieceWay((head + 1) << SQUARE_BITS | squares << 6 | to as u64)
    }

    /// The way without its last move.
    fn before_last(self) -> PieceWay {
        let (head, squares) = (self.0 >> SQUARE_BITS, self.0 & ((1 << SQUARE_BITS) - 1));
        PieceWay((head - 1) << SQUARE_BITS | squares >> 6)
    }

    fn moves(self) -> u32 {
        (self.0 >> SQUARE_BITS) as u32 & 3
    }

    /// The piece.
    pub fn piece(self) -> PieceCode {
        PieceCode::from_bits((self.0 >> (SQUARE_BITS + 2)) as u8)
    }

    /// The squares, that on which the piece first stood before the others.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        (0..=self.moves()).rev().map(move |nth| Square::new((self.0 >> (6 * nth)) as u32 & 63))
    }
}

impl core::fmt::Display for PieceWay {
    /// `Nb1-d2-f1`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let letter = self.piece().role().map_or('?', Role::upper_char);
        for (separator, square) in [letter].into_iter().chain(core::iter::repeat('-')).zip(self.squares()) {
            write!(f, "{separator}{square}")?;
        }
        Ok(())
    }
}

impl PartialState for PieceWay {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<PieceWay> {
        u64::read(bytes).map(PieceWay)
    }
}

/// A manoeuvre, with the games that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manoeuvre {
    /// The piece and its squares.
    pub way: PieceWay,
    /// The games by result.
    pub results: ResultCounts,
    /// The first of them.
    pub first_game: GameId,
}

/// The manoeuvres of some games, those of the most games first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manoeuvres {
    /// All of them. The first moves of a longer one are there as well.
    pub found: Vec<Manoeuvre>,
}

partial_struct!(Manoeuvre { way, results, first_game });
partial_struct!(Manoeuvres { found });

/// Calls `each` with every manoeuvre of a game. No two of them are the same: no two pieces stand on one square.
fn manoeuvres_of(start: &Board, moves: &[Move], mut each: impl FnMut(PieceWay)) {
    let is_followed = |role: Role| !matches!(role, Role::Pawn | Role::King);
    let mut ways: [Option<PieceWay>; 64] = core::array::from_fn(|square| {
        let piece = start.mailbox[square];
        piece.role().filter(|&role| is_followed(role)).map(|_| PieceWay::starting(piece, square))
    });
    let mut occupied: u64 = (0..64).filter(|&square| !start.mailbox[square].is_none()).fold(0, |all, at| all | 1 << at);
    for &mv in moves.iter().take(MANOEUVRE_PLIES).filter(|mv| !mv.is_null()) {
        let (from, to) = (mv.origin(), mv.target());
        let way = ways[from].take();
        let taken = ways[to].take();
        if mv.is_castling() {
            let (king_to, rook_to) = castling_targets(from, to);
            occupied = occupied & !(1 << from | 1 << to) | 1 << king_to | 1 << rook_to;
            // The rook comes into play from where castling puts it.
            ways[rook_to] = taken.map(|rook| PieceWay::starting(rook.piece(), rook_to));
            continue;
        }
        let captures = occupied >> to & 1 != 0;
        occupied = occupied & !(1 << from) | 1 << to;
        if mv.is_en_passant() {
            occupied &= !(1 << (from & 56 | to & 7));
        }
        if let Some(way) = way.filter(|_| !captures).map(|way| way.with_move(to)) {
            if way.moves() >= MIN_MOVES {
                each(way);
            }
            ways[to] = Some(way).filter(|way| way.moves() < MAX_MOVES);
        }
    }
}

impl Manoeuvres {
    /// These, by the number of their games.
    fn of(found: Vec<Manoeuvre>) -> Manoeuvres {
        let order = |one: &Manoeuvre| (Reverse(one.results.games()), one.way);
        Manoeuvres { found: sorted(found, |one, other| order(one).cmp(&order(other))) }
    }

    /// Those that say more than a longer one: the first moves of a manoeuvre are left out if no other game has them.
    pub fn telling(&self) -> impl Iterator<Item = &Manoeuvre> {
        let mut longer: HashMap<u64, u64, BuildHasherDefault<FibonacciHasher>> = HashMap::default();
        for one in self.found.iter().filter(|one| one.way.moves() > MIN_MOVES) {
            let games = longer.entry(one.way.before_last().0).or_default();
            *games = one.results.games().max(*games);
        }
        self.found.iter().filter(move |one| longer.get(&one.way.0) != Some(&one.results.games()))
    }
}

impl Summary for Manoeuvres {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        let mut columns =
            vec![ResultColumn::text("side"), ResultColumn::text("manoeuvre"), ResultColumn::count("games")];
        columns.extend(RESULT_COLUMNS);
        columns.push(ResultColumn::new(CellKind::Game, "first_game"));
        let telling: Vec<&Manoeuvre> = self.telling().collect();
        let distinct = telling.len() as u64;
        let rows = telling.into_iter().take(arguments.max_rows).map(|Manoeuvre { way, results, first_game }| {
            let side = if way.piece().color().is_white() { "white" } else { "black" };
            let text: String = alloc::format!("{way}");
            let mut row = vec![side.into(), text.into(), results.games().into()];
            row.extend(result_cells(results));
            row.push(first_game.number().into());
            row
        });
        ResultTable::new(columns, rows).of_distinct(distinct)
    }

    fn merged(parts: Vec<Manoeuvres>, _: &OutputArguments) -> Manoeuvres {
        let mut all = ManoeuvreReducer::default();
        parts.into_iter().flat_map(|part| part.found).for_each(|one| all.add(one));
        Manoeuvres::of(all.into_found())
    }
}

/// The results and the first game of each manoeuvre. Memory: about 50 bytes for each different one.
#[derive(Default)]
struct ManoeuvreReducer {
    games: HashMap<u64, (ResultCounts, GameId), BuildHasherDefault<FibonacciHasher>>,
}

impl ManoeuvreReducer {
    fn add(&mut self, Manoeuvre { way, results, first_game }: Manoeuvre) {
        let (all, first) = self.games.entry(way.0).or_insert((ResultCounts::default(), first_game));
        all.add(&results);
        *first = first_game.min(*first);
    }

    fn into_found(self) -> Vec<Manoeuvre> {
        let of_way = |(way, (results, first_game))| Manoeuvre { way: PieceWay(way), results, first_game };
        self.games.into_iter().map(of_way).collect()
    }
}

impl SummaryReducer for ManoeuvreReducer {
    type Summary = Manoeuvres;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        if !found_game.verdict {
            return;
        }
        let game = found_game.game;
        let mut results = ResultCounts::default();
        results.add_game(game.record.result() as usize);
        manoeuvres_of(found_game.start_board, game.moves, |way| {
            self.add(Manoeuvre { way, results, first_game: game.id });
        });
    }

    fn merge(&mut self, other: ManoeuvreReducer) {
        other.into_found().into_iter().for_each(|one| self.add(one));
    }

    fn finish(self, _: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Manoeuvres {
        Manoeuvres::of(self.into_found())
    }
}
