//! Reads what comments and glyphs say about the ply before them: evaluations, clocks, times spent, and whether there are words.
//!
//! Commands are `[%eval -0.35]`, `[%eval #-3]`, `[%clk 0:10:02.2]` and `[%emt 0:00:05]`, as Lichess, chess.com and others write them, and
//! `[%eval 35,20]`, in hundredths and with a depth, as ChessBase does. All other commands are skipped. A value that cannot be read is left
//! out; if there are two, the later one counts. Programs that let engines play write `{+0.30/18 10s}`, seen from the side that moved, and
//! others the clock alone: `{0:04:57}`.

use alloc::string::String;
use alloc::vec::Vec;

use memchr::{memchr, memmem};
use plyfold_annotations::{COMMENT_MARK, GLYPHS, GameAnnotations, Score};
use shakmaty::Color;

use super::legacy_text::decode_text;

/// The doubts about the values of comments that the reader of a game has to settle.
#[derive(Default)]
pub(super) struct CommentDoubts {
    /// The plies whose clocks are two numbers: minutes and seconds as they are stored, or hours and minutes.
    pub(super) short_clocks: Vec<u16>,
    /// Whether a value could not be read.
    pub(super) is_unreadable: bool,
}

/// Reads a comment, without its brackets, on a ply from 1 of this side.
pub(super) fn read_comment(
    mut text: &[u8],
    (ply, mover): (u16, Color),
    annotations: &mut GameAnnotations,
    doubts: &mut CommentDoubts,
) {
    let mut has_words = false;
    if text.first().is_some_and(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')) {
        read_bare_values(text, (ply, mover), annotations);
    }
    while let Some(&first) = text.first() {
        if first <= b' ' {
            text = &text[1..];
            continue;
        }
        if let Some(inside) = text.strip_prefix(b"[%")
            && let Some(length) = memchr(b']', inside)
        {
            read_command(&inside[..length], (ply, mover), annotations, doubts);
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

/// The words of a comment without its commands: UTF-8, or otherwise as their bytes suggest.
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
fn read_command(
    command: &[u8],
    (ply, mover): (u16, Color),
    annotations: &mut GameAnnotations,
    doubts: &mut CommentDoubts,
) {
    let Some((name, value)) = command.split_at_checked(3) else { return };
    let is_read = match name {
        b"clk" => parse_time(value).map(|time| {
            annotations.set_clock(ply, time);
            // If there are two, the later one counts.
            doubts.short_clocks.pop_if(|last| *last == ply);
            if memchr::memchr_iter(b':', value).count() == 1 {
                doubts.short_clocks.push(ply);
            }
        }),
        b"emt" => parse_time(value).map(|time| annotations.set_elapsed(ply, time)),
        b"eva" => match value.strip_prefix(b"l") {
            Some(value) => parse_score(value, mover).map(|score| annotations.set_score(ply, score)),
            None => Some(()),
        },
        _ => Some(()),
    };
    // `[%clks 1]` is another command.
    doubts.is_unreadable |= is_read.is_none() && trimmed_value(value.strip_prefix(b"l").unwrap_or(value)).is_some();
}

/// Reads `+0.30/18 10s`, an engine's evaluation, depth and time, or `0:04:57`, a clock, which stand for the whole comment or before a comma.
#[cold]
fn read_bare_values(text: &[u8], (ply, mover): (u16, Color), annotations: &mut GameAnnotations) {
    let text = text.split(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
    let Some(slash) = memchr(b'/', text) else {
        if memchr::memchr_iter(b':', text).count() == 2
            && let Some(time) = time_of(text)
        {
            annotations.set_clock(ply, time);
        }
        return;
    };
    let (depth, time) =
        text[slash + 1..].split_at(text[slash + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count());
    let score = &text[..slash];
    // `1/2` is no evaluation.
    if depth.is_empty() || !score.iter().any(|byte| matches!(byte, b'.' | b'M')) {
        return;
    }
    let Some(of_mover) = score_of(score, Color::White) else { return };
    annotations.set_score(ply, if mover.is_white() { of_mover } else { of_mover.reversed() });
    let time = time.trim_ascii();
    let time = time.strip_suffix(b"s").unwrap_or(time);
    time_of(time).into_iter().for_each(|time| annotations.set_elapsed(ply, time));
}

/// The bytes of the evaluation with its depth at the beginning of a comment without a command, and of that and the time; none if it begins
/// otherwise. A clock alone has no evaluation.
pub(super) fn bare_value_lengths(comment: &[u8]) -> Option<(usize, usize)> {
    if !comment.first().is_some_and(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')) {
        return None;
    }
    let mut read = GameAnnotations::default();
    read_bare_values(comment, (1, Color::White), &mut read);
    let values = comment.split(|&byte| byte == b',').next().unwrap_or_default().trim_ascii_end();
    let score = memchr(b' ', values).unwrap_or(values.len());
    match (read.scores.is_empty(), read.clocks.is_empty()) {
        (false, _) => Some((score, values.len())),
        (true, false) => Some((0, values.len())),
        (true, true) => None,
    }
}

/// The time of a command after its name.
fn parse_time(value: &[u8]) -> Option<u32> {
    trimmed_value(value).and_then(time_of)
}

/// The evaluation of a command after its name.
fn parse_score(value: &[u8], mover: Color) -> Option<Score> {
    trimmed_value(value).and_then(|value| score_of(value, mover))
}

/// The value of a command after its name, which a blank separates from it.
fn trimmed_value(value: &[u8]) -> Option<&[u8]> {
    value.first().is_some_and(|&byte| byte <= b' ').then(|| value.trim_ascii())
}

/// `0.17`, `-1.5`, `+3`, `#4`, `#-2`, `-M2`; a depth may follow after a comma. Digits beyond centipawns are cut. `#0` says that the side
/// that has moved mates with the move: zero has no sign, and Lichess writes it for either side.
fn score_of(value: &[u8], mover: Color) -> Option<Score> {
    let (value, has_depth) =
        memchr(b',', value).map_or((value, false), |comma| (value[..comma].trim_ascii_end(), true));
    let signed = |value: &[u8]| value.first().copied().filter(|sign| matches!(sign, b'-' | b'+'));
    // `-M3`, `#-3`
    let outer = signed(value);
    let value = if outer.is_some() { &value[1..] } else { value };
    let (is_mate, value) = match value {
        [b'#' | b'M', rest @ ..] => (true, rest),
        _ => (false, value),
    };
    let inner = if is_mate && outer.is_none() { signed(value) } else { None };
    let value = if inner.is_some() { &value[1..] } else { value };
    let sign = outer.or(inner);
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
    // With a depth and without a point, the number is one of hundredths.
    let factor = if has_depth && memchr(b'.', value).is_none() { 1 } else { 100 };
    let number = whole.saturating_mul(factor).saturating_add(hundredths).min(i32::MAX as u32) as i32;
    Some(Score::centipawns(if is_negative { -number } else { number }))
}

/// `1:02:03.4`, `2:03` or `3`, in tenths of a second. Digits beyond tenths are cut.
fn time_of(value: &[u8]) -> Option<u32> {
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

/// Returns the factor of clocks of two numbers that were read as minutes and seconds: 60 if they are hours and minutes, 1 if not.
/// None if that is ambiguous. All times are in tenths of a second: the base time, the first such clock, and the largest.
pub(super) fn unit_of_short_clocks(base: u32, first: u32, largest: u32) -> Option<u32> {
    const HOUR: u32 = 36_000;
    // Nobody has four hours for a game.
    if largest >= HOUR / 15 {
        return Some(1);
    }
    match base {
        0 => None,
        // A player who has hours does not begin with minutes; who has little time has no hours.
        HOUR.. if first.saturating_mul(60) <= base + base / 4 => (first < base / 8).then_some(60),
        HOUR.. => None,
        _ => Some(1),
    }
}

/// Splits a value at its first point.
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

#[cfg(test)]
mod tests {
    use plyfold_annotations::UNKNOWN_TIME;

    use super::*;

    fn read(comment: &str) -> GameAnnotations {
        let mut annotations = GameAnnotations::default();
        read_comment(comment.as_bytes(), (1, Color::White), &mut annotations, &mut CommentDoubts::default());
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
            ("M3", Some(Score::mate(3, true))),
            ("-M1", Some(Score::mate(1, false))),
            ("-#3", Some(Score::mate(3, false))),
            ("-#-3", None),
            ("35,20", Some(Score::centipawns(35))),
            ("-11,25", Some(Score::centipawns(-11))),
        ] {
            let expected: alloc::vec::Vec<Score> = expected.into_iter().collect();
            assert_eq!(read(&alloc::format!("[%eval {value}]")).scores, expected, "{value}");
        }
        let mut black_mates = GameAnnotations::default();
        read_comment(b"[%eval #0]", (2, Color::Black), &mut black_mates, &mut CommentDoubts::default());
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
    fn of_two_clocks_of_a_ply_the_later_one_has_the_doubt() {
        for (comment, short) in [
            ("[%clk 1:29]", &[1][..]),
            ("[%clk 1:29] [%clk 1:30]", &[1]),
            ("[%clk 1:29] [%clk 0:03:00]", &[]),
            ("[%clk 0:03:00] [%clk 1:29]", &[1]),
        ] {
            let mut doubts = CommentDoubts::default();
            read_comment(comment.as_bytes(), (1, Color::White), &mut GameAnnotations::default(), &mut doubts);
            assert_eq!(doubts.short_clocks, short, "{comment}");
        }
    }

    #[test]
    fn values_without_a_command() {
        let read = |comment: &str, mover: Color| {
            let mut annotations = GameAnnotations::default();
            read_comment(comment.as_bytes(), (1, mover), &mut annotations, &mut CommentDoubts::default());
            let GameAnnotations { scores, clocks, elapsed, .. } = annotations;
            (scores.first().copied(), clocks.first().copied(), elapsed.first().copied())
        };
        let pawns = |hundredths| Some(Score::centipawns(hundredths));
        for (comment, white, black, clock, elapsed) in [
            ("+0.30/18 10s", pawns(30), pawns(-30), None, Some(100)),
            ("-0.28/22 1.9s, a book ended", pawns(-28), pawns(28), None, Some(19)),
            ("+M5/20 0.04s", Some(Score::mate(5, true)), Some(Score::mate(5, false)), None, Some(0)),
            ("0.00/1", pawns(0), pawns(0), None, None),
            ("0:04:57", None, None, Some(2970), None),
            ("1/2", None, None, None, None),
            ("book", None, None, None, None),
            ("4:57", None, None, None, None),
            ("+0.30 18", None, None, None, None),
            ("+x/18 10s", None, None, None, None),
        ] {
            assert_eq!(read(comment, Color::White), (white, clock, elapsed), "{comment}");
            assert_eq!(read(comment, Color::Black).0, black, "{comment}");
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
        read_comment(b"[%clk 0:00:01]", (3, Color::White), &mut later, &mut CommentDoubts::default());
        assert_eq!(later.clocks, [UNKNOWN_TIME, UNKNOWN_TIME, 10]);
    }
}
