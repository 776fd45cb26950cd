//! Syzygy files of three men that have one value for all positions with one side to move: the smallest there are.

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
    const SINGLE_VALUE: u8 = 128;
    let code = 1 + "PNBRQ".find(piece).expect("a piece") as u8;
    let (king, other_king) = (6, 14);
    let head = |magic: [u8; 4]| {
        // Two sides to move, in one order; then an even offset.
        let mut bytes = [&magic[..], &[1, 0]].concat();
        bytes.extend([code, king, other_king].map(|man| man << 4 | man));
        bytes.push(0);
        bytes
    };
    let mut wdl = head([0x71, 0xe8, 0x23, 0x5d]);
    wdl.extend(outcomes.iter().flat_map(|outcome| [SINGLE_VALUE, *outcome as u8]));
    let mut dtz = head([0xd7, 0x66, 0x0c, 0xa5]);
    dtz.extend([SINGLE_VALUE, 0]);
    [wdl, dtz].map(|mut bytes| {
        bytes.resize(64 + 16, 0);
        bytes
    })
}
