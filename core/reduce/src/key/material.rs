//! The pieces of both sides: `KRPPvKRP`.

use alloc::string::String;

use plyfold_board::board::{ByPiece, ColorCode};
use plyfold_board::irreversible::material::MaterialEventCursor;
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::Role;

use super::feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};

/// Pawns, knights, bishops, rooks, queens of White in five bits each from bit 0, Black's from bit 32.
const COUNT_BITS: u32 = 5;

pub(super) fn pack_counts(number: &ByPiece<u8>) -> u64 {
    let side = |side: ColorCode| u64::from(pack_side(|role| number[side.piece(role)]));
    side(ColorCode::WHITE) | side(ColorCode::BLACK) << 32
}

/// The pieces of a side, without its king: pawns in the lowest bits, queens in the highest.
pub(crate) fn pack_side(number: impl Fn(Role) -> u8) -> u32 {
    const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let counts = (0..).zip(ROLES).map(|(nth, role)| u32::from(number(role) & 31) << (COUNT_BITS * nth));
    counts.fold(0, |all, count| all | count)
}

/// The name of the material of two sides: `KRPvKR`.
pub(crate) fn name_of([first, second]: [u32; 2]) -> String {
    let side = |counts: [u8; 5]| {
        let mut text = String::from("K");
        for (letter, number) in "QRBNP".chars().zip(counts.into_iter().rev()) {
            (0..number).for_each(|_| text.push(letter));
        }
        text
    };
    let [first, second] = unpack_counts(u64::from(first) | u64::from(second) << 32).map(side);
    first + "v" + &second
}

/// The counts of a packed value: White's and Black's, pawns to queens.
pub(super) fn unpack_counts(value: u64) -> [[u8; 5]; 2] {
    let number = |side: usize, role: u32| (value >> (32 * side as u32 + COUNT_BITS * role) & 31) as u8;
    [0, 1].map(|side| core::array::from_fn(|role| number(side, role as u32)))
}

/// Reports the piece counts, each with the ply from which they hold.
pub(super) fn for_each_material(found_game: &ScanMatch<'_>, mut visit: impl FnMut(&ByPiece<u8>, usize)) {
    let mut walk = MaterialEventCursor::at_start(found_game.start_board, found_game.event_streams.material);
    visit(&walk.piece_counts(), 0);
    while walk.next_ply() <= found_game.game.moves.len() {
        let ply = walk.next_ply();
        walk.advance();
        visit(&walk.piece_counts(), ply);
    }
}

/// The piece counts after a ply.
pub(super) fn counts_after(found_game: &ScanMatch<'_>, ply: usize) -> ByPiece<u8> {
    let mut walk = MaterialEventCursor::at_start(found_game.start_board, found_game.event_streams.material);
    while walk.next_ply() <= ply {
        walk.advance();
    }
    walk.piece_counts()
}

pub(super) const MATERIAL: KeyFeature = KeyFeature {
    name: "material",
    aliases: &["pieces", "men"],
    summary: "the pieces of both sides, White's first, as in `KRPPvKRP`",
    value: KeyValue::PieceCounts(pack_counts),
    format: ValueFormat::Value(|value| name_of([value as u32, (value >> 32) as u32])),
    is_ordered: false,
    condition: Some(KeyCondition::of("material white ")),
};
