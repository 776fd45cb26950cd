//! The heatmap: on which squares the pieces stand in matching positions.
//!
//! The reducer needs no board, because it counts lifetimes instead of plies. A piece that arrives on e4 with the tenth ply is
//! there in all matching positions from then until it leaves. So an arrival adds the number of matches still to come, and a
//! departure subtracts the number of matches still to come. The event streams of the game show which pieces are captured, since a
//! move does not.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Color, Role, Square};

use plyfold_board::board::make::{castling_targets, en_passant_capture_square};
use plyfold_board::board::{Board, ColorCode, PieceCode};
use plyfold_board::irreversible::{material, mover_at};
use plyfold_board::moves::Move;
use plyfold_scan::scan::reducer::{Reducer, ScanMatch};

use super::result_table::{ResultColumn, ResultTable};

/// Counts by piece and square; see [`counts`](Heatmap::counts).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heatmap {
    /// By piece code and square. These are sums of differences, and intermediate values may be below 0, so they wrap.
    rows: Box<[u64; 1024]>,
    /// The matches in games that begin with the initial position, whose pieces [`counts`](Heatmap::counts) adds.
    initial_matches: u64,
}

impl Default for Heatmap {
    fn default() -> Heatmap {
        Heatmap { rows: Box::new([0; 1024]), initial_matches: 0 }
    }
}

impl Heatmap {
    /// The counts as a table.
    pub fn table(&self) -> ResultTable<'static> {
        let columns = ["colour", "man", "square"].map(ResultColumn::text).into_iter();
        let columns = columns.chain([ResultColumn::count("positions")]).collect();
        let mut rows = Vec::new();
        for (colour, counts) in ["white", "black"].into_iter().zip(self.counts()) {
            for (man, counts) in ["pawn", "knight", "bishop", "rook", "queen", "king"].into_iter().zip(counts) {
                let cells = Square::ALL.into_iter().zip(counts);
                rows.extend(
                    cells.map(|(square, count)| {
                        vec![colour.into(), man.into(), square.to_string().into(), count.into()]
                    }),
                );
            }
        }
        ResultTable::new(columns, rows.into_iter())
    }

    /// How many matching positions have a piece of each kind on each square.
    ///
    /// Shape `[2][6][64]`: White, Black; pawn, knight, bishop, rook, queen, king; a1, b1, … h8.
    pub fn counts(&self) -> [[[u64; 64]; 6]; 2] {
        let mut counted = self.clone();
        counted.place_board(&Board::initial(), self.initial_matches);
        let of_colour = |colour| {
            Role::ALL.map(|role| {
                let row = PieceCode::new(colour, role).index();
                core::array::from_fn(|square| counted.rows[row << 6 | square])
            })
        };
        [of_colour(Color::White), of_colour(Color::Black)]
    }

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

    /// Applies a move of `mover` when `remaining` matches are still to come, the position after the move included.
    #[inline(always)]
    fn apply_move(&mut self, mv: Move, mover: ColorCode, remaining: u64) {
        if mv.is_special() {
            return self.apply_special_move(mv, mover, remaining);
        }
        let piece = mover.arriving(mv);
        self.remove(piece, mv.origin(), remaining);
        self.add(piece, mv.target(), remaining);
    }

    #[cold]
    #[inline(never)]
    fn apply_special_move(&mut self, mv: Move, mover: ColorCode, remaining: u64) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_castling() {
            let (king_to, rook_to) = castling_targets(from, to);
            for (piece, from, to) in [(mover.piece(Role::King), from, king_to), (mover.piece(Role::Rook), to, rook_to)]
            {
                self.remove(piece, from, remaining);
                self.add(piece, to, remaining);
            }
        } else if !mv.is_null() {
            self.remove(mover.piece(Role::Pawn), from, remaining);
            self.add(mover.arriving(mv), to, remaining);
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

impl Reducer for Heatmap {
    #[inline(never)]
    fn game(&mut self, found_game: &ScanMatch<'_>) {
        let ScanMatch { game, start_board: start, ref matches, .. } = *found_game;
        let mut rest = u64::from(matches.count());
        match game.has_custom_start() {
            false => self.initial_matches += rest,
            true => self.place_board(start, rest),
        }
        let last = matches.last().moves();
        let moves = game.moves.get(..last).unwrap_or(game.moves);
        match matches.words() {
            None => {
                let mut mover = start.turn;
                for &mv in moves {
                    self.apply_move(mv, mover, rest);
                    rest -= 1;
                    mover = mover.opponent();
                }
            }
            Some(set) => {
                let mut mover = start.turn;
                for (moves, &word) in moves.chunks(64).zip(set) {
                    let mut word = word;
                    for &mv in moves {
                        self.apply_move(mv, mover, rest);
                        rest -= word & 1;
                        word >>= 1;
                        mover = mover.opponent();
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
        self.initial_matches += other.initial_matches;
    }
}
