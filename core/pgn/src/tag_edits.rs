//! Reads all tags of a game, and sets, renames and removes them in its text.
//!
//! All other bytes stay. A new tag stands behind the last one, and its line ends as the first line of the game does. A new result also replaces
//! the one that ends the moves.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr2;

use super::game::moves_begin;
use super::split::tag_name;
use super::tags::{SectionLine, TagValues, decode_value};
use super::tokens::{after_blanks_and_comments, after_comment, after_variation, at_line_start, line_end};
use super::words::{after_word, read_result_token};

/// A tag of a game's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameTag<'t> {
    /// As it is written.
    pub name: Cow<'t, str>,
    /// Without its quotation marks and escapes.
    pub value: Cow<'t, str>,
}

/// A change of the tags of a game. Names of tags are compared without their case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagEdit<'e> {
    /// Gives a tag this value, or adds it; if it is given twice, both get the value.
    Set {
        /// The name of the tag.
        name: &'e str,
        /// Any text; control characters become blanks.
        value: &'e str,
    },
    /// Gives a tag another name, unless the game has a tag of this name.
    Rename {
        /// The name of the tag.
        name: &'e str,
        /// Its new name.
        to: &'e str,
    },
    /// Removes a tag with its line.
    Remove {
        /// The name of the tag.
        name: &'e str,
    },
}

/// Returns whether a tag may have this name: letters, digits and `_`, at most a hundred.
pub fn is_tag_name(name: &str) -> bool {
    let tag = ["[", name, " \""].concat();
    tag_name(tag.as_bytes(), 0).is_some_and(|(found, _)| found == (1..1 + name.len()))
}

/// The tags of the game `text`, in its order.
///
/// ```
/// let tags = plyfold_pgn::read_tags(b"[Event \"A \\\"cup\\\"\"]\n[Board \"3\"]\n\n1. e4 *");
/// assert_eq!(tags.iter().map(|tag| &*tag.value).collect::<Vec<_>>(), ["A \"cup\"", "3"]);
/// ```
pub fn read_tags(text: &[u8]) -> Vec<GameTag<'_>> {
    let mut tags = Vec::new();
    for_each_tag(text, |tag| {
        let name = String::from_utf8_lossy(&text[tag.name]);
        tags.push(GameTag { name, value: decode_value(&text[tag.value]) });
    });
    tags
}

/// The text of one game with these changes, one after another; borrowed if they change nothing.
///
/// ```
/// use plyfold_pgn::{TagEdit, edit_tags};
/// let set = |name, value| TagEdit::Set { name, value };
/// let edited = edit_tags(b"[White \"A\"]\n[Result \"*\"]\n\n1. e4 *", &[set("Result", "1-0"), set("ECO", "B00")]);
/// assert_eq!(*edited, *b"[White \"A\"]\n[Result \"1-0\"]\n[ECO \"B00\"]\n\n1. e4 1-0");
/// ```
pub fn edit_tags<'t>(text: &'t [u8], edits: &[TagEdit<'_>]) -> Cow<'t, [u8]> {
    let mut edited = Cow::Borrowed(text);
    for edit in edits {
        if let Some(next) = edit.of(&edited) {
            edited = Cow::Owned(next);
        }
    }
    edited
}

/// Where a tag stands in a text.
struct PlacedTag {
    /// With its brackets.
    all: Range<usize>,
    name: Range<usize>,
    value: Range<usize>,
    /// Whether it has the form of the standard, so that its parts can be replaced.
    is_regular: bool,
}

/// Visits the tags of the game.
fn for_each_tag(text: &[u8], mut visit: impl FnMut(PlacedTag)) {
    let (mut at, mut tags) = (0, TagValues::default());
    let end = moves_begin(text);
    while at < end {
        let begin = after_blanks_and_comments(text, at);
        at = match SectionLine::read(text, begin, &tags) {
            SectionLine::Moves => return,
            SectionLine::PassedOver(end) => end,
            SectionLine::Pair(pair) => {
                let value = pair.value_place(text);
                let strict = tag_name(text, begin).map(|(name, _)| name);
                let is_regular = strict.is_some() && text.get(value.end) == Some(&b'"');
                let name = strict.unwrap_or_else(|| word_from(text, begin + 1));
                visit(PlacedTag { all: begin..pair.end, name, value, is_regular });
                tags.set(&pair);
                pair.end
            }
        };
    }
}

/// The letters and digits from here, behind blanks.
fn word_from(text: &[u8], at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let from = at + rest.iter().take_while(|byte| **byte <= b' ').count();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    from..from + text[from..].iter().take_while(is_of_name).count()
}

impl TagEdit<'_> {
    /// The text after this change; none if it changes nothing.
    fn of(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (TagEdit::Set { name, .. } | TagEdit::Rename { name, .. } | TagEdit::Remove { name }) = *self;
        let named = |tag: &PlacedTag, name: &str| text[tag.name.clone()].eq_ignore_ascii_case(name.as_bytes());
        let mut found = Vec::new();
        let (mut last, mut has_new_name) = (None, false);
        for_each_tag(text, |tag| {
            last = Some(tag.all.end);
            has_new_name |= matches!(*self, TagEdit::Rename { to, .. } if named(&tag, to) && !named(&tag, name));
            if named(&tag, name) {
                found.push(tag);
            }
        });
        let mut changes: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        match *self {
            TagEdit::Set { value, .. } => {
                let escaped = escape(value);
                for tag in &found {
                    let is_same = decode_value(&text[tag.value.clone()]) == value;
                    match tag.is_regular {
                        _ if is_same => {}
                        true => changes.push((tag.value.clone(), escaped.clone())),
                        false => changes.push((tag.all.clone(), pair(name, &escaped))),
                    }
                }
                if found.is_empty() {
                    changes.push(new_line(text, last, &pair(name, &escaped)));
                }
                if name.eq_ignore_ascii_case("Result") {
                    changes.extend(last_result(text, value));
                }
            }
            TagEdit::Rename { .. } if has_new_name => {}
            TagEdit::Rename { to, .. } => {
                let is_new = |tag: &&PlacedTag| text[tag.name.clone()] != *to.as_bytes();
                changes.extend(found.iter().filter(is_new).map(|tag| (tag.name.clone(), to.as_bytes().to_vec())));
            }
            TagEdit::Remove { .. } => {
                changes.extend(found.iter().map(|tag| (tag.all.start..after_line_end(text, tag.all.end), Vec::new())));
            }
        }
        let (mut edited, mut done) = (Vec::with_capacity(text.len() + 64), 0);
        for (place, by) in &changes {
            edited.extend_from_slice(&text[done..place.start]);
            edited.extend_from_slice(by);
            done = place.end;
        }
        edited.extend_from_slice(&text[done..]);
        (!changes.is_empty() && edited != text).then_some(edited)
    }
}

/// A value as it stands between quotation marks.
fn escape(value: &str) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', byte]),
            0..=b' ' => escaped.push(b' '),
            _ => escaped.push(byte),
        }
    }
    escaped
}

fn pair(name: &str, escaped: &[u8]) -> Vec<u8> {
    [b"[", name.as_bytes(), b" \"", escaped, b"\"]"].concat()
}

/// Where a new tag is inserted, and its line.
fn new_line(text: &[u8], last: Option<usize>, pair: &[u8]) -> (Range<usize>, Vec<u8>) {
    let end_of_line: &[u8] = match memchr2(b'\n', b'\r', text).map(|at| &text[at..]) {
        Some([b'\r', b'\n', ..]) => b"\r\n",
        Some([b'\r', ..]) => b"\r",
        _ => b"\n",
    };
    match last {
        Some(last) => (last..last, [end_of_line, pair].concat()),
        None => (0..0, [pair, end_of_line, end_of_line].concat()),
    }
}

/// The place behind the line end at `at`, if one stands there behind blanks.
fn after_line_end(text: &[u8], at: usize) -> usize {
    let blanks = text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match &text[at + blanks..] {
        [b'\r', b'\n', ..] => at + blanks + 2,
        [b'\r' | b'\n', ..] => at + blanks + 1,
        _ => at,
    }
}

/// The result that ends the moves, and the new one in its place; behind the moves if they end without.
fn last_result(text: &[u8], value: &str) -> Option<(Range<usize>, Vec<u8>)> {
    if !matches!(value, "1-0" | "0-1" | "1/2-1/2" | "*") {
        return None;
    }
    let (mut at, mut found) = (moves_begin(text), None);
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b'{' => after_comment(text, at),
            b'(' => after_variation(text, at),
            b';' => line_end(text, at),
            b'%' if at_line_start(text, at) => line_end(text, at),
            b'*' => {
                found = Some(at..at + 1);
                at + 1
            }
            b'0'..=b'9' | 0xc2 => match read_result_token(text, at) {
                Some((end, _)) => {
                    found = Some(at..end);
                    end
                }
                None => after_word(text, at),
            },
            0..=b' ' => at + 1,
            _ => after_word(text, at),
        };
    }
    match found {
        Some(place) if text[place.clone()] == *value.as_bytes() => None,
        Some(place) => {
            // `e4*` would become `e41-0`.
            let is_joined = place.start > 0 && text[place.start - 1] > b' ';
            let blank: &[u8] = if is_joined { b" " } else { b"" };
            Some((place, [blank, value.as_bytes()].concat()))
        }
        None => Some((text.len()..text.len(), [b" ", value.as_bytes()].concat())),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn edited(text: &str, edits: &[TagEdit<'_>]) -> String {
        String::from_utf8(edit_tags(text.as_bytes(), edits).into_owned()).expect("as it was")
    }

    fn set<'e>(name: &'e str, value: &'e str) -> TagEdit<'e> {
        TagEdit::Set { name, value }
    }

    #[test]
    fn all_tags_are_read() {
        let text = b"% line\n[Event \"A\"]\n[white : \"B\"]\n[WhiteTeam \"C \\\\ \\\"D\\\"\"]\n[Odd]\n[Board \"\"]\n\n{[Not \"a tag\"]} 1. e4 *\n";
        let tags = read_tags(text);
        let tags: Vec<(&str, &str)> = tags.iter().map(|tag| (&*tag.name, &*tag.value)).collect();
        assert_eq!(tags, [("Event", "A"), ("white", "B"), ("WhiteTeam", "C \\ \"D\""), ("Board", "")]);
        assert_eq!(read_tags(b"1. e4 *"), vec![]);
    }

    #[test]
    fn tags_are_set_renamed_and_removed() {
        const TEXT: &str = "[Event \"A\"]\r\n[White \"B\"]\r\n\r\n1. e4 *";
        for (edits, expected) in [
            (&[set("white", "C \"D\"\n\\")][..], "[Event \"A\"]\r\n[White \"C \\\"D\\\" \\\\\"]\r\n\r\n1. e4 *"),
            (&[set("White", "B")], TEXT),
            (&[set("ECO", "B00")], "[Event \"A\"]\r\n[White \"B\"]\r\n[ECO \"B00\"]\r\n\r\n1. e4 *"),
            (&[TagEdit::Remove { name: "EVENT" }], "[White \"B\"]\r\n\r\n1. e4 *"),
            (&[TagEdit::Remove { name: "Site" }], TEXT),
            (&[TagEdit::Rename { name: "Event", to: "Cup" }], "[Cup \"A\"]\r\n[White \"B\"]\r\n\r\n1. e4 *"),
            (&[TagEdit::Rename { name: "Event", to: "White" }], TEXT),
            (
                &[TagEdit::Remove { name: "White" }, TagEdit::Rename { name: "Event", to: "White" }],
                "[White \"A\"]\r\n\r\n1. e4 *",
            ),
        ] {
            assert_eq!(edited(TEXT, edits), expected, "{edits:?}");
        }
        assert_eq!(edited("1. e4 *", &[set("White", "A")]), "[White \"A\"]\n\n1. e4 *");
        assert_eq!(edited("[White : \u{201c}A\u{201d}]\n\n1. e4 *", &[set("White", "B")]), "[White \"B\"]\n\n1. e4 *");
        assert_eq!(edited("[White \"A\n\n1. e4 *", &[set("White", "B")]), "[White \"B\"]\n\n1. e4 *");
    }

    #[test]
    fn a_result_ends_the_moves_too() {
        for (text, value, expected) in [
            (
                "[Result \"1-0\"]\n\n1. e4 {0-1} (1. d4 0-1) 1-0",
                "1/2-1/2",
                "[Result \"1/2-1/2\"]\n\n1. e4 {0-1} (1. d4 0-1) 1/2-1/2",
            ),
            ("1. e4 e5 2. f4 *", "0-1", "[Result \"0-1\"]\n\n1. e4 e5 2. f4 0-1"),
            ("1. e4*", "1-0", "[Result \"1-0\"]\n\n1. e4 1-0"),
            ("[Result \"*\"]\n\n1. e4", "1-0", "[Result \"1-0\"]\n\n1. e4 1-0"),
            ("[Result \"1-0\"]\n\n1. e4 1-0", "1-0", "[Result \"1-0\"]\n\n1. e4 1-0"),
            ("[Result \"1-0\"]\n\n1. e4 1-0", "forfeit", "[Result \"forfeit\"]\n\n1. e4 1-0"),
        ] {
            assert_eq!(edited(text, &[set("Result", value)]), expected);
        }
    }

    #[test]
    fn names_of_tags() {
        for (name, is) in
            [("Board", true), ("White_2", true), ("", false), ("a b", false), ("x\"", false), ("é", false)]
        {
            assert_eq!(is_tag_name(name), is, "{name}");
        }
    }
}
