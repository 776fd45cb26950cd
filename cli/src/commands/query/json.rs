//! The answer for programs: one JSON object, its lists written as they come.

use std::cell::RefCell;
use std::io::Write;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

use super::QueryReport;
use crate::diagram::squares;
use crate::failure::Result;
use crate::game_row::GameRow;
use crate::warning;

pub(super) fn write(out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
    serde_json::to_writer(&mut *out, found)?;
    Ok(writeln!(out)?)
}

impl Serialize for QueryReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let found = self;
        let QueryReport { options: question, answers, corpus, stats, .. } = found;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("query", &found.command_query.text)?;
        map.serialize_entry("games_total", &corpus.header.games)?;
        map.serialize_entry("plies_total", &corpus.header.plies)?;
        map.serialize_entry("games", &answers.count.games)?;
        map.serialize_entry("positions", &answers.count.positions)?;
        map.serialize_entry("elapsed_ms", &stats.scan_ms)?;
        if let Some((set, games)) = found.within {
            map.serialize_entry("within", &json!({ "set": set, "games": games }))?;
        }
        if let Some(place) = &found.saved_games {
            map.serialize_entry("saved_games", &place.display().to_string())?;
        }
        if !found.saved_parts.is_empty() {
            map.serialize_entry("saved_parts", &found.saved_parts)?;
        }
        if let Some(notice) = warning::window_warning(&found.command_query.tree) {
            map.serialize_entry("notices", &[notice])?;
        }
        if question.stats {
            map.serialize_entry("stats", stats)?;
        }
        if let Some(heatmap) = &answers.heatmap {
            let counts = heatmap.counts();
            let counts: Vec<Vec<&[u64]>> =
                counts.iter().map(|colour| colour.iter().map(|squares| squares.as_slice()).collect()).collect();
            map.serialize_entry("heatmap", &counts)?;
        }
        if let Some(structures) = &answers.structures {
            let top = structures.top.iter().map(|structure| {
                json!({
                    "white": format!("{:016x}", structure.white),
                    "black": format!("{:016x}", structure.black),
                    "white_squares": squares(structure.white),
                    "black_squares": squares(structure.black),
                    "count": structure.count,
                })
            });
            let top: Vec<_> = top.collect();
            let all = json!({ "distinct": structures.distinct, "total": structures.total, "top": top });
            map.serialize_entry("structures", &all)?;
        }
        if !question.by.is_empty() {
            map.serialize_entry("by", &StreamedList::new(found.groups_reports()))?;
        }
        if !question.partition.is_empty() {
            map.serialize_entry("partitions", &StreamedList::new(found.partition_reports()))?;
        }
        if let Some(next) = found.next_moves_report() {
            map.serialize_entry("next", &next)?;
        }
        if question.games.is_some() {
            map.serialize_entry(
                "game_list",
                &StreamedList::new(found.listed_games().filter_map(|id| GameRow::from_game(corpus, id))),
            )?;
        }
        if let Some(form) = question.positions {
            let mut positions = found.position_stream(form);
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
                object
            });
            map.serialize_entry("position_list", &StreamedList::new(list))?;
            if let Some(distinct) = positions.distinct() {
                map.serialize_entry("positions_distinct", &distinct)?;
            }
        }
        map.end()
    }
}

/// A list that is written as it is made, and never whole in memory.
pub(in crate::commands) struct StreamedList<I>(RefCell<I>);

impl<I> StreamedList<I> {
    /// The list of what comes.
    pub fn new(items: I) -> StreamedList<I> {
        StreamedList(RefCell::new(items))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for StreamedList<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}
