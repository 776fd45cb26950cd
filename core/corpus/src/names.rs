//! The names of a shard: what the numbers in its header records stand for.

use super::header_texts::HeaderTexts;
use super::openings::GameOpenings;
use super::sources::SourceFiles;
use super::strings::StringTable;

/// The names to which the header records of a shard refer by number.
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
    /// Rounds, annotators, time controls and titles.
    pub texts: HeaderTexts<'a>,
    /// The openings of the games.
    pub openings: GameOpenings<'a>,
}
