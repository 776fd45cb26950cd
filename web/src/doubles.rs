//! Games that the open corpus has several times.

use js_sys::Array;
use plyfold_core::corpus::ShardParts;
use plyfold_core::duplicates::{DuplicateGroup, DuplicateRules, HeaderDifference, find_duplicates};
use plyfold_core::game::GameId;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::plain::{List, plain_object};

/// Games that are one game, by their numbers from 0.
#[derive(Tsify)]
pub struct DoubleGroup {
    /// The one with the most moves, and of those the one with the longest text.
    pub kept: u32,
    /// The others.
    pub others: List<DoubleOfGame>,
}
plain_object!(DoubleGroup { kept, others });

/// A game of which there is another one that is kept.
#[derive(Tsify)]
pub struct DoubleOfGame {
    /// Its number, from 0.
    pub id: u32,
    /// In what it differs from that one; in nothing if it is an exact double.
    #[tsify(type = "('moves' | 'white' | 'black' | 'date' | 'round' | 'event' | 'site' | 'result' | 'ratings')[]")]
    pub differences: List<&'static str>,
}
plain_object!(DoubleOfGame { id, differences });

#[wasm_bindgen]
impl Corpus {
    /// Finds the games that the corpus has several times, among those that are not deleted.
    ///
    /// # Errors
    ///
    /// The corpus is damaged.
    #[wasm_bindgen(unchecked_return_type = "DoubleGroup[]")]
    pub fn doubles(&self) -> Result<Array, JsFailure> {
        self.check_all()?;
        let says = |id: GameId| {
            let place = self.opened.find_game(id.0).and_then(|(shard, game)| shard.text_location(game));
            place.map_or(0, |place| place.text_bytes() as u64)
        };
        let plain = |DuplicateGroup { kept, others }| DoubleGroup {
            kept: kept.0,
            others: others
                .into_iter()
                .map(|(id, differences): (GameId, Vec<HeaderDifference>)| DoubleOfGame {
                    id: id.0,
                    differences: differences.into_iter().map(HeaderDifference::name).collect(),
                })
                .collect(),
        };
        let groups = find_duplicates(&self.kept_spans(ShardParts::ALL)?, DuplicateRules::default(), &says, &|_| ());
        Ok(groups.into_iter().map(plain).collect::<List<_>>().0)
    }
}
