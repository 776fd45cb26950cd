//! How games ended: by colour, and from the side of a player.

use plyfold_core::aliases::AliasKind;
use plyfold_core::headers::{GameResult, NamePattern};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::groups::OutcomeCounts;
use crate::plain::{Js, plain_object, to_js};

/// How games ended.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Score {
    /// By colour.
    pub results: OutcomeCounts,
    /// From the side of the player; null if none was named.
    pub player: Option<PlayerScore>,
}
plain_object!(Score { results, player });

/// How games ended for a player, of games in which one side alone has the name.
#[derive(Tsify)]
pub struct PlayerScore {
    /// All games of the player.
    pub games: f64,
    /// Games that the player won.
    pub won: f64,
    /// Drawn games.
    pub drawn: f64,
    /// Games that the player lost.
    pub lost: f64,
}
plain_object!(PlayerScore { games, won, drawn, lost });

#[wasm_bindgen]
impl Corpus {
    /// Counts the results of games; with a name, which may have `*` as in a query, from the side of that player too.
    #[must_use]
    pub fn score(&self, ids: &[u32], player: &str) -> Js<Score> {
        let pattern =
            (!player.is_empty()).then(|| self.names.list.widened(AliasKind::Player, NamePattern::new(player)));
        let mut results = [0u32; 4];
        let mut own = [0u32; 4];
        // Who of a shard's players has the name. Games of one shard stand together.
        let mut known: (*const u32, Vec<Option<bool>>) = (std::ptr::null(), Vec::new());
        for &id in ids {
            let Ok((shard, game)) = self.locate_shard(id) else { continue };
            let record = &shard.records[game as usize];
            let result = record.result();
            results[result as usize] += 1;
            let Some(pattern) = &pattern else { continue };
            let table = shard.players.offsets_and_bytes().0.as_ptr();
            if known.0 != table {
                known = (table, vec![None; shard.players.len() as usize]);
            }
            let mut is_player =
                |name: u32| *known.1[name as usize].get_or_insert_with(|| pattern.matches(shard.players.get(name)));
            match (is_player(record.white), is_player(record.black)) {
                (true, false) => own[result as usize] += 1,
                (false, true) => own[flipped(result) as usize] += 1,
                _ => {}
            }
        }
        let of = |counts: &[u32; 4], result: GameResult| f64::from(counts[result as usize]);
        let all = |counts: &[u32; 4]| counts.iter().map(|&count| f64::from(count)).sum();
        let by_colour = OutcomeCounts {
            games: all(&results),
            white: of(&results, GameResult::White),
            draw: of(&results, GameResult::Draw),
            black: of(&results, GameResult::Black),
            unknown: of(&results, GameResult::Unknown),
        };
        let player = pattern.map(|_| PlayerScore {
            games: all(&own),
            won: of(&own, GameResult::White),
            drawn: of(&own, GameResult::Draw),
            lost: of(&own, GameResult::Black),
        });
        to_js(Score { results: by_colour, player })
    }
}

/// The result with the colours exchanged.
fn flipped(result: GameResult) -> GameResult {
    match result {
        GameResult::White => GameResult::Black,
        GameResult::Black => GameResult::White,
        GameResult::Draw | GameResult::Unknown => result,
    }
}
