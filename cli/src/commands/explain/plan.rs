//! What the queries of a plan share in one pass, as text and JSON.

use std::collections::BTreeMap;
use std::io::Write;

use plyfold_core::scan::Query;
use plyfold_core::scan::plan::{AccessPath, PlannedPredicate, SharedPlan, shared_plans};
use plyfold_core::scan::predicate::PositionPredicate;
use plyfold_terminal::style::Style;
use serde::Serialize;

use super::query_words;
use crate::commands::scan::PreparedEntry;
use crate::failure::Result;
use crate::query_argument::CommandQuery;

/// What the queries of a plan share, and the object in JSON.
#[derive(Serialize)]
pub(super) struct PlanReport {
    queries: Vec<NamedQuery>,
    /// The queries that are tested together: all in one, unless they have too many different predicates.
    together: Vec<SharedReport>,
}

#[derive(Serialize)]
struct NamedQuery {
    name: String,
    reads_as: String,
}

/// Queries that are tested together.
#[derive(Serialize)]
struct SharedReport {
    /// Their names.
    queries: Vec<String>,
    /// What is read of a game for them, in this order, as far as one of them is undecided.
    read: Vec<ReadReport>,
    /// What a replay keeps for those that need a board; absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    board_keeps: Option<String>,
}

/// What is read once, for all predicates that are tested there.
#[derive(Serialize)]
struct ReadReport {
    source: &'static str,
    #[serde(skip)]
    description: &'static str,
    predicates: Vec<SharedPredicate>,
}

/// A predicate, and the queries for which it is tested once.
#[derive(Serialize)]
struct SharedPredicate {
    text: String,
    queries: Vec<String>,
    /// Whether a shared replay measures it on eight boards at once.
    on_eight_boards: bool,
}

impl PlanReport {
    pub(super) fn new(plan: &[PreparedEntry]) -> PlanReport {
        let queries: Vec<&Query> = plan.iter().map(|entry| &entry.command_query.query).collect();
        let named = |entry: &PreparedEntry| NamedQuery {
            name: entry.name.clone(),
            reads_as: entry.command_query.tree.to_string(),
        };
        PlanReport {
            queries: plan.iter().map(named).collect(),
            together: shared_plans(&queries).iter().map(|shared| SharedReport::new(shared, plan)).collect(),
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        for NamedQuery { name, reads_as } in &self.queries {
            write!(out, "{name}: ")?;
            Style::Heading
                .of(|| writeln!(out, "{}", if reads_as.is_empty() { "(every position)" } else { reads_as }))?;
        }
        self.together.iter().try_for_each(|shared| shared.write(out))
    }
}

impl SharedReport {
    fn new(shared: &SharedPlan, plan: &[PreparedEntry]) -> SharedReport {
        let entries: Vec<&PreparedEntry> = shared.queries.iter().map(|&nth| &plan[nth]).collect();
        let words: Vec<Vec<String>> = entries.iter().map(|entry| words_of(&entry.command_query)).collect();
        let planned = PlannedPredicate::plan_all(&shared.predicates);
        let mut read: BTreeMap<AccessPath, Vec<SharedPredicate>> = BTreeMap::new();
        for (predicate, planned) in shared.predicates.iter().zip(&planned) {
            let predicates = read.entry(planned.access_path).or_default();
            let shared = SharedPredicate::new(predicate, planned, (&entries, &words));
            match predicates.iter_mut().find(|other| other.is_like(&shared)) {
                Some(other) => other.on_eight_boards |= shared.on_eight_boards,
                None => predicates.push(shared),
            }
        }
        SharedReport {
            queries: entries.iter().map(|entry| entry.name.clone()).collect(),
            board_keeps: read
                .contains_key(&AccessPath::Replay)
                .then(|| PlannedPredicate::replay_needs(&planned).to_string()),
            read: read
                .into_iter()
                .map(|(path, predicates)| ReadReport {
                    source: path.name(),
                    description: path.description(),
                    predicates,
                })
                .collect(),
        }
    }

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let all = || self.read.iter().flat_map(|read| &read.predicates);
        let several = all().filter(|one| one.queries.len() > 1).count();
        let shared = match several {
            0 => "none is asked by more than one query".to_owned(),
            1 => "1 is asked by more than one query, and tested once".to_owned(),
            several => format!("{several} are asked by more than one query, and tested once"),
        };
        let queries = counted(self.queries.len(), "query", "queries");
        let predicates = counted(all().count(), "predicate", "predicates");
        Style::Dim.of(|| writeln!(out, "\n{queries} in one pass. Of {predicates}, {shared}."))?;
        let widest = all().map(|one| one.text.chars().count()).max().unwrap_or(0).min(MAX_WIDTH);
        for ReadReport { description, predicates, .. } in &self.read {
            writeln!(out, "  from {description}")?;
            for SharedPredicate { text, queries, .. } in predicates {
                writeln!(out, "     {text:<widest$}  for {}", queries.join(", "))?;
            }
        }
        self.write_replay(out)
    }

    fn write_replay(&self, out: &mut dyn Write) -> Result<()> {
        let Some(keeps) = &self.board_keeps else {
            writeln!(out, "No board is needed.")?;
            return Ok(());
        };
        let on_board = self.read.iter().filter(|read| read.source == AccessPath::Replay.name());
        let on_board: Vec<&SharedPredicate> = on_board.flat_map(|read| &read.predicates).collect();
        let mut queries: Vec<&str> = on_board.iter().flat_map(|one| &one.queries).map(String::as_str).collect();
        queries.sort_unstable();
        queries.dedup();
        if let [query] = queries[..] {
            writeln!(out, "Only {query} needs a board, which keeps {keeps}.")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} need a board, which keeps {keeps}. They share its replay, or each replays a game up to where it is\n\
             settled, whichever was cheaper in the games before.",
            counted(queries.len(), "query", "queries")
        )?;
        let on_eight: Vec<&str> =
            on_board.iter().filter(|one| one.on_eight_boards).map(|one| one.text.as_str()).collect();
        if on_eight.len() > 1 {
            writeln!(out, "A shared replay measures on eight boards at once: {}.", on_eight.join(", "))?;
        }
        Ok(())
    }
}

/// The widest column of predicates.
const MAX_WIDTH: usize = 48;

impl SharedPredicate {
    /// `words` are those of the predicates of each query.
    fn new(
        predicate: &PositionPredicate,
        planned: &PlannedPredicate,
        (entries, words): (&[&PreparedEntry], &[Vec<String>]),
    ) -> SharedPredicate {
        let place_in =
            |entry: &PreparedEntry| entry.command_query.query.predicates.iter().position(|one| one == predicate);
        let asking: Vec<(&PreparedEntry, &String)> = entries
            .iter()
            .zip(words)
            .filter_map(|(entry, words)| Some((*entry, words.get(place_in(entry)?)?)))
            .collect();
        SharedPredicate {
            text: asking.first().map_or_else(String::new, |(_, words)| (*words).clone()),
            queries: asking.iter().map(|(entry, _)| entry.name.clone()).collect(),
            on_eight_boards: planned.is_measured_on_eight(),
        }
    }

    /// Whether it is a part of the same words: a feature without a side is a predicate of each side.
    fn is_like(&self, other: &SharedPredicate) -> bool {
        self.text == other.text && self.queries == other.queries
    }
}

/// The words of each predicate of a query.
fn words_of(query: &CommandQuery) -> Vec<String> {
    query_words::words_of_predicates(&query.tree.expanded(), &query.query, &query.tables.bound)
}

fn counted(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
