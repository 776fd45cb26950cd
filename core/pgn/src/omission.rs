//! Leaves comments, variations, glyphs, clocks and evaluations out of the text of a game, each by itself.
//!
//! Everything else keeps its bytes. The blanks around what is left out become one, and the number before a move of Black goes if it
//! stood there only for what is left out: `1. e4 {best} 1... e5` becomes `1. e4 e5`.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr;

use super::comments::bare_value_lengths;
use super::game::moves_begin;
use super::tokens::{after_comment, after_variation, at_line_start, line_end};
use super::words::{after_digits, read_result_token};

/// What is left out of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Omission {
    /// The words of comments, and commands such as arrows that are none of those below.
    pub comments: bool,
    /// Variations, with all that is in them.
    pub variations: bool,
    /// Glyphs: `$14`, `!?`.
    pub glyphs: bool,
    /// Clocks and times spent: `[%clk 0:05:00]`, `[%emt 0:00:01]`, and as engine matches write them.
    pub clocks: bool,
    /// Evaluations: `[%eval 0.3]`, and as engine matches write them.
    pub evaluations: bool,
}

impl Omission {
    /// Returns whether nothing is left out.
    pub fn is_empty(self) -> bool {
        self == Omission::default()
    }

    fn touches_comments(self) -> bool {
        self.comments || self.clocks || self.evaluations
    }

    /// Whether the command with this name, of which only the first letters count, is left out.
    fn has_command(self, name: &[u8]) -> bool {
        match name {
            [b'c', b'l', b'k', ..] | [b'e', b'm', b't', ..] => self.clocks,
            [b'e', b'v', b'a', b'l', ..] => self.evaluations,
            _ => self.comments,
        }
    }

    /// The text of one game without what is left out; borrowed if there is nothing of it. Tags stay as they are.
    ///
    /// ```
    /// use plyfold_pgn::Omission;
    /// let text = b"1. e4! {best [%clk 0:05:00]} (1. d4) 1... e5 *";
    /// let without = |omission: Omission| String::from_utf8(omission.of(text).into_owned()).unwrap();
    /// assert_eq!(without(Omission { comments: true, ..Default::default() }), "1. e4! {[%clk 0:05:00]} (1. d4) 1... e5 *");
    /// assert_eq!(without(Omission { clocks: true, variations: true, ..Default::default() }), "1. e4! {best} 1... e5 *");
    /// assert_eq!(
    ///     without(Omission { comments: true, variations: true, glyphs: true, clocks: true, evaluations: true }),
    ///     "1. e4 e5 *"
    /// );
    /// ```
    pub fn of<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let begin = moves_begin(text);
        if self.is_empty() || begin >= text.len() {
            return Cow::Borrowed(text);
        }
        let mut cuts = Cuts { text, begin, kept: 0, out: Vec::new(), after: AfterMove::Nothing };
        let mut at = begin;
        while at < text.len() {
            at = self.read_token(&mut cuts, at);
        }
        cuts.finish()
    }

    /// Reads the token at `at`, and returns where the next one begins.
    fn read_token(self, cuts: &mut Cuts<'_>, at: usize) -> usize {
        let text = cuts.text;
        match text[at] {
            0..=b' ' => at + 1,
            b'{' | b';' => {
                let end = if text[at] == b'{' { after_comment(text, at) } else { line_end(text, at) };
                if self.touches_comments() {
                    self.read_comment(cuts, at..end);
                } else {
                    cuts.keep_what_stands_between();
                }
                end.max(at + 1)
            }
            b'%' if at_line_start(text, at) => line_end(text, at),
            b'(' if self.variations => {
                let end = after_variation(text, at);
                cuts.cut(at..end);
                end
            }
            b'(' | b')' => {
                cuts.keep_what_stands_between();
                at + 1
            }
            b'$' => self.read_glyph(cuts, at..after_digits(text, at + 1)),
            b'!' | b'?' => {
                let signs = text[at..].iter().take_while(|byte| matches!(byte, b'!' | b'?')).count();
                self.read_glyph(cuts, at..at + signs)
            }
            b'0'..=b'9' if read_result_token(text, at).is_none() => {
                let end = after_move_number(text, at);
                if is_number_of_black(&text[at..end]) && cuts.after == AfterMove::Cut {
                    cuts.cut(at..end);
                } else if end == after_digits(text, at) {
                    // No number of a move.
                    cuts.after = AfterMove::Move;
                }
                end
            }
            _ => {
                let is_of_word =
                    |byte: &&u8| **byte > b' ' && !matches!(byte, b'{' | b';' | b'(' | b')' | b'$' | b'!' | b'?');
                cuts.after = AfterMove::Move;
                at + text[at..].iter().take_while(is_of_word).count().max(1)
            }
        }
    }

    fn read_glyph(self, cuts: &mut Cuts<'_>, glyph: Range<usize>) -> usize {
        let end = glyph.end;
        if self.glyphs {
            cuts.cut(glyph);
        }
        end
    }

    /// Reads the comment at this place, with its bracket or semicolon.
    fn read_comment(self, cuts: &mut Cuts<'_>, place: Range<usize>) {
        let text = cuts.text;
        let is_closed = text[place.start] == b'{' && text[place.clone()].ends_with(b"}") && place.len() > 1;
        let inside = place.start + 1..place.end - usize::from(is_closed);
        let (kept, is_changed) = self.kept_of_comment(&text[inside.clone()]);
        if !is_changed {
            cuts.keep_what_stands_between();
        } else if kept.is_empty() {
            cuts.cut(place);
        } else {
            cuts.keep_what_stands_between();
            cuts.replace(inside, &kept);
        }
    }

    /// What stays of a comment, without blanks at either end, and whether that is less than all.
    fn kept_of_comment(self, inside: &[u8]) -> (Vec<u8>, bool) {
        let (mut kept, mut is_changed) = (Vec::with_capacity(inside.len()), false);
        let mut rest = inside;
        let mut take = |part: &[u8], is_left_out: bool| {
            if !is_left_out {
                return kept.extend_from_slice(part);
            }
            is_changed |= !part.trim_ascii().is_empty();
            if kept.last().is_some_and(|&last| last > b' ') {
                kept.push(b' ');
            }
        };
        if let Some((score, all)) = bare_value_lengths(inside) {
            take(&inside[..score], self.evaluations);
            take(&inside[score..all], self.clocks);
            rest = &inside[all..];
        }
        while !rest.is_empty() {
            let command = memchr::memmem::find(rest, b"[%")
                .and_then(|from| memchr(b']', &rest[from..]).map(|length| from..from + length + 1));
            let command = command.unwrap_or(rest.len()..rest.len());
            take(&rest[..command.start], self.comments);
            if !command.is_empty() {
                take(&rest[command.clone()], self.has_command(&rest[command.start + 2..command.end]));
            }
            rest = &rest[command.end..];
        }
        let trimmed = kept.trim_ascii();
        // Words that were cut leave `, book` as it is, but no separator alone.
        let trimmed = trimmed.strip_prefix(b",").map_or(trimmed, <[u8]>::trim_ascii);
        let mut one_blank: Vec<u8> = Vec::with_capacity(trimmed.len());
        let mut bytes = trimmed.iter().peekable();
        while let Some(&byte) = bytes.next() {
            if byte == b' ' && bytes.peek() == Some(&&b' ') && is_changed {
                continue;
            }
            one_blank.push(byte);
        }
        (one_blank, is_changed)
    }
}

/// What stands between the last move and here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterMove {
    /// Something that stays, or no move came yet.
    Nothing,
    /// Nothing at all.
    Move,
    /// Only what is left out.
    Cut,
}

/// The text with what was cut out of it so far.
struct Cuts<'t> {
    text: &'t [u8],
    /// Where the moves begin.
    begin: usize,
    /// The bytes before this one are in `out` or left out.
    kept: usize,
    out: Vec<u8>,
    after: AfterMove,
}

impl<'t> Cuts<'t> {
    fn keep_what_stands_between(&mut self) {
        self.after = AfterMove::Nothing;
    }

    fn replace(&mut self, place: Range<usize>, by: &[u8]) {
        self.out.extend_from_slice(&self.text[self.kept..place.start]);
        self.out.extend_from_slice(by);
        self.kept = place.end;
    }

    /// Leaves these bytes out, and the blanks on one side of them.
    fn cut(&mut self, place: Range<usize>) {
        // So many blanks in a row are no text of a game, and each cut counts them again.
        const MAX_BLANKS: usize = 80;
        if self.after == AfterMove::Move {
            self.after = AfterMove::Cut;
        }
        let text = self.text;
        self.replace(place, b"");
        // What stands before the moves is not touched.
        let before_moves = self.kept.saturating_sub(self.begin);
        let counted = before_moves.min(MAX_BLANKS);
        let blanks = self.out.iter().rev().take(counted).take_while(|byte| **byte <= b' ').count();
        let before = self.out.get(..self.out.len() - blanks).and_then(<[u8]>::last).copied();
        let is_first = blanks == before_moves || before.is_none_or(|byte| matches!(byte, b'"' | b']'));
        match (text.get(self.kept), before) {
            (Some(0..=b' '), Some(b'(')) => self.kept = after_spaces(text, self.kept),
            (Some(0..=b' '), _) if is_first => self.kept = after_spaces(text, self.kept),
            (None | Some(0..=b' ' | b')'), _) if !is_first => self.out.truncate(self.out.len() - blanks),
            (Some(next), Some(_)) if blanks == 0 && is_one_word(&self.out, *next) => self.out.push(b' '),
            _ => {}
        }
        if text.get(self.kept) == Some(&b'%') {
            // It makes a comment of its line at the beginning of one, and nowhere else.
            match (at_line_start(text, self.kept), at_line_start(&self.out, self.out.len())) {
                (true, false) => self.out.push(b'\n'),
                (false, true) => self.out.push(b' '),
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Cow<'t, [u8]> {
        if self.kept == 0 {
            return Cow::Borrowed(self.text);
        }
        self.out.extend_from_slice(&self.text[self.kept..]);
        Cow::Owned(self.out)
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=' | b'*' | b'-') || byte >= 0x80
}

/// Whether this byte would go on with the word at the end of `before`, or with the number of a move there.
fn is_one_word(before: &[u8], next: u8) -> bool {
    let is_number = |before: &[u8]| before.trim_ascii_end().last().is_some_and(u8::is_ascii_digit);
    match before.split_last() {
        // `1.e4` are two words.
        Some((b'.', number)) if is_number(number) => next == b'.' || next.is_ascii_digit(),
        Some((b'.', _)) => next == b'.' || is_of_word(next),
        Some((last, _)) => is_of_word(*last) && (next == b'.' || is_of_word(next)),
        None => false,
    }
}

fn after_spaces(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|byte| **byte <= b' ').count()
}

/// The end of a number and the points behind it, of which blanks may stand between.
fn after_move_number(text: &[u8], at: usize) -> usize {
    let mut end = after_digits(text, at);
    loop {
        let next = end + text[end..].iter().take_while(|byte| **byte == b' ').count();
        match text.get(next) {
            Some(b'.') => end = next + 1,
            Some(0xe2) if text[next..].starts_with("\u{2026}".as_bytes()) => end = next + 3,
            _ => return end,
        }
    }
}

fn is_number_of_black(number: &[u8]) -> bool {
    number.iter().filter(|byte| **byte == b'.').count() >= 2 || number.ends_with("\u{2026}".as_bytes())
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    const COMMENTS: Omission =
        Omission { comments: true, variations: false, glyphs: false, clocks: false, evaluations: false };
    const VARIATIONS: Omission = Omission { comments: false, variations: true, ..COMMENTS };
    const GLYPHS: Omission = Omission { comments: false, glyphs: true, ..COMMENTS };
    const CLOCKS: Omission = Omission { comments: false, clocks: true, ..COMMENTS };
    const EVALUATIONS: Omission = Omission { comments: false, evaluations: true, ..COMMENTS };

    fn without(omission: Omission, text: &str) -> String {
        String::from_utf8(omission.of(text.as_bytes()).into_owned()).expect("as it was")
    }

    #[test]
    fn each_by_itself() {
        const TEXT: &str = "[White \"A {x} (y) $1\"]\n\n{So} 1. e4!? $14 {best [%clk 0:05:00] [%eval 0.3]} (1. d4! {no} d5 (1... Nf6)) 1... e5 ; well\n2. Nf3 {[%emt 0:00:01]} *";
        for (omission, expected) in [
            (
                COMMENTS,
                "1. e4!? $14 {[%clk 0:05:00] [%eval 0.3]} (1. d4! d5 (1... Nf6)) 1... e5\n2. Nf3 {[%emt 0:00:01]} *",
            ),
            (
                VARIATIONS,
                "{So} 1. e4!? $14 {best [%clk 0:05:00] [%eval 0.3]} 1... e5 ; well\n2. Nf3 {[%emt 0:00:01]} *",
            ),
            (
                GLYPHS,
                "{So} 1. e4 {best [%clk 0:05:00] [%eval 0.3]} (1. d4 {no} d5 (1... Nf6)) 1... e5 ; well\n2. Nf3 {[%emt 0:00:01]} *",
            ),
            (CLOCKS, "{So} 1. e4!? $14 {best [%eval 0.3]} (1. d4! {no} d5 (1... Nf6)) 1... e5 ; well\n2. Nf3 *"),
            (
                EVALUATIONS,
                "{So} 1. e4!? $14 {best [%clk 0:05:00]} (1. d4! {no} d5 (1... Nf6)) 1... e5 ; well\n2. Nf3 {[%emt 0:00:01]} *",
            ),
        ] {
            assert_eq!(without(omission, TEXT), ["[White \"A {x} (y) $1\"]\n\n", expected].concat(), "{omission:?}");
        }
    }

    #[test]
    fn what_stands_around() {
        for (omission, text, expected) in [
            (COMMENTS, "1. e4{x}e5 *", "1. e4 e5 *"),
            (COMMENTS, "1.{x}e4 e5{y}*", "1.e4 e5 *"),
            (COMMENTS, "1. e4 {x} 1... e5 {y} 2. Nf3 *", "1. e4 e5 2. Nf3 *"),
            (COMMENTS, "1. e4 {x} 1… e5 *", "1. e4 e5 *"),
            (COMMENTS, "1. e4 (1. d4 {x}) 1... e5 *", "1. e4 (1. d4) 1... e5 *"),
            (COMMENTS, "1. e4 ({x} 1. d4) 1... e5 *", "1. e4 (1. d4) 1... e5 *"),
            (COMMENTS, "1. e4 e5 1/2-1/2 {agreed}", "1. e4 e5 1/2-1/2"),
            (COMMENTS, "1. e4\n{a\nb}\n1... e5 *", "1. e4 e5 *"),
            (COMMENTS, "{never closed", ""),
            (COMMENTS, "{+0.30/18 10s, book}1. e4 *", "{+0.30/18 10s}1. e4 *"),
            (EVALUATIONS, "1. e4 {+0.30/18 10s, book} *", "1. e4 {10s, book} *"),
            (CLOCKS, "1. e4 {+0.30/18 10s} e5 {0:04:57} *", "1. e4 {+0.30/18} e5 *"),
            (CLOCKS, "1. e4 {1/2 well} *", "1. e4 {1/2 well} *"),
            (GLYPHS, "1. e4! $1 $2 e5?! *", "1. e4 e5 *"),
            (GLYPHS, "1. e4!e5 *", "1. e4 e5 *"),
            (GLYPHS, "$1%Nf3 *", " %Nf3 *"),
            (COMMENTS, "1. e4 ({x}\n% so\n1. d4) *", "1. e4 (\n% so\n1. d4) *"),
            (VARIATIONS, "1. e4 (1. d4 {)} (1. c4)) e5 *", "1. e4 e5 *"),
            (VARIATIONS, "1. e4 (1. d4", "1. e4"),
            (COMMENTS, "[White \"x\"]\r\n\r\n{a}\r\n1. e4 *", "[White \"x\"]\r\n\r\n1. e4 *"),
            (COMMENTS, "{[%csl Ga1] [%clk 0:01:00]} 1. e4 *", "{[%clk 0:01:00]} 1. e4 *"),
        ] {
            assert_eq!(without(omission, text), expected, "{omission:?} {text}");
        }
    }

    #[test]
    fn what_has_nothing_of_it_is_borrowed() {
        let text = b"[White \"{x}\"]\n\n1. e4  {  [%clk  0:01:00] } (d4)  e5! *";
        for omission in [Omission::default(), EVALUATIONS] {
            assert!(matches!(omission.of(text), Cow::Borrowed(_)), "{omission:?}");
        }
    }
}
