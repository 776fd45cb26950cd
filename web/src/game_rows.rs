//! Games as rows of a list, and sorting of lists.

use std::cmp::Ordering;

use js_sys::Array;
use plyfold_core::aliases::AliasKind;
use plyfold_core::corpus::HeaderText;
use plyfold_core::corpus::record::HeaderRecord;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::reduce::sorted::sort_indexes;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::plain::{List, plain_object};

/// A game as a row of a list. An empty text or 0 means that the header does not have the value.
#[derive(Tsify)]
pub struct GameRow {
    /// Number of the game, from 0.
    pub id: u32,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// White's rating.
    pub white_elo: u32,
    /// Black's rating.
    pub black_elo: u32,
    /// The result of the game.
    #[tsify(type = "'1-0' | '0-1' | '1/2-1/2' | '*'")]
    pub result: &'static str,
    /// The ECO code of its opening, by its moves.
    pub eco: String,
    /// The name of its opening; empty if no position of it has one.
    pub opening: String,
    /// The ECO code in the game's header.
    pub eco_tag: String,
    /// The date as PGN writes it, such as `2024.05.??`.
    pub date: String,
    /// Name of the event.
    pub event: String,
    /// The place of the event.
    pub site: String,
    /// Number of plies.
    pub plies: u32,
    /// How the game ended.
    pub ending: &'static str,
    /// The time class of the game.
    pub time_class: &'static str,
    /// The round.
    pub round: String,
    /// The time control as the header says it, such as `300+3`.
    pub time_control: String,
    /// Who annotated the game.
    pub annotator: String,
}
#[rustfmt::skip]
plain_object!(GameRow {
    id, white, black, white_elo, black_elo, result, eco, opening, eco_tag, date, event, site, plies, ending, time_class, round,
    time_control, annotator,
});

#[wasm_bindgen]
impl Corpus {
    /// Returns rows of these games with their edits and the names that are shown, in the given order.
    ///
    /// # Errors
    ///
    /// There is no such game.
    #[wasm_bindgen(unchecked_return_type = "GameRow[]")]
    pub fn rows(&self, ids: &[u32]) -> Result<Array, JsFailure> {
        let rows = List::default();
        for &id in ids {
            rows.push(self.row(id)?);
        }
        Ok(rows.0)
    }

    /// Sorts games by one column: `number`, `white`, `white_elo`, `black`, `black_elo`, `result`, `eco`,
    /// `date`, `plies`, `round`, `time_control` or `annotator`; or by `elo`, the sum of both ratings, in which an unknown rating counts as the other one.
    ///
    /// Games with equal values keep their order.
    ///
    /// # Errors
    ///
    /// There is no such game or no such column.
    pub fn sort(&self, mut ids: Vec<u32>, key: &str, descending: bool) -> Result<Vec<u32>, JsFailure> {
        for &id in &ids {
            self.locate_shard(id)?;
        }
        let by_number = |value: fn(&HeaderRecord) -> u32| {
            move |corpus: &Corpus, id: u32| {
                corpus.locate_shard(id).map_or(0, |(shard, game)| value(&shard.records[game as usize]))
            }
        };
        let numbers = match key {
            "number" => None,
            "white" | "black" => {
                let names: Vec<&str> = ids.iter().map(|&id| self.name(id, key == "white")).collect();
                return Ok(sort_by_values(&ids, &names, descending));
            }
            "round" => return Ok(self.sort_by_text(&ids, HeaderText::Round, descending)),
            "time_control" => return Ok(self.sort_by_text(&ids, HeaderText::TimeControl, descending)),
            "annotator" => return Ok(self.sort_by_text(&ids, HeaderText::Annotator, descending)),
            "white_elo" => Some(by_number(|record| record.white_elo.into())),
            "black_elo" => Some(by_number(|record| record.black_elo.into())),
            "elo" => Some(by_number(|record| {
                let (white, black) = (u32::from(record.white_elo), u32::from(record.black_elo));
                if white == 0 || black == 0 { 2 * white.max(black) } else { white + black }
            })),
            "result" => Some(by_number(|record| record.result() as u32)),
            "eco" => {
                let codes: Vec<u16> = ids.iter().map(|&id| self.opening_code(id)).collect();
                return Ok(sort_by_values(&ids, &codes, descending));
            }
            "date" => Some(by_number(|record| bytemuck::cast(record.date))),
            "plies" => Some(by_number(|record| record.plies.into())),
            _ => return Err(JsFailure::new("bad-input", format!("games cannot be sorted by {key}"))),
        };
        let Some(number) = numbers else {
            ids.sort_unstable();
            if descending {
                ids.reverse();
            }
            return Ok(ids);
        };
        let values: Vec<u32> = ids.iter().map(|&id| number(self, id)).collect();
        Ok(sort_by_values(&ids, &values, descending))
    }
}

impl Corpus {
    /// Makes a row of game `id`, from 0, with the names that are shown.
    pub(crate) fn row(&self, id: u32) -> Result<GameRow, JsFailure> {
        let (shard, game) = self.locate_shard(id)?;
        Ok(self.names.of_row(game_row(id, &shard, game)))
    }

    /// Sorts games by a text of their headers. Numbers in it are compared as such, so round 9 comes before round 10.
    fn sort_by_text(&self, ids: &[u32], text: HeaderText, descending: bool) -> Vec<u32> {
        let of_game =
            |&id: &u32| self.locate_shard(id).map_or("", |(shard, game)| shard.header_texts.of_game(text, game));
        let sortable: Vec<String> = ids.iter().map(|id| sortable(of_game(id))).collect();
        let values: Vec<&str> = sortable.iter().map(String::as_str).collect();
        sort_by_values(ids, &values, descending)
    }

    fn name(&self, id: u32, white: bool) -> &str {
        self.locate_shard(id).map_or("", |(shard, game)| {
            let record = &shard.records[game as usize];
            self.names.shown(AliasKind::Player, shard.players.get(if white { record.white } else { record.black }))
        })
    }
}

/// The text with the number of digits before each number, so that the order of texts is also that of the numbers in them.
fn sortable(text: &str) -> String {
    const MOST_DIGITS: usize = 31;
    let mut sortable = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (part, after) = rest.split_at(if digits > 0 { digits } else { first.len_utf8() });
        let number = part.trim_start_matches('0');
        if digits > 0 {
            sortable.push(char::from(number.len().min(MOST_DIGITS) as u8));
        }
        sortable.push_str(if digits > 0 { number } else { part });
        rest = after;
    }
    sortable
}

impl Corpus {
    /// The number of the code of a game's opening; 0 if it has none.
    fn opening_code(&self, id: u32) -> u16 {
        let code = |(shard, game): (Shard<'_>, u32)| shard.openings.code_of(game, shard.records[game as usize].eco);
        self.locate_shard(id).map_or(0, |found| code(found).number())
    }
}

/// Sorts `ids` by their values. Equal values keep their order in both directions.
fn sort_by_values<T: Ord>(ids: &[u32], values: &[T], descending: bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    let compare = |one: u32, two: u32| {
        let order: Ordering = values[one as usize].cmp(&values[two as usize]);
        if descending { order.reverse() } else { order }
    };
    sort_indexes(&mut order, &compare);
    order.into_iter().map(|at| ids[at as usize]).collect()
}

/// Makes a row of the game with this index in the shard.
fn game_row(id: u32, shard: &Shard<'_>, game: u32) -> GameRow {
    let record = &shard.records[game as usize];
    let of_tags = |text: HeaderText| shard.header_texts.of_game(text, game).to_owned();
    let known = |name: &'static str| if name == "unknown" { "" } else { name };
    let text = |text: &str| String::from(if text == "?" { "" } else { text });
    GameRow {
        id,
        white: text(shard.players.get(record.white)),
        black: text(shard.players.get(record.black)),
        white_elo: record.white_elo.into(),
        black_elo: record.black_elo.into(),
        result: record.result().name(),
        eco: shard.openings.code_of(game, record.eco).to_string(),
        opening: shard.openings.of_game(game).map_or("", |opening| opening.name).to_owned(),
        eco_tag: record.eco.to_string(),
        date: if record.date.year() == 0 { String::new() } else { record.date.to_string() },
        event: text(shard.events.get(record.event)),
        site: text(shard.sites.get(record.site)),
        plies: record.plies.into(),
        ending: known(record.ending().name()),
        time_class: known(record.time_class().name()),
        round: of_tags(HeaderText::Round),
        time_control: of_tags(HeaderText::TimeControl),
        annotator: of_tags(HeaderText::Annotator),
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn numbers_in_texts_are_compared_as_numbers() {
        let sorted = ["", "1", "1.2", "1.10", "9", "009.1", "10", "300+3", "300+20", "1800+0", "Müller", "final"];
        let mut texts = sorted;
        texts.reverse();
        texts.sort_by_key(|text| sortable(text));
        assert_eq!(texts, sorted);
    }
}
