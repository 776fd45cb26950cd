//! Skips what stands between the moves.
//!
//! Comments end at the first `}` (a `{` inside is text, unless it has a `}` of its own), `;` comments and `%` lines at the line's
//! end. Variations are passed over without being read, by counting brackets, so any depth costs no stack. What is never closed ends
//! before the next line that begins with a tag, or with the text (see [`split`](super::split)); a comment that is closed may quote
//! such lines.

use memchr::{memchr_iter, memchr2, memchr2_iter, memchr3};

use super::split::{EVENT, is_tag_pair};

/// A comment that is longer may have a game in it.
const LONG_COMMENT: usize = 64;

/// Returns the place after the comment whose `{` stands at `at`.
pub(super) fn after_comment(text: &[u8], at: usize) -> usize {
    match memchr2(b'{', b'}', &text[at + 1..]) {
        Some(length) if text[at + 1 + length] == b'}' && length < LONG_COMMENT => at + length + 2,
        _ => after_uncommon_comment(text, at),
    }
}

/// Returns the place after a comment from `at` that is long, never closed, or with a `{` inside.
///
/// By the standard comments do not nest. But a `}` that would stand outside of any comment says that the writer did nest them. A tag line
/// before another `{`, and an Event tag anywhere, say that the comment was to end before.
#[cold]
fn after_uncommon_comment(text: &[u8], at: usize) -> usize {
    let (mut from, mut inner) = (at + 1, 0);
    loop {
        let brace = memchr2(b'{', b'}', &text[from..]).map_or(text.len(), |length| from + length);
        if let Some(event) = next_event_tag(&text[..brace], from) {
            // Without what follows, the text of this game ends at that line, too.
            return next_tag_line(&text[..event], from).unwrap_or(event);
        }
        if text.get(brace) == Some(&b'}') {
            from = brace + 1;
            break;
        }
        if let Some(tag) = next_tag_line(&text[..brace], from) {
            return tag;
        }
        if brace == text.len() {
            return brace;
        }
        (from, inner) = (brace + 1, inner + 1);
    }
    for _ in 0..inner {
        match memchr2(b'{', b'}', &text[from..]) {
            Some(next) if text[from + next] == b'}' => from += next + 1,
            _ => break,
        }
    }
    from
}

/// The first Event tag from here.
fn next_event_tag(text: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'[', &text[from..])
        .map(|at| from + at)
        .find(|&at| text[at..].starts_with(EVENT) && is_tag_pair(text, at))
}

/// The first line after the one of `from` that begins with a tag.
fn next_tag_line(text: &[u8], from: usize) -> Option<usize> {
    memchr2_iter(b'\n', b'\r', &text[from..]).map(|end| from + end + 1).find(|&line| is_tag_pair(text, line))
}

/// Returns the end of the line on which `at` stands.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |length| at + length)
}

/// Finds the `]` that closes a bracket, and looks at no byte twice in vain: a line of a million `[` is as quick as any other.
///
/// It serves one text, which is read from its beginning to its end.
#[derive(Default)]
pub(super) struct ClosingBrackets {
    /// No `]` stands between the last bracket that was asked about and here, where its line ends.
    unclosed_until: usize,
}

impl ClosingBrackets {
    /// Returns the place after the first `]` behind the bracket at `at`; none if its line has no more.
    pub(super) fn end_of_bracket(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if at < self.unclosed_until {
            return None;
        }
        match memchr3(b']', b'\n', b'\r', &text[at..]).map(|length| at + length) {
            Some(end) if text[end] == b']' => Some(end + 1),
            end => {
                self.unclosed_until = end.unwrap_or(text.len());
                None
            }
        }
    }
}

/// Whether a line begins at `at`.
pub(super) fn at_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || matches!(text[at - 1], b'\n' | b'\r')
}

/// Returns the place after the variation whose `(` stands at `at`.
pub(super) fn after_variation(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b'{' => {
                at = after_comment(text, at);
                continue;
            }
            b';' => {
                at = line_end(text, at);
                continue;
            }
            b'%' if at_line_start(text, at) => {
                at = line_end(text, at);
                continue;
            }
            b'[' if at_line_start(text, at) && is_tag_pair(text, at) => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the place after blanks, line ends, control characters, comments, `%` lines, and the `>` with which mails quote a line.
pub(super) fn after_blanks_and_comments(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        at = match byte {
            0..=b' ' => at + 1,
            b'{' => after_comment(text, at),
            b';' => line_end(text, at),
            b'%' if at_line_start(text, at) => line_end(text, at),
            b'>' if at_line_start(text, at) => at + 1,
            0xef if text[at..].starts_with(b"\xef\xbb\xbf") => at + 3,
            _ => return at,
        };
    }
    at
}

/// The text of a game that was read from `begin` to `end`, such that it reads the same by itself.
///
/// A stray `%` before it belongs to no game: at the beginning of a text it would make a comment of the whole line.
pub(super) fn game_text(text: &[u8], begin: usize, end: usize) -> &[u8] {
    let mut body = trimmed(&text[begin..end]);
    while body.first() == Some(&b'%') && !at_line_start(text, body.as_ptr() as usize - text.as_ptr() as usize) {
        body = trimmed(&body[1..]);
    }
    body
}

/// `text` without white space and control characters at either end.
fn trimmed(text: &[u8]) -> &[u8] {
    let begin = text.iter().position(|&byte| byte > b' ').unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| byte > b' ').map_or(begin, |last| last + 1);
    &text[begin..end]
}
