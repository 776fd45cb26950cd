//! Names of one or several words: `bishop_pair`, `bishop pair`, `bishop-pair`.

use alloc::string::String;

use super::{CONDITION_STARTS, KEYWORDS, QueryParser};
use crate::query::error::{QueryError, nearest};
use crate::query::token::TokenKind;
use crate::query::tree::SideSelector;
use crate::scan::measure::{BoardFeature, FEATURES};

/// Words of a name, at most.
const MAX_NAME_WORDS: usize = 6;

impl QueryParser {
    /// The longest run of words that `known` knows, and the token after it.
    pub(super) fn longest_name<T>(&self, known: impl Fn(&str) -> Option<T>) -> Option<(T, usize)> {
        let mut name = String::new();
        let mut best = None;
        let mut at = self.at;
        for _ in 0..MAX_NAME_WORDS {
            if !name.is_empty() {
                at += usize::from(matches!(self.kind_at(at), Some(TokenKind::Sign("-"))));
            }
            let Some(word) = self.word_at(at) else { break };
            if !name.is_empty() {
                name.push('_');
            }
            name.push_str(word);
            at += 1;
            if let Some(found) = known(&name) {
                best = Some((found, at));
            }
        }
        best
    }

    /// The feature that is named here, if one is.
    pub(super) fn peek_feature(&self) -> Option<(&'static BoardFeature, usize)> {
        let is_named = |feature: &&BoardFeature, name: &str| feature.name == name || feature.aliases.contains(&name);
        self.longest_name(|name| FEATURES.iter().copied().find(|feature| is_named(feature, name)))
    }

    /// The longest run of words that names a feature.
    pub(super) fn feature(&mut self) -> Result<&'static BoardFeature, QueryError> {
        if let Some((feature, after)) = self.peek_feature() {
            self.at = after;
            return Ok(feature);
        }
        let Some(word) = self.word() else {
            return Err(self.expected("a predicate", CONDITION_STARTS));
        };
        if KEYWORDS.contains(&word) || SideSelector::NAMED.iter().any(|(name, _)| *name == word) {
            return Err(self.expected("a predicate", CONDITION_STARTS));
        }
        let names =
            FEATURES.iter().flat_map(|feature| core::iter::once(feature.name).chain(feature.aliases.iter().copied()));
        let sides = SideSelector::NAMED.iter().map(|&(name, _)| name);
        let nearest = nearest(word, names.chain(sides).chain(KEYWORDS.iter().copied()));
        let hint = nearest.map_or_else(
            || String::from("see the list of predicates"),
            |nearest| alloc::format!("did you mean `{nearest}`?"),
        );
        let mut error = self.error(&alloc::format!("unknown name `{word}`: {hint}"), CONDITION_STARTS);
        error.nearest = nearest;
        Err(error)
    }

    /// One of `named`, whose names may have spaces. `what` is the kind of name, for the message.
    pub(super) fn choose_named<T: Copy>(
        &mut self,
        what: &str,
        named: &[(&'static str, T)],
        expected: &[&'static str],
    ) -> Result<T, QueryError> {
        let same = |name: &str, word: &str| name.len() == word.len() && name.replace(' ', "_") == word;
        let known = |word: &str| named.iter().find(|(name, _)| same(name, word)).map(|&(_, item)| item);
        if let Some((item, after)) = self.longest_name(known) {
            self.at = after;
            return Ok(item);
        }
        let mut error = self.expected(what, expected);
        if let Some(word) = self.word()
            && let Some(nearest) = nearest(word, named.iter().map(|&(name, _)| name))
        {
            error.message = alloc::format!(
                "unknown {} `{word}`: did you mean `{nearest}`?",
                what.trim_start_matches("an ").trim_start_matches("a ")
            );
            error.nearest = Some(nearest);
        }
        Err(error)
    }
}
