//! Games whose two players have one name: in two spellings that queries do not tell apart, or by names that are shown for others.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::folded_name;
use plyfold_scan::scan::reducer::ScanMatch;

use crate::shown_names::{NamedThing, ShownNames};

/// Compares the players of games, whose shards come one after another. Cost: a pass over the names of each shard.
#[derive(Default)]
pub(crate) struct OnePlayer {
    names: ShownNames,
    /// The shard of the last game.
    shard: Option<u32>,
    /// By player of this shard, the first one there with the same name.
    first: Vec<u32>,
}

impl OnePlayer {
    /// Compares the names that are shown.
    pub fn by(names: &ShownNames) -> OnePlayer {
        OnePlayer { names: names.clone(), ..OnePlayer::default() }
    }

    /// Returns whether both players of a game have one name.
    #[inline]
    pub fn plays_both(&mut self, found_game: &ScanMatch<'_>) -> bool {
        let (white, black) = (found_game.game.record.white, found_game.game.record.black);
        if self.shard != Some(found_game.span.shard) {
            self.read_names(found_game);
        }
        let first = |player: u32| self.first.get(player as usize);
        white == black || first(white).is_some_and(|one| first(black) == Some(one))
    }

    #[inline(never)]
    fn read_names(&mut self, found_game: &ScanMatch<'_>) {
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        self.shard = Some(found_game.span.shard);
        self.first.clear();
        for (nth, name) in (0..).zip(found_game.span.names().players.iter()) {
            let shown = folded_name(&self.names.shown(NamedThing::Player, name));
            self.first.push(*known.entry(shown).or_insert(nth));
        }
    }
}
