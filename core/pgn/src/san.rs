//! Reads the bytes of one move: SAN, long algebraic, coordinates, castling, null moves.
//!
//! The reader accepts too much disambiguation, a missing or needless `x`, a promotion without `=`, castling with zeros, and
//! figurines. It returns what the text says as a [`ParsedSan`]; [`rules`](super::rules) finds the move.
//!
//! ```text
//! move      = castling | null | [piece] square-parts [promotion] [e.p.]
//! piece     = K Q R B N P, or ♔ … ♟
//! square-parts = (file | rank | "x" | ":" | "-")*     the last file and rank are the target, those before are the origin
//! promotion = ["+" "=" | "=" | "/"] ["("] (Q R B N q r b n, or a figurine) [")"]
//! castling  = (O | 0 | o) dash (O | 0 | o) [dash (O | 0 | o)] | OO | OOO         a dash is a hyphen, a minus sign, or a longer one
//! null      = "--" | "Z0" | "0000" | "@@@@" | "<>" | "null" | "pass"
//! ```

use shakmaty::Role;

use plyfold_board::board::make::FILE_A;

/// A move as it was written; squares 0–63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ParsedSan {
    /// A piece other than a pawn, from one of the squares `from` to `to`.
    Piece { role: Role, from: u64, to: u8 },
    /// A pawn to `to`, from `file` 0–7, or 8 if that is not written.
    Pawn { file: u8, to: u8, promotion: Option<Role> },
    /// Both squares without a piece.
    Squares { from: u8, to: u8, promotion: Option<Role> },
    /// Castling towards the h-file (short) or the a-file.
    Castling { short: bool },
    /// The null move.
    Null,
}

/// The squares of a file, `file` from 0.
#[inline(always)]
const fn file_mask(file: u8) -> u64 {
    FILE_A << (file & 7)
}

#[inline(always)]
fn byte_at(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The role that each capital letter stands for; 0 for other bytes.
static ROLE_OF_LETTER: [u8; 256] = {
    let mut roles = [0; 256];
    roles[b'N' as usize] = Role::Knight as u8;
    roles[b'B' as usize] = Role::Bishop as u8;
    roles[b'R' as usize] = Role::Rook as u8;
    roles[b'Q' as usize] = Role::Queen as u8;
    roles[b'K' as usize] = Role::King as u8;
    roles
};

/// The origins that a byte before the target allows: a file, a rank, all squares for `x`, none for a byte that is not a hint.
static ORIGIN_HINTS: [u64; 256] = {
    let mut hints = [0; 256];
    let mut nth = 0;
    while nth < 8 {
        hints[b'a' as usize + nth] = file_mask(nth as u8);
        hints[b'1' as usize + nth] = 0xff << (nth * 8);
        nth += 1;
    }
    hints[b'x' as usize] = !0;
    hints[b':' as usize] = !0;
    hints[b'-' as usize] = !0;
    hints
};

/// A move in a common form, in numbers that stay in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortSan {
    /// The role of the piece; 0 if the text is not a move in a common form.
    pub(super) role: u8,
    /// The file of a capturing pawn, otherwise 8.
    pub(super) file: u8,
    /// The squares from which a piece other than a pawn may come.
    pub(super) from: u64,
    /// The target.
    pub(super) to: u8,
    /// Bytes of the word, including the mark of a check.
    pub(super) length: u8,
}

/// Reads the move at `at` if it has a common form: a piece's move, or a pawn's move without promotion, with a blank after it.
///
/// PERF: a word of up to seven bytes is read as one number, from its end: the last two bytes are the target, and hints
/// are looked up and ANDed, with hardly a branch that depends on the word. An enum of the cases went through memory and cost
/// 12 ns a ply. Other forms take [`read_san`], which reads the common forms alike (see the test).
#[inline(always)]
pub(super) fn read_short(text: &[u8], at: usize) -> ShortSan {
    const NONE: ShortSan = ShortSan { role: 0, file: 8, from: 0, to: 0, length: 0 };
    let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return NONE;
    };
    let word = u64::from_le_bytes(*bytes);
    const EVERY: u64 = 0x0101_0101_0101_0101;
    // Only the lowest set bit is exact: it belongs to the first byte that is at most a blank.
    let blanks = word.wrapping_sub(EVERY * 0x21) & !word & (EVERY * 0x80);
    let whole = blanks.trailing_zeros() >> 3;
    if !(2..8).contains(&whole) {
        return NONE;
    }
    let byte = |nth: u32| (word >> (8 * nth)) as u8;
    let mark = (word >> (8 * whole - 8)) as u8;
    let length = whole - u32::from(mark == b'+') - u32::from(mark == b'#');
    if !(2..=6).contains(&length) {
        return NONE;
    }
    let target = word >> (8 * length - 16);
    let (file, rank) = ((target as u8).wrapping_sub(b'a'), (target >> 8) as u8);
    let rank = rank.wrapping_sub(b'1');
    if file | rank >= 8 {
        return NONE;
    }
    let (to, whole) = (rank << 3 | file, whole as u8);
    let role = ROLE_OF_LETTER[usize::from(byte(0))];
    if role != 0 {
        let hint = |nth: u32| ORIGIN_HINTS[usize::from(byte(nth))] | if nth + 2 < length { 0 } else { !0 };
        let from = hint(1) & hint(2) & hint(3);
        let role = if length >= 3 && from != 0 { role } else { 0 };
        return ShortSan { role, file: 8, from, to, length: whole };
    }
    let from_file = byte(0).wrapping_sub(b'a');
    if !(1..7).contains(&rank) {
        return NONE;
    }
    match length {
        2 => ShortSan { role: Role::Pawn as u8, file: 8, from: !0, to, length: whole },
        4 if byte(1) == b'x' && from_file < 8 => {
            ShortSan { role: Role::Pawn as u8, file: from_file, from: !0, to, length: whole }
        }
        _ => NONE,
    }
}

/// Reads the move at `at`: what it says, and where it ends. None if there is no move. The caller checks what follows it.
pub(super) fn read_san(text: &[u8], at: usize) -> Option<(ParsedSan, usize)> {
    match byte_at(text, at) {
        b'a'..=b'h' => read_pawn_move(text, at),
        b'N' => read_piece_move(text, at + 1, Role::Knight),
        b'B' => read_piece_move(text, at + 1, Role::Bishop),
        b'R' => read_piece_move(text, at + 1, Role::Rook),
        b'Q' => read_piece_move(text, at + 1, Role::Queen),
        b'K' => read_piece_move(text, at + 1, Role::King),
        _ => read_uncommon(text, at),
    }
}

/// Reads hints and target of a piece's move from `at`, and where it ends.
#[inline(always)]
fn read_piece_move(text: &[u8], mut at: usize, role: Role) -> Option<(ParsedSan, usize)> {
    // Each file or rank shows that the file or rank before it was a hint.
    let (mut file, mut rank) = (8, 8);
    let mut from = !0;
    let mut target = false;
    loop {
        let c = byte_at(text, at);
        match c {
            b'a'..=b'h' => {
                if file < 8 {
                    from &= file_mask(file);
                }
                if rank < 8 {
                    from &= 0xff << (rank * 8);
                }
                (file, rank) = (c - b'a', 8);
            }
            b'1'..=b'8' => {
                if rank < 8 {
                    from &= 0xff << (rank * 8);
                }
                // A target is a file with one rank after it.
                target = file < 8 && rank == 8;
                rank = c - b'1';
            }
            b'x' | b'-' | b':' => {}
            _ => break,
        }
        at += 1;
    }
    if !target || rank == 8 {
        return None;
    }
    Some((ParsedSan::Piece { role, from, to: rank * 8 + file }, at))
}

#[inline(always)]
fn read_pawn_move(text: &[u8], at: usize) -> Option<(ParsedSan, usize)> {
    let (first, second) = (byte_at(text, at) - b'a', byte_at(text, at + 1));
    let (file, to, mut end) = match second {
        b'1'..=b'8' => {
            let square = (second - b'1') * 8 + first;
            let mut next = at + 2;
            if matches!(byte_at(text, next), b'x' | b'-' | b':') {
                next += 1;
            }
            let third = byte_at(text, next);
            if third.wrapping_sub(b'a') < 8 {
                let rank = byte_at(text, next + 1).wrapping_sub(b'1');
                if rank < 8 {
                    let to = rank * 8 + third - b'a';
                    let (promotion, end) =
                        if matches!(rank, 0 | 7) { read_promotion(text, next + 2) } else { (None, next + 2) };
                    return Some((ParsedSan::Squares { from: square, to, promotion }, end));
                }
            }
            (8, square, at + 2)
        }
        _ => {
            let next = at + 1 + usize::from(matches!(second, b'x' | b'-' | b':'));
            let file = byte_at(text, next).wrapping_sub(b'a');
            let rank = byte_at(text, next + 1).wrapping_sub(b'1');
            if file >= 8 || rank >= 8 {
                return None;
            }
            (first, rank * 8 + file, next + 2)
        }
    };
    let mut promotes = None;
    if matches!(to >> 3, 0 | 7) {
        (promotes, end) = read_promotion(text, end);
    }
    Some((ParsedSan::Pawn { file, to, promotion: promotes }, end))
}

/// The role written at `at`, if any, and where it ends.
fn read_promotion(text: &[u8], at: usize) -> (Option<Role>, usize) {
    let check = matches!(text.get(at..at + 2), Some([b'+' | b'#', b'=']));
    let mut next = at + usize::from(check);
    next += usize::from(matches!(byte_at(text, next), b'=' | b'/'));
    let bracketed = byte_at(text, next) == b'(';
    next += usize::from(bracketed);
    let role = match byte_at(text, next) {
        b'Q' | b'q' => Role::Queen,
        b'R' | b'r' => Role::Rook,
        b'B' | b'b' => Role::Bishop,
        b'N' | b'n' => Role::Knight,
        _ => match read_figurine(text, next) {
            Some(role) if !matches!(role, Role::King | Role::Pawn) => {
                next += 2;
                role
            }
            _ => return (None, at),
        },
    };
    next += 1;
    if bracketed {
        // Otherwise the bracket begins a variation.
        if byte_at(text, next) != b')' {
            return (None, at);
        }
        next += 1;
    }
    (Some(role), next)
}

/// The length of the dash at the start of a text: `-`, or a longer one in UTF-8 or Windows-1252.
pub(super) fn dash_length(text: &[u8]) -> Option<usize> {
    match text {
        [b'-' | 0x96 | 0x97, ..] => Some(1),
        // Hyphens, en and em dash, minus sign.
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => Some(3),
        _ => None,
    }
}

/// The role of a chess symbol U+2654–265F in UTF-8 (three bytes) at `at`.
fn read_figurine(text: &[u8], at: usize) -> Option<Role> {
    let &[0xe2, 0x99, last @ 0x94..=0x9f] = text.get(at..at + 3)? else {
        return None;
    };
    Some([Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn][usize::from(last - 0x94) % 6])
}

#[cold]
#[inline(never)]
fn read_uncommon(text: &[u8], at: usize) -> Option<(ParsedSan, usize)> {
    let rest = &text[at.min(text.len())..];
    for null in [&b"--"[..], b"Z0", b"0000", b"@@@@", b"<>", b"null", b"pass"] {
        if rest.starts_with(null) && rest.get(null.len()) != null.last() {
            return Some((ParsedSan::Null, at + null.len()));
        }
    }
    match byte_at(text, at) {
        b'P' => {
            if byte_at(text, at + 1).wrapping_sub(b'a') < 8 {
                return read_pawn_move(text, at + 1);
            }
            None
        }
        b'O' | b'0' | b'o' => {
            let ring = |at| matches!(byte_at(text, at), b'O' | b'0' | b'o');
            let after_ring = |at: usize| {
                // `OO`, but not `00`.
                let is_letter = byte_at(text, at) == b'O';
                let dash = dash_length(text.get(at..)?).or(is_letter.then_some(0))?;
                ring(at + dash).then_some(at + dash + 1)
            };
            let short = after_ring(at + 1)?;
            let long = after_ring(short);
            Some((ParsedSan::Castling { short: long.is_none() }, long.unwrap_or(short)))
        }
        0xe2 => match read_figurine(text, at)? {
            Role::Pawn if byte_at(text, at + 3).wrapping_sub(b'a') < 8 => read_pawn_move(text, at + 3),
            Role::Pawn => None,
            role => read_piece_move(text, at + 3, role),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(text: &str) -> Option<ParsedSan> {
        let (written, end) = read_san(text.as_bytes(), 0)?;
        assert_eq!(end, text.len(), "{text}");
        Some(written)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]

        #[test]
        fn short_moves_are_read_as_all_are(word in "[KQRBNa-h]?[a-h1-8xx:=-]{0,4}[a-h][1-8][+#=Q]?[ \\n.]{1,2}........") {
            let short = read_short(word.as_bytes(), 0);
            if short.role == 0 {
                return Ok(());
            }
            let (written, end) = read_san(word.as_bytes(), 0).expect("what is short is a move");
            let expected = match written {
                ParsedSan::Piece { role, from, to } => (role as u8, 8, from, to),
                ParsedSan::Pawn { file, to, promotion: None } => (1, file, !0, to),
                other => panic!("{word}: {other:?}"),
            };
            prop_assert_eq!((short.role, short.file, short.from, short.to), expected);
            let marked = usize::from(matches!(word.as_bytes()[end], b'+' | b'#'));
            prop_assert_eq!(usize::from(short.length), end + marked);
        }
    }

    #[test]
    fn the_forms_of_a_move() {
        let piece = |role, from, to| Some(ParsedSan::Piece { role, from, to });
        let pawn = |file, to, promotion| Some(ParsedSan::Pawn { file, to, promotion });
        let squares = |from, to, promotion| Some(ParsedSan::Squares { from, to, promotion });
        let queen = Some(Role::Queen);
        for (text, expected) in [
            ("Nf3", piece(Role::Knight, !0, 21)),
            ("Nxf3", piece(Role::Knight, !0, 21)),
            ("N:f3", piece(Role::Knight, !0, 21)),
            ("Nbd2", piece(Role::Knight, file_mask(1), 11)),
            ("N1xd2", piece(Role::Knight, 0xff, 11)),
            ("Ng1f3", piece(Role::Knight, 1 << 6, 21)),
            ("Nb8-c6", piece(Role::Knight, 1 << 57, 42)),
            ("Qa1xb2", piece(Role::Queen, 1, 9)),
            ("♘f3", piece(Role::Knight, !0, 21)),
            ("♚e7", piece(Role::King, !0, 52)),
            ("e4", pawn(8, 28, None)),
            ("exd5", pawn(4, 35, None)),
            ("ed5", pawn(4, 35, None)),
            ("Pe4", pawn(8, 28, None)),
            ("♙e4", pawn(8, 28, None)),
            ("e8=Q", pawn(8, 60, queen)),
            ("e8Q", pawn(8, 60, queen)),
            ("e8(Q)", pawn(8, 60, queen)),
            ("e8/Q", pawn(8, 60, queen)),
            ("e8=(Q)", pawn(8, 60, queen)),
            ("gxh1+=Q", pawn(6, 7, queen)),
            ("e8=q", pawn(8, 60, queen)),
            ("e8=♕", pawn(8, 60, queen)),
            ("exd8=N", pawn(4, 59, Some(Role::Knight))),
            ("e8", pawn(8, 60, None)),
            ("e2e4", squares(12, 28, None)),
            ("e2-e4", squares(12, 28, None)),
            ("e5xd6", squares(36, 43, None)),
            ("e7e8q", squares(52, 60, queen)),
            ("O-O", Some(ParsedSan::Castling { short: true })),
            ("0-0-0", Some(ParsedSan::Castling { short: false })),
            ("O–O", Some(ParsedSan::Castling { short: true })),
            ("0−0–0", Some(ParsedSan::Castling { short: false })),
            ("o-o", Some(ParsedSan::Castling { short: true })),
            ("OO", Some(ParsedSan::Castling { short: true })),
            ("OOO", Some(ParsedSan::Castling { short: false })),
            ("--", Some(ParsedSan::Null)),
            ("Z0", Some(ParsedSan::Null)),
            ("0000", Some(ParsedSan::Null)),
            ("@@@@", Some(ParsedSan::Null)),
            ("<>", Some(ParsedSan::Null)),
            ("null", Some(ParsedSan::Null)),
            ("pass", Some(ParsedSan::Null)),
            ("Sf3", None),
            ("N", None),
            ("Nf", None),
            ("Nf9", None),
            ("Nf33", None),
            ("e9", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(read_all(text), expected, "{text}");
        }
    }

    #[test]
    fn common_moves_are_short() {
        // The others are for the other reader: promotions, castling, a word that is too long or ends the text.
        let common =
            ["Nf3 ", "Nbd2 ", "N1xd2 ", "Bb5+ ", "Qxf7# ", "Qa1xb2+ ", "Rad1\n", "Ke2 ", "e4 ", "exd5 ", "exd6+ "];
        let others = ["e8=Q ", "e8 ", "O-O ", "ed5 ", "Qa1xb2++ ", "Sf3 "];
        for (texts, is_short) in [(&common[..], true), (&others, false)] {
            for text in texts {
                let word = alloc::format!("{text}........");
                assert_eq!(read_short(word.as_bytes(), 0).role != 0, is_short, "{text}");
            }
        }
        assert_eq!(read_short(b"Nf3 ...", 0).role, 0, "eight bytes are read at once");
    }

    #[test]
    fn what_no_pawn_becomes_is_no_promotion() {
        let pawn = |promotion| ParsedSan::Pawn { file: 8, to: 60, promotion };
        for (text, promotion, length) in [
            ("e8=♔", None, 2),
            ("e8♙", None, 2),
            ("e8=♚", None, 2),
            ("e8=K", None, 2),
            ("e8(Q", None, 2),
            ("e8(♕ 1. e4)", None, 2),
            ("e8=", None, 2),
            ("e8(♞)", Some(Role::Knight), 7),
            ("e8♖", Some(Role::Rook), 5),
            ("e8/♝", Some(Role::Bishop), 6),
        ] {
            assert_eq!(read_san(text.as_bytes(), 0), Some((pawn(promotion), length)), "{text}");
        }
    }
}
