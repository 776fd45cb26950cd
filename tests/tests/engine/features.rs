//! Compares every feature, number and relation with its definition, written plainly square by square on positions of
//! shakmaty, in random games and, if they are beside the project, in real ones. Also checks dependencies: after a move that
//! changes nothing that a feature depends on, its value stays the same.

use plyfold_core::board::history::PositionHistory;
use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ChangeMask};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::measure::numbers::{MOVES_OF, NUMBERS, NumberOrigin, NumericFeature};
use plyfold_core::scan::measure::{BoardFeature, FEATURES};
use plyfold_core::scan::predicate::{AttackPredicate, AttackTarget, FeatureSquares, PositionPredicate};
use plyfold_tests::games::{Aligned, STARTS, corpus, play, position};
use plyfold_tests::{data, imported};
use proptest::prelude::*;
use shakmaty::{Bitboard, CastlingSide, Chess, Color, EnPassantMode, Piece, Position, Role, Setup, Square};

/// Start positions with few pieces, close to mate, stalemate and pins, and one in which only castling remains.
const MORE_STARTS: &[&str] = &[
    "8/8/8/8/8/5k2/6q1/7K w - - 0 1",
    "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1",
    "k7/2Q5/8/1K6/8/8/p7/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "q3k2b/1p4p1/2p2n2/3p4/4P3/2N2P2/1P4P1/B3K2Q w - - 0 1",
    "5r1k/8/8/8/8/p5pp/P5PP/6KR w H - 0 1",
    "2b1kb2/pp1ppp1p/2p3p1/8/2PP4/1P4P1/P3PP1P/2B1KB2 w - - 0 1",
];

/// A position, and the sides that have castled on the way to it.
struct At<'a> {
    position: &'a Chess,
    castled: [[bool; 2]; 2],
}

impl At<'_> {
    /// The piece on a square; `None` if the square is empty or outside the board.
    fn piece(&self, file: i32, rank: i32) -> Option<Piece> {
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then(|| self.position.board().piece_at(square(file, rank))).flatten()
    }

    fn stands(&self, colour: Color, role: Role, file: i32, rank: i32) -> bool {
        self.piece(file, rank) == Some(Piece { color: colour, role })
    }

    /// Ranks (0–7) of the side's pawns on a file.
    fn pawns(&self, colour: Color, file: i32) -> Vec<i32> {
        (0..8).filter(|&rank| self.stands(colour, Role::Pawn, file, rank)).collect()
    }

    fn all(&self, colour: Color, role: Role) -> Vec<Square> {
        Square::ALL.into_iter().filter(|&at| self.stands(colour, role, file(at), rank(at))).collect()
    }

    /// The pieces of `by` that attack a square.
    fn attackers(&self, at: Square, by: Color) -> Bitboard {
        self.position.board().attacks_to(at, by, self.position.board().occupied())
    }

    fn passed(&self, colour: Color, at: Square) -> bool {
        let stops = |file: i32| self.pawns(!colour, file).into_iter().any(|other| ahead(colour, rank(at), other));
        self.stands(colour, Role::Pawn, file(at), rank(at)) && !(file(at) - 1..=file(at) + 1).any(stops)
    }

    /// Whether the side has a pawn on a neighbouring file, this many ranks ahead.
    fn neighbour(&self, colour: Color, at: Square, ranks_ahead: i32) -> bool {
        let rank = rank(at) + ranks_ahead * step(colour);
        [-1, 1].into_iter().any(|aside| self.stands(colour, Role::Pawn, file(at) + aside, rank))
    }

    fn number(&self, colour: Color, files: std::ops::Range<i32>) -> usize {
        files.map(|file| self.pawns(colour, file).len()).sum()
    }

    fn has_castled(&self, colour: Color, side: CastlingSide) -> bool {
        self.castled[usize::from(colour == Color::Black)][usize::from(side == CastlingSide::QueenSide)]
    }
}

fn square(file: i32, rank: i32) -> Square {
    Square::new((rank * 8 + file) as u32)
}

fn file(at: Square) -> i32 {
    at as i32 % 8
}

fn rank(at: Square) -> i32 {
    at as i32 / 8
}

fn step(colour: Color) -> i32 {
    colour.fold_wb(1, -1)
}

/// Whether `other` is ahead of `rank` from the side's point of view.
fn ahead(colour: Color, rank: i32, other: i32) -> bool {
    (other - rank) * step(colour) > 0
}

/// The rank from the side's point of view, from 1.
fn own_rank(colour: Color, at: Square) -> i32 {
    colour.fold_wb(rank(at) + 1, 8 - rank(at))
}

fn dark(at: Square) -> bool {
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
fn holds(name: &str, at: &At<'_>, colour: Color, on: Square) -> bool {
    let by_definition = [role_holds, pawn_holds, file_holds, king_holds, piece_holds, attack_holds, turn_holds];
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
        "isolated_queens_pawn" => is_pawn && x == 3 && at.number(colour, 2..5) == 1,
        "hanging_pawns" => {
            let [b, c, d, e] = [1, 2, 3, 4].map(|file| at.pawns(colour, file).len());
            let alone = at.number(!colour, 2..4) == 0;
            is_pawn && (x == 2 || x == 3) && [b, c, d, e] == [0, 1, 1, 0] && alone
        }
        "blocked_pawn" => is_pawn && at.stands(!colour, Role::Pawn, x, y + step(colour)),
        _ => return None,
    })
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
        "bishop_pair" => {
            let bishops = at.all(colour, Role::Bishop);
            is(Role::Bishop) && bishops.iter().any(|&at| dark(at)) && bishops.iter().any(|&at| !dark(at))
        }
        "opposite_coloured_bishops" => match (&at.all(white, Role::Bishop)[..], &at.all(black, Role::Bishop)[..]) {
            (&[one], &[two]) => dark(one) != dark(two),
            _ => false,
        },
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

/// Everything that makes positions equal: pieces, side to move, castling rights, legal en passant captures.
fn identity(position: &Chess) -> Setup {
    let setup = position.to_setup(EnPassantMode::Legal);
    Setup { halfmoves: 0, fullmoves: std::num::NonZeroU32::MIN, ..setup }
}

/// Both boards along one game.
struct Walked {
    board: Board,
    history: PositionHistory,
    position: Chess,
    castled: [[bool; 2]; 2],
    /// All earlier positions of the game.
    before: Vec<Setup>,
    /// The last measured squares, by feature and side.
    measured: Vec<[u64; 2]>,
    /// Whether each feature ever had a square, by side.
    met: Vec<[bool; 2]>,
}

impl Walked {
    fn on(position: Chess) -> Walked {
        let mut board = Board::from_start(&PackedStart::from_position(&position));
        let history = PositionHistory::starting_at(&mut board);
        let before = vec![identity(&position)];
        let (measured, met) = (vec![[0; 2]; FEATURES.len()], vec![[false; 2]; FEATURES.len()]);
        let mut walked = Walked { board, history, position, castled: [[false; 2]; 2], before, measured, met };
        walked.compare(u32::MAX);
        walked
    }

    fn play(&mut self, mv: shakmaty::Move) {
        if let Some(side) = mv.castling_side() {
            let black = usize::from(self.position.turn() == Color::Black);
            self.castled[black][usize::from(side == CastlingSide::QueenSide)] = true;
        }
        let change = self.board.make::<FullState>(Move::from(mv));
        self.history.push(&mut self.board);
        self.position.play_unchecked(mv);
        self.before.push(identity(&self.position));
        self.compare(change);
    }

    fn compare(&mut self, change: ChangeMask) {
        let at = At { position: &self.position, castled: self.castled };
        let fen = self.board.fen();
        for (nth, feature) in FEATURES.iter().enumerate() {
            for (side, colour) in Color::ALL.into_iter().enumerate() {
                let found = (feature.squares)(&self.board, colour);
                let expected: Bitboard =
                    Square::ALL.into_iter().filter(|&square| holds(feature.name, &at, colour, square)).collect();
                assert_eq!(Bitboard(found), expected, "{} of {colour} in {fen}", feature.name);
                if change & feature.dependencies_for(colour) == 0 {
                    assert_eq!(found, self.measured[nth][side], "{} depends on more: {fen}", feature.name);
                }
                if !feature.has_sides {
                    assert_eq!(found, (feature.squares)(&self.board, !colour), "{} in {fen}", feature.name);
                }
                assert!(feature.has_location || found == 0 || found == u64::MAX, "{} in {fen}", feature.name);
                self.measured[nth][side] = found;
                self.met[nth][side] |= found != 0;
            }
        }
        let on_board = |number: &&&NumericFeature| {
            !matches!(number.derived_from, NumberOrigin::Annotations(_) | NumberOrigin::Tables(_))
        };
        let legal = self.position.legal_moves();
        for number in NUMBERS.iter().chain(MOVES_OF.as_flattened()).filter(on_board) {
            let expected = match number.name {
                "king_distance" => {
                    let [white, black] = Color::ALL.map(|colour| at.all(colour, Role::King)[0]);
                    (file(white) - file(black)).abs().max((rank(white) - rank(black)).abs()).into()
                }
                "clock" => i64::from(self.position.halfmoves()),
                "repetition" => {
                    let now = identity(&self.position);
                    self.before.iter().filter(|&before| *before == now).count() as i64
                }
                "legal_moves" => legal.len() as i64,
                name if name.starts_with("moves_of(") => {
                    let of_name = |mv: &&shakmaty::Move| {
                        let turn = if self.position.turn().is_white() { "white" } else { "black" };
                        let role = format!("{:?}", mv.role()).to_lowercase();
                        [role.as_str(), "piece"].iter().any(|kind| name == format!("moves_of({turn} {kind})"))
                    };
                    legal.iter().filter(of_name).count() as i64
                }
                name => panic!("{name} has no twin"),
            };
            assert_eq!((number.value)(&self.board), expected, "{} in {fen}", number.name);
        }
    }

    /// Compares attacks of each kind of piece on each kind of piece, and on some squares.
    fn compare_attacks(&self, region: u64) {
        let at = At { position: &self.position, castled: self.castled };
        let of_all = || Role::ALL.into_iter().map(Some).chain([None]);
        for (by, by_colour) in of_all().flat_map(|by| Color::ALL.map(|colour| (by, colour))) {
            let expected = |target: &dyn Fn(Square) -> bool| {
                let attackers = self.position.board().by_color(by_colour).into_iter();
                let attackers =
                    attackers.filter(|&piece| by.is_none_or(|by| self.position.board().role_at(piece) == Some(by)));
                attackers.into_iter().any(|piece| self.position.board().attacks_from(piece).into_iter().any(target))
            };
            let found = |target| {
                let by = FeatureSquares { feature: pieces(by), colour: by_colour, region: u64::MAX };
                PositionPredicate::Attacks(Box::new(AttackPredicate { attackers: by, target })).test(&self.board)
            };
            for (target, colour) in of_all().flat_map(|target| Color::ALL.map(|colour| (target, colour))) {
                let stands = |on: Square| {
                    let piece = at.piece(file(on), rank(on)).filter(|piece| piece.color == colour);
                    piece.is_some_and(|piece| target.is_none_or(|target| piece.role == target))
                };
                let asked = AttackTarget::Feature(FeatureSquares { feature: pieces(target), colour, region: u64::MAX });
                let text = format!("{by_colour} {by:?} attacks {colour} {target:?} in {}", self.board.fen());
                assert_eq!(found(asked), expected(&stands), "{text}");
            }
            let within = |on: Square| region >> on as u32 & 1 != 0;
            assert_eq!(found(AttackTarget::Region(region)), expected(&within), "{by:?} attacks {region:x}");
        }
    }
}

/// The feature of the pieces of a role, or of all pieces.
fn pieces(role: Option<Role>) -> &'static BoardFeature {
    let found =
        FEATURES.iter().find(|feature| role.map_or(feature.name == "piece", |role| feature.role() == Some(role)));
    found.expect("a feature of pieces")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn features_are_what_they_are_defined_to_be(
        start in prop::sample::select(STARTS.iter().copied().chain(MORE_STARTS.iter().map(|start| Some(*start))).collect::<Vec<_>>()),
        choices in prop::collection::vec(any::<u16>(), 1..120),
        region in any::<u64>(),
    ) {
        let mut walked = Walked::on(position(start));
        let mut last: Option<shakmaty::Move> = None;
        for choice in choices {
            let legal = walked.position.legal_moves();
            let Some(&any) = legal.get(usize::from(choice / 4) % legal.len().max(1)) else { break };
            // Prefers moves back, so that positions repeat, and rare kinds of moves.
            let back = legal.iter().find(|mv| last.is_some_and(|last| !mv.is_castle() && last.from() == Some(mv.to()) && mv.from() == Some(last.to())));
            let rare: Vec<_> = legal.iter().filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion() || mv.is_capture()).collect();
            let mv = match choice % 4 {
                0 if back.is_some() => *back.expect("there is one"),
                1 if !rare.is_empty() => *rare[usize::from(choice / 4) % rare.len()],
                _ => any,
            };
            last = Some(mv);
            walked.play(mv);
        }
        walked.compare_attacks(region);
    }
}

/// Regions: the whole board, one square, a file, several files, ranks, and some squares.
const PLACES: &[&str] = &["", " on e4", " on d", " on c d", " on 4..5", " on e1 g1 c1 e8 g8 c8"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_scan_finds_features_where_they_are(
        starts in prop::collection::vec(prop::sample::select(STARTS), 4),
        choices in prop::collection::vec(any::<u16>(), 1..150),
    ) {
        let games: Vec<_> = starts.iter().enumerate().map(|(nth, start)| play(*start, &choices[nth.min(choices.len())..])).collect();
        let bytes = Aligned::new(&corpus(&games, 3));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        for feature in FEATURES {
            let sides: &[_] = if feature.has_sides { &[("white ", Color::White), ("black ", Color::Black)] } else { &[("", Color::White)] };
            let places = if feature.has_sides { PLACES } else { &PLACES[..1] };
            for (&(side, colour), place) in sides.iter().flat_map(|side| places.iter().map(move |place| (side, place))) {
                let text = format!("{side}{}{place}", feature.name);
                let query = compile(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                let [PositionPredicate::FeatureInRegion(asked)] = query.predicates[..] else { panic!("{text} is more than one predicate") };
                prop_assert_eq!((asked.feature.name, asked.colour), (feature.name, colour));
                let mut expected = (0, 0);
                for game in spans.iter().flat_map(GameSpan::games) {
                    let mut board = game.start_board();
                    let holds = game.moves.iter().filter(|&&mv| {
                        board.make::<FullState>(mv);
                        (feature.squares)(&board, colour) & asked.region != 0
                    });
                    let number = holds.count() as u64;
                    expected = (expected.0 + u64::from(number > 0), expected.1 + number);
                }
                let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
                let found = run_query(&spans, &query, &selection, &()).expect("nobody cancels").count;
                prop_assert_eq!((found.games, found.positions), expected, "{}", text);
                let games = run_query(&spans, &query, &ReducerSelection::default(), &()).expect("nobody cancels").count.games;
                prop_assert_eq!(games, expected.0, "{}, games alone", text);
            }
        }
    }
}

/// Plays the game on both boards and compares them.
fn walk(span: &GameSpan<'_>, nth: u32, met: &mut [[bool; 2]]) {
    let Some(game) = span.games().nth(nth as usize) else { return };
    let Ok(start) = game.start_board().fen().into_position(shakmaty::CastlingMode::Chess960) else { return };
    let mut walked = Walked::on(start);
    for &ours in game.moves {
        let legal = walked.position.legal_moves();
        let Some(&mv) = legal.iter().find(|&&mv| Move::from(mv) == ours) else { break };
        walked.play(mv);
    }
    walked.compare_attacks(0x0042_0018_1800_4200);
    for (all, of_game) in met.iter_mut().zip(walked.met) {
        *all = [all[0] | of_game[0], all[1] | of_game[1]];
    }
}

#[test]
#[ignore = "slow"]
fn features_of_real_games_are_what_they_are_defined_to_be() {
    let mut met = vec![[false; 2]; FEATURES.len()];
    let others = data::shared("lichess-elite-8k.pgn.zst");
    // Double checks are rare, so fewer games are left out if there are no others than the demo games.
    let step = if others.is_some() { 50 } else { 5 };
    for path in [Some(data::demo()), others].into_iter().flatten() {
        let (bytes, _) = imported::file(&path);
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
        for span in corpus_spans(&corpus) {
            (0..span.len()).step_by(step).for_each(|nth| walk(&span, nth, &mut met));
        }
    }
    // Only stalemate may be missing for a side. Every other feature occurs for both sides in some game.
    let missing = FEATURES.iter().zip(&met).filter(|(_, met)| **met != [true; 2]).map(|(feature, _)| feature.name);
    let missing: Vec<_> = missing.filter(|name| *name != "stalemate").collect();
    assert!(missing.is_empty(), "not met for both sides: {missing:?}");
}
