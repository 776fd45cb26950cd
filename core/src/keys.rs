//! Keys by name: the features of [`reduce`](plyfold_reduce), and the numbers of the [language](plyfold_query).
//!
//! This file is above both, since neither imports the other.

use alloc::format;
use alloc::string::String;

use plyfold_query::error::{QueryError, nearest};
use plyfold_query::{parse_number, parse_table_number};
use plyfold_reduce::key::{GroupingKey, KEY_FEATURES, TableKey};

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
        }
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn keys_are_features_or_numbers() {
        for feature in KEY_FEATURES {
            for name in feature.aliases.iter().chain([&feature.name]) {
                assert_eq!(
                    parse_key(&name.to_uppercase().replace('_', " ")).map(|key| key.to_string()),
                    Ok(feature.name.into())
                );
            }
        }
        for text in ["count(white pawn)", "king_distance", "points(white) - points(black)", "2 * count(rook)", "clock"]
        {
            assert_eq!(parse_key(text).map(|key| key.to_string()), Ok(text.into()));
        }
    }

    #[test]
    fn what_is_no_key_is_pointed_at() {
        let error = parse_key("materiel").expect_err("no key");
        assert_eq!((&*error.message, error.nearest), ("`materiel` is not a key to group by", Some("material")));
        assert!(parse_key("").is_err());
        for text in
            ["count(white pwan)", "count(white pawn) + 1", "count(white pawn) >= 2", "check", "white pawn on e4", "1"]
        {
            let error = parse_key(text).expect_err(text);
            assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
        }
    }
}
