//! Building the tree of a query, by recursive descent over its tokens. GRAMMAR.md has the grammar.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::diagram::{Diagram, Manner};
use super::error::{QueryError, nearest, wrong};
use super::fen::Fen;
use super::material::{Endgame, Material};
use super::region;
use super::token::{Kind, Token, tokens};
use super::tree::{Counted, LONGEST_STREAK, Leaf, Side, Sum, Tree};
use crate::board::man;
use crate::scan::measure::{FEATURES, Feature};
use crate::scan::predicate::Comparison;

/// Brackets and `not` within each other, at most.
const DEEPEST: u32 = 64;
/// Words of a name, at most.
const LONGEST_NAME: usize = 5;

/// Words that are not names of predicates, sides or regions.
pub const KEYWORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "no",
    "on",
    "for",
    "empty",
    "count",
    "points",
    "fen",
    "board",
    "structure",
    "material",
    "endgame",
];
/// Words that begin a condition on both sides, so that no side stands before them.
const OF_BOTH: &[&str] = &["fen", "board", "structure", "material", "endgame"];
const START: &[&str] = &[
    "a side",
    "a predicate",
    "`no`",
    "`empty`",
    "`material`",
    "`endgame`",
    "`structure`",
    "`board`",
    "`fen`",
    "`count(`",
    "`points(`",
    "`not`",
    "`(`",
    "`{`",
];
const ENDGAMES: &[&str] = &["`pawn`", "`knight`", "`bishop`", "`minor`", "`rook`", "`queen`"];
const REGION: &[&str] = &["a square", "a file", "a rank", "a named region"];

/// Reads a query.
///
/// # Errors
///
/// The first thing wrong.
pub fn parse(text: &str) -> Result<Tree, QueryError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.len(), depth: 0, braces: 0 };
    if parser.tokens.is_empty() {
        return Ok(Tree::Everything);
    }
    let tree = parser.or()?;
    match parser.peek() {
        None => Ok(tree),
        Some(Kind::Sign(")" | "}")) => Err(parser.error("this bracket was never opened", &["`and`", "`or`"])),
        Some(_) => {
            let message = "the query goes on after its end: `and` or `or` is missing";
            Err(parser.error(message, &["`and`", "`or`", "`for`"]))
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
}

impl Parser {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn word(&self) -> Option<&str> {
        self.word_at(self.at)
    }

    fn word_at(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Kind::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn error(&self, message: &str, expected: &[&'static str]) -> QueryError {
        let (from, to) = self.tokens.get(self.at).map_or((self.end, self.end), |token| (token.from, token.to));
        wrong(message, from, to, expected)
    }

    /// An error that says what stands here instead of what is expected.
    fn expected(&self, what: &str, expected: &[&'static str]) -> QueryError {
        let message = match self.peek() {
            None => alloc::format!("{what} is missing at the end"),
            Some(Kind::Word(word)) => alloc::format!("{what} is expected here, not `{word}`"),
            Some(Kind::Number(number)) => alloc::format!("{what} is expected here, not `{number}`"),
            Some(Kind::Sign(sign)) => alloc::format!("{what} is expected here, not `{sign}`"),
            Some(Kind::Text(_)) => alloc::format!("{what} is expected here, not a text in quotes"),
        };
        self.error(&message, expected)
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
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("brackets and `not` go at most 64 deep", &[]));
        }
        let tree = self.unary_within();
        self.depth -= 1;
        tree
    }

    fn unary_within(&mut self) -> Result<Tree, QueryError> {
        if self.take_word("not") {
            return Ok(Tree::Not(Box::new(self.unary()?)));
        }
        if self.take_sign("{") {
            self.braces += 1;
            let inner = self.or()?;
            self.close("}", "`}`")?;
            self.braces -= 1;
            return self.streak(Tree::Together(Box::new(inner)));
        }
        if matches!(self.peek(), Some(Kind::Sign("("))) && !self.bracket_belongs_to_sum() {
            self.at += 1;
            let inner = self.or()?;
            self.close(")", "`)`")?;
            return self.streak(inner);
        }
        let leaf = self.leaf()?;
        self.streak(Tree::Leaf(leaf))
    }

    fn close(&mut self, sign: &str, name: &'static str) -> Result<(), QueryError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let all = ["`and`", "`or`", name, "`for`"];
        Err(self.expected(name, if self.braces > 0 { &all[..3] } else { &all }))
    }

    /// `for N`, if it stands after this condition.
    fn streak(&mut self, condition: Tree) -> Result<Tree, QueryError> {
        if self.word() != Some("for") {
            return Ok(condition);
        }
        if self.braces > 0 {
            let message =
                "braces are one position, and `for` asks for several in a row: write it after the closing brace";
            return Err(self.error(message, &["`and`", "`or`", "`}`"]));
        }
        let message = match condition {
            Tree::Leaf(_) | Tree::Together(_) => None,
            Tree::Streak { .. } => Some("there is a `for` already"),
            Tree::Not(_) => {
                Some("`not` speaks of the whole game here: `{ not … } for` asks for plies in a row without it")
            }
            _ => Some("`for` follows one condition: `{ … } for` asks for plies in a row at which all this holds"),
        };
        if let Some(message) = message {
            return Err(self.error(message, &["`and`", "`or`"]));
        }
        self.at += 1;
        let plies = self.plies()?;
        let tree = Tree::Streak { condition: Box::new(condition), plies };
        match self.word() {
            None | Some("and" | "or") => Ok(tree),
            Some("for") => self.streak(tree),
            Some(_) => Err(self.expected("`plies`, `moves`, `and` or `or`", &["`plies`", "`moves`", "`and`", "`or`"])),
        }
    }

    /// `8`, `8 plies`, `4 moves`.
    fn plies(&mut self) -> Result<u32, QueryError> {
        let Some(&Kind::Number(number)) = self.peek() else {
            return Err(self.expected("a number of plies or moves", &["a number"]));
        };
        let at = self.at;
        self.at += 1;
        let moves = self.take_word("moves") || self.take_word("move");
        let _ = !moves && (self.take_word("plies") || self.take_word("ply"));
        let plies = u32::try_from(number).ok().and_then(|number| number.checked_mul(1 + u32::from(moves)));
        plies.filter(|plies| (1..=LONGEST_STREAK).contains(plies)).ok_or_else(|| {
            self.at = at;
            let most = LONGEST_STREAK;
            let message = alloc::format!("`for` takes 1 to {most} plies, which is {} moves", most / 2);
            self.error(&message, &["a number"])
        })
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

    fn leaf(&mut self) -> Result<Leaf, QueryError> {
        match self.peek() {
            Some(Kind::Number(_) | Kind::Sign("(" | "-")) => return self.comparison(),
            Some(Kind::Word(word)) if word == "count" || word == "points" => return self.comparison(),
            _ => {}
        }
        if self.take_word("empty") {
            return Ok(Leaf::Empty(self.region()?));
        }
        if self.take_word("no") {
            let at = self.at;
            let side = self.side();
            if let Some(word) = self.word().filter(|word| OF_BOTH.contains(word)) {
                let message = alloc::format!("`no` asks for men of a side: write `not {word} …`");
                self.at = at - 1;
                return Err(self.error(&message, &["`not`"]));
            }
            if matches!(side, Side::Both | Side::Neither) {
                self.at = at;
                return Err(self
                    .error("`no` already speaks of both sides, or of the one that is named", &["`white`", "`black`"]));
            }
            let (feature, region) = self.feature_on_region()?;
            return Ok(Leaf::Absent { side, feature, region });
        }
        let at = self.at;
        let side = self.side();
        let named = self.at > at;
        if let Some(word) = self.word().filter(|word| OF_BOTH.contains(word)) {
            if !named {
                return self.of_both();
            }
            let message = match word {
                "material" => String::from("the side stands after `material`: `material white KRPvKR`"),
                _ => alloc::format!("`{word}` speaks of both sides, and none stands before it"),
            };
            self.at = at;
            return Err(self.error(&message, &["a predicate with a side"]));
        }
        let (feature, region) = self.feature_on_region()?;
        if named && !feature.sided {
            self.at = at;
            let message = alloc::format!("`{}` speaks of no side", feature.name);
            return Err(self.error(&message, &[feature.name]));
        }
        Ok(Leaf::Feature { side, feature, region })
    }

    /// What begins with a word of [`OF_BOTH`].
    fn of_both(&mut self) -> Result<Leaf, QueryError> {
        if self.take_word("material") {
            return self.material();
        }
        if self.take_word("endgame") {
            return self.endgame();
        }
        if self.take_word("fen") {
            let (text, at) = self.text("a FEN in quotes")?;
            return Ok(Leaf::Fen(Box::new(Fen::read(&text, at)?)));
        }
        if self.take_word("board") {
            let (text, at) = self.text("a pattern in quotes")?;
            return Ok(Leaf::Board(Box::new(Diagram::read(&text, at, Manner::Pattern)?)));
        }
        self.at += 1;
        let (text, at) = self.text("a board of pawns in quotes")?;
        let pawns = Diagram::read(&text, at, Manner::Pawns)?;
        let [white, black] = [Color::White, Color::Black].map(|colour| pawns.surely(man(colour, Role::Pawn)));
        Ok(Leaf::Structure { white, black })
    }

    /// The text in quotes that stands here, without the space around it, and where that begins.
    fn text(&mut self, what: &str) -> Result<(String, usize), QueryError> {
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Text(text), from, .. }) => {
                let trimmed = text.trim_start();
                let at = from + 1 + text.len() - trimmed.len();
                self.at += 1;
                Ok((String::from(trimmed.trim_end()), at))
            }
            _ => Err(self.expected(what, &["`\"`"])),
        }
    }

    fn material(&mut self) -> Result<Leaf, QueryError> {
        const SIDES: &[&str] = &["`white`", "`black`", "`KRPvKR`"];
        let at = self.at;
        let side = self.side();
        if self.at > at && side.colour().is_none() {
            self.at = at;
            return Err(self.error("`material` takes `white`, `black` or no side, which means either", SIDES));
        }
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Word(word), from, .. }) => {
                let material = Material::read(word, side.colour(), *from)?;
                self.at += 1;
                Ok(Leaf::Material(material))
            }
            _ => Err(self.expected("a material such as `KRPvKR`", if self.at > at { &SIDES[2..] } else { SIDES })),
        }
    }

    fn endgame(&mut self) -> Result<Leaf, QueryError> {
        let known = |word: &str| Endgame::NAMED.iter().find(|(name, ..)| *name == word);
        let Some(word) = self.word() else {
            return Err(self.expected("a kind of endgame", ENDGAMES));
        };
        if let Some(&(_, endgame, _)) = known(word) {
            self.at += 1;
            return Ok(Leaf::Endgame(endgame));
        }
        let nearest = nearest(word, Endgame::NAMED.iter().map(|&(name, ..)| name));
        let mut error = self.expected("a kind of endgame", ENDGAMES);
        if let Some(nearest) = nearest {
            error.message = alloc::format!("unknown endgame `{word}`: did you mean `{nearest}`?");
            error.nearest = Some(nearest);
        }
        Err(error)
    }

    fn side(&mut self) -> Side {
        let side = self.word().and_then(|word| Side::NAMED.iter().find(|(name, _)| *name == word));
        let side = side.map(|&(_, side)| side);
        self.at += usize::from(side.is_some());
        side.unwrap_or(Side::Either)
    }

    fn feature_on_region(&mut self) -> Result<(&'static Feature, u64), QueryError> {
        let feature = self.feature()?;
        if !self.take_word("on") {
            return Ok((feature, u64::MAX));
        }
        if !feature.sided {
            self.at -= 1;
            let message = alloc::format!("`{}` speaks of no square", feature.name);
            return Err(self.error(&message, &["`and`", "`or`"]));
        }
        Ok((feature, self.region()?))
    }

    /// The longest run of words that names a feature: `bishop_pair`, `bishop pair`, `bishop-pair`.
    fn feature(&mut self) -> Result<&'static Feature, QueryError> {
        let mut name = String::new();
        let mut best = None;
        let mut at = self.at;
        for _ in 0..LONGEST_NAME {
            if !name.is_empty() {
                at += usize::from(matches!(self.tokens.get(at).map(|token| &token.kind), Some(Kind::Sign("-"))));
            }
            let Some(word) = self.word_at(at) else { break };
            if !name.is_empty() {
                name.push('_');
            }
            name.push_str(word);
            at += 1;
            let known = FEATURES.iter().find(|feature| feature.name == name || feature.aliases.contains(&&*name));
            if let Some(feature) = known {
                best = Some((*feature, at));
            }
        }
        if let Some((feature, after)) = best {
            self.at = after;
            return Ok(feature);
        }
        let Some(word) = self.word() else {
            return Err(self.expected("a predicate", START));
        };
        if KEYWORDS.contains(&word) || Side::NAMED.iter().any(|(name, _)| *name == word) {
            return Err(self.expected("a predicate", START));
        }
        let names =
            FEATURES.iter().flat_map(|feature| core::iter::once(feature.name).chain(feature.aliases.iter().copied()));
        let sides = Side::NAMED.iter().map(|&(name, _)| name);
        let nearest = nearest(word, names.chain(sides).chain(KEYWORDS.iter().copied()));
        let hint = nearest.map_or_else(
            || String::from("see the list of predicates"),
            |nearest| alloc::format!("did you mean `{nearest}`?"),
        );
        let mut error = self.error(&alloc::format!("unknown name `{word}`: {hint}"), START);
        error.nearest = nearest;
        Err(error)
    }

    /// One or more squares, files, ranks, spans of them, or named regions; commas may stand between.
    fn region(&mut self) -> Result<u64, QueryError> {
        let mut squares = self.region_part()?.ok_or_else(|| self.expected("a region", REGION))?;
        loop {
            let before = self.at;
            let comma = self.take_sign(",");
            match self.region_part()? {
                Some(more) => squares |= more,
                None if comma => return Err(self.expected("a region", REGION)),
                None => {
                    self.at = before;
                    return Ok(squares);
                }
            }
        }
    }

    fn region_part(&mut self) -> Result<Option<u64>, QueryError> {
        if let Some(Kind::Number(number)) = self.peek() {
            let rank = |number: i64| u8::try_from(number - 1).ok().filter(|&rank| rank < 8);
            let first = rank(*number).ok_or_else(|| self.error("ranks are 1 to 8", REGION))?;
            self.at += 1;
            if !self.take_sign("..") {
                return Ok(Some(region::ranks(first, first)));
            }
            let last = match self.peek() {
                Some(Kind::Number(number)) => rank(*number),
                _ => None,
            };
            let last = last.ok_or_else(|| self.expected("a rank from 1 to 8", &["a rank"]))?;
            self.at += 1;
            return Ok(Some(region::ranks(first, last)));
        }
        let Some(word) = self.word() else { return Ok(None) };
        let Some(squares) = region::word(word) else {
            // A word such as `e9` or `i4` was meant as a square.
            let bytes = word.as_bytes();
            if bytes.len() == 2 && bytes[1].is_ascii_digit() {
                let message = alloc::format!("there is no square `{word}`");
                return Err(self.error(&message, REGION));
            }
            return Ok(None);
        };
        let first = region::file(word);
        self.at += 1;
        match first {
            Some(first) if self.take_sign("..") => {
                let last = self.word().and_then(region::file);
                let last = last.ok_or_else(|| self.expected("a file from a to h", &["a file"]))?;
                self.at += 1;
                Ok(Some(region::files(first, last)))
            }
            _ => Ok(Some(squares)),
        }
    }

    fn comparison(&mut self) -> Result<Leaf, QueryError> {
        let left = self.sum()?;
        let comparison = match self.peek() {
            Some(Kind::Sign("=" | "==")) => Comparison::Equal,
            Some(Kind::Sign("!=" | "<>")) => Comparison::Unequal,
            Some(Kind::Sign("<")) => Comparison::Less,
            Some(Kind::Sign("<=")) => Comparison::AtMost,
            Some(Kind::Sign(">")) => Comparison::More,
            Some(Kind::Sign(">=")) => Comparison::AtLeast,
            _ => return Err(self.expected("a comparison", &["`=`", "`!=`", "`<`", "`<=`", "`>`", "`>=`"])),
        };
        self.at += 1;
        Ok(Leaf::Compare(left, comparison, self.sum()?))
    }

    fn sum(&mut self) -> Result<Sum, QueryError> {
        let mut sum = Sum::default();
        let mut sign = if self.take_sign("-") { -1 } else { 1 };
        loop {
            let part = self.product()?;
            self.add(&mut sum, part, sign)?;
            if self.take_sign("+") {
                sign = 1;
            } else if self.take_sign("-") {
                sign = -1;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Sum, QueryError> {
        let mut product = self.factor()?;
        while matches!(self.peek(), Some(Kind::Sign("*"))) {
            let sign = self.at;
            self.at += 1;
            let factor = self.factor()?;
            let (sum, by) = match (product.terms.is_empty(), factor.terms.is_empty()) {
                (_, true) => (product, factor.constant),
                (true, false) => (factor, product.constant),
                (false, false) => {
                    self.at = sign;
                    return Err(self.error("one side of `*` must be a number", &["a number"]));
                }
            };
            product = Sum::default();
            self.add(&mut product, sum, by)?;
        }
        Ok(product)
    }

    /// Adds `factor` times `part` to `sum`.
    fn add(&self, sum: &mut Sum, part: Sum, factor: i64) -> Result<(), QueryError> {
        const LARGEST: i64 = 1_000_000_000;
        let bounded = |number: Option<i64>| {
            let number = number.filter(|number| number.abs() <= LARGEST);
            number.ok_or_else(|| self.error("the numbers in this sum grow beyond 1000000000", &[]))
        };
        for (weight, counted) in part.terms {
            sum.terms.push((bounded(weight.checked_mul(factor))?, counted));
        }
        sum.constant = bounded(part.constant.checked_mul(factor).and_then(|more| sum.constant.checked_add(more)))?;
        Ok(())
    }

    fn factor(&mut self) -> Result<Sum, QueryError> {
        const FACTOR: &[&str] = &["a number", "`count(`", "`points(`", "`(`"];
        if let Some(&Kind::Number(constant)) = self.peek() {
            self.at += 1;
            return Ok(Sum { terms: Vec::new(), constant });
        }
        if self.take_sign("(") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.error("brackets and `not` go at most 64 deep", &[]));
            }
            let sum = self.sum()?;
            self.depth -= 1;
            return if self.take_sign(")") {
                Ok(sum)
            } else {
                Err(self.expected("`)`", &["`)`", "`+`", "`-`", "`*`"]))
            };
        }
        let (count, points) = (self.word() == Some("count"), self.word() == Some("points"));
        if !count && !points {
            return Err(self.expected("a number, `count(…)` or `points(…)`", FACTOR));
        }
        self.at += 1;
        if !self.take_sign("(") {
            return Err(self.expected("`(`", &["`(`"]));
        }
        let at = self.at;
        let side = self.side();
        if side == Side::Neither {
            self.at = at;
            return Err(self.error("what neither side has cannot be counted", &["`white`", "`black`", "`both`"]));
        }
        if points && self.at == at {
            return Err(self.expected("a side", &["`white`", "`black`", "`both`"]));
        }
        let counted = if points {
            Counted::Points(if side == Side::Both { Side::Either } else { side })
        } else {
            let at = self.at;
            let (feature, region) = self.feature_on_region()?;
            if !feature.sided {
                self.at = at;
                let message = alloc::format!("`{}` cannot be counted", feature.name);
                return Err(self.error(&message, &["a predicate with a side"]));
            }
            let side = if side == Side::Both { Side::Either } else { side };
            Counted::Squares { side, feature, region }
        };
        if !self.take_sign(")") {
            return Err(self.expected("`)`", &["`)`"]));
        }
        Ok(Sum { terms: alloc::vec![(1, counted)], constant: 0 })
    }
}
