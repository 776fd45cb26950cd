//! Keys by name: the features of [`reduce`](plyfold_reduce), and the numbers of the [language](plyfold_query).
//!
//! This file is above both, since neither imports the other.

use alloc::format;
use alloc::string::String;

use plyfold_pgn::is_tag_name;
use plyfold_query::error::{QueryError, nearest};
use plyfold_query::{parse_number, parse_table_number};
use plyfold_reduce::key::{GroupingKey, KEY_FEATURES, TableKey, TagKey};
use plyfold_reduce::partition::PartitionRule;

/// Splits the text of a key, and the rule after a colon, which says which matching position of a game decides: `year`, `endgame:ever`.
///
/// # Errors
///
/// There is no such rule.
pub fn split_rule(text: &str) -> Result<(&str, PartitionRule), QueryError> {
    // The colon of `tag:Board` is none before a rule.
    let tag = text.len() - text.strip_prefix(TagKey::PREFIX).unwrap_or(text).len();
    let Some((key, rule)) = text[tag..].rsplit_once(':').map(|(key, rule)| (&text[..tag + key.len()], rule)) else {
        return Ok((text, PartitionRule::default()));
    };
    let known = PartitionRule::NAMED.iter().find(|(name, _)| *name == rule.trim());
    known.map(|&(_, known)| (key, known)).ok_or_else(|| QueryError {
        message: format!("`{rule}` is not a rule: write `final`, `first` or `ever` after the colon"),
        from: key.len() + 1,
        to: text.len(),
        expected: PartitionRule::NAMED.iter().map(|(name, _)| *name).collect(),
        ..QueryError::default()
    })
}

/// Reads a key as [`parse_key`] does, or a tag of the texts: `tag:Board`. Its values must be [bound](crate::tag_search::bind_tag_keys) before a
/// scan.
///
/// # Errors
///
/// Those of [`parse_key`]; a name that no tag has.
pub fn parse_key_or_tag(text: &str) -> Result<GroupingKey, QueryError> {
    let Some(tag) = text.trim().strip_prefix(TagKey::PREFIX) else { return parse_key(text) };
    match is_tag_name(tag.trim()) {
        true => Ok(GroupingKey::Tag(TagKey::new(tag.trim()))),
        false => Err(QueryError {
            message: format!("`{tag}` is no name of a tag: it has letters, digits and _ alone"),
            from: text.len() - tag.len(),
            to: text.len(),
            expected: alloc::vec!["the name of a tag"],
            ..QueryError::default()
        }),
    }
}

/// Reads the name of a feature, or a number as in a query: `material`, `elo`, `count(white pawn)`, `points(white) - points(black)`. Spaces and
/// hyphens in names are as good as underscores, and capitals make no difference.
///
/// # Errors
///
/// A text that is neither, with the nearest feature; of what looks like a number, what is wrong with it.
pub fn parse_key(text: &str) -> Result<GroupingKey, QueryError> {
    let text = text.trim();
    let word = text.to_lowercase().replace([' ', '-'], "_");
    if let Some(key) = GroupingKey::named(&word) {
        return Ok(key);
    }
    if let Some(number) = parse_table_number(text) {
        return Ok(GroupingKey::Table(TableKey::of_number(number, text)));
    }
    parse_number(text).map(|terms| GroupingKey::Number { terms, text: text.into() }).map_err(|error| {
        if text.contains(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | ' ' | '-')) {
            return error;
        }
        let nearest = nearest(&word, KEY_FEATURES.iter().map(|feature| feature.name));
        let message =
            if text.is_empty() { String::from("expected a key") } else { format!("`{text}` is not a key to group by") };
        QueryError {
            message,
            from: 0,
            to: text.len(),
            expected: alloc::vec!["a key", "a number such as `count(white pawn)`"],
            nearest,
            ..QueryError::default()
        }
    })
}
