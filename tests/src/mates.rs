//! The named mates, written from the grammar with the boards of shakmaty.

use plyfold_core::scan::measure::mate::NamedMate;
use shakmaty::{Bitboard, Chess, Color, Position, Role, Square, attacks};

/// A mated king among its neighbours.
struct Mated<'a> {
    position: &'a Chess,
    mater: Color,
    king: Square,
    ring: Vec<Square>,
}

/// Whether the side to move is mated, in the pattern with this name.
pub fn is_mated_so(position: &Chess, mate: NamedMate) -> bool {
    let Some(king) = position.board().king_of(position.turn()).filter(|_| position.is_checkmate()) else {
        return false;
    };
    let ring = Square::ALL.into_iter().filter(|&square| king.distance(square) == 1).collect();
    let mated = Mated { position, mater: !position.turn(), king, ring };
    match mate {
        NamedMate::BackRank => mated.is_back_rank(),
        NamedMate::Smothered => mated.gives_check(Role::Knight) && mated.flights().is_empty(),
        NamedMate::Arabian => mated.is_arabian(),
        NamedMate::Anastasia => mated.is_anastasia(),
        NamedMate::Bodens => mated.is_by_bishops() && mated.has_bishops_on_both_sides(),
        NamedMate::DoubleBishop => mated.is_by_bishops() && !mated.has_bishops_on_both_sides(),
        NamedMate::Dovetail => mated.is_dovetail(),
        NamedMate::Hook => mated.is_hook(),
        NamedMate::Opera => mated.near(Role::Rook).iter().any(|&rook| mated.guarded_by(rook, &[Role::Bishop])),
        NamedMate::Pillsburys => mated.is_pillsburys(),
        NamedMate::Corner => mated.is_helped(Role::Knight, &[Role::Rook, Role::Queen]),
        NamedMate::Morphys => mated.is_helped(Role::Bishop, &[Role::Rook]),
        NamedMate::KillBox => mated.is_kill_box(),
        NamedMate::Vukovic => mated.is_vukovic(),
        NamedMate::Triangle => mated.is_triangle(),
        NamedMate::BlindSwine => mated.is_blind_swine(),
    }
}

fn apart(one: Square, other: Square) -> (u32, u32) {
    (one.file().distance(other.file()), one.rank().distance(other.rank()))
}

impl Mated<'_> {
    fn role_of(&self, square: Square, colour: Color) -> Option<Role> {
        self.position.board().piece_at(square).filter(|piece| piece.color == colour).map(|piece| piece.role)
    }

    fn is_own(&self, square: Square) -> bool {
        self.role_of(square, !self.mater).is_some()
    }

    fn guards(&self, square: Square) -> Bitboard {
        let board = self.position.board();
        board.attacks_to(square, self.mater, board.occupied())
    }

    fn guarded_by(&self, square: Square, roles: &[Role]) -> bool {
        self.guards(square).into_iter().any(|guard| roles.iter().any(|&role| self.is_enemy(guard, role)))
    }

    fn is_enemy(&self, square: Square, role: Role) -> bool {
        self.role_of(square, self.mater) == Some(role)
    }

    fn enemies(&self, role: Role) -> Vec<Square> {
        Square::ALL.into_iter().filter(|&square| self.is_enemy(square, role)).collect()
    }

    fn gives_check(&self, role: Role) -> bool {
        self.position.checkers().into_iter().any(|square| self.is_enemy(square, role))
    }

    /// The pieces of this role beside the king that give check.
    fn near(&self, role: Role) -> Vec<Square> {
        let checkers = self.position.checkers().into_iter();
        checkers.filter(|square| self.ring.contains(square) && self.is_enemy(*square, role)).collect()
    }

    fn flights(&self) -> Vec<Square> {
        self.ring.iter().copied().filter(|&square| !self.is_own(square)).collect()
    }

    fn is_back_rank(&self) -> bool {
        let first = self.mater.fold_wb(7, 0);
        let is_first = |square: Square| square.rank() as u32 == first;
        let is_closed = |square: Square| self.is_own(square) && self.guards(square).is_empty();
        is_first(self.king)
            && self.position.checkers().into_iter().any(is_first)
            && self.ring.iter().all(|&square| is_first(square) || is_closed(square))
    }

    fn is_arabian(&self) -> bool {
        let is_knight = |square: Square| self.is_enemy(square, Role::Knight) && apart(self.king, square) == (2, 2);
        [Square::A1, Square::A8, Square::H1, Square::H8].contains(&self.king)
            && self.near(Role::Rook).into_iter().any(|rook| self.guards(rook).into_iter().any(is_knight))
    }

    fn is_anastasia(&self) -> bool {
        let (file, rank) = self.king.coords();
        let heavy = || {
            self.position
                .checkers()
                .into_iter()
                .filter(|&by| self.is_enemy(by, Role::Rook) || self.is_enemy(by, Role::Queen))
        };
        let on_file = |far: i32, near: i32| {
            [0, 7].contains(&(file as i32)) && near == far / 3 && heavy().any(|by| by.file() == file)
        };
        let on_rank = |far: i32, near: i32| {
            [0, 7].contains(&(rank as i32)) && near == far / 3 && heavy().any(|by| by.rank() == rank)
        };
        let stand = |one: Option<Square>, knight: Option<Square>| {
            one.is_some_and(|one| self.is_own(one)) && knight.is_some_and(|far| self.is_enemy(far, Role::Knight))
        };
        let square = |files: i32, ranks: i32| Some(Square::from_coords(file.offset(files)?, rank.offset(ranks)?));
        [-1, 1].into_iter().any(|step| {
            on_file(3 * step, step) && stand(square(step, 0), square(3 * step, 0))
                || on_rank(3 * step, step) && stand(square(0, step), square(0, 3 * step))
        })
    }

    fn is_by_bishops(&self) -> bool {
        let is_bishop = |square: Square| self.is_enemy(square, Role::Bishop);
        let squares = self.ring.iter().chain([&self.king]);
        self.enemies(Role::Bishop).len() >= 2
            && squares.into_iter().all(|&at| self.guards(at).into_iter().all(is_bishop))
    }

    fn has_bishops_on_both_sides(&self) -> bool {
        let files: Vec<_> = self.enemies(Role::Bishop).into_iter().map(Square::file).collect();
        files.iter().any(|&file| file < self.king.file()) && files.iter().any(|&file| file > self.king.file())
    }

    fn is_dovetail(&self) -> bool {
        let is_free = |square: Square| self.position.board().piece_at(square).is_none();
        self.ring.len() == 8
            && self.near(Role::Queen).into_iter().any(|queen| {
                let others = self.ring.iter().filter(|&&square| square != queen);
                apart(self.king, queen) == (1, 1)
                    && others.into_iter().all(|&square| {
                        let guards: Vec<Square> = self.guards(square).into_iter().collect();
                        guards.is_empty() || guards == [queen] && is_free(square)
                    })
            })
    }

    fn is_hook(&self) -> bool {
        let is_knight = |knight: Square| {
            self.is_enemy(knight, Role::Knight)
                && knight.distance(self.king) == 1
                && self.guarded_by(knight, &[Role::Pawn])
        };
        self.near(Role::Rook).into_iter().any(|rook| self.guards(rook).into_iter().any(is_knight))
    }

    fn is_pillsburys(&self) -> bool {
        let rooks = self.position.checkers().into_iter().filter(|&square| self.is_enemy(square, Role::Rook));
        rooks.into_iter().any(|rook| {
            let holds_rook = |bishop: Square| rook.distance(self.king) == 1 && self.guards(rook).contains(bishop);
            self.flights().into_iter().any(|flight| {
                let guards: Vec<Square> = self.guards(flight).into_iter().collect();
                !attacks::aligned(rook, self.king, flight)
                    && guards.iter().all(|&guard| self.is_enemy(guard, Role::Bishop))
                    && guards.iter().any(|&guard| !holds_rook(guard))
            })
        })
    }

    /// Whether such a piece alone gives check, and one of the others guards a flight.
    fn is_helped(&self, mater: Role, others: &[Role]) -> bool {
        let is_alone = self.position.checkers().into_iter().all(|square| self.is_enemy(square, mater));
        is_alone && self.flights().into_iter().any(|flight| self.guarded_by(flight, others))
    }

    fn is_kill_box(&self) -> bool {
        let is_between = |a: u32, b: u32, c: u32| a.min(b) <= c && c <= a.max(b);
        let encloses = |rook: Square, queen: Square| {
            apart(rook, queen) == (2, 2)
                && is_between(rook.file() as u32, queen.file() as u32, self.king.file() as u32)
                && is_between(rook.rank() as u32, queen.rank() as u32, self.king.rank() as u32)
        };
        let queens = self.enemies(Role::Queen);
        (self.gives_check(Role::Rook) || self.gives_check(Role::Queen))
            && self.enemies(Role::Rook).into_iter().any(|rook| queens.iter().any(|&queen| encloses(rook, queen)))
    }

    fn is_vukovic(&self) -> bool {
        self.near(Role::Rook).into_iter().filter(|&rook| !self.guards(rook).is_empty()).any(|rook| {
            let beyond = rook as i32 + rook as i32 - self.king as i32;
            let square = u32::try_from(beyond).ok().and_then(|square| Square::try_from(square).ok());
            square.is_some_and(|knight| {
                self.is_enemy(knight, Role::Knight) && [(0, 2), (2, 0)].contains(&apart(self.king, knight))
            })
        })
    }

    fn is_triangle(&self) -> bool {
        let is_rook = |rook: Square, queen: Square| {
            rook.distance(self.king) == 1 && [(0, 2), (2, 0)].contains(&apart(rook, queen))
        };
        let rooks = self.enemies(Role::Rook);
        self.near(Role::Queen).into_iter().any(|queen| rooks.iter().any(|&rook| is_rook(rook, queen)))
    }

    fn is_blind_swine(&self) -> bool {
        let rooks: Vec<Square> = self.enemies(Role::Rook).into_iter().filter(|at| self.ring.contains(at)).collect();
        self.gives_check(Role::Rook) && rooks.iter().any(|one| rooks.iter().any(|other| one.distance(*other) == 1))
    }
}
