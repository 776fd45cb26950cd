//! Keys on a command line: `--by KEY` and `--partition KEY:RULE`.

use plyfold_core::keys::{parse_key_or_tag, split_rule};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::partition::PartitionRule;

/// A key, and the rule that says which position of a game decides its value.
#[derive(Clone)]
pub struct KeyArgument {
    pub key: GroupingKey,
    pub rule: PartitionRule,
}

/// Reads a key.
///
/// # Errors
///
/// There is no such key; the message names the nearest one.
pub fn read_key(text: &str) -> Result<KeyArgument, String> {
    match parse_key_or_tag(text) {
        Ok(key) => Ok(KeyArgument { key, rule: PartitionRule::default() }),
        Err(error) => Err(match error.nearest {
            Some(nearest) => format!("{}: did you mean `{nearest}`? (`plyfold keys` lists them)", error.message),
            None => format!("{} (`plyfold keys` lists them)", error.message),
        }),
    }
}

/// Reads a key and, after a colon, its rule.
///
/// # Errors
///
/// There is no such key, or no such rule.
pub fn read_partition(text: &str) -> Result<KeyArgument, String> {
    let (key, rule) = split_rule(text).map_err(|error| error.message)?;
    Ok(KeyArgument { rule, ..read_key(key)? })
}
