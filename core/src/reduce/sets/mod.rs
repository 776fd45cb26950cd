//! Expressions over sets of games, such as `(@a & @b) - @c`.
//!
//! | written | means | binds |
//! |---|---|---|
//! | `( )` | what is inside | |
//! | `~a`, `not a` | games of the corpus that are not in it | tightest |
//! | `a & b`, `a and b` | games of both | next; from left to right with the following |
//! | `a - b`, `a sub b` | games of the first that are not in the second | |
//! | `a ^ b`, `a xor b` | games of one of them alone | next |
//! | `a \| b`, `a or b` | games of either | last |
//!
//! A name is of letters, digits and `_ . / @ -`, and does not begin with `-`; anything else, and the five words above, stands in double
//! quotes. A `-` within a name belongs to it, so a space stands before one that takes away.
//!
//! An expression becomes steps on a stack of words (`parse`), and these run chunk by chunk, so that no set need be in memory.

mod parse;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use thiserror::Error;

use super::games::{GameSet, last_word, ones};

/// Words that are combined at a time: what the stack has of them stays in the nearest cache.
pub const CHUNK: usize = 512;

/// An expression over sets of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    names: Vec<Name>,
    steps: Vec<Step>,
    /// Most chunks that are on the stack at a time.
    depth: usize,
}

/// A name in an expression, with the place where it first stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written, without quotes.
    pub text: String,
    /// First byte of its place in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Puts a set on the stack.
    Push(usize),
    /// Turns the uppermost round.
    Not,
    /// Combines the two uppermost.
    Join(Join),
    /// Combines the uppermost with a set.
    With(Join, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    And,
    Sub,
    Xor,
    Or,
}

/// A mistake in an expression.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct SetError {
    /// One clause that a user can act on.
    pub message: String,
    /// First byte of the place in the text.
    pub from: usize,
    /// Byte after the place; equal to `from` at the end of the text.
    pub to: usize,
}

/// Where the words of named sets come from, a chunk at a time.
pub trait Source {
    /// Why words cannot be had.
    type Error;

    /// The words `from..from + length` of the set with this number among the names. They are there, or are read to `room`, which has that
    /// length.
    ///
    /// # Errors
    ///
    /// Whatever keeps them from being read.
    fn words<'a>(&'a mut self, set: usize, from: usize, room: &'a mut [u64]) -> Result<&'a [u64], Self::Error>;
}

/// Sets that are in memory, or mapped.
impl Source for &[&[u64]] {
    type Error = Infallible;

    fn words<'a>(&'a mut self, set: usize, from: usize, room: &'a mut [u64]) -> Result<&'a [u64], Infallible> {
        Ok(&self[set][from..from + room.len()])
    }
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place.
    pub fn parse(text: &str) -> Result<Expression, SetError> {
        parse::parse(text)
    }

    /// The names in it, each once, in the order in which they first stand.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// Goes through the sets of a corpus of `games` once, and hands the words of the result to `sink` in order, at most [`CHUNK`] at a
    /// time. Returns how many games are in it.
    ///
    /// # Errors
    ///
    /// Those of the source and of the sink.
    pub fn stream<S: Source>(
        &self,
        games: u32,
        source: &mut S,
        mut sink: impl FnMut(&[u64]) -> Result<(), S::Error>,
    ) -> Result<u64, S::Error> {
        let words = games.div_ceil(64) as usize;
        let mut stack = vec![[0; CHUNK]; self.depth];
        let mut room = [0; CHUNK];
        let mut count = 0;
        for from in (0..words).step_by(CHUNK) {
            let length = (words - from).min(CHUNK);
            let mut height = 0;
            for &step in &self.steps {
                match step {
                    Step::Push(set) => {
                        let words = source.words(set, from, &mut room[..length])?;
                        stack[height][..length].copy_from_slice(words);
                        height += 1;
                    }
                    Step::Not => stack[height - 1][..length].iter_mut().for_each(|word| *word = !*word),
                    Step::Join(join) => {
                        height -= 1;
                        let (below, above) = stack.split_at_mut(height);
                        join.combine(&mut below[height - 1][..length], &above[0][..length]);
                    }
                    Step::With(join, set) => {
                        let words = source.words(set, from, &mut room[..length])?;
                        join.combine(&mut stack[height - 1][..length], words);
                    }
                }
            }
            let chunk = &mut stack[0][..length];
            if from + length == words {
                chunk[length - 1] &= last_word(games);
            }
            count += ones(chunk);
            sink(chunk)?;
        }
        Ok(count)
    }

    /// The same of sets in memory, one for each name.
    ///
    /// # Panics
    ///
    /// If there are fewer sets than names, or one of fewer games.
    pub fn evaluate(&self, games: u32, sets: &[&GameSet]) -> GameSet {
        let sets: Vec<&[u64]> = sets.iter().map(|set| set.words()).collect();
        let mut words = Vec::with_capacity(games.div_ceil(64) as usize);
        let Ok(_) = self.stream(games, &mut &sets[..], |chunk| {
            words.extend_from_slice(chunk);
            Ok(())
        });
        // As many words as there must be, and none beyond the last game.
        GameSet::from_words(games, words).unwrap_or_default()
    }
}

impl Join {
    #[inline(always)]
    fn combine(self, below: &mut [u64], above: &[u64]) {
        let each = below.iter_mut().zip(above);
        match self {
            Join::And => each.for_each(|(below, above)| *below &= above),
            Join::Sub => each.for_each(|(below, above)| *below &= !above),
            Join::Xor => each.for_each(|(below, above)| *below ^= above),
            Join::Or => each.for_each(|(below, above)| *below |= above),
        }
    }
}

impl SetError {
    /// A mistake at a place.
    pub fn at(message: String, from: usize, to: usize) -> SetError {
        SetError { message, from, to }
    }

    /// The expression with a line of carets below the place, for a terminal.
    pub fn pointed(&self, text: &str) -> String {
        let before = text.get(..self.from).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let column = before[line_start..].chars().count();
        let width = text.get(self.from..self.to).map_or(1, |place| place.chars().count().max(1));
        alloc::format!("{line}\n{}{}", " ".repeat(column), "^".repeat(width))
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::collections::BTreeSet;
    use alloc::format;

    use proptest::prelude::*;

    use super::*;

    /// An expression as a tree, its text with as many parentheses as it needs or more, and what it means of sets.
    #[derive(Clone, Debug)]
    enum Tree {
        Name(usize),
        Not(Box<Tree>),
        Two(usize, Box<Tree>, Box<Tree>),
    }

    const NAMES: [&str; 4] = ["@a", "b-1", "dir/c.bm", "\"not\""];
    /// Sign, word, and how tightly it binds.
    const SIGNS: [(&str, &str, u8); 4] = [("&", "and", 3), ("-", "SUB", 3), ("^", "xor", 2), ("|", "Or", 1)];

    impl Tree {
        fn write(&self, least: u8, words: bool) -> String {
            let (text, binds) = match self {
                Tree::Name(nth) => (NAMES[*nth].into(), 9),
                Tree::Not(inner) => (format!("{}{}", if words { "not " } else { "~" }, inner.write(4, words)), 4),
                Tree::Two(nth, left, right) => {
                    let (sign, word, binds) = SIGNS[*nth];
                    let sign = if words { word } else { sign };
                    (format!("{} {sign} {}", left.write(binds, words), right.write(binds + 1, words)), binds)
                }
            };
            if binds < least { format!("({text})") } else { text }
        }

        fn of(&self, games: u32, sets: &[BTreeSet<u32>]) -> BTreeSet<u32> {
            match self {
                Tree::Name(nth) => sets[*nth].clone(),
                Tree::Not(inner) => {
                    let inner = inner.of(games, sets);
                    (0..games).filter(|id| !inner.contains(id)).collect()
                }
                Tree::Two(nth, left, right) => {
                    let (left, right) = (left.of(games, sets), right.of(games, sets));
                    match nth {
                        0 => &left & &right,
                        1 => &left - &right,
                        2 => &left ^ &right,
                        _ => &left | &right,
                    }
                }
            }
        }
    }

    fn tree() -> impl Strategy<Value = Tree> {
        (0..4usize).prop_map(Tree::Name).prop_recursive(6, 40, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|inner| Tree::Not(Box::new(inner))),
                (0..4usize, inner.clone(), inner).prop_map(|(nth, left, right)| Tree::Two(
                    nth,
                    left.into(),
                    right.into()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn expressions_mean_what_they_say(
            tree in tree(), words: bool, games in prop_oneof![Just(0u32), 1u32..200, Just(64 * CHUNK as u32 + 70)],
            seeds in prop::array::uniform4(1u32..90),
        ) {
            let text = tree.write(0, words);
            let expression = Expression::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let sets = seeds.map(|step| (0..games).step_by(step as usize).filter(|id| id % 7 != 3).collect::<BTreeSet<u32>>());
            let set = |ids: &BTreeSet<u32>| {
                let mut set = GameSet::empty(games);
                ids.iter().for_each(|&id| set.insert(id));
                set
            };
            let named = |name: &Name| set(&sets[NAMES.iter().position(|known| known.trim_matches('"') == name.text).expect("known")]);
            let given: Vec<GameSet> = expression.names().iter().map(named).collect();
            let found = expression.evaluate(games, &given.iter().collect::<Vec<&GameSet>>());
            let expected = set(&tree.of(games, &sets));
            prop_assert_eq!(found.count(), expected.count());
            prop_assert_eq!(found, expected, "{}", text);
        }

        #[test]
        fn any_text_is_an_expression_or_a_mistake_at_a_place(text in "[ab@&|^~()\" -]{0,40}|.{0,20}") {
            match Expression::parse(&text) {
                Ok(expression) => prop_assert!(!expression.names().is_empty()),
                Err(error) => {
                    prop_assert!(error.from <= error.to && error.to <= text.len());
                    prop_assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
                    prop_assert!(!error.pointed(&text).is_empty());
                }
            }
        }
    }

    #[test]
    fn words_are_read_as_they_are_wanted() {
        /// Sets that are read, not held: the words of set `n` are all `n + 1`.
        struct Read(Vec<(usize, usize, usize)>);
        impl Source for Read {
            type Error = &'static str;

            fn words<'a>(&'a mut self, set: usize, from: usize, room: &'a mut [u64]) -> Result<&'a [u64], Self::Error> {
                self.0.push((set, from, room.len()));
                room.fill(set as u64 + 1);
                if from > CHUNK { Err("gone") } else { Ok(room) }
            }
        }
        let expression = Expression::parse("a | b").expect("sound");
        let mut read = Read(Vec::new());
        let games = (CHUNK as u32 + 1) * 64;
        assert_eq!(expression.stream(games, &mut read, |_| Ok(())), Ok(2 * (CHUNK as u64 + 1)));
        assert_eq!(read.0, [(0, 0, CHUNK), (1, 0, CHUNK), (0, CHUNK, 1), (1, CHUNK, 1)]);
        assert_eq!(expression.stream(games * 2, &mut read, |_| Ok(())), Err("gone"));
        assert_eq!(expression.stream(games, &mut read, |_| Err("full")), Err("full"));
    }
}
