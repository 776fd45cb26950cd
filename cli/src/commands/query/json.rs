//! Writes results as JSON: one object, whose lists are written as they are made.

use std::cell::RefCell;

use plyfold_core::reduce::output::{OUTPUTS, OutputArgument, OutputResult};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

use super::QueryReport;
use crate::game_row::member_of_number;
use crate::outputs::JsonResult;
use crate::positions::PositionFormat;
use crate::tag_columns::games_with_tags;
use crate::warning;

impl Serialize for QueryReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let QueryReport { options, answers, corpus, stats, .. } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("query", &self.command_query.text)?;
        map.serialize_entry("games_total", &corpus.header.games)?;
        map.serialize_entry("plies_total", &corpus.header.plies)?;
        map.serialize_entry("games", &answers.count.games)?;
        map.serialize_entry("positions", &answers.count.positions)?;
        if options.evidence {
            map.serialize_entry("evidence", &true)?;
        }
        map.serialize_entry("elapsed_ms", &stats.scan_ms)?;
        if let Some((set, games)) = self.within {
            map.serialize_entry("within", &json!({ "set": set, "games": games }))?;
        }
        if let Some(place) = &self.saved_games {
            map.serialize_entry("saved_games", &place.display().to_string())?;
        }
        if !self.saved_parts.is_empty() {
            map.serialize_entry("saved_parts", &self.saved_parts)?;
        }
        let notices: Vec<String> =
            warning::window_warning(self.command_query).into_iter().chain(self.notes.clone()).collect();
        if !notices.is_empty() {
            map.serialize_entry("notices", &notices)?;
        }
        if let Some(unknown) = &self.unknown {
            map.serialize_entry("unknown", unknown)?;
        }
        if options.stats {
            map.serialize_entry("stats", stats)?;
        }
        self.serialize_outputs(&mut map)?;
        self.serialize_games(&mut map)?;
        if let Some(form) = options.positions {
            self.serialize_positions(form, &mut map)?;
        }
        map.end()
    }
}

impl QueryReport<'_> {
    /// The outputs, each under its option; those that take a key are lists.
    fn serialize_outputs<M: SerializeMap>(&self, map: &mut M) -> std::result::Result<(), M::Error> {
        for definition in OUTPUTS {
            let of_option = |result: &&OutputResult| result.output.definition.name == definition.name;
            let results: Vec<JsonResult<'_>> = self.answers.outputs.iter().filter(of_option).map(JsonResult).collect();
            match (definition.argument, &results[..]) {
                (_, []) => {}
                (OutputArgument::Nothing | OutputArgument::Maximum(_), [result, ..]) => {
                    map.serialize_entry(definition.option, result)?;
                }
                _ => map.serialize_entry(definition.option, &results)?,
            }
        }
        Ok(())
    }

    fn serialize_games<M: SerializeMap>(&self, map: &mut M) -> std::result::Result<(), M::Error> {
        let QueryReport { options, corpus, .. } = self;
        if options.games.is_some() {
            map.serialize_entry(
                "game_list",
                &StreamedList::new(games_with_tags(corpus, self.listed_games(), &self.tags)),
            )?;
        }
        Ok(())
    }

    fn serialize_positions<M: SerializeMap>(
        &self,
        form: PositionFormat,
        map: &mut M,
    ) -> std::result::Result<(), M::Error> {
        let mut positions = self.position_stream(form);
        let list = positions.by_ref().map(|position| {
            let mut object = match (form.has_ref(), position.fen) {
                (true, Some(fen)) => json!({ "game": position.game, "ply": position.ply, "fen": fen }),
                (true, None) => json!({ "game": position.game, "ply": position.ply }),
                (false, None) => json!({ "hash": format!("{:016x}", position.hash) }),
                (false, fen) => json!({ "fen": fen }),
            };
            if let Some(images) = position.images {
                object["images"] = json!(images);
            }
            if let Some((name, number)) = member_of_number(self.corpus, position.game).filter(|_| form.has_ref()) {
                object["corpus"] = json!(name);
                object["corpus_number"] = json!(number);
            }
            object
        });
        map.serialize_entry("position_list", &StreamedList::new(list))?;
        if let Some(distinct) = self.answers.distinct_positions.or(positions.distinct()) {
            map.serialize_entry("positions_distinct", &distinct)?;
        }
        Ok(())
    }
}

/// A list that is written as it is made, so that it is never in memory as a whole.
pub(in crate::commands) struct StreamedList<I>(RefCell<I>);

impl<I> StreamedList<I> {
    /// The list of `items`.
    pub fn new(items: I) -> StreamedList<I> {
        StreamedList(RefCell::new(items))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for StreamedList<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}
