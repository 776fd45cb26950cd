//! Syzygy tables against those of egtgen: who wins must be the same but for the fifty-move rule, which only Syzygy tables know.
//!
//! The positions come from plain loops over squares, not from the index of a table, so an index that leaves some out is noticed.

use std::path::Path;

use egtgen::syzygy::{Dtz, SyzygyTables, Wdl50};
use egtgen::tablebase::Wdl;
use egtgen::{CachedTables, ProbeValue, Prober, TableMaterial, TablePosition};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square};

/// Numbers of positions, by how the two agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Positions that were compared.
    pub compared: u64,
    /// Those among them in which a pawn can be captured en passant.
    pub en_passant: u64,
    /// The same outcome, with and without the fifty-move rule.
    pub equal: u64,
    /// Wins that the fifty-move rule makes draws.
    pub cursed: u64,
    /// Losses that the fifty-move rule makes draws.
    pub blessed: u64,
    /// Other outcomes, or distances that cannot both be right.
    pub unequal: u64,
    /// Positions whose distances were compared too. That takes the tables after each promotion, which may not be there.
    pub distances: u64,
}

impl Agreement {
    fn merge(self, other: Agreement) -> Agreement {
        Agreement {
            compared: self.compared + other.compared,
            en_passant: self.en_passant + other.en_passant,
            equal: self.equal + other.equal,
            cursed: self.cursed + other.cursed,
            blessed: self.blessed + other.blessed,
            unequal: self.unequal + other.unequal,
            distances: self.distances + other.distances,
        }
    }
}

/// The sum.
pub fn total(parts: impl IntoIterator<Item = Agreement>) -> Agreement {
    parts.into_iter().fold(Agreement::default(), Agreement::merge)
}

/// The materials that have both Syzygy files in a folder, fewest men first.
pub fn materials_of(folder: &Path) -> Vec<TableMaterial> {
    let is_there = |name: &str, extension: &str| folder.join(format!("{name}.{extension}")).exists();
    let all = (3..=5).flat_map(TableMaterial::all_with_men);
    all.filter(|material| {
        let name = material.to_string();
        is_there(&name, "rtbw") && is_there(&name, "rtbz")
    })
    .collect()
}

/// Tables of both kinds.
pub struct BothTables {
    /// Those of egtgen.
    pub own: Prober<CachedTables>,
    /// Syzygy tables.
    pub syzygy: SyzygyTables,
}

impl BothTables {
    /// Compares a position. `has_distances` compares distances too: if White mates before fifty moves are over, the next
    /// capture or pawn move comes no later than the mate.
    pub fn compare(&self, position: &TablePosition, has_distances: bool) -> Agreement {
        let value = self.own.value(position).expect("a table that was made");
        let wdl = self.syzygy.wdl(position.as_chess()).expect("a whole file").expect("a table that is there");
        let is_near = if has_distances { self.is_near(position, value) } else { None };
        let distances = u64::from(is_near.is_some());
        let mut agreement = Agreement { compared: 1, distances, ..Agreement::default() };
        let is_same = Wdl::from(value) == Wdl::from(wdl) && is_near.unwrap_or(true);
        let count = match wdl {
            _ if !is_same => &mut agreement.unequal,
            Wdl50::CursedWin => &mut agreement.cursed,
            Wdl50::BlessedLoss => &mut agreement.blessed,
            _ => &mut agreement.equal,
        };
        *count = 1;
        if agreement.unequal > 0 {
            println!("{position}: {value:?}, but Syzygy says {wdl:?}");
        }
        agreement
    }

    /// Whether the distance to the next capture or pawn move fits the distance to mate; `None` if it is not known.
    fn is_near(&self, position: &TablePosition, value: ProbeValue) -> Option<bool> {
        let dtz = self.syzygy.dtz(position.as_chess()).expect("a whole file")?;
        let Dtz(plies) = dtz.ignore_rounding();
        Some(match value.plies() {
            None => plies == 0,
            // Mate counts as a distance of one ply.
            Some(0) => plies == -1,
            Some(mate @ 1..=100) => (1..=mate).contains(&plies.unsigned_abs()),
            Some(_) => plies != 0,
        })
    }

    /// Compares every position of a material up to symmetry, with either side to move. Some positions whose white king is on
    /// the diagonal are compared twice.
    pub fn compare_all(&self, material: TableMaterial, has_distances: bool) -> Agreement {
        let places = Placements::new(material);
        let first = |square: Square| {
            let mut board = Board::empty();
            board.set_piece_at(square, places.pieces[0]);
            let mut agreement = Agreement::default();
            places.visit(1, square, &mut board, &mut |board| {
                for turn in Color::ALL {
                    agreement = agreement.merge(self.compare_with_en_passant(board, turn, has_distances));
                }
            });
            agreement
        };
        let squares: Vec<Square> = Square::ALL.into_iter().filter(|square| places.is_first(*square)).collect();
        squares.into_par_iter().map(first).reduce(Agreement::default, Agreement::merge)
    }

    /// Compares so many random positions of a material, on squares of the whole board.
    pub fn compare_random(&self, material: TableMaterial, positions: u64, seed: u64) -> Agreement {
        const PART: u64 = 10_000;
        let pieces = Placements::new(material).pieces;
        let part = |number: u64| {
            let mut random = StdRng::seed_from_u64(seed.wrapping_mul(PART).wrapping_add(number));
            let mut agreement = Agreement::default();
            while agreement.compared < PART.min(positions) {
                let mut board = Board::empty();
                pieces.iter().for_each(|piece| board.set_piece_at(Square::new(random.random_range(0..64)), *piece));
                if board.occupied().count() == pieces.len() {
                    let turn = Color::from_white(random.random());
                    agreement = agreement.merge(self.compare_with_en_passant(&board, turn, true));
                }
            }
            agreement
        };
        (0..positions.div_ceil(PART)).into_par_iter().map(part).reduce(Agreement::default, Agreement::merge)
    }

    /// Compares a board with a side to move, and once more for each pawn that can be captured en passant.
    pub fn compare_with_en_passant(&self, board: &Board, turn: Color, has_distances: bool) -> Agreement {
        let Ok(plain) = TablePosition::from_board(board.clone(), turn, None) else { return Agreement::default() };
        let mut agreement = self.compare(&plain, has_distances);
        let rank = turn.fold_wb(Rank::Fifth, Rank::Fourth);
        for pawn in board.pawns() & board.by_color(!turn) & Bitboard::from_rank(rank) {
            let passed = pawn.offset(turn.fold_wb(8, -8)).expect("a square of the board");
            if let Ok(position) = TablePosition::from_board(board.clone(), turn, Some(passed))
                && position.successors().any(|(played, _)| played.is_en_passant())
            {
                let more = self.compare(&position, has_distances);
                agreement = agreement.merge(Agreement { en_passant: 1, ..more });
            }
        }
        agreement
    }
}

/// All ways to put the pieces of a material on the board: the white king, pawns, other pieces, then the black king. Positions with the same
/// pawns and the same white king come together, as they are in the tables, so that their tiles are unpacked once.
pub struct Placements {
    pieces: Vec<Piece>,
    has_pawns: bool,
}

impl Placements {
    /// Those of a material.
    pub fn new(material: TableMaterial) -> Placements {
        let side = |color: Color, roles: Vec<Role>| -> Vec<Piece> {
            roles.into_iter().map(|role| Piece { color, role }).collect()
        };
        let mut pieces = side(Color::White, material.white.roles().collect());
        pieces.extend(side(Color::Black, material.black.roles().collect()));
        pieces.sort_by_key(|piece| piece.role != Role::Pawn);
        pieces.insert(0, Piece { color: Color::White, role: Role::King });
        pieces.push(Piece { color: Color::Black, role: Role::King });
        Placements { pieces, has_pawns: material.pawns() > 0 }
    }

    /// Whether the white king is put on a square: one of each set of symmetric ones.
    fn is_first(&self, square: Square) -> bool {
        let (file, rank) = (square as u32 % 8, square as u32 / 8);
        file < 4 && (self.has_pawns || rank <= file)
    }

    /// Calls `visit` with each board on which the pieces from `number` on are added. Identical pieces stand in one order.
    fn visit(&self, number: usize, last: Square, board: &mut Board, visit: &mut impl FnMut(&Board)) {
        let Some(piece) = self.pieces.get(number) else { return visit(board) };
        let is_again = self.pieces[number - 1] == *piece;
        for square in Square::ALL.into_iter().filter(|square| !is_again || *square > last) {
            if board.piece_at(square).is_none() {
                board.set_piece_at(square, *piece);
                self.visit(number + 1, square, board, visit);
                board.discard_piece_at(square);
            }
        }
    }
}
