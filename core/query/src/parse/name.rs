//! Reads names of one or several words: `bishop_pair`, `bishop pair`, `bishop-pair`.

use alloc::string::String;

use plyfold_scan::scan::measure::{BoardFeature, FEATURES};

use super::{QueryParser, condition_starts};
use crate::error::{MistakeKind, QueryError, nearest};
use crate::keywords::{is_keyword, keywords};
use crate::side::SideSelector;
use crate::token::{Token, TokenKind};

/// Words of a name, at most.
pub(crate) const MAX_NAME_WORDS: usize = 6;

/// Nouns whose plural means the same. Other words have none: `checks` is a verb, of the other side.
const NOUNS: &[&str] = &[
    "pawn", "knight", "bishop", "rook", "queen", "king", "piece", "file", "pair", "outpost", "battery", "chain",
    "island", "majority", "passer",
];

/// Whether a name is `known`, perhaps with nouns in the plural.
pub(crate) fn is_named(known: &str, name: &str) -> bool {
    if known == name || name.len() <= known.len() || known.as_bytes().first() != name.as_bytes().first() {
        return known == name;
    }
    let is_plural = |noun: &str, word: &str| {
        let y = || noun.strip_suffix('y').zip(word.strip_suffix("ies")).is_some_and(|(one, other)| one == other);
        NOUNS.contains(&noun) && (word.strip_suffix('s') == Some(noun) || y())
    };
    known.split('_').count() == name.split('_').count()
        && known.split('_').zip(name.split('_')).all(|(noun, word)| noun == word || is_plural(noun, word))
}

/// Whether the feature has this name, which may be an alias or a plural.
pub(crate) fn has_name(feature: &BoardFeature, name: &str) -> bool {
    is_named(feature.name, name) || feature.aliases.iter().any(|alias| is_named(alias, name))
}

/// The longest run of words from a token that `known` knows, and the token after it. Hyphens may stand between the words.
pub(crate) fn longest_name<T>(
    tokens: &[Token],
    mut at: usize,
    known: impl Fn(&str) -> Option<T>,
) -> Option<(T, usize)> {
    let kind_at = |at: usize| tokens.get(at).map(|token| &token.kind);
    let (mut name, mut best) = (String::new(), None);
    for _ in 0..MAX_NAME_WORDS {
        if !name.is_empty() {
            at += usize::from(kind_at(at) == Some(&TokenKind::Sign("-")));
            name.push('_');
        }
        let Some(TokenKind::Word(word)) = kind_at(at) else { break };
        name.push_str(word);
        at += 1;
        if let Some(found) = known(&name) {
            best = Some((found, at));
        }
    }
    best
}

impl QueryParser {
    /// The longest run of words here that `known` knows, and the token after it.
    pub(crate) fn longest_name<T>(&self, known: impl Fn(&str) -> Option<T>) -> Option<(T, usize)> {
        longest_name(&self.tokens, self.at, known)
    }

    /// The feature that is named here, if one is.
    pub(crate) fn peek_feature(&self) -> Option<(&'static BoardFeature, usize)> {
        self.longest_name(|name| FEATURES.iter().copied().find(|feature| has_name(feature, name)))
    }

    /// The longest run of words that names a feature.
    pub(crate) fn feature(&mut self) -> Result<&'static BoardFeature, QueryError> {
        if let Some((feature, after)) = self.peek_square_feature() {
            self.at = after;
            return Ok(feature);
        }
        let Some(word) = self.word() else {
            return Err(self.expected("a predicate", &condition_starts()));
        };
        if let Some(error) = self.unknown_name_error().or_else(|| self.advised_error(&condition_starts())) {
            return Err(error);
        }
        if is_keyword(word) || self.is_side() {
            return Err(self.expected("a predicate", &condition_starts()));
        }
        let names =
            FEATURES.iter().flat_map(|feature| core::iter::once(feature.name).chain(feature.aliases.iter().copied()));
        let sides = SideSelector::NAMED.iter().map(|&(name, _)| name);
        let nearest = nearest(word, names.chain(sides).chain(keywords().map(|(word, _)| word)));
        let hint = nearest.map_or_else(
            || String::from("see the list of predicates; the name of a player stands in quotes"),
            |nearest| alloc::format!("did you mean `{nearest}`?"),
        );
        let mut error = self.error(&alloc::format!("unknown name `{word}`: {hint}"), &condition_starts());
        error.nearest = nearest;
        let arguments = core::iter::once(word).chain(nearest).map(String::from).collect();
        Err(error.of_kind(MistakeKind::UnknownWord, arguments))
    }

    /// One of `named`, whose names may have spaces. `what` is the kind of name, for the message.
    pub(crate) fn choose_named<T>(
        &mut self,
        what: &str,
        named: impl Iterator<Item = (&'static str, T)> + Clone,
        expected: &[&'static str],
    ) -> Result<T, QueryError> {
        let same =
            |name: &str, word: &str| name.len() == word.len() && name.replace(' ', "_") == word || is_named(name, word);
        let known = |word: &str| named.clone().find(|(name, _)| same(name, word)).map(|(_, item)| item);
        if let Some((item, after)) = self.longest_name(known) {
            self.at = after;
            return Ok(item);
        }
        let kind = what.trim_start_matches("an ").trim_start_matches("a ");
        Err(self.with_nearest(self.expected(what, expected), kind, named.map(|(name, _)| name)))
    }
}
