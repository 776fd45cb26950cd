//! What comments and glyphs say of the ply before them: evaluations, clocks, times spent, and whether there are words.
//!
//! Commands are `[%eval -0.35]`, `[%eval #-3]`, `[%clk 0:10:02.2]` and `[%emt 0:00:05]`, as Lichess, chess.com and others write them.
//! All other commands are skipped. A value that cannot be read is left out; if there are two, the later one counts.

use alloc::string::String;
use alloc::vec::Vec;

use memchr::{memchr, memmem};
use plyfold_annotations::{COMMENT_MARK, GLYPHS, GameAnnotations, Score, TimeControl};
use shakmaty::Color;

use super::tags::decode_text;

/// Reads a comment, without its brackets, on a ply from 1 of this side.
pub(super) fn read_comment(mut text: &[u8], (ply, mover): (u16, Color), annotations: &mut GameAnnotations) {
    let mut has_words = false;
    while let Some(&first) = text.first() {
        if first <= b' ' {
            text = &text[1..];
            continue;
        }
        if let Some(inside) = text.strip_prefix(b"[%")
            && let Some(length) = memchr(b']', inside)
        {
            read_command(&inside[..length], (ply, mover), annotations);
            text = &inside[length + 1..];
            continue;
        }
        has_words = true;
        let Some(next) = memmem::find(&text[1..], b"[%") else { break };
        text = &text[1 + next..];
        if memchr(b']', text).is_none() {
            break;
        }
    }
    if has_words {
        annotations.add_mark(ply, COMMENT_MARK);
    }
}

/// The words of a comment without its commands: UTF-8, or otherwise Windows-1252.
pub(super) fn comment_words(mut text: &[u8]) -> String {
    let mut words = Vec::new();
    while let Some(at) = memmem::find(text, b"[%")
        && let Some(length) = memchr(b']', &text[at..])
    {
        words.extend_from_slice(&text[..at]);
        words.push(b' ');
        text = &text[at + length + 1..];
    }
    words.extend_from_slice(text);
    decode_text(words.trim_ascii()).into_owned()
}

/// Reads a command without `[%` and `]`.
fn read_command(command: &[u8], (ply, mover): (u16, Color), annotations: &mut GameAnnotations) {
    let Some((name, value)) = command.split_at_checked(3) else { return };
    match name {
        b"clk" => parse_time(value).into_iter().for_each(|time| annotations.set_clock(ply, time)),
        b"emt" => parse_time(value).into_iter().for_each(|time| annotations.set_elapsed(ply, time)),
        b"eva" => {
            let score = value.strip_prefix(b"l").and_then(|value| parse_score(value, mover));
            score.into_iter().for_each(|score| annotations.set_score(ply, score));
        }
        _ => {}
    }
}

/// The value of a command after its name, which a blank separates from it.
fn trimmed_value(value: &[u8]) -> Option<&[u8]> {
    value.first().is_some_and(|&byte| byte <= b' ').then(|| value.trim_ascii())
}

/// `0.17`, `-1.5`, `+3`, `#4`, `#-2`; a depth may follow after a comma. Digits beyond centipawns are cut. `#0` says that the side
/// that has moved mates with the move: zero has no sign, and Lichess writes it for either side.
fn parse_score(value: &[u8], mover: Color) -> Option<Score> {
    let value = trimmed_value(value)?;
    let value = memchr(b',', value).map_or(value, |comma| value[..comma].trim_ascii_end());
    let (is_mate, value) = value.strip_prefix(b"#").map_or((false, value), |rest| (true, rest));
    let (sign, value) = match value {
        [sign @ (b'-' | b'+'), rest @ ..] => (Some(*sign), rest),
        _ => (None, value),
    };
    let is_negative = sign == Some(b'-');
    if is_mate {
        let white_mates = |moves: u32| if moves == 0 && sign.is_none() { mover.is_white() } else { !is_negative };
        return digits(value).map(|moves| Score::mate(moves, white_mates(moves)));
    }
    let (whole, fraction) = split_at_point(value);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { digits(whole)? };
    let hundredths = fraction_digits(fraction, 2)?;
    let number = whole.saturating_mul(100).saturating_add(hundredths).min(i32::MAX as u32) as i32;
    Some(Score::centipawns(if is_negative { -number } else { number }))
}

/// `1:02:03.4`, `2:03` or `3`, in tenths of a second. Digits beyond tenths are cut.
fn parse_time(value: &[u8]) -> Option<u32> {
    let value = trimmed_value(value)?;
    let (clock, fraction) = split_at_point(value);
    let mut parts = 0;
    let mut seconds = 0u32;
    for part in clock.split(|&byte| byte == b':') {
        parts += 1;
        seconds = seconds.saturating_mul(60).saturating_add(digits(part)?);
    }
    let tenths = seconds.saturating_mul(10).saturating_add(fraction_digits(fraction, 1)?);
    // A time that fits no clock is none.
    (parts <= 3 && tenths < 1 << 28).then_some(tenths)
}

/// What stands before the first point, and what behind it.
fn split_at_point(value: &[u8]) -> (&[u8], &[u8]) {
    memchr(b'.', value).map_or((value, &[]), |point| (&value[..point], &value[point + 1..]))
}

/// A number of digits alone, at least one; a large one is cut.
fn digits(text: &[u8]) -> Option<u32> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let add = |number: u32, digit: &u8| number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    is_number.then(|| text.iter().fold(0, add))
}

/// The first `places` digits behind a point, all of which must be digits.
fn fraction_digits(text: &[u8], places: usize) -> Option<u32> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((0..places).fold(0, |number, place| number * 10 + text.get(place).map_or(0, |digit| u32::from(digit - b'0'))))
}

/// The number of a glyph that is written as one or two signs: `!` is 1.
pub(super) fn glyph_number(signs: &[u8]) -> Option<u8> {
    GLYPHS.iter().position(|known| known.as_bytes() == signs).map(|index| index as u8 + 1)
}

/// The number of a glyph that is written `$14`; `text` are its digits.
pub(super) fn glyph_of_digits(text: &[u8]) -> Option<u8> {
    digits(text).and_then(|number| u8::try_from(number).ok()).filter(|&number| number > 0)
}

/// The base time and the increment of a TimeControl tag such as `300+3` or `40/5400+30:1800+30`, of which the first period counts;
/// none of what is not of this form.
pub(super) fn parse_time_control(value: &[u8]) -> TimeControl {
    let value = value.split(|&byte| byte == b':').next().unwrap_or_default().trim_ascii();
    let value = memchr(b'/', value).map_or(value, |slash| &value[slash + 1..]);
    let (base, increment) = match memchr(b'+', value) {
        Some(plus) => (&value[..plus], &value[plus + 1..]),
        None => (value, &b"0"[..]),
    };
    let seconds = |text: &[u8]| parse_time(&[b" ", text].concat());
    match (seconds(base), seconds(increment)) {
        (Some(base), Some(increment)) => TimeControl { base, increment },
        _ => TimeControl::default(),
    }
}

#[cfg(test)]
mod tests {
    use plyfold_annotations::UNKNOWN_TIME;

    use super::*;

    fn read(comment: &str) -> GameAnnotations {
        let mut annotations = GameAnnotations::default();
        read_comment(comment.as_bytes(), (1, Color::White), &mut annotations);
        annotations
    }

    #[test]
    fn evaluations() {
        for (value, expected) in [
            ("0.17", Some(Score::centipawns(17))),
            ("-1.5", Some(Score::centipawns(-150))),
            ("+3", Some(Score::centipawns(300))),
            (".5", Some(Score::centipawns(50))),
            ("2.359,24", Some(Score::centipawns(235))),
            ("0.25, 20", Some(Score::centipawns(25))),
            ("999.99", Some(Score::centipawns(20_000))),
            ("-99999999999999999999", Some(Score::centipawns(-20_000))),
            ("#4", Some(Score::mate(4, true))),
            ("#-2", Some(Score::mate(2, false))),
            ("#+2", Some(Score::mate(2, true))),
            ("#0", Some(Score::mate(0, true))),
            ("#-0", Some(Score::mate(0, false))),
            ("", None),
            ("#", None),
            (".", None),
            ("-", None),
            ("1.2x", None),
            ("M3", None),
        ] {
            let expected: alloc::vec::Vec<Score> = expected.into_iter().collect();
            assert_eq!(read(&alloc::format!("[%eval {value}]")).scores, expected, "{value}");
        }
        let mut black_mates = GameAnnotations::default();
        read_comment(b"[%eval #0]", (2, Color::Black), &mut black_mates);
        assert_eq!(black_mates.scores, [Score::UNKNOWN, Score::mate(0, false)]);
        assert!(read("[%eval0.5] [%evals 0.5] [%ev 1]").is_empty());
    }

    #[test]
    fn times() {
        for (value, expected) in [
            ("0:03:00", Some(1800)),
            ("1:02:03.4", Some(37_234)),
            ("0:10:02.27", Some(6022)),
            ("2:03", Some(1230)),
            ("7", Some(70)),
            ("0:00:05.", Some(50)),
            ("1:2:3:4", None),
            ("-0:00:01", None),
            ("0:xx:01", None),
            ("99999999999:00:00", None),
        ] {
            let expected: alloc::vec::Vec<u32> = expected.into_iter().collect();
            assert_eq!(read(&alloc::format!("[%clk {value}]")).clocks, expected, "{value}");
            assert_eq!(read(&alloc::format!("so [%emt {value}] it is")).elapsed, expected, "{value}");
        }
    }

    #[test]
    fn comments_with_words() {
        for (comment, has_words) in [
            ("", false),
            (" \n", false),
            ("[%eval 0.1] [%clk 0:00:01]", false),
            ("[%csl Ga1][%cal Ra1b2]", false),
            ("[%timestamp 5] well", true),
            ("a novelty", true),
            ("[%eval 0.1", true),
            ("x [%eval 0.1", true),
            ("[ev] [%eval 0.1]", true),
        ] {
            assert_eq!(!read(comment).marks.is_empty(), has_words, "{comment}");
        }
        let all = read("[%eval 0.1] so [%clk 0:00:01] [%eval 0.2]");
        assert_eq!((&all.scores[..], &all.clocks[..]), (&[Score::centipawns(20)][..], &[10][..]));
        for (comment, words) in [
            (" a [%clk 0:00:01]b [%eval 1] ", "a  b"),
            ("[%csl Ga1]", ""),
            ("so [%eval 0.1", "so [%eval 0.1"),
            ("[ev] [%x]", "[ev]"),
        ] {
            assert_eq!(comment_words(comment.as_bytes()), words, "{comment}");
            assert_eq!(read(comment).marks.is_empty(), words.is_empty(), "{comment}");
        }
        assert_eq!(comment_words(b"M\xfcller"), "Müller");
        let mut later = GameAnnotations::default();
        read_comment(b"[%clk 0:00:01]", (3, Color::White), &mut later);
        assert_eq!(later.clocks, [UNKNOWN_TIME, UNKNOWN_TIME, 10]);
    }

    #[test]
    fn time_controls() {
        for (value, expected) in [
            ("300+3", (3000, 30)),
            ("180", (1800, 0)),
            ("60+0.1", (600, 1)),
            ("-", (0, 0)),
            ("?", (0, 0)),
            ("40/7200:3600", (72_000, 0)),
            ("40/5400+30:1800+30", (54_000, 300)),
            ("1/259200", (2_592_000, 0)),
            ("", (0, 0)),
        ] {
            let (base, increment) = expected;
            assert_eq!(parse_time_control(value.as_bytes()), TimeControl { base, increment }, "{value}");
        }
    }
}
