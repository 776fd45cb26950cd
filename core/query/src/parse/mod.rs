//! Builds the tree of a query, by recursive descent over its tokens. GRAMMAR.md has the grammar.
//!
//! This file reads `then`, `and`, `or`, `not` and brackets; `window` reads the words around a condition, `leaf` conditions on a
//! position by their [`forms`], `squares` sets of squares, `sum` sums of numbers, `units` constants of pawns and times, `header` facts about the game, `ending` endings that no header tells, `elo_lead`
//! comparisons of both ratings, `name` names of several words.

pub(super) mod advice;
mod attackers;
mod elo_lead;
mod foreign;
mod header;
pub(super) mod leaf;
pub(super) mod name;
pub(crate) mod outline;
pub(super) mod piece_name;
mod region;
mod relation;
mod some_of;
mod squares;
mod stands_for;
pub(crate) mod sum;
mod units;
mod window;
pub(crate) mod written;

pub(crate) use leaf::NamedSide;
pub(crate) use units::Constants;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::scan::predicate::PieceName;

use super::error::{MistakeKind, QueryError, error_at, nearest};
use super::forms::{self, Leaf};
use super::header::NumberRange;
use super::keywords::named;
use super::names;
use super::side::SideSelector;
use super::squares::SquareExpression;
use super::sum::SumExpression;
use super::token::{Token, TokenKind, tokenize};
use super::tree::QueryTree;
use super::window::WindowClause;

/// Brackets and `not` within each other, at most.
pub const MAX_DEPTH: u32 = 64;
/// Bytes of a text, at most.
pub const MAX_QUERY_BYTES: usize = 64 * 1024;

/// What a condition begins with besides [`forms::starts`].
const OTHER_STARTS: &[&str] = &[
    "`not`",
    "`(`",
    "`{`",
    "`never`",
    "`always`",
    "`became`",
    "`ceased`",
    "a player in quotes",
    "`result`",
    "`player`",
    "`elo`",
    "`average elo`",
    "`eco`",
    "`opening`",
    "`year`",
    "`date`",
    "`event`",
    "`site`",
    "`source`",
    "`round`",
    "`annotator`",
    "`time_control`",
    "`tag`",
    "`title`",
    "`plies`",
    "`ended`",
    "`incomplete`",
    "`time_class`",
];
/// What may follow a condition.
const CONDITION_FOLLOWERS: &[&str] = &[
    "`and`",
    "`or`",
    "`then`",
    "`for`",
    "`at least`",
    "`at most`",
    "`exactly`",
    "`before`",
    "`after`",
    "`from`",
    "`until`",
    "`between`",
    "`at`",
    "`in`",
];
/// What may follow the name of a feature as well.
const FEATURE_FOLLOWERS: &[&str] = &[
    "`on`",
    "`as`",
    "`attacks`",
    "`defends`",
    "`xrays`",
    "`behind`",
    "`in_front_of`",
    "`beside`",
    "`next_to`",
    "`&`",
    "`|`",
    "`plays`",
    "`captures`",
];
/// What may follow a condition inside braces.
const BRACED_FOLLOWERS: &[&str] = &["`and`", "`or`", "`}`"];

/// What a condition begins with.
fn condition_starts() -> Vec<&'static str> {
    core::iter::once("a side").chain(forms::starts()).chain(OTHER_STARTS.iter().copied()).collect()
}

/// Reads a query.
///
/// # Errors
///
/// The first thing wrong.
pub fn parse(text: &str) -> Result<QueryTree, QueryError> {
    parse_query(text).map_err(|error| foreign::advised(text, error))
}

fn parse_query(text: &str) -> Result<QueryTree, QueryError> {
    if text.len() > MAX_QUERY_BYTES {
        let message = alloc::format!("a query has at most {MAX_QUERY_BYTES} bytes, and this has {}", text.len());
        let from = (0..=MAX_QUERY_BYTES).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        return Err(error_at(&message, from, text.len(), &[]));
    }
    let mut parser = QueryParser::new(text)?;
    if parser.tokens.is_empty() {
        return Ok(QueryTree::Everything);
    }
    let tree = parser.then()?;
    match parser.peek() {
        None => match names::introductions(&tree) {
            Ok(_) => Ok(tree),
            Err(mistake) => Err(parser.name_mistake(&mistake)),
        },
        Some(TokenKind::Sign(")" | "}")) => {
            let error = parser.error("this bracket has no opening bracket", &parser.expected_next());
            Err(error.of_kind(MistakeKind::NeverOpened, Vec::new()))
        }
        Some(_) => {
            let expected = parser.expected_next();
            let missing = || {
                let error = parser.error("`and`, `or` or `then` is missing here", &expected);
                error.of_kind(MistakeKind::NotJoined, Vec::new())
            };
            Err(parser.advised_error(&expected).unwrap_or_else(missing))
        }
    }
}

/// Reads a text and reports the first mistake. Pages load this code, so all callers here share one copy of the parser.
#[inline(never)]
pub(super) fn check_syntax(text: &str) -> Result<(), QueryError> {
    parse(text).map(drop)
}

/// Reads a part of a query, in which any word may be the name of a piece that another part introduces.
///
/// # Errors
///
/// The first thing wrong.
pub(crate) fn parse_part(text: &str) -> Result<QueryTree, QueryError> {
    let mut parser = QueryParser { takes_any_name: true, ..QueryParser::new(text)? };
    let tree = parser.then()?;
    match parser.peek() {
        None => Ok(tree),
        Some(_) => Err(parser.error("the part of a query ends here", &[])),
    }
}

/// Reads a set of squares such as `pinned & queen`, without a side. Any word may be the name of a piece, as in [`parse_part`].
///
/// # Errors
///
/// The first thing wrong; text after the set.
#[cfg(feature = "json")]
pub(crate) fn parse_squares(text: &str) -> Result<SquareExpression, QueryError> {
    let mut parser = QueryParser { takes_any_name: true, ..QueryParser::new(text)? };
    let squares = parser.squares_of_side()?;
    match parser.peek() {
        None => Ok(squares),
        Some(_) => Err(parser.error("a set of squares ends here", FEATURE_FOLLOWERS)),
    }
}

/// Reads a sum of numbers such as `count(white rook) - 2`.
///
/// # Errors
///
/// The first thing wrong; text after the sum.
pub fn parse_sum(text: &str) -> Result<SumExpression, QueryError> {
    let mut parser = QueryParser::new(text)?;
    let sum = parser.sum()?;
    match parser.peek() {
        None => Ok(sum),
        Some(_) => Err(parser.error("a sum ends here", &[])),
    }
}

/// Reads a text, token by token.
#[derive(Default)]
pub(crate) struct QueryParser {
    text: String,
    pub(crate) tokens: Vec<Token>,
    /// The next token.
    pub(crate) at: usize,
    end: usize,
    /// Brackets and `not` that are open.
    depth: u32,
    /// Braces that are open.
    braces: u32,
    /// Lists of conditions that are open.
    lists: u32,
    /// What may follow what has been read last as well, and the token after that.
    pub(crate) followers: (usize, &'static [&'static str]),
    /// Whether the squares of a move are being read.
    pub(crate) is_in_move: bool,
    /// The names that have been introduced, each with its token.
    pub(crate) names: Vec<(PieceName, usize)>,
    /// The move after which the next condition must hold, until that is read.
    after_move: Option<QueryTree>,
    /// The second comparison of a number that was compared with two bounds, until the condition is made.
    pub(crate) upper_bound: Option<Leaf>,
    /// The constants of the comparison that is being read.
    pub(crate) constants: Constants,
    /// Whether every word that means nothing else is a name.
    pub(crate) takes_any_name: bool,
}

impl QueryParser {
    fn new(text: &str) -> Result<QueryParser, QueryError> {
        Ok(QueryParser { tokens: tokenize(text)?, text: text.into(), end: text.len(), ..QueryParser::default() })
    }

    pub(crate) fn peek(&self) -> Option<&TokenKind> {
        self.kind_at(self.at)
    }

    pub(crate) fn kind_at(&self, at: usize) -> Option<&TokenKind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        self.word_at(self.at)
    }

    pub(crate) fn word_at(&self, at: usize) -> Option<&str> {
        match self.kind_at(at) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let is_taken = self.word() == Some(word);
        self.at += usize::from(is_taken);
        is_taken
    }

    /// Takes a word that stands in a list of names.
    pub(crate) fn take_named<T: Clone>(&mut self, names: &[(&str, T)]) -> Option<T> {
        let found = named(self.word()?, names)?;
        self.at += 1;
        Some(found)
    }

    pub(crate) fn is_sign(&self, at: usize, sign: &str) -> bool {
        matches!(self.kind_at(at), Some(TokenKind::Sign(found)) if *found == sign)
    }

    pub(crate) fn take_sign(&mut self, sign: &str) -> bool {
        let is_taken = self.is_sign(self.at, sign);
        self.at += usize::from(is_taken);
        is_taken
    }

    /// Takes a sign, which must stand here.
    pub(crate) fn require_sign(&mut self, sign: &str, what: &str, expected: &[&'static str]) -> Result<(), QueryError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(what, expected)) }
    }

    /// The number that must stand here.
    pub(crate) fn require_number(&self, what: &str, expected: &[&'static str]) -> Result<i64, QueryError> {
        match self.peek() {
            Some(&TokenKind::Number(number)) => Ok(number),
            _ => Err(self.expected(what, expected)),
        }
    }

    /// One or several parts, with commas between. In a list of conditions, what is no such part begins the next condition.
    pub(crate) fn list<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Result<T, QueryError>,
    ) -> Result<Vec<T>, QueryError> {
        let mut parts = alloc::vec![part(self)?];
        loop {
            let before = self.at;
            if !self.take_sign(",") {
                return Ok(parts);
            }
            match part(self) {
                Ok(more) => parts.push(more),
                Err(_) if self.lists > 0 && self.at == before + 1 => {
                    self.at = before;
                    return Ok(parts);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// What may follow here.
    pub(crate) fn expected_next(&self) -> Vec<&'static str> {
        let (after, followers) = self.followers;
        let more = if self.at == after { followers } else { &[] };
        [if self.braces > 0 { BRACED_FOLLOWERS } else { CONDITION_FOLLOWERS }, more].concat()
    }

    pub(crate) fn error(&self, message: &str, expected: &[&'static str]) -> QueryError {
        let (from, to) = self.tokens.get(self.at).map_or((self.end, self.end), |token| (token.from, token.to));
        error_at(message, from, to, expected)
    }

    /// An error at the token `at`.
    pub(crate) fn error_at(&mut self, at: usize, message: &str, expected: &[&'static str]) -> QueryError {
        self.at = at;
        self.error(message, expected)
    }

    /// An error that says what is expected here and what was found instead.
    pub(crate) fn expected(&self, what: &str, expected: &[&'static str]) -> QueryError {
        let found = match self.peek() {
            None => {
                let error = self.error(&alloc::format!("{what} is missing at the end"), expected);
                return error.of_kind(MistakeKind::MissingAtEnd, alloc::vec![what.into()]);
            }
            Some(TokenKind::Word(word)) => word.clone(),
            Some(TokenKind::Number(number)) => number.to_string(),
            Some(TokenKind::Sign(sign)) => String::from(*sign),
            Some(TokenKind::Text(_)) => String::from("\""),
            Some(TokenKind::Set(name)) => alloc::format!("@{name}"),
        };
        let said = match self.peek() {
            Some(TokenKind::Text(_)) => String::from("a text in quotes"),
            Some(TokenKind::Set(_)) => alloc::format!("the set `{found}`: write `in {found}`"),
            _ => alloc::format!("`{found}`"),
        };
        let error = self.error(&alloc::format!("{what} is expected here, not {said}"), expected);
        error.of_kind(MistakeKind::Expected, alloc::vec![found, what.into()])
    }

    /// The error with the nearest of `names` to the word here, if one is near. `what` is the kind of name.
    pub(crate) fn with_nearest(
        &self,
        error: QueryError,
        what: &str,
        names: impl Iterator<Item = &'static str>,
    ) -> QueryError {
        let Some((word, nearest)) = self.word().and_then(|word| Some((word, nearest(word, names)?))) else {
            return error;
        };
        let message = alloc::format!("unknown {what} `{word}`: did you mean `{nearest}`?");
        let arguments = alloc::vec![word.into(), nearest.into()];
        QueryError { message, nearest: Some(nearest), ..error }.of_kind(MistakeKind::UnknownWord, arguments)
    }

    /// Rejects a side that does not say who has moved.
    pub(crate) fn check_mover(&mut self, side: &NamedSide) -> Result<(), QueryError> {
        use SideSelector::{Both, Mover, Neither, Waiter};
        let NamedSide { side, at, .. } = side;
        if !matches!(side, Both | Neither | Mover | Waiter) {
            return Ok(());
        }
        let message = alloc::format!("one side moves at a ply: write `white`, `black` or a player instead of `{side}`");
        Err(self.error_at(*at, &message, &["`white`", "`black`", "`winner`", "`loser`"]))
    }

    /// Rejects a set with a predicate that has no squares.
    pub(crate) fn check_location(
        &mut self,
        at: usize,
        squares: &SquareExpression,
        expected: &[&'static str],
    ) -> Result<(), QueryError> {
        let Some(feature) = squares.without_location() else { return Ok(()) };
        Err(self.error_at(at, &alloc::format!("`{}` has no squares", feature.name), expected))
    }

    /// Reads a part that is one bracket or `not` deeper.
    pub(crate) fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut QueryParser) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = alloc::format!("brackets and `not` nest at most {MAX_DEPTH} deep");
            return Err(self.error(&message, &[]));
        }
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Conditions one after the other, from left to right.
    fn then(&mut self) -> Result<QueryTree, QueryError> {
        let mut tree = self.or()?;
        let mut gates = 0;
        while self.word() == Some("then") {
            if self.braces > 0 {
                let message = "braces are one position, and `then` needs two: write it outside the braces";
                return Err(self.error(message, BRACED_FOLLOWERS));
            }
            gates += 1;
            if gates > MAX_DEPTH {
                let message = alloc::format!("at most {MAX_DEPTH} conditions can be joined by `then`");
                return Err(self.error(&message, &[]));
            }
            let at = self.at;
            self.at += 1;
            let within = if self.take_word("within") { Some(self.number_of_plies("`within`")?) } else { None };
            if let Some(message) = reason_then_is_unreachable(&tree) {
                return Err(self.error_at(at, message, &["`and`"]));
            }
            let second = self.or()?;
            tree = QueryTree::Then { first: Box::new(tree), within, second: Box::new(second) };
        }
        Ok(tree)
    }

    fn or(&mut self) -> Result<QueryTree, QueryError> {
        self.operator_list("or", QueryParser::and, QueryTree::Or)
    }

    fn and(&mut self) -> Result<QueryTree, QueryError> {
        self.operator_list("and", QueryParser::unary, QueryTree::And)
    }

    fn operator_list(
        &mut self,
        word: &str,
        part: fn(&mut QueryParser) -> Result<QueryTree, QueryError>,
        combine: fn(Vec<QueryTree>) -> QueryTree,
    ) -> Result<QueryTree, QueryError> {
        let first = part(self)?;
        let mut parts = alloc::vec![first];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(one_or(combine, parts))
    }

    fn unary(&mut self) -> Result<QueryTree, QueryError> {
        self.nested(QueryParser::unary_inner)
    }

    fn unary_inner(&mut self) -> Result<QueryTree, QueryError> {
        if self.take_word("not") {
            return Ok(QueryTree::Not(Box::new(self.unary()?)));
        }
        let begin = self.at;
        let mut window = WindowClause::EVER;
        self.window_before(&mut window)?;
        // The condition may have such words of its own, in brackets.
        let after_move = self.after_move.take();
        let what = self.condition(self.at > begin)?;
        self.after_move = after_move;
        self.window_after(&mut window, &what)?;
        let second = self.with_window(what, window, begin)?;
        Ok(match self.after_move.take() {
            Some(first) => QueryTree::Then { first: Box::new(first), within: None, second: Box::new(second) },
            None => second,
        })
    }

    /// A leaf, a header, or something in brackets. With `words`, words of a window come before it.
    fn condition(&mut self, words: bool) -> Result<QueryTree, QueryError> {
        if self.take_sign("{") {
            self.braces += 1;
            let inner = self.then()?;
            self.close("}", "`}`")?;
            self.braces -= 1;
            return Ok(QueryTree::Together(Box::new(inner)));
        }
        if self.is_sign(self.at, "(") && !self.bracket_belongs_to_sum() && !self.bracket_belongs_to_set() {
            self.at += 1;
            let inner = self.then()?;
            self.close(")", "`)`")?;
            return Ok(inner);
        }
        if let Some(list) = self.some_of()? {
            return Ok(list);
        }
        if words && self.word() == Some("not") {
            let message = "`not` applies to the whole game here: write `{ not … }` or `never`";
            return Err(self.error(message, &["`{`"]));
        }
        if let Some(query) = self.named_query()? {
            return Ok(query);
        }
        if let Some(header) = self.header()? {
            return Ok(QueryTree::Header(header));
        }
        let at = self.at;
        let leaf = self.leaf()?;
        if self.word() == Some("under") {
            let message = "`under` stands after `fen`, `board` or `structure`: only these have images";
            return Err(self.error(message, &self.expected_next()));
        }
        if self.braces > 0 && leaf.is_of_several_plies() {
            let message =
                alloc::format!("braces are one position, and `{leaf}` takes several: write it outside the braces");
            return Err(self.error_at(at, &message, BRACED_FOLLOWERS));
        }
        let Some(upper) = self.upper_bound.take() else { return Ok(QueryTree::Leaf(leaf)) };
        let both = QueryTree::And([leaf, upper].map(QueryTree::Leaf).into());
        Ok(if self.braces > 0 { both } else { QueryTree::Together(Box::new(both)) })
    }

    fn close(&mut self, sign: &str, name: &'static str) -> Result<(), QueryError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let mut expected = self.expected_next();
        if !expected.contains(&name) {
            expected.push(name);
        }
        Err(self.expected(name, &expected))
    }

    /// Whether the bracket that opens here is part of a sum: a sign of arithmetic or comparison follows its end.
    fn bracket_belongs_to_sum(&self) -> bool {
        let after = self.token_after_bracket().and_then(|at| self.kind_at(at));
        matches!(after, Some(TokenKind::Sign(sign)) if !matches!(*sign, "(" | ")" | "{" | "}" | "," | "&" | "|"))
    }

    /// The token after the bracket that opens here.
    pub(crate) fn token_after_bracket(&self) -> Option<usize> {
        let mut open = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                TokenKind::Sign("(") => open += 1,
                TokenKind::Sign(")") => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Some(index + 1);
            }
        }
        None
    }
}

/// The only part, or all parts combined.
fn one_or<T>(combine: fn(Vec<T>) -> T, mut parts: Vec<T>) -> T {
    if parts.len() == 1 { parts.swap_remove(0) } else { combine(parts) }
}

/// Why `then` cannot follow `tree`, if it cannot: the result is known only at the end of the game.
fn reason_then_is_unreachable(tree: &QueryTree) -> Option<&'static str> {
    use super::window::{OccurrenceRule, WindowQuantifier};
    match tree {
        QueryTree::Not(_) => Some("`not` is known only at the end of the game, so nothing can follow it"),
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            parts.iter().find_map(reason_then_is_unreachable)
        }
        QueryTree::Then { second, .. } => reason_then_is_unreachable(second),
        QueryTree::Condition { window, .. } => match (window.quantifier, window.occurrence) {
            (WindowQuantifier::Never, _) => {
                Some("`never` is known only at the end of the game, so nothing can follow it")
            }
            (WindowQuantifier::Always, _) => {
                Some("`always` is known only at the end of the game, so nothing can follow it")
            }
            (_, OccurrenceRule::Times(NumberRange { max: most, .. })) if most < u32::MAX => {
                Some("the number of times is known only at the end of the game, so nothing can follow it")
            }
            _ => None,
        },
        _ => None,
    }
}
