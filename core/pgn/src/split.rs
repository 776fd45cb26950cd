//! Game boundaries: places in a text where a game begins, whatever stands before.
//!
//! The line or two before a place and the next brace after it decide whether it is a boundary. So a stream can be cut at any boundary and
//! its chunks read independently, and a broken game (with an open comment or an open variation) never swallows the next one:
//!
//! > A line that begins with an Event tag is a boundary unless the line before it belongs to a tag section: it begins like a tag (`[N`) or
//! > ends like one (`"]`). Blank lines and lines with `%` between the two are passed; but if there are any, it is a boundary in any case.
//! > An Event tag on the line of a result is a boundary.
//! > A line that begins with another tag (`[Name "`) is a boundary if a result ends the text before it, unless a comment ends soon after it:
//! > then the comment quotes a game.
//!
//! Within a chunk, a tag begins a game after moves (see [`game`](super::game)). Lines end with LF, CRLF or CR; control characters before
//! a tag, as between joined files, are blanks.

use core::ops::Range;

use memchr::memmem::{Finder, FinderRev};

/// The last boundary of `text` after its first byte: the text before it can be read now, the text after it once more has arrived.
/// None if `text` has only one chunk so far.
///
/// If `text` begins at the start of a stream or at one of its boundaries, the result is a boundary of the stream. Cost: the bytes
/// from the end of `text` back to the boundary.
pub fn last_game_boundary(text: &[u8]) -> Option<usize> {
    // UTF-16 is rejected as a whole, so it must not be cut.
    if super::is_utf16(text) {
        return None;
    }
    let last = |before: &[u8], after: usize| {
        let finder = FinderRev::new(before);
        let mut end = text.len();
        while let Some(found) = finder.rfind(&text[after..end]) {
            // Of `\n[` it is the bracket, and of an Event tag, too.
            let at = after + found + usize::from(before.len() == 2);
            end = after + found + before.len() - 1;
            if at > 0 && boundary_at(text, at, true) {
                return Some(at);
            }
        }
        None
    };
    // Each looks only behind what was found before.
    [&b"\n["[..], b"\r[", EVENT].into_iter().fold(None, |latest, before| last(before, latest.unwrap_or(0)).or(latest))
}

/// How the tag begins that most games begin with.
pub(super) const EVENT: &[u8] = b"[Event ";

/// The chunks of a text between its boundaries, each with its offset; together they are the text.
pub(super) struct PgnChunks<'t> {
    text: &'t [u8],
    offset: usize,
    /// The next brackets after LF and after CR, and of an Event tag anywhere; the length of the text if there is none.
    next_brackets: [usize; 3],
    finders: [Finder<'static>; 3],
}

impl<'t> PgnChunks<'t> {
    pub(super) fn new(text: &'t [u8]) -> PgnChunks<'t> {
        let finders = [Finder::new(b"\n["), Finder::new(b"\r["), Finder::new(EVENT)];
        let mut chunks = PgnChunks { text, offset: 0, next_brackets: [0; 3], finders };
        (0..3).for_each(|which| chunks.find_next(which, 0));
        chunks
    }

    /// Finds the next bracket of a kind from here.
    fn find_next(&mut self, which: usize, from: usize) {
        let to_bracket = usize::from(which < 2);
        let found = self.finders[which].find(&self.text[from..]);
        self.next_brackets[which] = found.map_or(self.text.len(), |found| from + found + to_bracket);
    }
}

impl<'t> Iterator for PgnChunks<'t> {
    type Item = (usize, &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let begin = self.offset;
        if begin == self.text.len() {
            return None;
        }
        // PERF: skipping the tag section saves looking back from each of its lines.
        let after_tags = after_tag_lines(self.text, begin).max(begin + 1);
        for (which, from) in [after_tags, after_tags, begin + 1].into_iter().enumerate() {
            if self.next_brackets[which] < from {
                self.find_next(which, from);
            }
        }
        loop {
            let end = self.next_brackets.into_iter().min().unwrap_or(self.text.len());
            if end == self.text.len() || boundary_at(self.text, end, false) {
                self.offset = end;
                return Some((begin, &self.text[begin..end]));
            }
            for which in 0..3 {
                if self.next_brackets[which] == end {
                    self.find_next(which, end + 1);
                }
            }
        }
    }
}

/// A place within the last of the lines from `at` that begin like tags; no boundary is before it. `at` if there are no such lines.
fn after_tag_lines(text: &[u8], mut at: usize) -> usize {
    while begins_like_tag(text.get(at..).unwrap_or_default()) {
        let line_end = memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |length| at + length);
        match text[line_end..] {
            [b'\r', b'\n', b'[', ..] => at = line_end + 2,
            [_, b'[', ..] => at = line_end + 1,
            _ => return line_end,
        }
    }
    at
}

/// Whether the bracket at `at` is a boundary. What is not known of a text that is `cut` at its end is no boundary yet.
fn boundary_at(text: &[u8], at: usize, cut: bool) -> bool {
    let is_event = is_event_tag(text, at);
    if !is_event && !is_tag_pair(text, at) {
        return false;
    }
    let before = text[..at].strip_suffix(BYTE_ORDER_MARK).unwrap_or(&text[..at]);
    let line = end_of_last(before, |byte| byte > b' ' || matches!(byte, b'\n' | b'\r'));
    if line > 0 && !matches!(text[line - 1], b'\n' | b'\r') {
        return is_event && ends_with_result(&text[..line]);
    }
    let (mut end, mut looked_through) = (line, false);
    while let Some(line_end) = before_line_end(text, end) {
        let begin = memchr::memrchr2(b'\n', b'\r', &text[..line_end]).map_or(0, |found| found + 1);
        let line = &text[begin..line_end];
        // PERF: nine tags of ten return here.
        if is_tag_line(line) {
            return is_event && looked_through;
        }
        match line {
            [b'%', ..] => {}
            line if line.iter().all(|&byte| byte <= b' ') => {}
            line if is_event => return looked_through || !line.trim_ascii_end().ends_with(b"\"]"),
            line => return ends_with_result(line) && !is_quoted(text, at, cut),
        }
        looked_through = true;
        end = begin;
    }
    // Before the first line of a text there is nothing to end.
    looked_through
}

fn begins_like_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', b' ' | b'\t' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z', ..])
}

/// Whether a line begins like a tag, or would if the text began at a boundary within it.
fn is_tag_line(line: &[u8]) -> bool {
    if begins_like_tag(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)) {
        return true;
    }
    // PERF: few lines of moves have a bracket, so no other search is prepared for them.
    memchr::memchr_iter(b'[', line).filter(|&at| line[at..].starts_with(EVENT)).any(|at| {
        let before = line[..at].strip_suffix(BYTE_ORDER_MARK).unwrap_or(&line[..at]);
        before.iter().all(|&byte| byte <= b' ') || ends_with_result(before)
    })
}

/// Whether an Event tag begins at `at`, in any form.
fn is_event_tag(text: &[u8], at: usize) -> bool {
    let name = text.get(at..at + EVENT.len() - 1);
    name.is_some_and(|name| name.eq_ignore_ascii_case(&EVENT[..EVENT.len() - 1]))
        && !text.get(at + EVENT.len() - 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// How far behind a tag a comment may end that quotes it.
const MAX_QUOTED: usize = 4 << 10;

/// Whether the next brace after the tag at `at` closes a comment, so that the comment was open before it.
fn is_quoted(text: &[u8], at: usize, cut: bool) -> bool {
    let rest = &text[at..text.len().min(at + MAX_QUOTED)];
    match memchr::memchr2(b'{', b'}', rest) {
        Some(brace) => {
            rest[brace] == b'}' && !memchr::memchr_iter(b'[', &rest[..brace]).skip(1).any(|tag| is_event_tag(rest, tag))
        }
        None => cut && rest.len() < MAX_QUOTED,
    }
}

/// Whether a result ends a text.
pub(super) fn ends_with_result(text: &[u8]) -> bool {
    const RESULTS: [&[u8]; 13] = [
        b"*",
        b"1-0",
        b"0-1",
        b"1/2",
        b"1:0",
        b"0:1",
        b"\xbd",
        b"1\xe2\x80\x930",
        b"0\xe2\x80\x931",
        b"0.5",
        b"1\x960",
        b"0\x961",
        b"0-0",
    ];
    let text = &text[..end_of_last(text, |byte| byte > b' ')];
    RESULTS.iter().any(|result| text.ends_with(result))
}

/// Returns the end of the last byte for which the test holds; 0 if there is none.
fn end_of_last(text: &[u8], is: impl Fn(u8) -> bool) -> usize {
    text.iter().rposition(|&byte| is(byte)).map_or(0, |at| at + 1)
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The end of the line before `begin`, without its line end; none at the start of the text.
fn before_line_end(text: &[u8], begin: usize) -> Option<usize> {
    match text[..begin] {
        [] => None,
        [.., b'\r', b'\n'] => Some(begin - 2),
        _ => Some(begin - 1),
    }
}

/// The longest name of a tag. No known tag is longer, and the limit bounds the bytes that are read ahead.
const MAX_TAG_NAME: usize = 100;

/// Whether a tag pair begins at `at`.
pub(super) fn is_tag_pair(text: &[u8], at: usize) -> bool {
    tag_name(text, at).is_some()
}

/// Where the name of the tag pair at `at` stands, and the quotation mark of its value; none if there is no pair: `[`, a name, blanks, a
/// quotation mark.
pub(super) fn tag_name(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    if text.get(at) != Some(&b'[') {
        return None;
    }
    let from = after_blanks(text, at + 1);
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let to = from + text[from..].iter().take(MAX_TAG_NAME + 1).take_while(is_of_name).count();
    let quote = after_blanks(text, to);
    let is_pair = (1..=MAX_TAG_NAME).contains(&(to - from)) && quote > to && text.get(quote) == Some(&b'"');
    is_pair.then_some((from..to, quote))
}

/// The end of the blanks from `at`.
pub(super) fn after_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn offsets(text: &str) -> Vec<usize> {
        PgnChunks::new(text.as_bytes()).map(|(offset, _)| offset).collect()
    }

    #[test]
    fn where_borders_are() {
        for (text, expected) in [
            ("", &[][..]),
            ("[Event \"a\"]\n[Site \"b\"]\n\n1. e4 *\n", &[0]),
            ("[Event \"a\"]\n\n1. e4 *\n[Event \"b\"]\n\n1. d4 *", &[0, 21]),
            ("[Event \"a\"]\n1. e4 *\n[Event \"b\"]\n1. d4 *", &[0, 20]),
            ("[Event \"a\"]\r1. e4 *\r[Event \"b\"]\r1. d4 *", &[0, 20]),
            ("[Event \"a\"]\r\n\r\n[Event \"b\"]\r\n", &[0, 15]),
            ("[Event \"a\"]\n\n[Date \"b\"]\n", &[0]),
            ("[Site \"a\"]\n[Event \"b\"]\n", &[0]),
            // Only the reader knows where the comment ends.
            ("[Event \"a\"]\n\n1. e4 {open\n\n[White \"b\"]\n\n1. d4 *", &[0]),
            ("[Event \"a\"]\n\n1. e4 {open\n\n[Event \"b\"]\n\n1. d4 *", &[0, 26]),
            // A comment that quotes an Event tag cannot be told from one whose end was lost, and no game may be lost.
            ("[Event \"a\"]\n\n1. e4 {see\n[Event \"b\"]\n\n1. d4 * } e5 *\n", &[0, 24]),
            ("[White \"a\"]\n\n1. e4 1-0\n\n[White \"b\"]\n\n1. d4 *", &[0, 24]),
            ("[White \"a\"]\n\n1. e4 {see 1-0\n\n[White \"b\"]\n\n1. d4 *\n} *", &[0]),
            ("[White \"a\"]\n\n1. e4 {see 1-0\n\n[White \"b\"]\n\n1. d4 {x} *\n} *", &[0, 29]),
            ("[White \"a\"]\n\n1. e4\n\n[White \"b\"]\n\n1. d4 *", &[0]),
            ("[Event \"a\"]\n\n1. e4 1/2-1/2[Event \"b\"]\n\n1. d4 0-1 [event \"c\"]", &[0, 26]),
            ("[Event \"a\"]\n\n1. e4 1-0\n\x1a[Event \"b\"]\n\n1. d4 0-1\0[Event \"c\"]", &[0, 24, 47]),
            ("[event \"a\"]\n\n1. e4 *\n\n[EVENT: b]\n\n1. d4 *", &[0, 22]),
            ("[Site \"a\nb\"]\n[Event \"b\"]\n\n1. d4 *", &[0]),
            ("[Events \"a\"]\n\n1. d4 (e4) *\n[Events \"b\"]\n", &[0, 27]),
            ("[Event \"a\"]\n\n1. e4 {\n[%clk 0:01]\n[see a]} *", &[0]),
            ("[2J \"a\" \n[Event \"b\"]\n\n1. d4 *", &[0]),
            ("% a\n\n[Event \"a\"]\n", &[0, 5]),
            ("\u{feff}[Event \"a\"]\n[Event \"a\"]\n", &[0]),
        ] {
            assert_eq!(offsets(text), expected, "{text:?}");
            // More text would tell whether the comment that may end behind it quotes a game.
            let is_known = |at: usize| at > 0 && (is_event_tag(text.as_bytes(), at) || text[at..].contains('{'));
            let last = expected.iter().rev().copied().find(|&offset| is_known(offset));
            assert_eq!(last_game_boundary(text.as_bytes()), last, "{text:?}");
        }
    }

    #[test]
    fn a_tag_pair_has_a_name_of_one_to_a_hundred_letters() {
        let longest = "A".repeat(MAX_TAG_NAME);
        for (begins, text) in [
            (true, "[A \"".into()),
            (true, "[ A_1\t \"x\"]".into()),
            (true, alloc::format!("[{longest} \"x\"]")),
            (false, alloc::format!("[{longest}A \"x\"]")),
            (false, alloc::format!("[{longest}AA \"x\"]")),
            (false, "[ \"x\"]".into()),
            (false, "[\"x\"]".into()),
            (false, "[A\"x\"]".into()),
            (false, "[A x]".into()),
            (false, "[A-B \"x\"]".into()),
            (false, "[A ".into()),
            (false, "[".into()),
            (false, "A \"x\"]".into()),
        ] {
            // Wherever it stands.
            for before in ["", "\n", "{ a comment of some length }\n"] {
                let text: alloc::string::String = [before, &text].concat();
                assert_eq!(is_tag_pair(text.as_bytes(), before.len()), begins, "{text}");
            }
        }
    }
}
