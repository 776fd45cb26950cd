//! Words of the moves that are no ordinary moves: results, numbers, marks, words that are passed over, and what stands behind a result.

use alloc::boxed::Box;

use plyfold_corpus::record::GameResult;

use super::rejection::RejectionReason;
use super::rules::ResolveError;
use super::san;
use super::split::is_tag_pair;
use super::tags::{KnownTag, TagValues, decode_value, read_result};
use super::tokens::{after_blanks_and_comments, after_comment, after_variation, line_end};

/// Whether the number of a move of White ends at `at`: a point follows, and not three of them.
pub(super) fn is_number_of_white(text: &[u8], at: usize) -> bool {
    let points =
        text[at..].iter().take_while(|byte| matches!(byte, b'.' | b' ')).filter(|byte| **byte == b'.').take(2).count();
    text.get(at) == Some(&b'.') && points == 1 && !text[at..].starts_with("\u{2026}".as_bytes())
}

/// The first word of the moves from `at` behind the result of a game with tags, and where they end. `at` if there are none.
///
/// They end before a tag, and before `1.`, which begins a game without tags.
pub(super) fn after_moves_behind_result(text: &[u8], at: usize) -> (Option<usize>, usize) {
    let (mut first, mut end) = (None, at);
    loop {
        let next = after_blanks_and_comments(text, end);
        match text.get(next) {
            Some(b'1') if !text.get(next + 1).is_some_and(u8::is_ascii_digit) => match read_result_token(text, next) {
                // A result behind the moves is theirs.
                Some((result, _)) if first.is_some() => end = result,
                _ => return (first, end),
            },
            Some(b'[') if is_tag_pair(text, next) => return (first, end),
            None => return (first, end),
            Some(b'(') if first.is_some() => end = after_variation(text, next),
            // A game without tags and numbers, after a blank line.
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0') if first.is_none() && begins_after_blank_line(text, next) => {
                return (first, end);
            }
            Some(byte) if first.is_some() || byte.is_ascii_alphanumeric() => {
                first = first.or(Some(next));
                end = after_word(text, next);
            }
            Some(_) => return (first, end),
        }
    }
}

/// Where `ch` begins at the end of the word at `at`, which has no more letters than a move.
pub(super) fn before_check_word(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..].iter().take(8).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    text[at..at + length].ends_with(b"ch").then(|| at + length - 2)
}

/// The end of the mark or word at `at`, if it is known to be harmless.
#[cold]
pub(super) fn after_harmless_word(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        // A line of dashes is no null move.
        b'-' => return Some(at + text[at..].iter().take_while(|byte| **byte == b'-').count()),
        b'@' | b'<' => return Some(at + 1),
        // `0. e4`
        b'0' if text.get(at + 1) == Some(&b'.') => return Some(at + 2),
        // Byte order mark, punctuation, arrows, mathematical signs.
        0xef if text[at..].starts_with(b"\xef\xbb\xbf") => return Some(at + 3),
        0xe2 => return Some(at + 3),
        _ => {}
    }
    // Novelty, diagram, editorial comment, en passant, check, mate, and how a game ended.
    #[rustfmt::skip]
    const HARMLESS: [&[u8]; 26] = [
        b"N", b"D", b"TN", b"RR", b"e.p.", b"e.p", b"ep", b"ch", b"ch.", b"mate", b"dbl", b"dis", b"dis.", b"x", b"checkmate", b"stalemate",
        b"White", b"Black", b"wins", b"won", b"draw", b"drawn", b"Draw", b"resigns", b"resigned", b"remis",
    ];
    // Few bytes are read, because a long word may be read from each of its dots.
    let letters = text[at..].iter().take(10);
    let length = letters.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
    HARMLESS.contains(&&text[at..at + length]).then_some(at + length)
}

/// Why the game of the move at `at` is rejected.
#[cold]
pub(super) fn rejection_reason(fault: ResolveError, text: &[u8], at: usize) -> RejectionReason {
    let word = || quoted_word(text, at);
    match fault {
        ResolveError::Illegal => RejectionReason::Illegal(word()),
        ResolveError::Ambiguous => RejectionReason::Ambiguous(word()),
        ResolveError::MissingPromotion => RejectionReason::MissingPromotion(word()),
        ResolveError::TooLong => RejectionReason::TooLong,
    }
}

/// The end of the digits from `at`.
#[inline(always)]
pub(super) fn after_digits(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Whether `at` is the first word of a line that follows a blank line.
pub(super) fn begins_after_blank_line(text: &[u8], at: usize) -> bool {
    let mut ends = 0;
    let mut after = 0;
    for &byte in text[..at].iter().rev() {
        match byte {
            b'\n' => ends += 1,
            // CRLF is one line end.
            b'\r' if after != b'\n' => ends += 1,
            b'\r' | b' ' | b'\t' => {}
            _ => break,
        }
        if ends == 2 {
            return true;
        }
        after = byte;
    }
    false
}

/// The result at `at` and where it ends, if there is one.
#[inline]
pub(super) fn read_result_token(text: &[u8], at: usize) -> Option<(usize, GameResult)> {
    let is_spaced = |text: &[u8]| matches!(text, [b'0' | b'1', b' ', b'-' | b':' | 0xe2 | 0x96, ..]);
    if !matches!(text.get(at + 1)?, b'-' | b'/' | b':' | 0xbd | 0xe2 | 0x96 | b',')
        && text.get(at..at + 3)? != b"0.5"
        && !is_spaced(&text[at..])
    {
        return None;
    }
    let (length, result) = read_result(&text[at..])?;
    let end = at + length;
    // `0-1-0` is no result, nor is `1-0-0`.
    if text.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
        return None;
    }
    Some((end, result))
}

/// Whether the word is the result `0-0`, no point for either side, which the Result tag must confirm.
#[cold]
pub(super) fn is_double_forfeit(text: &[u8], at: usize, end: usize, tags: &TagValues<'_>) -> bool {
    &text[at..end] == b"0-0" && tags.raw(KnownTag::Result).map(<[u8]>::trim_ascii) == Some(b"0-0")
}

/// The end of the marks and glyphs of a move that ends at `at`, with the blanks between them: `+`, `!?`, `$14`, `e.p.`.
pub(super) fn after_glyphs(text: &[u8], mut at: usize) -> usize {
    const WORDS: [&[u8]; 10] = [b"e.p.", b"e.p", b"ep", b"mate", b"dbl.", b"dbl", b"dis.", b"dis", b"ch.", b"ch"];
    let length = |at: usize, is: fn(&u8) -> bool| text[at.min(text.len())..].iter().take_while(|byte| is(byte)).count();
    at += length(at, |byte| b"+#!?".contains(byte));
    loop {
        let next = at + length(at, |byte| *byte <= b' ');
        let glyph = match text.get(next) {
            Some(b'$') => 1 + length(next + 1, u8::is_ascii_digit),
            Some(b'!' | b'?') => length(next, |byte| b"!?".contains(byte)),
            _ => {
                let word = WORDS.iter().find(|word| text[next..].starts_with(word)).map_or(0, |word| word.len());
                if text.get(next + word).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { word }
            }
        };
        if glyph == 0 {
            return at;
        }
        at = next + glyph;
    }
}

/// The end of the comments on the line of a result.
pub(super) fn after_result(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'{') => at = after_comment(text, at),
            Some(b';') => at = line_end(text, at),
            _ => return at,
        }
    }
}

/// Returns the place after the word at `at`, which is skipped.
pub(super) fn after_word(text: &[u8], at: usize) -> usize {
    let length = text[at..]
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'@' | b'=' | b'+' | b'#') || **byte >= 0x80
        })
        .count();
    at + length.max(1)
}

/// The end of the word at `at` of a rejected game, and whether the word may be a move. A move ends where it would end if it were
/// played.
pub(super) fn pass_over(text: &[u8], at: usize) -> (usize, bool) {
    match san::read_san(text, at) {
        Some((_, end)) if !text.get(end).is_some_and(u8::is_ascii_alphanumeric) => (end, true),
        Some(_) => (after_word(text, at), true),
        None => after_harmless_word(text, at).map_or_else(|| (after_word(text, at), true), |end| (end, false)),
    }
}

/// The word at `at` for a message, cut if it is long.
pub(super) fn quoted_word(text: &[u8], at: usize) -> Box<str> {
    /// The most bytes of a word that are shown.
    const MAX_BYTES: usize = 24;
    // A word may contain the ends of many games (`Zz*Zz*`), and each of them would search the word to its end.
    let length = text[at..]
        .iter()
        .take(MAX_BYTES + 1)
        .take_while(|byte| **byte > b' ' && !matches!(byte, b'{' | b'}' | b'(' | b')' | b';' | b'['))
        .count();
    // Never cut within a character.
    let mut end = at + length.min(MAX_BYTES);
    while end > at && end < at + length && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    decode_value(&text[at..end]).into()
}
