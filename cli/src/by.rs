//! Keys of a command line: `--by KEY` and `--partition KEY:RULE`.

use plyfold_core::keys::key;
use plyfold_core::reduce::key::Key;
use plyfold_core::reduce::partition::Rule;

/// A key, and which position of a game says where it belongs.
#[derive(Clone)]
pub struct By {
    pub key: Key,
    pub rule: Rule,
}

impl By {
    /// The name of the rule.
    pub fn rule(&self) -> &'static str {
        Rule::NAMED.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name)
    }
}

/// Reads a key.
///
/// # Errors
///
/// There is no such key; the nearest is named.
pub fn read_key(text: &str) -> Result<By, String> {
    match key(text) {
        Ok(key) => Ok(By { key, rule: Rule::default() }),
        Err(error) => Err(match error.nearest {
            Some(nearest) => format!("{}: did you mean `{nearest}`? (`plyfold keys` lists them)", error.message),
            None => format!("{} (`plyfold keys` lists them)", error.message),
        }),
    }
}

/// Reads a key, and after a colon its rule.
///
/// # Errors
///
/// There is no such key, or no such rule.
pub fn read_partition(text: &str) -> Result<By, String> {
    let Some((key, rule)) = text.rsplit_once(':') else { return read_key(text) };
    let known = Rule::NAMED.iter().find(|(name, _)| *name == rule.trim());
    let Some((_, rule)) = known else {
        return Err(format!("`{rule}` is no rule: write `final`, `first` or `ever` after the colon"));
    };
    Ok(By { rule: *rule, ..read_key(key)? })
}
