//! Building the tree of a query, by recursive descent over its tokens. GRAMMAR.md has the grammar.
//!
//! This file has what goes together with `then`, `and`, `or`, `not` and brackets; `window` the words around a condition, `leaf` what
//! is asked of a position, `sum` comparisons, `header` facts about the game, `name` names of several words.

mod header;
pub(super) mod leaf;
mod name;
mod region;
mod sum;
mod window;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::error::{QueryError, wrong};
use super::token::{Kind, Token, tokens};
use super::tree::Tree;
use super::window::Window;

/// Brackets and `not` within each other, at most.
pub const DEEPEST: u32 = 64;
/// Bytes of a text, at most.
pub const LONGEST_TEXT: usize = 64 * 1024;

/// Words that are not names of predicates, sides or regions.
pub const KEYWORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "then",
    "within",
    "no",
    "on",
    "own",
    "own_half",
    "for",
    "empty",
    "attacks",
    "defends",
    "count",
    "points",
    "ply",
    "plies",
    "move",
    "moves",
    "times",
    "time",
    "fen",
    "board",
    "structure",
    "material",
    "imbalance",
    "endgame",
    "ever",
    "never",
    "always",
    "became",
    "ceased",
    "before",
    "after",
    "from",
    "until",
    "between",
    "at",
    "least",
    "most",
    "exactly",
    "end",
    "in",
    "opening",
    "middlegame",
    "minor",
    "result",
    "draw",
    "decisive",
    "player",
    "elo",
    "average",
    "difference",
    "eco",
    "year",
    "date",
    "event",
    "site",
    "source",
    "ended",
    "time_class",
    "half",
    "under",
];
/// What a condition begins with.
const START: &[&str] = &[
    "a side",
    "a predicate",
    "`no`",
    "`empty`",
    "`material`",
    "`imbalance`",
    "`endgame`",
    "`structure`",
    "`board`",
    "`fen`",
    "`count(`",
    "`points(`",
    "a number",
    "`ply`",
    "`move`",
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
    "`plies`",
    "`ended`",
    "`time_class`",
];
/// What may follow a condition.
const AFTER: &[&str] = &[
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
const AFTER_FEATURE: &[&str] = &["`on`", "`attacks`", "`defends`"];
/// What may follow what is said of the whole board as well.
const AFTER_BOARD: &[&str] = &["`under`"];
/// What may follow a condition inside braces.
const AFTER_IN_BRACES: &[&str] = &["`and`", "`or`", "`}`"];

/// Reads a query.
///
/// # Errors
///
/// The first thing wrong.
pub fn parse(text: &str) -> Result<Tree, QueryError> {
    if text.len() > LONGEST_TEXT {
        let message = alloc::format!("a query has at most {LONGEST_TEXT} bytes, and this has {}", text.len());
        let from = (0..=LONGEST_TEXT).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        return Err(wrong(&message, from, text.len(), &[]));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        end: text.len(),
        depth: 0,
        braces: 0,
        bare: usize::MAX,
        whole: usize::MAX,
    };
    if parser.tokens.is_empty() {
        return Ok(Tree::Everything);
    }
    let tree = parser.then()?;
    match parser.peek() {
        None => Ok(tree),
        Some(Kind::Sign(")" | "}")) => Err(parser.error("this bracket was never opened", &parser.after())),
        Some(_) => {
            Err(parser.error("the query goes on after its end: `and`, `or` or `then` is missing", &parser.after()))
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    end: usize,
    /// Brackets and `not` that are open.
    depth: u32,
    /// Braces that are open.
    braces: u32,
    /// The token after a feature of which it is not said where it is.
    bare: usize,
    /// The token after what is said of the whole board.
    whole: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Kind> {
        self.kind_at(self.at)
    }

    fn kind_at(&self, at: usize) -> Option<&Kind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    fn word(&self) -> Option<&str> {
        self.word_at(self.at)
    }

    fn word_at(&self, at: usize) -> Option<&str> {
        match self.kind_at(at) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn is_sign(&self, at: usize, sign: &str) -> bool {
        matches!(self.kind_at(at), Some(Kind::Sign(found)) if *found == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(self.at, sign);
        self.at += usize::from(found);
        found
    }

    /// What may follow here.
    fn after(&self) -> Vec<&'static str> {
        let more = match self.at {
            at if at == self.bare => AFTER_FEATURE,
            at if at == self.whole => AFTER_BOARD,
            _ => &[],
        };
        [if self.braces > 0 { AFTER_IN_BRACES } else { AFTER }, more].concat()
    }

    fn error(&self, message: &str, expected: &[&'static str]) -> QueryError {
        let (from, to) = self.tokens.get(self.at).map_or((self.end, self.end), |token| (token.from, token.to));
        wrong(message, from, to, expected)
    }

    /// The same of the token at `at`.
    fn error_at(&mut self, at: usize, message: &str, expected: &[&'static str]) -> QueryError {
        self.at = at;
        self.error(message, expected)
    }

    /// An error that says what stands here instead of what is expected.
    fn expected(&self, what: &str, expected: &[&'static str]) -> QueryError {
        let message = match self.peek() {
            None => alloc::format!("{what} is missing at the end"),
            Some(Kind::Word(word)) => alloc::format!("{what} is expected here, not `{word}`"),
            Some(Kind::Number(number)) => alloc::format!("{what} is expected here, not `{number}`"),
            Some(Kind::Sign(sign)) => alloc::format!("{what} is expected here, not `{sign}`"),
            Some(Kind::Text(_)) => alloc::format!("{what} is expected here, not a text in quotes"),
            Some(Kind::Set(name)) => {
                alloc::format!("{what} is expected here, not the set `@{name}`: write `in @{name}`")
            }
        };
        self.error(&message, expected)
    }

    /// Goes one bracket, `not` or `then` deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Parser) -> Result<T, QueryError>) -> Result<T, QueryError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = alloc::format!("brackets and `not` go at most {DEEPEST} deep");
            return Err(self.error(&message, &[]));
        }
        let found = part(self);
        self.depth -= 1;
        found
    }

    /// Conditions one after the other, from left to right.
    fn then(&mut self) -> Result<Tree, QueryError> {
        let mut tree = self.or()?;
        let mut gates = 0;
        while self.word() == Some("then") {
            if self.braces > 0 {
                let message = "braces are one position, and `then` asks for one after the other: write it outside";
                return Err(self.error(message, AFTER_IN_BRACES));
            }
            gates += 1;
            if gates > DEEPEST {
                let message = alloc::format!("at most {DEEPEST} things come one after the other with `then`");
                return Err(self.error(&message, &[]));
            }
            let at = self.at;
            self.at += 1;
            let within = if self.take_word("within") { Some(self.number_of_plies("`within`")?) } else { None };
            if let Some(message) = never_comes(&tree) {
                return Err(self.error_at(at, message, &["`and`"]));
            }
            let second = self.or()?;
            tree = Tree::Then { first: Box::new(tree), within, second: Box::new(second) };
        }
        Ok(tree)
    }

    fn or(&mut self) -> Result<Tree, QueryError> {
        self.list("or", Parser::and, Tree::Or)
    }

    fn and(&mut self) -> Result<Tree, QueryError> {
        self.list("and", Parser::unary, Tree::And)
    }

    fn list(
        &mut self,
        word: &str,
        part: fn(&mut Parser) -> Result<Tree, QueryError>,
        all: fn(Vec<Tree>) -> Tree,
    ) -> Result<Tree, QueryError> {
        let first = part(self)?;
        let mut parts = alloc::vec![first];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { all(parts) })
    }

    fn unary(&mut self) -> Result<Tree, QueryError> {
        self.deeper(Parser::unary_within)
    }

    fn unary_within(&mut self) -> Result<Tree, QueryError> {
        if self.take_word("not") {
            return Ok(Tree::Not(Box::new(self.unary()?)));
        }
        let begin = self.at;
        let mut window = Window::EVER;
        self.window_before(&mut window)?;
        let what = self.condition(self.at > begin)?;
        self.window_after(&mut window, &what)?;
        self.windowed(what, window, begin)
    }

    /// A leaf, a header, or something in brackets; after `words` that ask for a condition.
    fn condition(&mut self, words: bool) -> Result<Tree, QueryError> {
        if self.take_sign("{") {
            self.braces += 1;
            let inner = self.then()?;
            self.close("}", "`}`")?;
            self.braces -= 1;
            return Ok(Tree::Together(Box::new(inner)));
        }
        if self.is_sign(self.at, "(") && !self.bracket_belongs_to_sum() {
            self.at += 1;
            let inner = self.then()?;
            self.close(")", "`)`")?;
            return Ok(inner);
        }
        if words && self.word() == Some("not") {
            let message = "`not` speaks of the whole game here: write `{ not … }`, or `never`";
            return Err(self.error(message, &["`{`"]));
        }
        if let Some(header) = self.header()? {
            return Ok(Tree::Header(header));
        }
        let leaf = self.leaf()?;
        if self.word() == Some("under") {
            let message = "`under` stands behind `fen`, `board` or `structure`: only these have images";
            return Err(self.error(message, &self.after()));
        }
        Ok(Tree::Leaf(leaf))
    }

    fn close(&mut self, sign: &str, name: &'static str) -> Result<(), QueryError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let mut all = self.after();
        if !all.contains(&name) {
            all.push(name);
        }
        Err(self.expected(name, &all))
    }

    /// Whether the bracket that opens here is part of a sum: a sign of arithmetic or comparison follows its end.
    fn bracket_belongs_to_sum(&self) -> bool {
        let mut open = 0;
        for (nth, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                Kind::Sign("(") => open += 1,
                Kind::Sign(")") => open -= 1,
                _ => {}
            }
            if open == 0 {
                let after = self.tokens.get(nth + 1).map(|token| &token.kind);
                return matches!(after, Some(Kind::Sign(sign)) if !matches!(*sign, "(" | ")" | "{" | "}" | ","));
            }
        }
        false
    }
}

/// Why nothing can come after this, if nothing can: it is known only at the end of the game.
fn never_comes(tree: &Tree) -> Option<&'static str> {
    use super::window::{Often, Quantifier};
    match tree {
        Tree::Not(_) => Some("`not` is known only at the end of the game, so nothing comes then"),
        Tree::And(parts) | Tree::Or(parts) => parts.iter().find_map(never_comes),
        Tree::Then { second, .. } => never_comes(second),
        Tree::Condition { window, .. } => match (window.quantifier, window.often) {
            (Quantifier::Never, _) => Some("`never` is known only at the end of the game, so nothing comes then"),
            (Quantifier::Always, _) => Some("`always` is known only at the end of the game, so nothing comes then"),
            (_, Often::Times { most, .. }) if most < u32::MAX => {
                Some("how often at most is known only at the end of the game, so nothing comes then")
            }
            _ => None,
        },
        _ => None,
    }
}
