//! What each feature is, written plainly square by square on positions of shakmaty.

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Piece, Position, Role, Square};

/// A position, and the sides that have castled on the way to it.
pub struct At<'a> {
    pub position: &'a Chess,
    pub castled: [[bool; 2]; 2],
}

impl At<'_> {
    /// The piece on a square; `None` if the square is empty or outside the board.
    pub fn piece(&self, file: i32, rank: i32) -> Option<Piece> {
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then(|| self.position.board().piece_at(square(file, rank))).flatten()
    }

    pub fn stands(&self, colour: Color, role: Role, file: i32, rank: i32) -> bool {
        self.piece(file, rank) == Some(Piece { color: colour, role })
    }

    /// Ranks (0–7) of the side's pawns on a file.
    pub fn pawns(&self, colour: Color, file: i32) -> Vec<i32> {
        (0..8).filter(|&rank| self.stands(colour, Role::Pawn, file, rank)).collect()
    }

    pub fn all(&self, colour: Color, role: Role) -> Vec<Square> {
        Square::ALL.into_iter().filter(|&at| self.stands(colour, role, file(at), rank(at))).collect()
    }

    /// The pieces of `by` that attack a square.
    pub fn attackers(&self, at: Square, by: Color) -> Bitboard {
        self.position.board().attacks_to(at, by, self.position.board().occupied())
    }

    pub fn passed(&self, colour: Color, at: Square) -> bool {
        let stops = |file: i32| self.pawns(!colour, file).into_iter().any(|other| ahead(colour, rank(at), other));
        self.stands(colour, Role::Pawn, file(at), rank(at)) && !(file(at) - 1..=file(at) + 1).any(stops)
    }

    /// Whether the side has a pawn on a neighbouring file, this many ranks ahead.
    pub fn neighbour(&self, colour: Color, at: Square, ranks_ahead: i32) -> bool {
        let rank = rank(at) + ranks_ahead * step(colour);
        [-1, 1].into_iter().any(|aside| self.stands(colour, Role::Pawn, file(at) + aside, rank))
    }

    pub fn number(&self, colour: Color, files: std::ops::Range<i32>) -> usize {
        files.map(|file| self.pawns(colour, file).len()).sum()
    }

    pub fn has_castled(&self, colour: Color, side: CastlingSide) -> bool {
        self.castled[usize::from(colour == Color::Black)][usize::from(side == CastlingSide::QueenSide)]
    }
}

pub fn square(file: i32, rank: i32) -> Square {
    Square::new((rank * 8 + file) as u32)
}

pub fn file(at: Square) -> i32 {
    at as i32 % 8
}

pub fn rank(at: Square) -> i32 {
    at as i32 / 8
}

pub fn step(colour: Color) -> i32 {
    colour.fold_wb(1, -1)
}

/// Whether `other` is ahead of `rank` from the side's point of view.
pub fn ahead(colour: Color, rank: i32, other: i32) -> bool {
    (other - rank) * step(colour) > 0
}

/// The rank from the side's point of view, from 1.
pub fn own_rank(colour: Color, at: Square) -> i32 {
    colour.fold_wb(rank(at) + 1, 8 - rank(at))
}

pub fn dark(at: Square) -> bool {
    (file(at) + rank(at)) % 2 == 0
}

fn worth(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// The ranks of white pawns on this file that are directly below a black pawn, on ranks 3 to 6.
fn locked(at: &At<'_>, file: i32) -> Vec<i32> {
    (2..5)
        .filter(|&rank| {
            at.stands(Color::White, Role::Pawn, file, rank) && at.stands(Color::Black, Role::Pawn, file, rank + 1)
        })
        .collect()
}

fn in_battery(at: &At<'_>, colour: Color, from: Square) -> bool {
    let moves_along = |piece: Piece, diagonal: bool| {
        piece.color == colour
            && (piece.role == Role::Queen || piece.role == if diagonal { Role::Bishop } else { Role::Rook })
    };
    let directions = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))).filter(|&way| way != (0, 0));
    directions.into_iter().any(|(x, y)| {
        let next = (1..8).find_map(|n| at.piece(file(from) + n * x, rank(from) + n * y));
        let own = at.piece(file(from), rank(from));
        own.is_some_and(|own| moves_along(own, x * y != 0)) && next.is_some_and(|next| moves_along(next, x * y != 0))
    })
}

fn is_pinned(at: &At<'_>, colour: Color, piece: Square) -> bool {
    let board = at.position.board();
    let (Some(king), true) = (board.king_of(colour), board.color_at(piece) == Some(colour)) else { return false };
    if king == piece {
        return false;
    }
    let without = board.occupied().without(piece);
    (board.attacks_to(king, !colour, without) & !board.attacks_to(king, !colour, board.occupied())).any()
}

fn forks(at: &At<'_>, colour: Color, from: Square) -> bool {
    let board = at.position.board();
    let Some(own) = board.piece_at(from).filter(|piece| piece.color == colour) else { return false };
    let cannot_bear = |&target: &Square| {
        board.piece_at(target).is_some_and(|piece| {
            let loose = piece.role != Role::Pawn && at.attackers(target, !colour).is_empty();
            piece.color != colour && (piece.role == Role::King || worth(piece.role) > worth(own.role) || loose)
        })
    };
    board.attacks_from(from).into_iter().filter(cannot_bear).count() >= 2
}

/// Whether the piece on a square skewers two enemy pieces, by steps along each line.
fn skewers(at: &At<'_>, colour: Color, from: Square) -> bool {
    let Some(own) = at.piece(file(from), rank(from)).filter(|piece| piece.color == colour) else { return false };
    let ways: &[bool] = match own.role {
        Role::Rook => &[false],
        Role::Bishop => &[true],
        Role::Queen => &[false, true],
        _ => &[],
    };
    let directions = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))).filter(|&way| way != (0, 0));
    directions.into_iter().filter(|(x, y)| ways.contains(&(x * y != 0))).any(|(x, y)| {
        let line = (1..8).map(|n| (file(from) + n * x, rank(from) + n * y));
        let mut pieces = line.filter_map(|(x, y)| at.piece(x, y).map(|piece| (piece, x, y)));
        let (Some((front, x, y)), Some((behind, ..))) = (pieces.next(), pieces.next()) else { return false };
        let counts = |piece: Piece| piece.color != colour && piece.role != Role::Pawn;
        let gives_way = worth(front.role) > worth(own.role) || at.attackers(square(x, y), !colour).is_empty();
        counts(front) && counts(behind) && worth(behind.role) <= worth(front.role) && gives_way
    })
}

/// Whether a square belongs to a feature, by its definition.
pub fn holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> bool {
    let by_definition =
        [role_holds, pawn_holds, structure_holds, file_holds, king_holds, piece_holds, attack_holds, turn_holds];
    by_definition
        .into_iter()
        .find_map(|definition| definition(name, at, colour, on))
        .unwrap_or_else(|| panic!("{name} has no twin"))
}

/// Pieces by role.
fn role_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let is = |role| at.stands(colour, role, file(on), rank(on));
    Some(match name {
        "pawn" => is(Role::Pawn),
        "knight" => is(Role::Knight),
        "bishop" => is(Role::Bishop),
        "rook" => is(Role::Rook),
        "queen" => is(Role::Queen),
        "king" => is(Role::King),
        "piece" => at.piece(file(on), rank(on)).is_some_and(|piece| piece.color == colour),
        _ => return None,
    })
}

/// Pawns, and their relation to other pawns.
fn pawn_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let (x, y) = (file(on), rank(on));
    let is_pawn = at.stands(colour, Role::Pawn, x, y);
    Some(match name {
        "doubled_pawn" => is_pawn && at.pawns(colour, x).len() > 1,
        "tripled_pawn" => is_pawn && at.pawns(colour, x).len() > 2,
        "connected_passed_pawn" => {
            let beside = |aside: i32| (-1..=1).map(move |ranks| (x + aside, y + ranks));
            let is_passed = |(x, y): (i32, i32)| at.stands(colour, Role::Pawn, x, y) && at.passed(colour, square(x, y));
            at.passed(colour, on) && beside(-1).chain(beside(1)).any(is_passed)
        }
        "outside_passed_pawn" => {
            let pawns = [Color::White, Color::Black].map(|side| at.all(side, Role::Pawn)).concat();
            let others: Vec<i32> =
                pawns.into_iter().filter(|&other| other != on).map(|other| file(other) - x).collect();
            let far = others.iter().all(|&files| files >= 3) || others.iter().all(|&files| files <= -3);
            at.passed(colour, on) && !others.is_empty() && far
        }
        "isolated_pawn" => is_pawn && at.pawns(colour, x - 1).is_empty() && at.pawns(colour, x + 1).is_empty(),
        "backward_pawn" => {
            let beside = [at.pawns(colour, x - 1), at.pawns(colour, x + 1)].concat();
            let attacked =
                [-1, 1].into_iter().any(|aside| at.stands(!colour, Role::Pawn, x + aside, y + 2 * step(colour)));
            is_pawn && beside.into_iter().all(|friend| ahead(colour, y, friend)) && attacked
        }
        "passed_pawn" => at.passed(colour, on),
        "protected_passed_pawn" => at.passed(colour, on) && at.neighbour(colour, on, -1),
        "connected_pawn" => is_pawn && (-1..=1).any(|ranks| at.neighbour(colour, on, ranks)),
        "pawn_chain" => is_pawn && [-1, 1].into_iter().any(|ranks| at.neighbour(colour, on, ranks)),
        "pawn_island" => {
            let first = at.pawns(colour, x - 1).is_empty();
            is_pawn && first && at.pawns(colour, x).into_iter().all(|other| !ahead(colour, other, y))
        }
        "pawn_majority" => {
            let wing = if x < 4 { 0..4 } else { 4..8 };
            is_pawn && at.number(colour, wing.clone()) > at.number(!colour, wing)
        }
        "isolated_d_pawn" => is_pawn && x == 3 && at.number(colour, 2..5) == 1,
        "isolated_queens_pawn" => is_pawn && x == 3 && (y == 3 || y == 4) && at.number(colour, 2..5) == 1,
        "hanging_pawns" => {
            let [b, c, d, e] = [1, 2, 3, 4].map(|file| at.pawns(colour, file).len());
            let alone = at.number(!colour, 2..4) == 0;
            is_pawn && (x == 2 || x == 3) && [b, c, d, e] == [0, 1, 1, 0] && alone
        }
        "blocked_pawn" => is_pawn && at.stands(!colour, Role::Pawn, x, y + step(colour)),
        _ => return None,
    })
}

/// Structures with a name. Squares and files are written from White's view, also for Black.
fn structure_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let place = |text: &str| {
        let letters = text.as_bytes();
        let rank = i32::from(letters[1] - b'1');
        (i32::from(letters[0] - b'a'), if colour == Color::White { rank } else { 7 - rank })
    };
    let stands = |side: Color, text: &str| {
        let (file, rank) = place(text);
        at.stands(side, Role::Pawn, file, rank)
    };
    let own = |text: &str| text.split(' ').all(|square| stands(colour, square));
    let other = |text: &str| text.split(' ').all(|square| stands(!colour, square));
    let (no_own, no_other) =
        (|file: i32| at.pawns(colour, file).is_empty(), |file: i32| at.pawns(!colour, file).is_empty());
    let (c, d, e) = (2, 3, 4);
    let e_pawn = own("e2") || own("e3");
    let c_facing = other("c5") || other("c6") || other("c7");
    let (holds, pawns) = match name {
        "carlsbad" => {
            (own("d4") && e_pawn && no_own(c) && other("d5") && (other("c6") || other("c7")) && no_other(e), "d4 e2 e3")
        }
        "maroczy_bind" => (own("c4 e4") && no_own(d) && (other("d6") || other("d7")) && no_other(c), "c4 e4"),
        "hedgehog" => (own("a3 b3 d3 e3") && no_own(c) && other("c5 e5") && no_other(d), "a3 b3 d3 e3"),
        "stonewall" => (own("d4 e3 f4"), "d4 e3 f4"),
        "benoni_structure" => {
            let centre = other("e5") || other("e6") || other("e7");
            (own("c4 d3") && no_own(e) && other("d4") && centre && no_other(c), "c4 d3")
        }
        "kings_indian_chain" => (own("d3 e4") && other("d4 e5") && c_facing, "d3 e4"),
        "french_chain" => (own("d4 e3") && other("d5 e4"), "d4 e3"),
        "scheveningen_structure" => (own("d3 e3") && no_own(c) && other("e5") && no_other(d), "d3 e3"),
        "najdorf_structure" => (own("d3 e4") && no_own(c) && other("e5") && no_other(d), "d3 e4"),
        "slav_structure" => (own("c3") && e_pawn && no_own(d) && other("d5") && no_other(c), "c3 e2 e3"),
        "caro_kann_structure" => {
            (own("c3") && e_pawn && no_own(d) && other("d5") && c_facing && no_other(e), "c3 e2 e3")
        }
        "gruenfeld_centre" => (own("c3 d4 e4") && no_other(d), "c3 d4 e4"),
        "ruy_lopez_chain" => (own("d5 e4") && (own("c2") || own("c3")) && other("d6 e5 b5"), "c2 c3 d5 e4"),
        _ => return None,
    };
    let is_pawn = at.stands(colour, Role::Pawn, file(on), rank(on));
    Some(holds && is_pawn && pawns.split(' ').any(|text| place(text) == (file(on), rank(on))))
}

/// Features of files and of the centre.
fn file_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let (x, y) = (file(on), rank(on));
    let (white, black) = (Color::White, Color::Black);
    Some(match name {
        "open_file" => at.number(white, x..x + 1) + at.number(black, x..x + 1) == 0,
        "half_open_file" => at.pawns(colour, x).is_empty() && !at.pawns(!colour, x).is_empty(),
        "locked_centre" => {
            let both = !locked(at, 3).is_empty() && !locked(at, 4).is_empty();
            both && (x == 3 || x == 4) && locked(at, x).into_iter().any(|rank| y == rank || y == rank + 1)
        }
        _ => return None,
    })
}

/// Kings, and castling.
fn king_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let is = |role| at.stands(colour, role, file(on), rank(on));
    Some(match name {
        "castled" => is(Role::King) && CastlingSide::ALL.into_iter().any(|side| at.has_castled(colour, side)),
        "castled_short" => is(Role::King) && at.has_castled(colour, CastlingSide::KingSide),
        "castled_long" => is(Role::King) && at.has_castled(colour, CastlingSide::QueenSide),
        "opposite_castling" => Color::ALL
            .into_iter()
            .any(|side| at.has_castled(side, CastlingSide::KingSide) && at.has_castled(!side, CastlingSide::QueenSide)),
        "king_in_centre" => is(Role::King) && (3..=4).contains(&file(on)) && own_rank(colour, on) <= 2,
        _ => return None,
    })
}

/// Pieces, and their squares.
fn piece_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let (x, y) = (file(on), rank(on));
    let is = |role| at.stands(colour, role, file(on), rank(on));
    let (white, black) = (Color::White, Color::Black);
    Some(match name {
        "bishop_pair" | "two_bishops" => {
            let has_both = |colour| {
                let bishops = at.all(colour, Role::Bishop);
                bishops.iter().any(|&at| dark(at)) && bishops.iter().any(|&at| !dark(at))
            };
            is(Role::Bishop) && has_both(colour) && (name == "two_bishops" || !has_both(!colour))
        }
        "opposite_coloured_bishops" => match (&at.all(white, Role::Bishop)[..], &at.all(black, Role::Bishop)[..]) {
            (&[one], &[two]) => dark(one) != dark(two),
            _ => false,
        },
        "same_coloured_bishops" => match (&at.all(white, Role::Bishop)[..], &at.all(black, Role::Bishop)[..]) {
            (&[one], &[two]) => dark(one) == dark(two),
            _ => false,
        },
        "doubled_rook" => {
            let next = |ahead: i32| (1..8).find_map(|ranks| at.piece(x, y + ranks * ahead));
            let own_rook = Piece { color: colour, role: Role::Rook };
            is(Role::Rook) && [-1, 1].into_iter().any(|ahead| next(ahead) == Some(own_rook))
        }
        "queens_off" => at.all(white, Role::Queen).is_empty() && at.all(black, Role::Queen).is_empty(),
        "rook_on_open_file" => is(Role::Rook) && holds("open_file", at, colour, on),
        "rook_on_half_open_file" => is(Role::Rook) && holds("half_open_file", at, colour, on),
        "rook_on_seventh" => is(Role::Rook) && own_rank(colour, on) == 7,
        "outpost" => {
            let threatens = |file: i32| at.pawns(!colour, file).into_iter().any(|other| ahead(colour, y, other));
            let safe = ![x - 1, x + 1].into_iter().any(threatens);
            let minor = is(Role::Knight) || is(Role::Bishop);
            minor && (4..=6).contains(&own_rank(colour, on)) && at.neighbour(colour, on, -1) && safe
        }
        "fianchetto" => {
            let pawn = [1, 2].into_iter().any(|steps| at.stands(colour, Role::Pawn, x, y + steps * step(colour)));
            is(Role::Bishop) && (x == 1 || x == 6) && own_rank(colour, on) == 2 && pawn
        }
        _ => return None,
    })
}

/// Pieces that are attacked, defended or pinned, or that attack.
fn attack_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let own = at.piece(file(on), rank(on)).filter(|piece| piece.color == colour);
    Some(match name {
        "attacked" => own.is_some() && at.attackers(on, !colour).any(),
        "defended" => own.is_some() && at.attackers(on, colour).any(),
        "controlled_square" => at.attackers(on, colour).any(),
        "controlled_twice" => at.attackers(on, colour).count() >= 2,
        "empty_square" => at.piece(file(on), rank(on)).is_none(),
        "hanging_piece" => {
            let piece = own.is_some_and(|own| !matches!(own.role, Role::Pawn | Role::King));
            piece && at.attackers(on, !colour).any() && at.attackers(on, colour).is_empty()
        }
        "pinned" => is_pinned(at, colour, on),
        "battery" => in_battery(at, colour, on),
        "fork" => forks(at, colour, on),
        "skewer" => skewers(at, colour, on),
        _ => return None,
    })
}

/// Kings of the side to move, and kings in check.
fn turn_holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> Option<bool> {
    let is = |role| at.stands(colour, role, file(on), rank(on));
    let is_to_move = at.position.turn() == colour;
    let king = at.position.board().king_of(colour);
    Some(match name {
        "check" => is(Role::King) && at.attackers(on, !colour).any(),
        "double_check" => is(Role::King) && at.attackers(on, !colour).count() >= 2,
        "checkmate" => king == Some(on) && is_to_move && at.position.is_checkmate(),
        "stalemate" => king == Some(on) && is_to_move && at.position.is_stalemate(),
        "to_move" => is(Role::King) && is_to_move,
        _ => return None,
    })
}
