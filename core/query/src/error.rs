//! Says what is wrong with the text of a query, and where.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use thiserror::Error;

/// A mistake in a query.
#[derive(Clone, PartialEq, Eq, Debug, Default, Error)]
#[error("{message}")]
pub struct QueryError {
    /// One clause that a user can act on.
    pub message: String,
    /// First byte of the place in the text.
    pub from: usize,
    /// Byte after the place; equal to `from` at the end of the text.
    pub to: usize,
    /// What is valid at that place.
    pub expected: Vec<&'static str>,
    /// The known name nearest to an unknown one.
    pub nearest: Option<&'static str>,
    /// Which mistake it is, for programs that say it in their own words; none for any that is not listed. In a box, because every result of
    /// the parser has room for an error.
    pub mistake: Option<Box<Mistake>>,
}

/// A mistake of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Which one.
    pub kind: MistakeKind,
    /// What a sentence about it names: the words in question, then what is expected or similar.
    pub arguments: Vec<String>,
}

/// The mistakes that users make most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MistakeKind {
    /// Something must follow at the end: what.
    MissingAtEnd,
    /// Something else must stand here: what stands here, and what must.
    Expected,
    /// A word that means nothing: the word, and a similar one if there is one.
    UnknownWord,
    /// Two conditions without `and`, `or` or `then` between them.
    NotJoined,
    /// A closing bracket without an opening one.
    NeverOpened,
    /// A quote that is not closed.
    NeverClosed,
    /// A sign that means nothing: the sign.
    UnknownSign,
    /// Words about plies inside braces: the first of them.
    InBraces,
    /// A name that no game has: the name, what it is the name of, and similar names.
    UnknownName,
    /// A name that no opening has: the name, and similar names.
    UnknownOpening,
}

impl MistakeKind {
    /// A name for each kind.
    pub fn id(self) -> &'static str {
        match self {
            MistakeKind::MissingAtEnd => "missing-at-end",
            MistakeKind::Expected => "expected",
            MistakeKind::UnknownWord => "unknown-word",
            MistakeKind::NotJoined => "not-joined",
            MistakeKind::NeverOpened => "never-opened",
            MistakeKind::NeverClosed => "never-closed",
            MistakeKind::UnknownSign => "unknown-sign",
            MistakeKind::InBraces => "in-braces",
            MistakeKind::UnknownName => "unknown-name",
            MistakeKind::UnknownOpening => "unknown-opening",
        }
    }
}

/// The most letters of a line that are shown with a mistake.
const MAX_SHOWN: usize = 160;

impl QueryError {
    /// The same mistake, as one of a kind.
    pub(crate) fn of_kind(self, kind: MistakeKind, arguments: Vec<String>) -> QueryError {
        QueryError { mistake: Some(Box::new(Mistake { kind, arguments })), ..self }
    }

    /// The line of the query with carets below the place, for a terminal. Of a long line, only what is near the place is shown.
    pub fn with_carets(&self, text: &str) -> String {
        let before = text.get(..self.from).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let column = before[line_start..].chars().count();
        let width = text.get(self.from..self.to).map_or(1, |range| range.chars().count().max(1));
        if line.chars().count() <= MAX_SHOWN {
            let line: String = line.chars().map(printable).collect();
            return alloc::format!("{line}\n{}{}", " ".repeat(column), "^".repeat(width));
        }
        let skipped = column.saturating_sub(MAX_SHOWN / 2);
        let shown: String = line.chars().map(printable).skip(skipped).take(MAX_SHOWN).collect();
        let begin = if skipped > 0 { "…" } else { "" };
        let end = if line.chars().nth(skipped + MAX_SHOWN).is_some() { "…" } else { "" };
        let column = column - skipped;
        let (spaces, carets) = (column + begin.chars().count(), width.min(MAX_SHOWN - column));
        alloc::format!("{begin}{shown}{end}\n{}{}", " ".repeat(spaces), "^".repeat(carets))
    }
}

/// Replaces control characters: a text may come from a file, and showing it must not control the terminal.
fn printable(sign: char) -> char {
    if sign.is_control() { '\u{fffd}' } else { sign }
}

/// A mistake at a place, with what is valid there.
pub(super) fn error_at(message: &str, from: usize, to: usize, expected: &[&'static str]) -> QueryError {
    let message = message.chars().map(printable).collect();
    QueryError { message, from, to, expected: expected.to_vec(), ..QueryError::default() }
}

/// A mistake of the whole query, or of a part whose place is not known.
pub(super) fn error_of_query(message: &str) -> QueryError {
    error_at(message, 0, 0, &[])
}

/// The candidate with the fewest edits from `name`, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let max_edits = (name.len() / 3).max(1);
    let ranked = candidates.map(|candidate| (edit_distance(name, candidate), candidate));
    ranked.filter(|&(edits, _)| edits <= max_edits).min_by_key(|&(edits, _)| edits).map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) from one word to the other.
pub(super) fn edit_distance(left: &str, right: &str) -> usize {
    let (left_chars, right_chars): (Vec<char>, Vec<char>) = (left.chars().take(64).collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right_chars.len()).collect();
    for i in 1..=left_chars.len() {
        let mut row = alloc::vec![i];
        for j in 1..=right_chars.len() {
            let replaced = previous[j - 1] + usize::from(left_chars[i - 1] != right_chars[j - 1]);
            let mut best = replaced.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left_chars[i - 1] == right_chars[j - 2] && left_chars[i - 2] == right_chars[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = core::mem::replace(&mut previous, row);
    }
    previous[right_chars.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_place() {
        let error = error_at("", 6, 10, &[]);
        assert_eq!(error.with_carets("white rock on e5"), "white rock on e5\n      ^^^^");
        assert_eq!(error.with_carets("white r\x1bck"), "white r\u{fffd}ck\n      ^^^^");
        let long = alloc::format!("{}rock{}", "x ".repeat(5000), " y".repeat(5000));
        for (from, to) in
            [(0, 0), (10_000, 10_004), (0, long.len()), (long.len() - 1, long.len()), (long.len(), long.len())]
        {
            let error = error_at("", from, to, &[]);
            let shown = error.with_carets(&long);
            let (line, carets) = shown.split_once('\n').expect("two lines");
            assert!(line.chars().count() <= MAX_SHOWN + 2 && carets.len() <= MAX_SHOWN + 2, "{shown}");
            let above: String = line.chars().skip(carets.find('^').expect("a caret")).take(to - from).collect();
            assert!(long[from..].starts_with(above.trim_end_matches('…')), "{shown}");
        }
        assert_eq!(error_at("`\x1b` means nothing", 0, 1, &[]).message, "`\u{fffd}` means nothing");
    }
}
