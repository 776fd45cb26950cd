//! Tags of the games' texts as further columns of a list of games.

use std::collections::HashMap;
use std::path::Path;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::pgn::{is_tag_name, read_tags};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;

/// The tags of a command line.
#[derive(clap::Args, Clone, Default)]
pub struct TagColumns {
    /// Show these tags of the games' texts in the list of games, too: Board,WhiteTeam,WhiteFideId.
    #[arg(long = "tags", value_name = "NAMES", value_delimiter = ',', requires = "games", value_parser = parse_tag)]
    names: Vec<String>,
}

fn parse_tag(name: &str) -> Result<String, String> {
    let name = name.trim();
    if is_tag_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!("`{name}` is no name of a tag: it has letters, digits and _ alone, as in --tags Board,WhiteTeam"))
}

/// Tags of listed games. A list may have all games of a corpus, and few different values, so each value is kept once.
#[derive(Default)]
pub struct ListedTags {
    names: Vec<String>,
    /// For one game after another, the place of the value of each tag among the values.
    places: Vec<u32>,
    /// None, and those that some game has.
    values: Vec<Option<String>>,
    without_text: u64,
}

impl ListedTags {
    /// Reads the tags of the games of a list, in its order, from their texts; no text if there are no tags.
    ///
    /// # Errors
    ///
    /// A text is damaged, or cannot be read.
    pub fn read(
        columns: &TagColumns,
        path: &Path,
        corpus: &JoinedCorpus<'_>,
        games: impl Iterator<Item = GameId>,
    ) -> Result<ListedTags> {
        let mut tags = ListedTags { values: vec![None], ..ListedTags::default() };
        for name in &columns.names {
            if !tags.names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                tags.names.push(name.clone());
            }
        }
        if tags.names.is_empty() {
            return Ok(tags);
        }
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut texts = corpus.texts();
        for game in games {
            let text = texts.get(game.0).map_err(CliFailure::corpus(path))?;
            tags.without_text += u64::from(text.is_empty());
            let of_game = read_tags(text);
            for name in &tags.names {
                // As everywhere, the later of two tags counts.
                let tag = of_game.iter().rev().find(|tag| tag.name.eq_ignore_ascii_case(name));
                let value = tag.map_or("", |tag| tag.value.trim());
                let place = match known.get(value) {
                    _ if matches!(value, "" | "?" | "-") => 0,
                    Some(&place) => place,
                    None => {
                        let place = tags.values.len() as u32;
                        tags.values.push(Some(value.to_owned()));
                        known.insert(value.to_owned(), place);
                        place
                    }
                };
                tags.places.push(place);
            }
        }
        Ok(tags)
    }

    /// The names of the tags.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of the game with this place in the list, from 0; none where it has no such tag, or an unknown value.
    pub fn of_listed(&self, nth: usize) -> impl Iterator<Item = Option<&str>> {
        let from = nth * self.names.len();
        let places = self.places.get(from..from + self.names.len()).unwrap_or_default();
        places.iter().map(|&place| self.values[place as usize].as_deref())
    }

    /// A note on games that keep no text, a sentence without its full stop; none if all do.
    pub fn note(&self) -> Option<String> {
        let games = match self.without_text {
            0 => return None,
            1 => "1 listed game keeps".to_owned(),
            many => format!("{many} listed games keep"),
        };
        Some(format!("{games} no text, so no tag of it is known: import the PGN again to show its tags"))
    }
}

/// A game of a list, with its tags. In JSON the tags are one object, `null` where the game has none.
pub struct GameWithTags<'a> {
    row: GameRow<'a>,
    tags: &'a ListedTags,
    nth: usize,
}

/// The games of a list with their tags, which were read in this order.
pub fn games_with_tags<'a>(
    corpus: &'a JoinedCorpus<'_>,
    games: impl Iterator<Item = GameId> + 'a,
    tags: &'a ListedTags,
) -> impl Iterator<Item = GameWithTags<'a>> + 'a {
    let rows = games.enumerate().filter_map(|(nth, id)| Some((nth, GameRow::from_game(corpus, id)?)));
    rows.map(|(nth, row)| GameWithTags { row, tags, nth })
}

impl Serialize for GameWithTags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Whole<'r, 'a> {
            #[serde(flatten)]
            row: &'r GameRow<'a>,
            tags: Tags<'r, 'a>,
        }
        match self.tags.names.is_empty() {
            true => self.row.serialize(serializer),
            false => Whole { row: &self.row, tags: Tags(self) }.serialize(serializer),
        }
    }
}

struct Tags<'r, 'a>(&'r GameWithTags<'a>);

impl Serialize for Tags<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let GameWithTags { tags, nth, .. } = self.0;
        let mut map = serializer.serialize_map(Some(tags.names.len()))?;
        for (name, value) in tags.names.iter().zip(tags.of_listed(*nth)) {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}
