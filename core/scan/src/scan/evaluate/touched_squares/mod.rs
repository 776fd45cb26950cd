//! The occupant of a square changes only when a move touches the square; these tests find such moves without a board.
//!
//! A packed move contains its origin, its target and the role of the piece that arrives. So comparing bytes ([`MoveBlock`])
//! shows, for 64 plies at once, at which of them a move leaves a square and at which a piece of some kind reaches it. A square
//! stays as the last move that touched it left it; one addition calculates this for 64 plies. Only special moves near a square
//! that they may touch are examined one by one (`special_moves`).

mod move_block;
mod special_moves;

use alloc::vec::Vec;

use wide::i8x16;

use crate::scan::plan::PlannedPredicate;
use crate::scan::plies::PredicateSets;
use move_block::{EN_PASSANT, MoveBlock, equal_mask, mask_if};
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::irreversible::mover_at;
use plyfold_board::moves::Move;
use special_moves::apply_special_moves;

/// The tests of predicates about a few squares.
#[derive(Clone, Debug)]
pub(in crate::scan) struct TouchedSquareTests(Vec<SquareGroup>);

/// A group of predicates that have at most 64 squares together.
#[derive(Clone, Debug, Default)]
struct SquareGroup {
    tests: Vec<SquareTest>,
    /// The squares of the predicates, in the order of `tests`.
    squares: Vec<WatchedSquare>,
    /// Whether a pawn on one of these squares may be taken en passant.
    en_passant: bool,
    /// Whether a predicate depends on who has castled.
    uses_castled: bool,
}

/// A predicate and the number of its squares.
#[derive(Clone, Debug)]
struct SquareTest {
    /// The number of the predicate in the query.
    predicate_index: usize,
    /// The number of its squares.
    square_count: usize,
    /// Whether one of the squares is enough; else all must fit.
    any_suffices: bool,
    /// Bits of [`Board::castled_wings`], at least one of which must be set too; 0 if the predicate does not depend on them.
    castled: u8,
}

/// A square and the pieces that may stand on it.
#[derive(Clone, Debug)]
struct WatchedSquare {
    square: usize,
    /// The square in every byte.
    square_bytes: i8x16,
    /// Bit `m` for a piece with code `m`, bit 0 for an empty square.
    allowed: u16,
    /// All ones if the square may be empty, else 0.
    empty_mask: u64,
    /// If only one kind of piece is allowed: its role in every byte, and all ones if it is Black's.
    single_piece: Option<(i8x16, u64)>,
    special_moves: SpecialMoves,
}

/// The special moves that can affect a square in ways that their origin, target and role do not show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SpecialMoves {
    /// Ranks 2, 3, 6 and 7: en passant captures that arrive there.
    Arrivals,
    /// Ranks 4 and 5: en passant captures of a pawn there.
    EnPassant,
    /// Ranks 1 and 8: castling, promotions, and null moves, which look like moves of a1.
    All,
}

impl WatchedSquare {
    fn new(square: u8, allowed: u16) -> WatchedSquare {
        let special = match square >> 3 {
            0 | 7 => SpecialMoves::All,
            3 | 4 => SpecialMoves::EnPassant,
            _ => SpecialMoves::Arrivals,
        };
        let pieces = allowed & !1;
        let piece = (pieces.count_ones() == 1).then(|| PieceCode::from_bits(pieces.trailing_zeros() as u8));
        WatchedSquare {
            square: square.into(),
            square_bytes: i8x16::splat(square as i8),
            allowed,
            empty_mask: mask_if(allowed & 1 != 0),
            single_piece: piece.map(|piece| (i8x16::splat(piece.role_code() as i8), mask_if(piece.side().is_black()))),
            special_moves: special,
        }
    }

    /// Returns whether this piece may stand on the square.
    #[inline(always)]
    fn allows_piece(&self, piece: PieceCode) -> bool {
        self.allowed >> piece.index() & 1 != 0
    }
}

impl TouchedSquareTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PlannedPredicate]) -> TouchedSquareTests {
        let mut groups = Vec::new();
        let mut group = SquareGroup::default();
        for &n in indices {
            let asked = predicates[usize::from(n)].square_constraints();
            if group.squares.len() + asked.squares.len() > 64 {
                groups.push(core::mem::take(&mut group));
            }
            group.tests.push(SquareTest {
                predicate_index: n.into(),
                square_count: asked.squares.len(),
                any_suffices: asked.any_suffices,
                castled: asked.castled,
            });
            group
                .squares
                .extend(asked.squares.into_iter().map(|(square, allowed)| WatchedSquare::new(square, allowed)));
            group.en_passant = group.squares.iter().any(|one| one.special_moves == SpecialMoves::EnPassant);
            group.uses_castled |= asked.castled != 0;
        }
        groups.push(group);
        TouchedSquareTests(groups)
    }
}

/// Returns at which of 64 plies a state holds that the plies `on` establish and the plies `off` end.
/// `before` is 1 if the state held before these plies.
///
/// PERF: an addition carries from each bit of `on` up to the next of `off`.
#[inline(always)]
fn state_after_changes(on: u64, off: u64, before: u64) -> u64 {
    let sum = (!off).wrapping_add(on).wrapping_add(before);
    on | !off & !sum
}

/// Records at which plies of a game from `start` each predicate holds.
pub(in crate::scan) fn test_squares(
    tests: &TouchedSquareTests,
    moves: &[Move],
    start: &Board,
    mut sets: PredicateSets<'_>,
) {
    for group in &tests.0 {
        test_group(group, moves, start, sets.reborrow());
    }
}

/// Records the plies for the predicates of one group.
#[inline(never)]
fn test_group(group: &SquareGroup, moves: &[Move], start: &Board, mut sets: PredicateSets<'_>) {
    // PERF: the state of each square before the current word, as a queue of bits.
    let mut states_before = 0;
    for (nth, one) in group.squares.iter().enumerate() {
        states_before |= u64::from(one.allows_piece(start.mailbox[one.square & 63])) << (nth & 63);
    }
    let mut castled = [0, 1, 2, 3].map(|wing| mask_if(start.castled_wings >> wing & 1 != 0));
    let words: &[i16] = bytemuck::cast_slice(moves);
    let mut block = MoveBlock::default();
    for (nth, from) in (0..moves.len()).step_by(64).enumerate() {
        let missing = (from + 64).saturating_sub(moves.len());
        let passed = block.unpack_from(words, from);
        let first = from - passed;
        let white = if mover_at(start.turn, first + 1).is_black() { !EVERY_SECOND_PLY } else { EVERY_SECOND_PLY };
        let specials = block.special_mask();
        let en_passant = match group.en_passant && specials != 0 {
            true => specials & equal_mask(&block.role, i8x16::splat(EN_PASSANT)),
            false => 0,
        };
        if group.uses_castled {
            update_castled(&mut castled, block.castling_masks(specials, white), passed);
        }
        // PERF: neighbouring squares often allow the same pieces.
        let (mut allowed, mut arriving) = (1, 0);
        let mut squares = group.squares.iter();
        for leaf in &group.tests {
            let mut holds = if leaf.any_suffices { 0 } else { u64::MAX };
            for one in squares.by_ref().take(leaf.square_count) {
                if one.allowed != allowed {
                    allowed = one.allowed;
                    arriving = block.arrival_mask(one, white);
                }
                let (leaves, reaches) =
                    (equal_mask(&block.from, one.square_bytes), equal_mask(&block.to, one.square_bytes));
                let mut on = reaches & arriving | leaves & one.empty_mask;
                let mut off = reaches & !arriving | leaves & !one.empty_mask;
                let special = match one.special_moves {
                    SpecialMoves::Arrivals => specials & reaches,
                    SpecialMoves::EnPassant => en_passant,
                    SpecialMoves::All => specials,
                };
                if special != 0 {
                    (on, off) =
                        apply_special_moves(special, &moves[first..], mover_at(start.turn, first + 1), one, (on, off));
                }
                let stands = state_after_changes(on >> passed, off >> passed, states_before & 1);
                states_before = states_before >> 1 | stands & 1 << 63;
                holds = if leaf.any_suffices { holds | stands } else { holds & stands };
            }
            if leaf.castled != 0 {
                let wing = |wing: usize| castled[wing] & mask_if(leaf.castled >> wing & 1 != 0);
                holds &= wing(0) | wing(1) | wing(2) | wing(3);
            }
            *sets.word(leaf.predicate_index, nth) = holds & u64::MAX >> missing;
        }
        states_before >>= (64 - group.squares.len()) & 63;
    }
}

/// Updates since when each side has castled on each wing, for the next 64 plies.
/// The lowest `passed` bits of `castlings` lie before these plies.
#[inline(always)]
fn update_castled(castled: &mut [u64; 4], castlings: [u64; 4], passed: usize) {
    for (castled, castlings) in castled.iter_mut().zip(castlings) {
        // All bits from the lowest one on.
        let castlings = castlings >> passed;
        *castled = mask_if(*castled >> 63 != 0) | castlings | castlings.wrapping_neg();
    }
}

/// Every second ply, from the first on.
const EVERY_SECOND_PLY: u64 = 0x5555_5555_5555_5555;

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;

    use plyfold_board::board::make::FullState;
    use plyfold_board::board::start::PackedStart;
    use proptest::prelude::*;
    use shakmaty::{Chess, Color, Position};

    use super::*;
    use crate::scan::measure::{FEATURES, FeatureScope};
    use crate::scan::plan::AccessPath;
    use crate::scan::plies;
    use crate::scan::predicate::{EmptySquares, FeatureSquares, Placement, PositionPredicate};

    /// The initial position; two with promotions and en passant captures ahead; two Chess960 positions before castling.
    const STARTS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20",
        "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 0 1",
        "1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 1",
        "r4k1r/8/8/8/8/8/8/1R3KR1 b GBha - 0 1",
    ];

    /// Makes a random game from one of the starts. Rare moves are preferred now and then, and null moves occur now and then.
    fn game(start: &str, choices: &[u16]) -> (Board, Vec<Move>) {
        let fen: shakmaty::fen::Fen = start.parse().expect("a FEN");
        let mut position: Chess = fen.into_position(shakmaty::CastlingMode::Chess960).expect("legal");
        let board = Board::from_start(&PackedStart::from_position(&position));
        let mut moves = Vec::new();
        for &choice in choices {
            if choice % 31 == 0
                && let Ok(passed) = position.clone().swap_turn()
            {
                position = passed;
                moves.push(Move::NULL);
            }
            let legal = position.legal_moves();
            let is_rare = |mv: &&shakmaty::Move| mv.is_castle() || mv.is_en_passant() || mv.is_promotion();
            let rare: Vec<_> = legal.iter().filter(is_rare).collect();
            let any = legal.get(usize::from(choice) % legal.len().max(1));
            let Some(&mv) =
                rare.get(usize::from(choice) % rare.len().max(1)).copied().filter(|_| choice & 3 == 0).or(any)
            else {
                break;
            };
            moves.push(Move::from(mv));
            position.play_unchecked(mv);
        }
        (board, moves)
    }

    /// Makes a predicate about these squares: on a feature, on the pieces there, or on their being empty.
    fn predicate(kind: usize, squares: &[u8], pieces: &[u16], colour: Color) -> PositionPredicate {
        let region = squares.iter().fold(0, |all, square| all | 1 << square);
        match kind {
            0 => EmptySquares(region).into(),
            1 | 2 => {
                let mut allowed = [0; 64];
                for (&square, &pieces) in squares.iter().zip(pieces.iter().cycle()) {
                    // One kind of piece, or several.
                    allowed[usize::from(square)] = if kind == 1 { 1 << (pieces % 16) } else { pieces };
                }
                PositionPredicate::Placement(Box::new(Placement { squares: region, allowed }))
            }
            _ => {
                let feature = FEATURES[kind % FEATURES.len()];
                let region = if squares.len() == 1 && pieces[0] & 1 != 0 { u64::MAX } else { region };
                PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region })
            }
        }
    }

    fn predicates() -> impl Strategy<Value = Vec<PositionPredicate>> {
        let pieces = prop::collection::vec(any::<u16>(), 1..4);
        let one = (0usize..25, prop::collection::vec(0u8..64, 1..6), pieces, any::<bool>())
            .prop_map(|(kind, squares, pieces, white)| predicate(kind, &squares, &pieces, Color::from_white(white)));
        prop::collection::vec(one, 1..24)
    }

    /// Returns the predicates that have touched squares as their access path, and their sets.
    fn walked(predicates: Vec<PositionPredicate>, moves: &[Move], start: &Board) -> (Vec<PositionPredicate>, Vec<u64>) {
        let about_squares =
            |one: &PositionPredicate| PlannedPredicate::new(one, false).access_path == AccessPath::TouchedSquares;
        let predicates: Vec<PositionPredicate> = predicates.into_iter().filter(about_squares).collect();
        let sorted: Vec<PlannedPredicate> = predicates.iter().map(|one| PlannedPredicate::new(one, false)).collect();
        let list: Vec<u8> = (0..sorted.len() as u8).collect();
        let mut sets = vec![0; sorted.len() * plies::word_count(moves.len())];
        test_squares(
            &TouchedSquareTests::new(&list, &sorted),
            moves,
            start,
            PredicateSets { words: &mut sets, width: plies::word_count(moves.len()) },
        );
        (predicates, sets)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn sets_are_those_of_a_replay(
            start in 0..STARTS.len(), choices in prop::collection::vec(any::<u16>(), 0..300), predicates in predicates(),
        ) {
            let (mut board, moves) = game(STARTS[start], &choices);
            let (predicates, sets) = walked(predicates, &moves, &board);
            let width = plies::word_count(moves.len());
            let mut expected = vec![0; sets.len()];
            for (ply, &mv) in moves.iter().enumerate() {
                board.make::<FullState>(mv);
                for (n, predicate) in predicates.iter().enumerate() {
                    expected[n * width + ply / 64] |= u64::from(predicate.test(&board)) << (ply % 64);
                }
            }
            for (n, predicate) in predicates.iter().enumerate() {
                let set = n * width..(n + 1) * width;
                prop_assert_eq!(&sets[set.clone()], &expected[set], "{:?}", predicate);
            }
        }

        #[test]
        fn any_bits_are_walked_without_panic(
            words in prop::collection::vec(any::<u16>(), 0..200), predicates in predicates(),
        ) {
            let moves: Vec<Move> = words.into_iter().map(Move::from_bits).collect();
            walked(predicates, &moves, &Board::initial());
        }

        #[test]
        fn what_is_made_so_lasts(words in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..4), first in any::<bool>()) {
            let (mut before, mut stands) = (u64::from(first), first);
            for (on, off, rare) in words {
                let (on, off) = (on & rare, off & rare & !on);
                let word = state_after_changes(on, off, before);
                for bit in 0..64 {
                    stands = on >> bit & 1 != 0 || stands && off >> bit & 1 == 0;
                    prop_assert_eq!(word >> bit & 1 != 0, stands);
                }
                before = word >> 63;
            }
        }
    }

    #[test]
    fn features_of_squares_ask_for_pieces_and_castlings_alone() {
        for feature in FEATURES.iter().filter(|feature| matches!(feature.scope, FeatureScope::Square(_))) {
            for (colour, square) in
                Color::ALL.into_iter().flat_map(|colour| (0..64).map(move |square| (colour, square)))
            {
                let asked = FeatureSquares { feature, colour, region: 1 << square };
                let sorted = PlannedPredicate::new(&PositionPredicate::FeatureInRegion(asked), false);
                let asked = sorted.square_constraints();
                assert_eq!(sorted.access_path, AccessPath::TouchedSquares, "{}", feature.name);
                assert!(asked.any_suffices && asked.squares.len() <= 1);
                for castled in 0..16 {
                    let allowed = asked.squares.first().map_or(0, |&(_, allowed)| allowed);
                    let expected = if asked.castled == 0 || asked.castled & castled != 0 { allowed } else { 0 };
                    let found = crate::scan::plan::square_constraints::pieces_satisfying(
                        feature.squares,
                        colour,
                        square,
                        castled,
                    );
                    assert_eq!(found, expected, "{} on {square} castled {castled}", feature.name);
                }
            }
        }
    }
}
