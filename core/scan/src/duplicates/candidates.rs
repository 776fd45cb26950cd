//! Finds pairs of games whose moves are the same, or of which one begins with all moves of the other.
//!
//! A hash of the moves of each whole game is stored once for each pair of keys of its players' names. Then each game is followed move by
//! move: where its moves so far are a whole game, the stored games with its keys are compared with it. A filter of a few bits a game
//! answers nearly all plies.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::moves::Move;

use super::DuplicateRules;
use super::agreement::GameFacts;
use crate::game::{Game, GameId};

/// Two games that agree.
pub(super) struct Pair {
    /// In the order of the corpus.
    pub games: [GameId; 2],
    /// How surely they agree.
    pub weight: u32,
}

/// The most games with the same moves and keys that a game is compared with.
const MOST_COMPARED: usize = 32;

/// Finds the pairs that agree.
pub(super) fn find(facts: &GameFacts<'_>, rules: DuplicateRules, advance: &dyn Fn(u32)) -> Vec<Pair> {
    let (entries, filter) = whole_games(facts, advance);
    let mut pairs = Vec::new();
    let mut compare = |one: GameId, other: GameId| {
        if let Some(differences) = facts.differences(one, other, rules) {
            pairs
                .push(Pair { games: [one.min(other), one.max(other)], weight: facts.weight(one, other, &differences) });
        }
    };
    compare_same_moves(facts, &entries, &mut compare);
    for span in facts.spans {
        for game in span.games() {
            let mut hash = start_hash(&game);
            let last = game.moves.len().saturating_sub(1);
            for (nth, &mv) in game.moves[..last].iter().enumerate() {
                hash = hash_after(hash, mv);
                if nth + 1 < usize::from(rules.least_plies) || !filter.may_have(hash) {
                    continue;
                }
                for key in facts.keys(&game) {
                    let key = mix(hash ^ key);
                    let from = entries.partition_point(|entry| entry.0 < key);
                    let same = entries[from..].iter().take_while(|entry| entry.0 == key).take(MOST_COMPARED);
                    same.for_each(|&(_, shorter)| compare(shorter, game.id));
                }
            }
        }
        advance(span.len());
    }
    pairs
}

/// Compares the games that have the same moves and a key in common.
fn compare_same_moves(facts: &GameFacts<'_>, entries: &[(u64, GameId)], compare: &mut dyn FnMut(GameId, GameId)) {
    let chunks = || entries.chunk_by(|one, other| one.0 == other.0);
    let is_small = |same: &[(u64, GameId)]| same.len() <= MOST_COMPARED;
    // In order, as the entries are.
    let large: Vec<u64> = chunks().filter(|same| !is_small(same)).map(|same| same[0].0).collect();
    let mut earlier_keys: Vec<Vec<u64>> = Vec::new();
    for same in chunks().filter(|same| same.len() > 1) {
        // PERF: two games have most of their keys in common. They are compared by the first of these, if all of its games are.
        let is_earlier = |key: &u64| *key < same[0].0 && large.binary_search(key).is_err();
        earlier_keys.clear();
        if is_small(same) {
            let hash = facts.game(same[0].1).map_or(0, |game| hash_of_moves(&game));
            let keys = |game: Game<'_>| facts.keys(&game).map(|key| mix(hash ^ key)).filter(is_earlier).collect();
            earlier_keys.extend(same.iter().map(|&(_, id)| facts.game(id).map_or_else(Vec::new, keys)));
        }
        for (nth, &(_, game)) in same.iter().enumerate() {
            for (before, &(_, other)) in (0..nth).zip(same).skip(nth.saturating_sub(MOST_COMPARED)) {
                let is_compared =
                    earlier_keys.get(nth).is_some_and(|keys| keys.iter().any(|key| earlier_keys[before].contains(key)));
                if !is_compared {
                    compare(other, game);
                }
            }
        }
    }
}

/// The keys of each game with all of its moves, sorted, and a filter of the hashes of these moves.
fn whole_games(facts: &GameFacts<'_>, advance: &dyn Fn(u32)) -> (Vec<(u64, GameId)>, HashFilter) {
    let games: usize = facts.spans.iter().map(|span| span.len() as usize).sum();
    // Memory that grows is there twice while it does.
    let keys = facts.spans.iter().flat_map(|span| span.games().map(|game| facts.key_count(&game))).sum();
    let (mut entries, mut filter) = (Vec::with_capacity(keys), HashFilter::new(games));
    for span in facts.spans {
        for game in span.games() {
            let hash = hash_of_moves(&game);
            filter.add(hash);
            entries.extend(facts.keys(&game).map(|key| (mix(hash ^ key), game.id)));
        }
        advance(span.len());
    }
    entries.sort_unstable();
    entries.dedup();
    (entries, filter)
}

fn hash_of_moves(game: &Game<'_>) -> u64 {
    game.moves.iter().fold(start_hash(game), |hash, &mv| hash_after(hash, mv))
}

fn start_hash(game: &Game<'_>) -> u64 {
    game.custom_start_board().map_or(0, |board| board.hash)
}

fn hash_after(hash: u64, mv: Move) -> u64 {
    (hash.rotate_left(5) ^ u64::from(mv.bits())).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Spreads all bits of a hash over all bits.
pub(super) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Tells of most hashes that were not added that they were not.
struct HashFilter {
    bits: Vec<u64>,
    shift: u32,
}

impl HashFilter {
    /// A filter with 16 to 32 bits for each of so many hashes.
    fn new(hashes: usize) -> HashFilter {
        let words = (hashes / 4 + 1).next_power_of_two();
        HashFilter { bits: vec![0; words], shift: 64 - words.trailing_zeros() - 6 }
    }

    fn places(&self, hash: u64) -> [u64; 2] {
        let hash = mix(hash);
        [hash >> self.shift, hash.rotate_left(32) >> self.shift]
    }

    fn add(&mut self, hash: u64) {
        for place in self.places(hash) {
            self.bits[(place >> 6) as usize] |= 1 << (place & 63);
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        self.places(hash).into_iter().all(|place| self.bits[(place >> 6) as usize] >> (place & 63) & 1 == 1)
    }
}
