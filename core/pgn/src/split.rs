//! Game boundaries: places in a text where a game begins, whatever stands before.
//!
//! The line or two before a place decide whether it is a boundary. So a stream can be cut at any boundary and its chunks read
//! independently, and a broken game (with an open comment or an open variation) never swallows the next one:
//!
//! > A line that begins with a tag (`[Name "`) is a boundary unless the line before it also begins like a tag (`[N`).
//! > Blank lines and lines with `%` between the two are ignored; but if there are any, `[Event "` is a boundary in any case.
//!
//! The last clause keeps a tag section with a blank line together, and separates games that have tags only. Lines end with LF,
//! CRLF or CR.

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
    let last = |line_end: u8, after: usize| {
        let finder = FinderRev::new(&[line_end, b'['][..]).into_owned();
        let mut end = text.len();
        while let Some(found) = finder.rfind(&text[after..end]) {
            end = after + found + 1;
            if is_game_boundary(text, end) {
                return Some(end);
            }
        }
        None
    };
    let after_line_feed = last(b'\n', 0);
    last(b'\r', after_line_feed.unwrap_or(0)).or(after_line_feed)
}

/// The chunks of a text between its boundaries, each with its offset; together they are the text.
pub(super) struct PgnChunks<'t> {
    text: &'t [u8],
    offset: usize,
    /// The next lines that begin with `[` after LF and after CR; the length of the text if there is none.
    next_bracket_lines: [usize; 2],
    finders: [Finder<'static>; 2],
}

impl<'t> PgnChunks<'t> {
    pub(super) fn new(text: &'t [u8]) -> PgnChunks<'t> {
        let finders = [Finder::new(b"\n["), Finder::new(b"\r[")];
        let next = [0, 1].map(|which| find_from(&finders[which], text, 0));
        PgnChunks { text, offset: 0, next_bracket_lines: next, finders }
    }
}

fn find_from(finder: &Finder<'static>, text: &[u8], from: usize) -> usize {
    finder.find(&text[from..]).map_or(text.len(), |found| from + found + 1)
}

impl<'t> Iterator for PgnChunks<'t> {
    type Item = (usize, &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let begin = self.offset;
        if begin == self.text.len() {
            return None;
        }
        // PERF: skipping the tag section saves looking back from each of its lines.
        let after_tags = after_tag_lines(self.text, begin);
        for (which, next) in self.next_bracket_lines.iter_mut().enumerate() {
            if *next < after_tags {
                *next = find_from(&self.finders[which], self.text, after_tags);
            }
        }
        loop {
            let which = usize::from(self.next_bracket_lines[1] < self.next_bracket_lines[0]);
            let end = self.next_bracket_lines[which];
            if end < self.text.len() {
                self.next_bracket_lines[which] = find_from(&self.finders[which], self.text, end);
            }
            if end == self.text.len() || end > begin && is_game_boundary(self.text, end) {
                self.offset = end;
                return Some((begin, &self.text[begin..end]));
            }
        }
    }
}

/// A place within the last of the lines from `at` that begin like tags; no boundary is before it. `at` if there are no such lines.
fn after_tag_lines(text: &[u8], mut at: usize) -> usize {
    while let Some([b'[', b' ' | b'\t' | b'A'..=b'Z' | b'a'..=b'z', ..]) = text.get(at..) {
        let line_end = memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |length| at + length);
        match text[line_end..] {
            [b'\r', b'\n', b'[', ..] => at = line_end + 2,
            [_, b'[', ..] => at = line_end + 1,
            _ => return line_end,
        }
    }
    at
}

/// Whether the line that begins at `at` is a boundary.
fn is_game_boundary(text: &[u8], at: usize) -> bool {
    let mut end = at;
    let mut looked_through = false;
    while let Some(line_end) = before_line_end(text, end) {
        let begin = memchr::memrchr2(b'\n', b'\r', &text[..line_end]).map_or(0, |found| found + 1);
        let line = &text[begin..line_end];
        match line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) {
            // PERF: nine tags of ten return here.
            [b'[', b' ' | b'\t' | b'A'..=b'Z' | b'a'..=b'z', ..] => {
                return looked_through && text[at..].starts_with(b"[Event ") && is_tag_pair(text, at);
            }
            [b'%', ..] => {}
            line if line.iter().all(u8::is_ascii_whitespace) => {}
            _ => break,
        }
        looked_through = true;
        end = begin;
    }
    is_tag_pair(text, at)
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
            ("[Event \"a\"]\n\n1. e4 {open\n\n[White \"b\"]\n\n1. d4 *", &[0, 26]),
            ("[Event \"a\"]\n\n1. e4 {\n[%clk 0:01]\n[see a]} *", &[0]),
            ("% a\n\n[Event \"a\"]\n", &[0, 5]),
            ("\u{feff}[Event \"a\"]\n[Event \"a\"]\n", &[0]),
        ] {
            assert_eq!(offsets(text), expected, "{text:?}");
            let last = expected.last().copied().filter(|&offset| offset > 0);
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
