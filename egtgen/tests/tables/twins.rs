//! Compares fast paths with their slow twins: the index with symmetries and orders one at a time, words with squares, and
//! whole tables with a solver that knows only the rules.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use egtgen::folder::TableFolder;
use egtgen::prober::{CachedTables, DEFAULT_CACHE_BYTES};
use egtgen::retrograde::geometry::{KING_DIRECTIONS, king_attacks, king_step, pawn_attacks, to_corner};
use egtgen::retrograde::layout::ChunkLayout;
use egtgen::retrograde::white;
use egtgen::rows::{MarkedRows, PackedRows};
use egtgen::verify::{Verification, VerificationExtent, verify};
use plyfold_tables::index::{PieceSquares, TableAddress, TableIndex};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::Prober;
use plyfold_tables::successors::TablePosition;
use plyfold_transform::symmetry::Symmetry;
use proptest::prelude::*;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square, attacks};

use crate::common::{PLENTY, made, request, table};

/// Tables of all kinds: with and without pawns, of one tile and of many, with identical pieces of either side.
const NAMES: [&str; 18] = [
    "KQvK", "KRRvK", "KBNvK", "KNNNvK", "KRvKR", "KRBvKR", "KNNvKN", "KNvKNN", "KRBvKNN", "KRRvKRR", "KPvK", "KPPvK",
    "KPvKP", "KRPvKR", "KRPvKP", "KPPvKP", "KRRPvK", "KNNPvKN",
];

/// A board of these pieces on these squares, pawns only where pawns can be; `None` if two pieces share a square.
fn board(material: TableMaterial, squares: &[u8]) -> Option<Board> {
    let pieces = |color: Color, roles: Vec<Role>| {
        std::iter::once(Role::King).chain(roles).map(move |role| Piece { color, role })
    };
    let white = pieces(Color::White, material.white.roles().collect());
    let black = pieces(Color::Black, material.black.roles().collect());
    let mut board = Board::empty();
    for (piece, square) in white.chain(black).zip(squares) {
        let square = if piece.role == Role::Pawn { 8 + square % 48 } else { *square };
        let square = Square::new(square.into());
        if board.piece_at(square).is_some() {
            return None;
        }
        board.set_piece_at(square, piece);
    }
    Some(board)
}

fn turned(board: &Board, symmetry: Symmetry) -> Board {
    let mut turned = Board::empty();
    for (square, piece) in board {
        turned.set_piece_at(symmetry.map_square(square), piece);
    }
    turned
}

/// The symmetries that preserve the value of a material's positions.
fn symmetries(index: &TableIndex) -> &'static [Symmetry] {
    if index.has_pawns() { &[Symmetry::IDENTITY, Symmetry::FLIP_H] } else { &Symmetry::ALL }
}

/// Decides which image of a position is canonical: the squares of the white king and the outer pieces, identical pieces in
/// order.
fn outer(index: &TableIndex, squares: &PieceSquares) -> (u8, Vec<u8>) {
    let roles = index.roles();
    let mut pieces = squares.pieces;
    for _ in 1..roles.len() {
        for piece in 1..roles.len() {
            let are_same =
                roles[piece] == roles[piece - 1] && (piece < index.white_count()) == (piece - 1 < index.white_count());
            if are_same && pieces[piece] < pieces[piece - 1] {
                pieces.swap(piece, piece - 1);
            }
        }
    }
    (squares.white_king, pieces[..index.outer_count()].to_vec())
}

#[test]
fn every_material_is_of_some_use() {
    // A list that lacks a kind would leave that kind untested.
    let outers: Vec<usize> = NAMES.iter().map(|name| TableIndex::new(table(name)).outer_count()).collect();
    assert!((0..=2).all(|outer| outers.contains(&outer)), "{outers:?}");
    assert!(NAMES.iter().any(|name| TableIndex::new(table(name)).tiles() > 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn images_and_orders_of_a_position_have_one_place(
        name in 0..NAMES.len(), squares: [u8; 6], on_diagonal: bool,
    ) {
        let index = TableIndex::new(table(NAMES[name]));
        // The images of a position coincide if its pieces are on the long diagonal.
        let square = |square: u8| if on_diagonal { square % 8 * 9 } else { square % 64 };
        let Some(board) = board(index.material(), &squares.map(square)) else { return Ok(()) };
        let place = index.canonical_address(&board).expect("its material");
        let kept = index.squares(place);
        prop_assert_eq!(index.address_as_given(place.pawn_slice, &kept), Some(place));
        prop_assert!(place.tile < index.tiles() && place.bit < 64 * index.tile_words(place.tile) as u64);

        // The canonical position is an image of the original.
        let canonical = index.board_at(place).expect("all pieces have squares of their own");
        prop_assert!(symmetries(&index).iter().any(|by| turned(&board, *by) == canonical), "{} is kept as {}", board, canonical);
        prop_assert_eq!(index.canonical_address(&canonical), Some(place));

        // The canonical position is marked as canonical in its row.
        if let Some(lane) = index.roles().len().checked_sub(1) {
            prop_assert!(index.canonical_words(place.pawn_slice, &kept) >> kept.pieces[lane] & 1 != 0);
        }

        // All images have one place, or two if the outer pieces are their own image.
        for by in symmetries(&index) {
            let image = index.canonical_address(&turned(&board, *by)).expect("its material");
            let squares = index.squares(image);
            prop_assert_eq!(image.pawn_slice, place.pawn_slice);
            prop_assert_eq!(outer(&index, &squares), outer(&index, &kept), "{:?}", by);
            if image != place {
                let is_own = outer(&index, &index.transformed(&kept, Symmetry::FLIP_D)) == outer(&index, &kept);
                prop_assert!(is_own && !index.has_pawns(), "{:?} has {:?}, not {:?}", by, image, place);
            }
        }

        // The order of identical pieces does not matter.
        let roles = index.roles();
        for piece in 1..roles.len() {
            if roles[piece] == roles[piece - 1] && (piece < index.white_count()) == (piece - 1 < index.white_count()) {
                let mut swapped = kept;
                swapped.pieces.swap(piece, piece - 1);
                prop_assert_eq!(index.canonical(place.pawn_slice, &swapped), kept);
            }
        }
    }

    #[test]
    fn every_bit_is_some_squares_and_back(name in 0..NAMES.len(), pawn_slice: u32, tile: u32, bit: u64) {
        let index = TableIndex::new(table(NAMES[name]));
        let tile = tile % index.tiles();
        let place = TableAddress { pawn_slice: pawn_slice % index.pawn_slices().len() as u32, tile, bit: bit % (64 * index.tile_words(tile) as u64) };
        prop_assert_eq!(index.address_as_given(place.pawn_slice, &index.squares(place)), Some(place));
    }

    #[test]
    fn a_chunk_is_turned_position_by_position(symmetry in 0..8usize, bits in proptest::collection::vec((any::<u32>(), any::<u8>()), 0..200), inner in 0..3usize) {
        let symmetry = Symmetry::ALL[symmetry];
        let words = 1usize << (6 * inner);
        let mut from = vec![0u64; words];
        let mut slow = vec![0u64; words];
        for (word, king) in bits {
            let (word, king) = (word as usize % words, king % 64);
            from[word] |= 1 << king;
            let there = (0..inner).fold(0, |there, piece| {
                there | usize::from(symmetry.square((word >> (6 * piece) & 63) as u8)) << (6 * piece)
            });
            slow[there] |= 1 << symmetry.square(king);
        }
        let width = words.min(64);
        let rows = PackedRows::from_words(from.iter().copied().enumerate(), width);
        let (base, mut fast) = (2, MarkedRows::new(2 + words / width, width));
        let place = (inner, ChunkLayout::Whole { width });
        white::add_images(place, symmetry, rows.rows(0..rows.len()), &mut fast, base);
        prop_assert!(fast.words()[base * width..] == slow, "{:?}, {} inner pieces", symmetry, inner);
        // Bits that are already set stay set, and those that are added are marked.
        for (at, word) in slow.iter().enumerate().filter(|(_, word)| **word != 0) {
            let (row, lane) = (base + at / width, at % width);
            prop_assert!(fast.is_live(row) && fast.lanes(row) >> lane & 1 != 0);
            fast.add(row, lane, !word);
        }
        white::add_images(place, symmetry, rows.rows(0..rows.len()), &mut fast, base);
        prop_assert!(fast.words()[base * width..].iter().all(|word| *word == u64::MAX || *word == 0));
    }

    #[test]
    fn kings_and_pawns_attack_what_the_rules_say(set: u64, other: u64) {
        let some = set & other;
        let by_rules = |reach: &dyn Fn(Square) -> Bitboard| Bitboard(some).into_iter().fold(Bitboard::EMPTY, |all, at| all | reach(at)).0;
        prop_assert_eq!(king_attacks(some), by_rules(&attacks::king_attacks));
        for color in Color::ALL {
            prop_assert_eq!(pawn_attacks(some, color.is_white()), by_rules(&|at| attacks::pawn_attacks(color, at)));
        }
    }
}

#[test]
fn steps_of_a_king_are_its_attacks() {
    for from in 0..64u8 {
        let steps = KING_DIRECTIONS.iter().filter_map(|by| king_step(from, *by)).fold(0u64, |set, to| set | 1 << to);
        assert_eq!(steps, attacks::king_attacks(Square::new(from.into())).0);
        for (number, by) in KING_DIRECTIONS.iter().enumerate() {
            if let Some(to) = king_step(from, *by) {
                assert_eq!(to > from, number < 4, "the first four lead up");
            }
        }
        let corner = to_corner(from).square(from);
        assert!(TableIndex::new(table("KRvK")).king_classes().find(corner).is_some());
    }
    let mut mirrored = KING_DIRECTIONS[..5].to_vec();
    mirrored.iter_mut().for_each(|(files, ranks)| (*files, *ranks) = (*ranks, *files));
    assert!(KING_DIRECTIONS[..5].iter().all(|by| mirrored.contains(by)), "the first five mirror each other");
}

/// Levels of all positions of a material with three men, by side to move and by the squares of king, piece, king.
type Levels = Vec<Option<u16>>;

/// What a move leads to.
enum After {
    /// A position of the same material.
    Here(usize),
    /// A position of another table, with its level if White wins.
    There(Option<u16>),
}

/// A legal position of three men: its number, its side to move, and what its moves lead to.
struct Node {
    number: usize,
    turn: Color,
    after: Vec<After>,
}

/// The position of a number, if it is legal.
fn numbered_position(number: usize, piece: Role) -> Option<TablePosition> {
    let square = |shift: usize| Square::new((number >> shift & 63) as u32);
    let turn = if number >> 18 == Color::White as usize { Color::White } else { Color::Black };
    let mut board = Board::empty();
    board.set_piece_at(square(12), Color::White.king());
    board.set_piece_at(square(6), Piece { color: Color::White, role: piece });
    board.set_piece_at(square(0), Color::Black.king());
    let is_sound = board.occupied().count() == 3;
    is_sound.then(|| TablePosition::from_board(board, turn, None).ok()).flatten()
}

/// Where a position is found: in this material, or in the solved tables of `known`.
fn find(position: &TablePosition, piece: Role, known: &BTreeMap<Role, Levels>) -> After {
    let board = position.board();
    let kings = [Color::White, Color::Black].map(|color| board.king_of(color).expect("each side has a king"));
    let Some(square) = (board.occupied() & !board.kings()).first() else {
        // Only the two kings are left.
        return After::There(None);
    };
    let role = board.role_at(square).expect("a piece stands there");
    let at = ((position.turn() as usize * 64 + kings[0] as usize) * 64 + square as usize) * 64 + kings[1] as usize;
    if role == piece { After::Here(at) } else { After::There(known[&role][at]) }
}

/// Solves three men by going through all positions again and again. White has the piece and wins. `known` has the solved
/// materials that a pawn promotes to.
fn solved(piece: Role, known: &BTreeMap<Role, Levels>) -> Levels {
    let mut nodes = Vec::new();
    let mut levels = vec![None; 2 << 18];
    for (number, level) in levels.iter_mut().enumerate() {
        let Some(position) = numbered_position(number, piece) else { continue };
        let turn = position.turn();
        let after: Vec<After> = position.successors().map(|(_, after)| find(&after, piece, known)).collect();
        if after.is_empty() && turn == Color::Black && position.is_check() {
            *level = Some(0);
        }
        nodes.push(Node { number, turn, after });
    }
    let longest_known = known.values().flatten().flatten().max().copied();
    for level in 1.. {
        for turn in [Color::White, Color::Black] {
            let found: Vec<usize> = nodes
                .iter()
                .filter(|node| node.turn == turn && levels[node.number].is_none())
                .filter(|node| is_decided(node, level, &levels))
                .map(|node| node.number)
                .collect();
            if turn.is_white() && found.is_empty() && longest_known.is_none_or(|most| level > most + 1) {
                return levels;
            }
            found.into_iter().for_each(|number| levels[number] = Some(level));
        }
    }
    unreachable!("levels are fewer than numbers")
}

/// Whether a position is decided at a level: White wins if one move leads to a loss at the level before, and Black loses if
/// all moves lead to wins.
fn is_decided(node: &Node, level: u16, levels: &Levels) -> bool {
    let mut after = node.after.iter().map(|after| match after {
        After::Here(at) => levels[*at],
        After::There(level) => *level,
    });
    if node.turn.is_white() {
        after.any(|after| after == Some(level - 1))
    } else {
        after.len() > 0 && after.all(|after| after.is_some_and(|after| after <= level))
    }
}

#[test]
fn three_men_are_what_a_slow_solver_finds() {
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &["KPvK"], PLENTY, 2));
    let tables = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
    let prober = Prober::new(&tables);
    let mut known = BTreeMap::new();
    for piece in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        let levels = solved(piece, &known);
        assert_eq!(levels.iter().any(Option::is_some), !matches!(piece, Role::Bishop | Role::Knight));
        let mut seen = 0;
        for (number, slow) in levels.iter().enumerate() {
            if let Some(position) = numbered_position(number, piece) {
                let fast = prober.level(Color::White, &position).expect("a table that was made");
                assert_eq!(fast, *slow, "{position}");
                seen += 1;
            }
        }
        assert!(seen > 250_000, "{seen} positions");
        known.insert(piece, levels);
    }
}

#[test]
fn pawns_on_both_sides_are_what_the_moves_say() {
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &["KPvKP", "KNvKP", "KPvKN"], PLENTY, 2));
    let tables = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
    for name in ["KPvKP", "KNvKP"] {
        let some = VerificationExtent { fraction: 0.02, seed: 7 };
        let report =
            verify(&tables, table(name), some, &AtomicBool::new(false), &|_| {}).expect("tables that were made");
        assert!(report.checked > 50_000, "{}", report.checked);
        assert!(report.is_sound(), "{name}: {:#?}", report.first);
    }
}

#[test]
#[ignore = "slow"]
fn three_identical_pieces_are_what_the_moves_say() {
    let folder = tempfile::tempdir().expect("a folder");
    made(&request(folder.path(), &["KNNNvK"], PLENTY, 2));
    let tables = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
    let stop = AtomicBool::new(false);
    let verification = Verification::open(&tables, &[table("KNNNvK")], &stop, &|_| {}).expect("tables that were made");
    let report = verification.run_sample(50_000, 7).expect("tables that were made");
    assert_eq!(report.checked, 50_000);
    assert!(report.is_sound(), "{:#?}", report.first);
}
