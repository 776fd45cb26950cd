//! Keys on a command line: `--by KEY` and `--partition KEY:RULE`.

use plyfold_core::keys::parse_key;
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::partition::PartitionRule;
use plyfold_core::scan::tables::BoundTables;

/// A key, and the rule that says which position of a game decides its value.
#[derive(Clone)]
pub struct KeyArgument {
    pub key: GroupingKey,
    pub rule: PartitionRule,
}

impl KeyArgument {
    /// The key, which asks these tables if it needs some.
    pub fn bound_key(&self, tables: &BoundTables) -> GroupingKey {
        let mut key = self.key.clone();
        key.bind_tables(tables);
        key
    }

    /// The name of the rule.
    pub fn rule_name(&self) -> &'static str {
        PartitionRule::NAMED.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name)
    }
}

/// Reads a key.
///
/// # Errors
///
/// There is no such key; the message names the nearest one.
pub fn read_key(text: &str) -> Result<KeyArgument, String> {
    match parse_key(text) {
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
    let Some((key, rule)) = text.rsplit_once(':') else { return read_key(text) };
    let known = PartitionRule::NAMED.iter().find(|(name, _)| *name == rule.trim());
    let Some((_, rule)) = known else {
        return Err(format!("`{rule}` is not a rule: write `final`, `first` or `ever` after the colon"));
    };
    Ok(KeyArgument { rule: *rule, ..read_key(key)? })
}
