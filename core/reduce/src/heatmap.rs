//! The heatmap: on which squares the pieces stand in matching positions.
//!
//! The reducer needs no board, because it counts lifetimes instead of plies. A piece that arrives on e4 with the tenth ply is
//! there in all matching positions from then until it leaves. So an arrival adds the number of matches still to come, and a
//! departure subtracts the number of matches still to come. The event streams of the game show which pieces are captured, since a
//! move does not.
//!
//! What a move does depends on its 16 bits and its side alone, so a scan adds up by move, and pieces leave and arrive at the end.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::array::from_fn;

use shakmaty::{Color, Role, Square};

use plyfold_board::board::make::{castling_targets, en_passant_capture_square};
use plyfold_board::board::{Board, ColorCode, PieceCode};
use plyfold_board::irreversible::{material, mover_at};
use plyfold_board::moves::Move;
use plyfold_scan::scan::reducer::ScanMatch;

use plyfold_scan::game::{GameSpan, ShardParts};

use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_table::{ResultColumn, ResultTable};

/// Where the pieces stand in the matching positions.
pub const HEATMAP: OutputDefinition = OutputDefinition {
    name: "heatmap",
    option: "heatmap",
    summary: "Where the pieces stand in the matching positions",
    title: "Where the pieces stand",
    legend: None,
    argument: OutputArgument::Nothing,
    takes_positions: |_| true,
    asks_tables: false,
    parts: |_| ShardParts::MOVES | ShardParts::MATERIAL_EVENTS,
    reducer: |_, _| Box::new(HeatmapReducer::default()),
    partial_states: PartialStates::of::<Heatmap>(),
};

/// How many matching positions have a piece of each kind on each square.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heatmap {
    /// As in [`counts`](Heatmap::counts), one after the other.
    counts: Vec<u64>,
}

partial_struct!(Heatmap { counts });

impl Heatmap {
    /// The counts of [`counts`](Heatmap::counts), one after the other.
    pub fn flat_counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many matching positions have a piece of each kind on each square.
    ///
    /// Shape `[2][6][64]`: White, Black; pawn, knight, bishop, rook, queen, king; a1, b1, … h8.
    pub fn counts(&self) -> [[[u64; 64]; 6]; 2] {
        let count = |place: usize| self.counts.get(place).copied().unwrap_or(0);
        from_fn(|colour| from_fn(|role| from_fn(|square| count((colour * 6 + role) << 6 | square))))
    }
}

impl Summary for Heatmap {
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let columns = ["colour", "man", "square"].map(ResultColumn::text).into_iter();
        let columns = columns.chain([ResultColumn::count("positions")]).collect();
        let colours = ["white", "black"].into_iter();
        let pieces = colours.flat_map(|colour| {
            ["pawn", "knight", "bishop", "rook", "queen", "king"].into_iter().map(move |man| (colour, man))
        });
        let squares = pieces.flat_map(|(colour, man)| Square::ALL.into_iter().map(move |square| (colour, man, square)));
        let rows = squares.zip(&self.counts).map(|((colour, man, square), &count)| {
            vec![colour.into(), man.into(), square.to_string().into(), count.into()]
        });
        ResultTable::new(columns, rows)
    }

    fn merged(parts: Vec<Heatmap>, _: &OutputArguments) -> Heatmap {
        let mut counts = vec![0; 2 * 6 * 64];
        for part in &parts {
            counts.iter_mut().zip(&part.counts).for_each(|(count, more)| *count += more);
        }
        Heatmap { counts }
    }
}

/// Moves of both sides.
const MOVES: usize = 2 << 16;

/// Counts by piece and square, as the lifetimes of pieces change them.
#[derive(Clone)]
struct HeatmapReducer {
    /// By side and move: the matches that were still to come, the position after the move included.
    moves: Vec<u64>,
    /// By piece code and square. These are sums of differences, and intermediate values may be below 0, so they wrap.
    rows: Box<[u64; 1024]>,
    /// The matches in games that begin with the initial position, whose pieces are added at the end.
    initial_matches: u64,
}

impl Default for HeatmapReducer {
    fn default() -> HeatmapReducer {
        HeatmapReducer { moves: vec![0; MOVES], rows: Box::new([0; 1024]), initial_matches: 0 }
    }
}

impl HeatmapReducer {
    /// Adds `matches` for each piece of a board on its square.
    fn place_board(&mut self, board: &Board, matches: u64) {
        for (square, &piece) in board.mailbox.iter().enumerate() {
            self.add(piece, square, matches);
        }
    }

    #[inline(always)]
    fn add(&mut self, piece: PieceCode, square: usize, matches: u64) {
        let count = &mut self.rows[(piece.index() << 6 | square) & 1023];
        *count = count.wrapping_add(matches);
    }

    #[inline(always)]
    fn remove(&mut self, piece: PieceCode, square: usize, matches: u64) {
        self.add(piece, square, matches.wrapping_neg());
    }

    /// Applies a move of `mover` with which `remaining` matches were still to come, the position after the move included.
    fn apply_move(&mut self, mv: Move, mover: ColorCode, remaining: u64) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_castling() {
            let (king_to, rook_to) = castling_targets(from, to);
            for (piece, from, to) in [(mover.piece(Role::King), from, king_to), (mover.piece(Role::Rook), to, rook_to)]
            {
                self.remove(piece, from, remaining);
                self.add(piece, to, remaining);
            }
        } else if !mv.is_null() {
            let leaves = if mv.is_special() { mover.piece(Role::Pawn) } else { mover.arriving(mv) };
            self.remove(leaves, from, remaining);
            self.add(mover.arriving(mv), to, remaining);
        }
    }

    /// Applies what was added up by move.
    fn apply_moves(&mut self) {
        let sums = core::mem::take(&mut self.moves);
        for (place, &remaining) in sums.iter().enumerate().filter(|&(_, &remaining)| remaining != 0) {
            let mover = if place >> 16 == 0 { ColorCode::WHITE } else { ColorCode::BLACK };
            self.apply_move(Move::from_bits(place as u16), mover, remaining);
        }
    }

    /// Removes captured pieces from their squares.
    #[inline(always)]
    fn remove_captured(&mut self, found_game: &ScanMatch<'_>) {
        let (mut ply, plies) = (0, found_game.game.moves.len());
        for &event in found_game.event_streams.material {
            ply += material::gap(event);
            let Some(&mv) = found_game.game.moves.get(ply.wrapping_sub(1)) else { return };
            let captured =
                mover_at(found_game.start_board.turn, ply).opponent().piece_with(material::captured_role(event));
            let (from, to) = (mv.origin(), mv.target());
            let on = if mv.is_en_passant() { en_passant_capture_square(from, to) } else { to };
            // Without a capture, the row for no piece gets the count.
            self.remove(captured, on, u64::from(found_game.matches.count_between(ply - 1, plies)));
        }
    }
}

impl SummaryReducer for HeatmapReducer {
    type Summary = Heatmap;

    #[inline(never)]
    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        let ScanMatch { game, start_board: start, ref matches, .. } = *found_game;
        let mut rest = u64::from(matches.count());
        match game.has_custom_start() {
            false => self.initial_matches += rest,
            true => self.place_board(start, rest),
        }
        let last = matches.last().moves();
        let moves = game.moves.get(..last).unwrap_or(game.moves);
        // PERF: one addition a ply, without a branch on what kind of move it is.
        let (sums, mut side) = (&mut self.moves[..MOVES], usize::from(start.turn.is_black()) << 16);
        let mut add = |mv: Move, rest: u64| {
            sums[(side | usize::from(mv.bits())) & (MOVES - 1)] += rest;
            side ^= 1 << 16;
        };
        match matches.words() {
            None => {
                for &mv in moves {
                    add(mv, rest);
                    rest -= 1;
                }
            }
            Some(set) => {
                for (moves, &word) in moves.chunks(64).zip(set) {
                    let mut word = word;
                    for &mv in moves {
                        add(mv, rest);
                        rest -= word & 1;
                        word >>= 1;
                    }
                }
            }
        }
        self.remove_captured(found_game);
    }

    fn merge(&mut self, other: Self) {
        for (count, other) in self.rows.iter_mut().zip(other.rows.iter()) {
            *count = count.wrapping_add(*other);
        }
        self.moves.iter_mut().zip(&other.moves).for_each(|(sum, other)| *sum += other);
        self.initial_matches += other.initial_matches;
    }

    fn finish(mut self, _: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Heatmap {
        self.apply_moves();
        self.place_board(&Board::initial(), self.initial_matches);
        let pieces = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|colour| Role::ALL.into_iter().map(move |role| PieceCode::new(colour, role).index()));
        Heatmap { counts: pieces.flat_map(|row| &self.rows[row << 6..][..64]).copied().collect() }
    }
}
