//! Syzygy files that have one value for all positions with one side to move: the smallest there are.

/// A value of a file of outcomes: lost, lost but for the fifty-move rule, drawn, won but for the fifty-move rule, won.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each test uses its part")]
pub enum Outcome {
    Loss,
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
}

/// The bytes of the files `rtbw` and `rtbz` of one piece against a lone king: the outcomes with the side of the piece to move and
/// with the other, and distances that are as short as possible.
pub fn single_value_files(piece: char, outcomes: [Outcome; 2]) -> [Vec<u8>; 2] {
    let code = 1 + "PNBRQ".find(piece).expect("a piece") as u8;
    let (king, other_king) = (6, 14);
    let head = |magic: &[u8]| {
        // Two sides to move, in one order; then an even offset.
        let mut bytes = [magic, &[1, 0]].concat();
        bytes.extend([code, king, other_king].map(|nibble| nibble << 4 | nibble));
        bytes.push(0);
        bytes
    };
    let mut wdl = head(&WDL_MAGIC);
    wdl.extend(outcomes.iter().flat_map(|outcome| [SINGLE_VALUE, *outcome as u8]));
    let mut dtz = head(&DTZ_MAGIC);
    dtz.extend([SINGLE_VALUE, 0]);
    [padded(wdl), padded(dtz)]
}

/// The files of pawn against pawn: whoever is to move wins, and the file of distances says that it has this side to move.
#[allow(dead_code, reason = "each test uses its part")]
pub fn pawn_files(side_to_move: u8) -> [Vec<u8>; 2] {
    let file = |magic: &[u8], flags: u8, value: u8| {
        // With pawns, for each file of the leading one: two bytes of order, and pawn, pawn, king, king.
        let mut bytes = [magic, &[2]].concat();
        bytes.extend([[0x10, 0x0f, 0x11, 0x99, 0x66, 0xee]; 4].concat());
        bytes.push(0);
        bytes.extend([[SINGLE_VALUE | flags, value]; 4].concat());
        padded(bytes)
    };
    [file(&WDL_MAGIC, 0, Outcome::Win as u8), file(&DTZ_MAGIC, side_to_move, 0)]
}

const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];
const SINGLE_VALUE: u8 = 128;

/// A file is some blocks of 64 bytes and a checksum of 16.
fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(64 + 16, 0);
    bytes
}
