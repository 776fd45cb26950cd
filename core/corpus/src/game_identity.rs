//! Identifies a game by its players, its date, its start and its moves.

use alloc::vec::Vec;

use plyfold_board::board::start::PackedStart;
use plyfold_board::moves::Move;
use xxhash_rust::xxh3::Xxh3;

use super::record::Date;
use super::shard::{Shard, with_starts};

/// A number that games share if they have the same players, as written, the same date, the same start and the same moves; other games share
/// it by chance, once in 2¹²⁸.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameIdentity(u128);

impl GameIdentity {
    /// The identity of a game.
    pub fn new(players: [&str; 2], date: Date, start: Option<&PackedStart>, moves: &[Move]) -> GameIdentity {
        let mut hash = Xxh3::new();
        for name in players {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        hash.update(bytemuck::bytes_of(&date));
        hash.update(start.map_or(&[], bytemuck::bytes_of));
        hash.update(bytemuck::cast_slice(moves));
        GameIdentity(hash.digest128())
    }
}

/// The games of a corpus, to know others again: 16 bytes a game.
#[derive(Clone, Default, Debug)]
pub struct KnownGames(Vec<GameIdentity>);

impl KnownGames {
    /// These games.
    pub fn new(mut games: Vec<GameIdentity>) -> KnownGames {
        games.sort_unstable();
        KnownGames(games)
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether it is one of them.
    pub fn contains(&self, game: GameIdentity) -> bool {
        self.0.binary_search(&game).is_ok()
    }
}

impl Shard<'_> {
    /// The identities of its games, in their order.
    pub fn identities(&self) -> impl Iterator<Item = GameIdentity> + '_ {
        with_starts(self.records, self.starts).map(|(record, start)| {
            let players = [record.white, record.black].map(|name| self.players.get(name));
            GameIdentity::new(players, record.date, start, self.moves_of(record))
        })
    }
}
