//! Reads and writes positions as FEN or EPD, whatever stands on the board.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::{Piece, Setup, Square};
use thiserror::Error;

/// The error in a text, and its place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct PositionTextError {
    /// One clause that a user can act on.
    pub message: String,
    /// First byte of the place in the text.
    pub from: usize,
    /// Byte after the place; equal to `from` at the end of the text.
    pub to: usize,
}

impl PositionTextError {
    /// An error about these bytes of a text. Control characters of the message are replaced.
    pub fn new(message: impl ToString, at: Range<usize>) -> PositionTextError {
        // A text may come from a file: what it holds is shown, and does nothing to the terminal.
        let printable = |sign: char| if sign.is_control() { '\u{fffd}' } else { sign };
        PositionTextError { message: message.to_string().chars().map(printable).collect(), from: at.start, to: at.end }
    }

    /// The message with the place as people count it: the column, from 1.
    pub fn with_column(&self, text: &str) -> String {
        let column = text.get(..self.from).map_or(0, |before| before.chars().count()) + 1;
        format!("column {column}: {}", self.message)
    }
}

/// A line with a position.
#[derive(Clone, Debug)]
pub struct PositionLine<'a> {
    /// The position. An EPD's clocks are those of its operations `hmvc` and `fmvn`.
    pub position: Setup,
    /// The operations of an EPD, as written; none in a FEN.
    pub operations: Option<&'a str>,
}

/// Reads a FEN of one to six fields. The defaults are White to move, no castling, no en passant, clocks of 0 and 1. It may be written as
/// people do: after a byte order mark, in quotation marks, as a tag, with `-` in place of a clock.
///
/// # Errors
///
/// The first field that cannot be read, or one too many.
pub fn read_fen(text: &str) -> Result<Setup, PositionTextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    read_standard(text).or_else(|| read_standard(&with_usual_fields(text)?)).ok_or_else(|| diagnose_fen(text))
}

/// Reads a FEN in the form of the standard; none if it is another text.
fn read_standard(text: &str) -> Option<Setup> {
    let setup = Fen::from_ascii(text.trim_ascii().as_bytes()).ok()?.into_setup();
    (setup.pockets.is_none() && setup.remaining_checks.is_none()).then_some(setup)
}

/// The fields as the standard has them, of a text as people write it: in quotation marks, after `FEN:` or as a tag, with other blanks and
/// dashes, `W` or `white`, a `/` behind the last rank, or `-` in place of a clock. None if it has no eight ranks.
#[cold]
fn with_usual_fields(text: &str) -> Option<String> {
    if text.bytes().filter(|byte| *byte == b'/').count() < 7 {
        return None;
    }
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
    let bare = match bare.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("fen") => bare[3..].trim_start_matches(':'),
        _ => bare,
    };
    let bare = bare.trim().trim_matches(['"', '\'', '\u{201c}', '\u{201d}']);
    let mut fields = String::with_capacity(bare.len());
    for (nth, word) in
        bare.split(|sign: char| sign.is_whitespace() || sign == '_').filter(|word| !word.is_empty()).enumerate()
    {
        if nth > 0 {
            fields.push(' ');
        }
        let word = if matches!(word, "\u{2013}" | "\u{2014}" | "\u{2212}") { "-" } else { word };
        fields.push_str(match (nth, word) {
            (0, ranks) => ranks.trim_end_matches('/'),
            (1, side) if ["w", "white"].iter().any(|name| side.eq_ignore_ascii_case(name)) => "w",
            (1, side) if ["b", "black"].iter().any(|name| side.eq_ignore_ascii_case(name)) => "b",
            (4, "-") => "0",
            (5, "-") => "1",
            (_, word) => word,
        });
    }
    Some(fields)
}

/// Reads a FEN, or an EPD: four fields and operations, each with a `;` after it.
///
/// # Errors
///
/// The first field or operation that cannot be read.
pub fn read_line(text: &str) -> Result<PositionLine<'_>, PositionTextError> {
    let text = text.trim_ascii_end();
    // Most lines are a FEN; the others are read again as EPD.
    if let Some(position) = read_standard(text) {
        return Ok(PositionLine { position, operations: None });
    }
    let is_operation = |word: &str| word.starts_with(|sign: char| sign.is_ascii_alphabetic());
    let Some(FenField { at, .. }) = split_fields(text).nth(4).filter(|field| is_operation(field.word)) else {
        return read_fen(text).map(|position| PositionLine { position, operations: None });
    };
    let mut position = read_fen(&text[..at])?;
    let written = &text[at..];
    for (name, operand) in operations(written) {
        let number = || operand.parse::<u32>().ok();
        match name {
            "hmvc" => position.halfmoves = number().unwrap_or(0),
            "fmvn" => position.fullmoves = number().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN),
            _ => {}
        }
    }
    Ok(PositionLine { position, operations: Some(written) })
}

/// The operations of an EPD: the name and the operands of each, a single operand without its quotation marks.
pub fn operations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut is_quoted = false;
    let parts = text.split(move |sign: char| {
        is_quoted ^= sign == '"';
        sign == ';' && !is_quoted
    });
    parts.filter_map(|part| {
        let part = part.trim_ascii();
        let (name, operand) = part.split_once(|sign: char| sign.is_ascii_whitespace()).unwrap_or((part, ""));
        (!name.is_empty()).then(|| (name, operand.trim_ascii().trim_matches('"')))
    })
}

/// The FEN of a position, with all six fields.
pub fn to_fen(position: &Setup) -> String {
    let mut text = Vec::new();
    append_fen(position, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Appends what [`to_fen()`] returns, in ASCII.
pub fn append_fen(position: &Setup, out: &mut Vec<u8>) {
    let fen = Fen::try_from_setup(position.clone());
    fen.unwrap_or_else(LossyFenError::ignore).append_ascii_to(out);
}

/// The first field of the FEN of a position.
pub fn placement(position: &Setup) -> String {
    let mut text = Vec::new();
    append_placement(position, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Appends what [`placement`] returns, in ASCII.
pub fn append_placement(position: &Setup, out: &mut Vec<u8>) {
    position.board.board_fen().append_ascii_to(out);
}

/// A field, and where it begins.
struct FenField<'a> {
    at: usize,
    word: &'a str,
}

fn split_fields(text: &str) -> impl Iterator<Item = FenField<'_>> {
    let between = |sign: char| matches!(sign, ' ' | '_');
    let mut at = 0;
    let pieces = text.split_inclusive(between).map(move |piece| {
        let field = FenField { at, word: piece.trim_end_matches(between) };
        at += piece.len();
        field
    });
    pieces.filter(|field| !field.word.is_empty())
}

/// Why a text is no FEN.
fn diagnose_fen(text: &str) -> PositionTextError {
    let text = text.trim_ascii_end();
    let mut fields = split_fields(text);
    let Some(placement) = fields.next() else {
        return PositionTextError::new("a position is missing: eight ranks as in a FEN", 0..text.len());
    };
    if let Some(fault) = diagnose_placement(&placement) {
        return fault;
    }
    let letter = |sign: u8| matches!(sign.to_ascii_lowercase(), b'k' | b'q' | b'a'..=b'h');
    for (index, FenField { at, word }) in fields.enumerate() {
        let range = at..at + word.len();
        let (is_right, message) = match index {
            0 => (matches!(word, "w" | "b"), "the second field is the side to move: `w` or `b`"),
            1 => (
                word == "-" || word.bytes().all(letter),
                "the third field is the castling rights: some of `KQkq`, letters of files, or `-`",
            ),
            2 => (word == "-" || word.parse::<Square>().is_ok(), "the fourth field is the en passant square, or `-`"),
            3 | 4 => (word == "-" || word.bytes().all(|sign| sign.is_ascii_digit()), "the last two fields are numbers"),
            _ => (false, "a FEN has at most six fields"),
        };
        if !is_right {
            return PositionTextError::new(message, range);
        }
    }
    PositionTextError::new("a side has castling rights with at most two rooks", 0..text.len())
}

fn diagnose_placement(placement: &FenField<'_>) -> Option<PositionTextError> {
    let mut at = placement.at;
    for (index, rank) in placement.word.split('/').enumerate() {
        let end = at + rank.len();
        if index == 8 {
            return Some(PositionTextError::new("a board has 8 ranks; this is one too many", at..end));
        }
        let mut squares = 0;
        for (offset, sign) in rank.char_indices() {
            let is_promoted = sign == '~' && rank[..offset].ends_with(|sign: char| sign.is_ascii_alphabetic());
            squares += match sign {
                '1'..='8' => sign as usize - '0' as usize,
                _ if is_promoted => 0,
                _ if Piece::from_char(sign).is_some() => 1,
                '[' => {
                    return Some(PositionTextError::new(
                        "a board here has no pocket of pieces in hand",
                        at + offset..end,
                    ));
                }
                _ => {
                    let message = format!("`{sign}` is no piece: write K Q R B N P for White, k q r b n p for Black");
                    return Some(PositionTextError::new(message, at + offset..at + offset + sign.len_utf8()));
                }
            };
        }
        if squares != 8 {
            let s = if squares == 1 { "" } else { "s" };
            return Some(PositionTextError::new(format!("rank {} has {squares} square{s}, not 8", 8 - index), at..end));
        }
        at = end + 1;
        if index < 7 && at > placement.at + placement.word.len() {
            let message = format!("a board has 8 ranks with `/` between them, not {}", index + 1);
            return Some(PositionTextError::new(message, end..end));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        let misread = read_fen("8/8/8/8/8/8/8/\x1b[2J w - -").expect_err("no position");
        assert!(misread.message.starts_with("`\u{fffd}` is no piece"), "{}", misread.message);
    }

    #[test]
    fn fens_are_written_as_they_are_read() {
        for (text, written) in [
            ("8/8/8/8/8/8/8/8", "8/8/8/8/8/8/8/8 w - - 0 1"),
            ("PPPPPPPP/kk6/8/8/8/8/8/KKKKpppp b", "PPPPPPPP/kk6/8/8/8/8/8/KKKKpppp b - - 0 1"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 17", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 17"),
            ("\u{feff} 4k3/8/8/8/8/8/8/4K3  b  -  - - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
            ("4k2r/8/8/8/8/8/8/R3K3 w kQ a6 3 17\r\n", "4k2r/8/8/8/8/8/8/R3K3 w Qk a6 3 17"),
            ("4k3/8/8/8/8/8/8/4K3/ White\t–  – 3 17", "4k3/8/8/8/8/8/8/4K3 w - - 3 17"),
            ("[FEN \"4k3/8/8/8/8/8/8/4K3 B - - 0 1\"]", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
            ("FEN: 4k3/8/8/8/8/8/8/4K3_b_-_-_0_1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
            ("“4k3/8/8/8/8/8/8/4K3 b - - 0 1”", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        ] {
            assert_eq!(read_fen(text).map(|position| to_fen(&position)).as_deref(), Ok(written));
        }
    }

    #[test]
    fn operations_are_read_and_kept() {
        let read = read_line("8/8/8/8/8/8/8/K1k5 b - - hmvc 7; fmvn 42; id \"a; b\"; c0 \"x\"").expect("an EPD");
        assert_eq!(to_fen(&read.position), "8/8/8/8/8/8/8/K1k5 b - - 7 42");
        let written = read.operations.expect("operations");
        assert!(operations(written).eq([("hmvc", "7"), ("fmvn", "42"), ("id", "a; b"), ("c0", "x")]));
        assert!(read_line("8/8/8/8/8/8/8/K1k5 b - - 7 42").expect("a FEN").operations.is_none());
    }

    #[test]
    fn a_fault_has_its_place() {
        for (text, place, message) in [
            ("", 0..0, "missing"),
            ("8/8/8/8/8/8/8", 13..13, "not 7"),
            ("8/8/8/8/8/8/8/8/8", 16..17, "one too many"),
            ("8/8/9/8/8/8/8/8", 4..5, "`9`"),
            ("8/8/44p/8/8/8/8/8", 4..7, "rank 6 has 9"),
            ("8/8/8/8/8/8/8/7", 14..15, "rank 1 has 7 squares"),
            ("8/8/8/8/8/8/8/8[Qq]", 15..19, "pocket"),
            ("8/8/8/8/8/8/8/8/Qq", 16..18, "one too many"),
            ("8/8/8/8/8/8/8/8 x - - 0 1", 16..17, "the side to move"),
            ("8/8/8/8/8/8/8/8 w Z - 0 1", 18..19, "castling"),
            ("8/8/8/8/8/8/8/8 w - i9 0 1", 20..22, "en passant"),
            ("8/8/8/8/8/8/8/8 w - - 0 x", 24..25, "numbers"),
            ("8/8/8/8/8/8/8/8 w - - 0 1 2", 26..27, "six fields"),
            ("8/8/8/8/8/8/8/8 w ABC - 0 1", 0..27, "two rooks"),
        ] {
            let fault = read_line(text).expect_err(text);
            assert!(fault.message.contains(message), "{text}: {fault}");
            assert_eq!(fault.from..fault.to, place, "{text}: {fault}");
        }
        let fault = read_line("8/8/8/8/8/8/8/8 w - - $ 1").expect_err("no operation");
        assert_eq!((fault.from, fault.with_column("8/8/8/8/8/8/8/8 w - - $ 1").starts_with("column 23")), (22, true));
    }
}
