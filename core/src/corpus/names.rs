//! The names of a shard: what the numbers in its header records stand for.

use super::sources::SourceFiles;
use super::strings::StringTable;

/// What the numbers in the records of a shard are the names of.
#[derive(Clone, Copy, Debug)]
pub struct ShardNames<'a> {
    /// Names of players.
    pub players: StringTable<'a>,
    /// Names of events.
    pub events: StringTable<'a>,
    /// Names of sites.
    pub sites: StringTable<'a>,
    /// The files that the games came from.
    pub sources: SourceFiles<'a>,
}
