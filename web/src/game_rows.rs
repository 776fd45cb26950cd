//! Games as rows of a list, and lists in order.

use std::cmp::Ordering;

use js_sys::{Array, Object, Reflect};
use plyfold_core::corpus::record::HeaderRecord;
use plyfold_core::corpus::shard::Shard;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::JsFailure;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Facts of a game for a list. Empty text and 0 stand for what is not known. */
export interface Row {
  id: number;
  white: string;
  black: string;
  white_elo: number;
  black_elo: number;
  result: '1-0' | '0-1' | '1/2-1/2' | '*';
  eco: string;
  date: string;
  event: string;
  site: string;
  plies: number;
  ending: string;
  time_class: string;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Rows of a list.
    #[wasm_bindgen(typescript_type = "Row[]")]
    pub type JsRows;
}

#[wasm_bindgen]
impl Corpus {
    /// Rows of these games, in the order given.
    ///
    /// # Errors
    ///
    /// No such game.
    pub fn rows(&self, ids: &[u32]) -> Result<JsRows, JsFailure> {
        let rows = Array::new();
        for &id in ids {
            let (shard, game) = self.locate_shard(id)?;
            rows.push(&game_row(id, &shard, &shard.records[game as usize]));
        }
        Ok(rows.unchecked_into())
    }

    /// The games in the order of one column: `number`, `white`, `white_elo`, `black`, `black_elo`, `result`, `eco`, `date` or
    /// `plies`. Games that are equal there keep their order.
    ///
    /// # Errors
    ///
    /// No such game, no such column.
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
            "white_elo" => Some(by_number(|record| record.white_elo.into())),
            "black_elo" => Some(by_number(|record| record.black_elo.into())),
            "result" => Some(by_number(|record| record.result() as u32)),
            "eco" => Some(by_number(|record| bytemuck::cast::<_, u16>(record.eco).into())),
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
    fn name(&self, id: u32, white: bool) -> &str {
        self.locate_shard(id).map_or("", |(shard, game)| {
            let record = &shard.records[game as usize];
            shard.players.get(if white { record.white } else { record.black })
        })
    }
}

/// `ids` by the values that belong to them; equal values keep their order either way.
fn sort_by_values<T: Ord>(ids: &[u32], values: &[T], descending: bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    order.sort_by(|&one, &two| {
        let order: Ordering = values[one as usize].cmp(&values[two as usize]);
        if descending { order.reverse() } else { order }
    });
    order.into_iter().map(|at| ids[at as usize]).collect()
}

/// One game as an object of the shape `Row`.
pub(crate) fn game_row(id: u32, shard: &Shard<'_>, record: &HeaderRecord) -> Object {
    let known = |name: &'static str| if name == "unknown" { "" } else { name };
    let text = |text: &str| JsValue::from_str(if text == "?" { "" } else { text });
    let date = if record.date.year() == 0 { String::new() } else { record.date.to_string() };
    js_object(&[
        ("id", id.into()),
        ("white", text(shard.players.get(record.white))),
        ("black", text(shard.players.get(record.black))),
        ("white_elo", record.white_elo.into()),
        ("black_elo", record.black_elo.into()),
        ("result", record.result().name().into()),
        ("eco", record.eco.to_string().into()),
        ("date", date.into()),
        ("event", text(shard.events.get(record.event))),
        ("site", text(shard.sites.get(record.site))),
        ("plies", record.plies.into()),
        ("ending", known(record.ending().name()).into()),
        ("time_class", known(record.time_class().name()).into()),
    ])
}

/// An object with these properties.
pub(crate) fn js_object(properties: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // Setting a property of a fresh object does not fail.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}
