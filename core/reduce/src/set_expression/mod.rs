//! Expressions over sets of games, such as `(@a & @b) - @c`.
//!
//! | text | meaning | precedence |
//! |---|---|---|
//! | `( )` | the expression inside | |
//! | `~a`, `not a` | games of the corpus that are not in `a` | highest |
//! | `a & b`, `a and b` | games of both | next, from left to right with the next row |
//! | `a - b`, `a sub b` | games of the first that are not in the second | |
//! | `a ^ b`, `a xor b` | games of exactly one of them | next |
//! | `a \| b`, `a or b` | games of either | lowest |
//!
//! A name consists of letters, digits and `_ . / @ -`, and does not begin with `-`; any other name, and the five words above, are
//! written in double quotes. A `-` within a name belongs to the name, so a space is needed before a `-` that subtracts.
//!
//! An expression is compiled to steps on a stack of words (`parse`), which run chunk by chunk, so no set needs to be in memory.

mod parse;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use thiserror::Error;

use super::game_set::{GameSet, count_ones, last_word_mask};

/// The number of words that are combined at a time; the stack of such chunks fits into the nearest cache.
pub const CHUNK_WORDS: usize = 512;

/// An expression over sets of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetExpression {
    names: Vec<SetReference>,
    instructions: Vec<Instruction>,
    /// The most chunks on the stack at a time.
    depth: usize,
}

/// A name in an expression, with its first place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetReference {
    /// The name without quotes.
    pub text: String,
    /// First byte of its place in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instruction {
    /// Pushes a set on the stack.
    Push(usize),
    /// Complements the top of the stack.
    Not,
    /// Combines the two top entries.
    Binary(BinaryOperator),
    /// Combines the top entry with a set.
    BinaryWith(BinaryOperator, usize),
    /// Combines two sets and pushes the result.
    BinaryOf(BinaryOperator, usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BinaryOperator {
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

impl SetExpression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place.
    pub fn parse(text: &str) -> Result<SetExpression, SetError> {
        parse::parse(text)
    }

    /// The names in the expression, each once, in the order of their first places.
    pub fn names(&self) -> &[SetReference] {
        &self.names
    }

    /// Evaluates the expression over the sets of a corpus of `games` games. Reads the words of each set once, in order, and gives
    /// the words of the result to `sink` in order, at most [`CHUNK_WORDS`] at a time. Returns the number of games in the result.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    ///
    /// # Panics
    ///
    /// If there are fewer sets than names, or a set is of fewer games.
    pub fn stream<E>(
        &self,
        games: u32,
        sets: &[&[u64]],
        mut sink: impl FnMut(&[u64]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let words = games.div_ceil(64) as usize;
        let mut stack = self.stack();
        let mut count = 0;
        for from in (0..words).step_by(CHUNK_WORDS) {
            let length = (words - from).min(CHUNK_WORDS);
            let chunk = |set: usize| &sets[set][from..from + length];
            run_instructions(&self.instructions, &mut stack, length, chunk);
            let chunk = &mut stack[0][..length];
            if from + length == words {
                chunk[length - 1] &= last_word_mask(games);
            }
            count += count_ones(chunk);
            sink(chunk)?;
        }
        Ok(count)
    }

    /// Evaluates the expression over sets in memory, one for each name.
    ///
    /// # Panics
    ///
    /// If there are fewer sets than names, or a set is of fewer games.
    pub fn evaluate(&self, games: u32, sets: &[&GameSet]) -> GameSet {
        let words = games.div_ceil(64) as usize;
        let mut stack = self.stack();
        let mut words_out: Vec<u64> = Vec::with_capacity(words);
        // PERF: the last step writes directly to the result, which saves one pass over the words.
        let Some((&last, before)) = self.instructions.split_last() else { return GameSet::empty(games) };
        for from in (0..words).step_by(CHUNK_WORDS) {
            let length = (words - from).min(CHUNK_WORDS);
            let chunk = |set: usize| &sets[set].words()[from..from + length];
            let height = run_instructions(before, &mut stack, length, chunk);
            let top = |below: usize| &stack[height - 1 - below][..length];
            match last {
                Instruction::Push(set) => words_out.extend_from_slice(chunk(set)),
                Instruction::Not => words_out.extend(top(0).iter().map(|word| !word)),
                Instruction::BinaryOf(join, one, two) => join.extend(&mut words_out, chunk(one), chunk(two)),
                Instruction::BinaryWith(join, set) => join.extend(&mut words_out, top(0), chunk(set)),
                Instruction::Binary(join) => join.extend(&mut words_out, top(1), top(0)),
            }
        }
        if let Some(word) = words_out.last_mut() {
            *word &= last_word_mask(games);
        }
        // There is the right number of words, and no bit beyond the last game.
        GameSet::from_words(games, words_out).unwrap_or_default()
    }

    fn stack(&self) -> Vec<[u64; CHUNK_WORDS]> {
        vec![[0; CHUNK_WORDS]; self.depth]
    }
}

/// Runs the steps on one chunk of each set, which `chunk` returns. Returns the number of chunks on the stack afterwards.
fn run_instructions<'a>(
    steps: &[Instruction],
    stack: &mut [[u64; CHUNK_WORDS]],
    length: usize,
    chunk: impl Fn(usize) -> &'a [u64],
) -> usize {
    let mut height = 0;
    for &step in steps {
        match step {
            Instruction::Push(set) => {
                stack[height][..length].copy_from_slice(chunk(set));
                height += 1;
            }
            Instruction::BinaryOf(join, one, two) => {
                join.pair(&mut stack[height][..length], chunk(one), chunk(two));
                height += 1;
            }
            Instruction::Not => stack[height - 1][..length].iter_mut().for_each(|word| *word = !*word),
            Instruction::Binary(join) => {
                height -= 1;
                let (below, above) = stack.split_at_mut(height);
                join.combine(&mut below[height - 1][..length], &above[0][..length]);
            }
            Instruction::BinaryWith(join, set) => join.combine(&mut stack[height - 1][..length], chunk(set)),
        }
    }
    height
}

impl BinaryOperator {
    #[inline(always)]
    fn combine(self, below: &mut [u64], above: &[u64]) {
        let words = below.iter_mut().zip(above);
        match self {
            BinaryOperator::And => words.for_each(|(below, above)| *below &= above),
            BinaryOperator::Sub => words.for_each(|(below, above)| *below &= !above),
            BinaryOperator::Xor => words.for_each(|(below, above)| *below ^= above),
            BinaryOperator::Or => words.for_each(|(below, above)| *below |= above),
        }
    }

    /// Combines two sets and appends the result to `to`.
    #[inline(always)]
    fn extend(self, to: &mut Vec<u64>, left: &[u64], right: &[u64]) {
        let words = left.iter().zip(right);
        match self {
            BinaryOperator::And => to.extend(words.map(|(one, two)| one & two)),
            BinaryOperator::Sub => to.extend(words.map(|(one, two)| one & !two)),
            BinaryOperator::Xor => to.extend(words.map(|(one, two)| one ^ two)),
            BinaryOperator::Or => to.extend(words.map(|(one, two)| one | two)),
        }
    }

    /// Combines two sets and writes the result to `to`.
    #[inline(always)]
    fn pair(self, to: &mut [u64], left: &[u64], right: &[u64]) {
        let words = to.iter_mut().zip(left.iter().zip(right));
        match self {
            BinaryOperator::And => words.for_each(|(to, (one, two))| *to = one & two),
            BinaryOperator::Sub => words.for_each(|(to, (one, two))| *to = one & !two),
            BinaryOperator::Xor => words.for_each(|(to, (one, two))| *to = one ^ two),
            BinaryOperator::Or => words.for_each(|(to, (one, two))| *to = one | two),
        }
    }
}

impl SetError {
    /// A mistake at a place.
    pub fn at(message: String, from: usize, to: usize) -> SetError {
        SetError { message, from, to }
    }

    /// The expression with a line of carets below the place, for a terminal.
    pub fn with_carets(&self, text: &str) -> String {
        let before = text.get(..self.from).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        // The text may come from a file, so control characters are replaced: showing it must not control the terminal.
        let line: String = line.chars().map(|sign| if sign.is_control() { '\u{fffd}' } else { sign }).collect();
        let column = before[line_start..].chars().count();
        let width = text.get(self.from..self.to).map_or(1, |range| range.chars().count().max(1));
        alloc::format!("{line}\n{}{}", " ".repeat(column), "^".repeat(width))
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::collections::BTreeSet;
    use alloc::format;
    use core::convert::Infallible;

    use plyfold_scan::game::GameId;
    use proptest::prelude::*;

    use super::*;

    /// An expression as a tree, its text with the necessary parentheses or more, and its value as a set.
    #[derive(Clone, Debug)]
    enum Tree {
        Name(usize),
        Not(Box<Tree>),
        Two(usize, Box<Tree>, Box<Tree>),
    }

    const NAMES: [&str; 4] = ["@a", "b-1", "dir/c.bm", "\"not\""];
    /// The sign, the word and the precedence of each operator.
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
            tree in tree(), words: bool, games in prop_oneof![Just(0u32), 1u32..200, Just(64 * CHUNK_WORDS as u32 + 70)],
            seeds in prop::array::uniform4(1u32..90),
        ) {
            let text = tree.write(0, words);
            let expression = SetExpression::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let sets = seeds.map(|step| (0..games).step_by(step as usize).filter(|id| id % 7 != 3).collect::<BTreeSet<u32>>());
            let set = |ids: &BTreeSet<u32>| {
                let mut set = GameSet::empty(games);
                ids.iter().for_each(|&id| set.insert(GameId(id)));
                set
            };
            let named = |name: &SetReference| set(&sets[NAMES.iter().position(|known| known.trim_matches('"') == name.text).expect("known")]);
            let given: Vec<GameSet> = expression.names().iter().map(named).collect();
            let found = expression.evaluate(games, &given.iter().collect::<Vec<&GameSet>>());
            let expected = set(&tree.of(games, &sets));
            prop_assert_eq!(found.count(), expected.count());
            prop_assert_eq!(found, expected, "{}", text);
        }

        #[test]
        fn any_text_is_an_expression_or_a_mistake_at_a_place(text in "[ab@&|^~()\" -]{0,40}|.{0,20}") {
            match SetExpression::parse(&text) {
                Ok(expression) => prop_assert!(!expression.names().is_empty()),
                Err(error) => {
                    prop_assert!(error.from <= error.to && error.to <= text.len());
                    prop_assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
                    prop_assert!(!error.with_carets(&text).is_empty());
                }
            }
        }
    }

    #[test]
    fn words_come_in_chunks_and_the_sink_may_refuse_them() {
        let expression = SetExpression::parse("a | b").expect("sound");
        let games = (CHUNK_WORDS as u32 + 1) * 64;
        let sets = [vec![1; CHUNK_WORDS + 1], vec![2; CHUNK_WORDS + 1]];
        let mut lengths = Vec::new();
        let count = expression.stream(games, &[&sets[0], &sets[1]], |words| {
            lengths.push(words.len());
            Ok::<(), Infallible>(())
        });
        assert_eq!((count, lengths), (Ok(2 * (CHUNK_WORDS as u64 + 1)), vec![CHUNK_WORDS, 1]));
        assert_eq!(expression.stream(games, &[&sets[0], &sets[1]], |_| Err("full")), Err("full"));
    }
}
