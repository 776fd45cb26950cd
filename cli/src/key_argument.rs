//! Keys on a command line: `--by KEY` and `--partition KEY:RULE`.

use plyfold_core::keys::{parse_key, parse_key_and_rule};
use plyfold_core::query::error::QueryError;
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
    parse_key(text).map(|key| KeyArgument { key, rule: PartitionRule::default() }).map_err(message)
}

/// Reads a key and, after a colon, its rule.
///
/// # Errors
///
/// There is no such key, or no such rule.
pub fn read_partition(text: &str) -> Result<KeyArgument, String> {
    parse_key_and_rule(text).map(|(key, rule)| KeyArgument { key, rule }).map_err(message)
}

fn message(QueryError { message, nearest, .. }: QueryError) -> String {
    match nearest {
        Some(nearest) => format!("{message}: did you mean `{nearest}`? (`plyfold keys` lists them)"),
        None if message.contains("is not a rule") => message,
        None => format!("{message} (`plyfold keys` lists them)"),
    }
}
