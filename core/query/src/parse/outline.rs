//! Reads a query that is known to be valid once more, and notes where its conditions and the words around them stand.

use alloc::vec::Vec;
use core::ops::Range;

use super::QueryParser;
use crate::error::QueryError;
use crate::forms::Leaf;
use crate::header::HeaderCondition;
use crate::keywords::named;
use crate::side::SideSelector;
use crate::span::TextSpan;
use crate::tree::QueryTree;
use crate::window::{OccurrenceRule, WindowClause};

/// What joins a condition to the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JoiningWord {
    And,
    Or,
    Then,
}

/// A condition between `and`, `or` and `then`, and the words around it. Places are bytes.
pub(crate) struct PlacedCondition {
    /// What joins it to the one before it; `and` for the first.
    pub joined_by: JoiningWord,
    /// All of it.
    pub span: TextSpan,
    /// Without `not`, and without words such as `never` and `for 8`.
    pub what: TextSpan,
    /// What it says.
    pub tree: QueryTree,
    /// `not` or `never`, if one stands before it.
    pub negation: Option<TextSpan>,
    /// `for 8`, and the number of plies.
    pub lasting: Option<(TextSpan, u32)>,
    /// Whether other words about plies stand around it.
    pub has_window: bool,
    /// The side before it, empty where it would begin.
    pub side: TextSpan,
    /// The conditions in its brackets.
    pub inner: Vec<PlacedCondition>,
}

/// The conditions of a text outside all brackets.
///
/// # Errors
///
/// A text that is no query.
pub(crate) fn placed_conditions(text: &str) -> Result<Vec<PlacedCondition>, QueryError> {
    let mut parser = QueryParser { takes_any_name: true, ..QueryParser::new(text)? };
    if parser.tokens.is_empty() { Ok(Vec::new()) } else { parser.placed_list() }
}

impl QueryParser {
    fn placed_list(&mut self) -> Result<Vec<PlacedCondition>, QueryError> {
        let mut placed = Vec::new();
        let mut joined_by = JoiningWord::And;
        loop {
            placed.push(self.nested(|parser| parser.placed(joined_by))?);
            joined_by = match self.word() {
                Some("and") => JoiningWord::And,
                Some("or") => JoiningWord::Or,
                Some("then") => JoiningWord::Then,
                _ => return Ok(placed),
            };
            self.at += 1;
            if joined_by == JoiningWord::Then && self.take_word("within") {
                self.number_of_plies("`within`")?;
            }
        }
    }

    fn placed(&mut self, joined_by: JoiningWord) -> Result<PlacedCondition, QueryError> {
        let begin = self.at;
        let mut negation = None;
        if self.take_word("not") {
            negation = Some(begin);
        }
        let before = self.at;
        let mut window = WindowClause::EVER;
        self.window_before(&mut window)?;
        if negation.is_none() && self.word_at(before) == Some("never") {
            negation = Some(before);
        }
        let words_before = self.at - before - usize::from(negation == Some(before));
        let what = self.at;
        let (tree, inner) = self.placed_inside()?;
        let side = self.side_before(what, &tree);
        let end_of_what = self.at;
        let lasting = self.lasting()?;
        let words_after = self.at - end_of_what - lasting.as_ref().map_or(0, |(words, _)| words.len());
        self.after_move = None;
        Ok(PlacedCondition {
            joined_by,
            span: self.span_of(begin..self.at),
            what: self.span_of(what..end_of_what),
            tree,
            negation: negation.map(|at| self.span_of(at..at + 1)),
            lasting: lasting.map(|(words, plies)| (self.span_of(words), plies)),
            has_window: words_before + words_after > 0,
            side: self.span_of(side),
            inner,
        })
    }

    /// A condition, and those in its brackets.
    fn placed_inside(&mut self) -> Result<(QueryTree, Vec<PlacedCondition>), QueryError> {
        let (begin, names) = (self.at, self.names.len());
        let is_braced = self.is_sign(begin, "{");
        let is_bracketed = self.is_sign(begin, "(") && !self.bracket_belongs_to_sum() && !self.bracket_belongs_to_set();
        // `not` itself: it is read as a condition.
        if self.word() == Some("not") {
            return Ok((self.unary()?, Vec::new()));
        }
        let tree = self.condition(false)?;
        if !is_braced && !is_bracketed {
            return Ok((tree, Vec::new()));
        }
        let end = self.at;
        self.names.truncate(names);
        self.braces += u32::from(is_braced);
        self.at = begin + 1;
        let inner = self.placed_list()?;
        self.braces -= u32::from(is_braced);
        self.at = end;
        Ok((tree, inner))
    }

    /// Passes the words behind a condition: `for 8` and its number of plies.
    fn lasting(&mut self) -> Result<Option<(Range<usize>, u32)>, QueryError> {
        let (mut found, mut window) = (None, WindowClause::EVER);
        loop {
            let at = self.at;
            let is_for = self.word() == Some("for");
            match self.occurrence()? {
                Some(OccurrenceRule::Consecutive(plies)) if is_for => found = Some((at..self.at, plies)),
                None if !self.ply_window(&mut window)? => return Ok(found),
                _ => {}
            }
        }
    }

    /// The tokens of the side before a condition that begins at this token; the place where one would stand.
    fn side_before(&mut self, begin: usize, tree: &QueryTree) -> Range<usize> {
        let end = self.at;
        self.at = begin;
        let word = self.word();
        let side = match tree {
            // The name is that of the player himself.
            QueryTree::Header(HeaderCondition::Name { .. }) => {
                let is_player = |word| word == "player" || named(word, SideSelector::NAMED).is_some();
                begin..begin + usize::from(word.is_some_and(is_player))
            }
            QueryTree::Header(_) => {
                let is_side = |word| word == "average" || named(word, SideSelector::NAMED).is_some();
                begin..begin + usize::from(word.is_some_and(is_side))
            }
            QueryTree::Leaf(Leaf::Line(_)) => begin..begin,
            _ => {
                self.side();
                begin..self.at
            }
        };
        self.at = end;
        side
    }

    /// The place of tokens in the text; where the next one begins, if there are none.
    fn span_of(&self, tokens: Range<usize>) -> TextSpan {
        let from = self.tokens.get(tokens.start).map_or(self.end, |token| token.from);
        let to = if tokens.is_empty() { from } else { self.tokens[tokens.end - 1].to };
        TextSpan { from, to }
    }
}
