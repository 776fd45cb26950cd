//! The slow twin of the generator, for bishop and knight against a lone king: one position at a time, on one thread.
//!
//! It works in the plain way: it takes back White's moves from each lost position and the black king's moves from each newly
//! won one, and checks each candidate move by move. It does nothing for 64 positions at once, and shares only the order of
//! the positions with the generator.

use plyfold_core::table::index::{PieceSquares, TableAddress, TableIndex};
use plyfold_core::table::material::TableMaterial;
use plyfold_core::transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Role, Square, attacks};

/// A position that is not known to be won or lost.
const OPEN: u8 = u8::MAX;

/// The solver. Neither piece can mate alone, so a capture leads to a draw and no smaller table is needed.
pub struct Retrograde {
    index: TableIndex,
    /// Moves to mate by place, for White to move and for Black to move.
    won: Vec<u8>,
    lost: Vec<u8>,
}

/// Numbers of positions on the whole board, by moves to mate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetrogradeLevels {
    /// White to move and win in this many moves.
    pub won: Vec<u64>,
    /// Black to move and lose in this many moves.
    pub lost: Vec<u64>,
}

impl Default for Retrograde {
    fn default() -> Retrograde {
        let index = TableIndex::new(TableMaterial::parse("KBNvK").expect("a material"));
        assert!(index.tiles() == 1 && index.roles().len() == 2, "a small table is one tile");
        let places = index.pawn_slice_words() * 64;
        Retrograde { index, won: vec![OPEN; places], lost: vec![OPEN; places] }
    }
}

impl Retrograde {
    /// Solves the material level by level, until a level has no new positions.
    pub fn solve(mut self) -> RetrogradeLevels {
        let mut levels = RetrogradeLevels::default();
        let mut lost: Vec<PieceSquares> = Vec::new();
        for bit in 0..self.lost.len() as u64 {
            let squares = self.index.squares(TableAddress { pawn_slice: 0, tile: 0, bit });
            if self.is_apart(&squares) && self.is_check(&squares) && !self.has_escape(&squares) {
                self.lost[bit as usize] = 0;
                lost.push(squares);
            }
        }
        let mut level = 0;
        levels.won.push(0);
        levels.lost.push(self.count(&lost));
        while !lost.is_empty() {
            level += 1;
            let won = self.white_back(&lost, level);
            lost = self.black_back(&won, level);
            levels.won.push(self.count(&won));
            levels.lost.push(self.count(&lost));
        }
        levels
    }

    /// The number of positions on the whole board that these positions stand for.
    fn count(&self, positions: &[PieceSquares]) -> u64 {
        positions.iter().map(|squares| self.index.weight(0, squares.white_king)).sum()
    }

    /// Positions with White to move that have a move to `lost` and were not won before.
    fn white_back(&mut self, lost: &[PieceSquares], level: u8) -> Vec<PieceSquares> {
        let mut found = Vec::new();
        for squares in lost {
            let occupied = self.occupied(squares) | Bitboard::from_square(square(squares.black_king));
            for from in attacks::king_attacks(square(squares.white_king)) & !occupied {
                self.win(PieceSquares { white_king: from as u8, ..*squares }, level, &mut found);
            }
            for piece in 0..2 {
                let role = self.index.roles()[piece];
                for from in reach(role, square(squares.pieces[piece]), occupied) & !occupied {
                    let mut before = *squares;
                    before.pieces[piece] = from as u8;
                    self.win(before, level, &mut found);
                }
            }
        }
        found
    }

    /// Marks a position and its images as won.
    fn win(&mut self, squares: PieceSquares, level: u8, found: &mut Vec<PieceSquares>) {
        if !self.is_white_legal(&squares) {
            return;
        }
        for symmetry in Symmetry::ALL {
            let image = self.index.transformed(&squares, symmetry);
            let Some(place) = self.index.address_as_given(0, &image) else { continue };
            let won = &mut self.won[place.bit as usize];
            if *won == OPEN {
                *won = level;
                found.push(image);
            }
        }
    }

    /// Positions with Black to move that have a move to `won` and whose moves all lead to won positions.
    fn black_back(&mut self, won: &[PieceSquares], level: u8) -> Vec<PieceSquares> {
        let mut found = Vec::new();
        for squares in won {
            for from in attacks::king_attacks(square(squares.black_king)) & !self.occupied(squares) {
                let before = PieceSquares { black_king: from as u8, ..*squares };
                let place =
                    self.index.address_as_given(0, &before).expect("the white king stands where it stood").bit as usize;
                if self.lost[place] == OPEN && self.is_apart(&before) && !self.has_escape(&before) {
                    self.lost[place] = level;
                    found.push(before);
                }
            }
        }
        found
    }

    /// Whether Black has a move to a position that is not won. A capture is one, because a single piece cannot mate.
    fn has_escape(&self, squares: &PieceSquares) -> bool {
        let occupied = self.occupied(squares);
        attacks::king_attacks(square(squares.black_king)).into_iter().any(|to| {
            let after = PieceSquares { black_king: to as u8, ..*squares };
            if occupied.contains(to) {
                return to as u8 != squares.white_king && self.attackers(&after, to).is_empty();
            }
            let place = self.index.address_as_given(0, &after).expect("the white king stands where it stood").bit;
            self.attackers(&after, to).is_empty() && self.won[place as usize] == OPEN
        })
    }

    fn occupied(&self, squares: &PieceSquares) -> Bitboard {
        let pieces = squares.pieces[..2].iter().map(|&piece| Bitboard::from_square(square(piece)));
        pieces.fold(Bitboard::from_square(square(squares.white_king)), |all, piece| all | piece)
    }

    /// White's pieces that attack a square on which the black king stands or has just captured.
    fn attackers(&self, squares: &PieceSquares, to: Square) -> Bitboard {
        let (occupied, mut found) = (self.occupied(squares), Bitboard::EMPTY);
        if attacks::king_attacks(square(squares.white_king)).contains(to) {
            found |= Bitboard::from_square(square(squares.white_king));
        }
        for piece in 0..2 {
            let from = square(squares.pieces[piece]);
            if from != to && reach(self.index.roles()[piece], from, occupied).contains(to) {
                found |= Bitboard::from_square(from);
            }
        }
        found
    }

    /// Whether all pieces have squares of their own and the kings do not touch: legal with Black to move.
    fn is_apart(&self, squares: &PieceSquares) -> bool {
        let occupied = self.occupied(squares);
        let kings = square(squares.white_king).distance(square(squares.black_king));
        occupied.count() == 3 && !occupied.contains(square(squares.black_king)) && kings > 1
    }

    fn is_white_legal(&self, squares: &PieceSquares) -> bool {
        self.is_apart(squares) && !self.is_check(squares)
    }

    fn is_check(&self, squares: &PieceSquares) -> bool {
        !self.attackers(squares, square(squares.black_king)).is_empty()
    }
}

fn square(number: u8) -> Square {
    Square::new(number.into())
}

fn reach(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Knight => attacks::knight_attacks(from),
        Role::King | Role::Pawn => Bitboard::EMPTY,
    }
}
