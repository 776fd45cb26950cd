//! A tag of the text as a key. A scan reads no texts, so the values are read before it.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_scan::game::GameId;

/// A key of a tag: `tag:Board`.
#[derive(Clone, Debug)]
pub struct TagKey {
    /// The name of the key.
    name: String,
    values: Arc<TagKeyValues>,
}

/// The values of a tag in the games of a corpus.
#[derive(Clone, Default, Debug)]
pub struct TagKeyValues {
    /// By game, the place of its value among the texts, plus one; 0 is no value. Games behind the last have none.
    of_game: Vec<u32>,
    texts: Vec<String>,
    places: BTreeMap<String, u32>,
}

impl TagKeyValues {
    /// Adds the value of the next game; an empty one, `?` and `-` are none.
    pub fn push_game(&mut self, value: &str) {
        let value = value.trim();
        if matches!(value, "" | "?" | "-") {
            return self.of_game.push(0);
        }
        let place = match self.places.get(value) {
            Some(&place) => place,
            None => {
                self.texts.push(value.to_string());
                let place = self.texts.len() as u32;
                self.places.insert(value.to_string(), place);
                place
            }
        };
        self.of_game.push(place);
    }
}

impl TagKey {
    /// What stands before the tag in the name of the key.
    pub const PREFIX: &'static str = "tag:";
    /// One line for help.
    pub const SUMMARY: &'static str = "any tag of the games' texts, as in tag:Board";

    /// The key of the tag with this name, which has no values before they are bound.
    pub fn new(tag: &str) -> TagKey {
        TagKey { name: [TagKey::PREFIX, tag].concat(), values: Arc::default() }
    }

    /// The name of the tag.
    pub fn tag(&self) -> &str {
        &self.name[TagKey::PREFIX.len()..]
    }

    /// Binds the values of the games of a corpus.
    pub fn bind(&mut self, values: Arc<TagKeyValues>) {
        self.values = values;
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn value(&self, game: GameId) -> u64 {
        self.values.of_game.get(game.index()).copied().unwrap_or(0).into()
    }

    pub(super) fn describe(&self, value: u64) -> String {
        let place = (value as usize).checked_sub(1);
        place.and_then(|place| self.values.texts.get(place)).cloned().unwrap_or_else(|| "?".into())
    }

    /// The condition for a value; none for an unknown one, and where the language has no such text.
    pub(super) fn condition(&self, value: &str) -> Option<String> {
        let is_written = value != "?" && !value.contains(['"', '*']);
        is_written.then(|| ["tag \"", self.tag(), "\" \"", value, "\""].concat())
    }
}
