//! Why a game matches or not: which parts of the query hold in it, where a part that fails comes nearest, and what must be dropped.
//!
//! Each part is asked of the game by a scan of its own, so that the answers are those of `plyfold query`.

use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_terminal::style::Style;
use plyfold_terminal::table::grouped;
use serde::Serialize;

use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::query_argument::{CommandQuery, OPENING_RESOLVER};

/// The game about which `explain` is asked.
#[derive(clap::Args)]
pub(super) struct GameArgument {
    /// Say why game N of --corpus matches or not: which condition fails, where it comes nearest, and what must be dropped.
    #[arg(long, value_name = "N", requires = "corpus", value_parser = clap::value_parser!(u32).range(1..))]
    pub game: Option<u32>,
    /// The corpus of --game and of the names in plain words, or PGN.
    #[arg(long, value_name = "CORPUS")]
    pub corpus: Option<PathBuf>,
}

/// Why a game matches or not, and the object in JSON.
#[derive(Serialize)]
pub(super) struct WhyNot {
    query: String,
    game: u64,
    white: String,
    black: String,
    matches: bool,
    /// The parts of the query, as far as each decides.
    parts: Vec<PartReport>,
    /// The parts without which the game matches; empty if it matches, or if no choice of whole parts is enough.
    drop: Vec<String>,
}

/// A part of the query, asked of the game by itself.
#[derive(Serialize)]
struct PartReport {
    text: String,
    matches: bool,
    /// Of a part with words about plies: how often it holds without them, and after which ply first.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_window: Option<Occurrences>,
    /// Of conditions at one position: where most of them hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Nearest>,
    /// What it is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartReport>,
}

#[derive(Serialize)]
struct Occurrences {
    positions: usize,
    first_ply: Option<u32>,
}

/// The first of the positions at which most of some conditions hold.
#[derive(Serialize)]
struct Nearest {
    ply: u32,
    holds: Vec<String>,
    fails: Vec<String>,
}

/// A game, and the query that is asked of it.
struct AskedGame<'a> {
    query: &'a CommandQuery,
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
    game: GameSet,
}

/// Asks a game.
///
/// # Errors
///
/// There is no such game, or a name of the query is unknown there.
pub(super) fn why_not(query: &CommandQuery, path: &Path, corpus: &JoinedCorpus<'_>, number: u32) -> Result<WhyNot> {
    let id = GameId(number - 1);
    let row = GameRow::from_game(corpus, id)
        .ok_or_else(|| CliFailure::unsuitable(path, corpus.no_such_game(id.0).to_string()))?;
    let mut game = GameSet::empty(corpus.header.games as u32);
    game.insert(id);
    let asked = AskedGame { query, path, corpus, game };
    let tree = &query.tree;
    let all = match tree {
        QueryTree::And(parts) => &parts[..],
        _ => std::slice::from_ref(tree),
    };
    let parts = all.iter().map(|part| asked.report(part)).collect::<Result<Vec<_>>>()?;
    let matches = asked.plies(tree)?.is_some();
    let mut drop = Vec::new();
    if !matches {
        let kept = all.iter().zip(&parts).filter(|(_, report)| report.matches).map(|(part, _)| part.clone());
        let kept: Vec<QueryTree> = kept.collect();
        let is_enough = kept.is_empty() || asked.plies(&QueryTree::And(kept))?.is_some();
        drop.extend(parts.iter().filter(|part| is_enough && !part.matches).map(|part| part.text.clone()));
    }
    let (white, black) = (row.white.to_owned(), row.black.to_owned());
    Ok(WhyNot { query: query.text.clone(), game: id.number(), white, black, matches, parts, drop })
}

impl AskedGame<'_> {
    /// The plies of the game at which a part of the query holds, if the game matches it.
    fn plies(&self, part: &QueryTree) -> Result<Option<Vec<u32>>> {
        let wrong = |error| CliFailure::Query(error, self.query.text.clone());
        let plan = plan_part(part, &self.query.tree, OPENING_RESOLVER).map_err(wrong)?;
        let tables = &self.query.tables;
        let asked = CommandQuery {
            text: self.query.text.clone(),
            tree: self.query.tree.clone(),
            query: plan,
            notes: Vec::new(),
            asks_for_notes: true,
            tables: tables.clone(),
            images: None,
        };
        let mut asked = asked.with_tables(tables);
        CurrentSets::new(self.path, self.corpus).bind(&mut asked)?;
        let positions = Some(PositionSelection::default());
        let selection = ReducerSelection { games: true, positions, ..ReducerSelection::default() };
        let found = run_query_within(&corpus_spans(self.corpus), &asked.query, Some(&self.game), &selection, &())?;
        let matches = found.games.is_some_and(|games| games.count() > 0);
        let plies = found.positions.unwrap_or_default().into_iter().map(|position| position.ply.0);
        Ok(matches.then(|| plies.collect()))
    }

    fn report(&self, part: &QueryTree) -> Result<PartReport> {
        let matches = self.plies(part)?.is_some();
        let mut report =
            PartReport { text: part.to_string(), matches, without_window: None, nearest: None, parts: Vec::new() };
        let each = |parts: &[QueryTree]| parts.iter().map(|part| self.report(part)).collect::<Result<Vec<_>>>();
        match part {
            _ if matches => {}
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                report.parts = each(parts)?;
            }
            QueryTree::Then { first, second, .. } => {
                report.parts = vec![self.report(first)?, self.report(second)?];
            }
            QueryTree::Together(inner) => report.nearest = self.nearest(inner)?,
            QueryTree::Condition { inner, .. } => match self.plies(inner)? {
                Some(plies) => {
                    let first_ply = plies.first().copied();
                    report.without_window = Some(Occurrences { positions: plies.len(), first_ply });
                }
                None => report.parts = vec![self.report(inner)?],
            },
            _ => {}
        }
        Ok(report)
    }

    /// Where most of the conditions in braces hold; none if there is only one, or none of them ever holds.
    fn nearest(&self, inner: &QueryTree) -> Result<Option<Nearest>> {
        let QueryTree::And(parts) = inner else { return Ok(None) };
        let together = |part: &QueryTree| QueryTree::Together(Box::new(part.clone()));
        let each = parts.iter().map(|part| Ok(self.plies(&together(part))?.unwrap_or_default()));
        let each: Vec<Vec<u32>> = each.collect::<Result<_>>()?;
        let holding = |ply: u32| each.iter().filter(|plies| plies.binary_search(&ply).is_ok()).count();
        let all = each.iter().flatten().copied();
        let Some(ply) = all.max_by_key(|&ply| (holding(ply), std::cmp::Reverse(ply))) else { return Ok(None) };
        let (holds, fails): (Vec<_>, Vec<_>) =
            parts.iter().zip(&each).partition(|(_, plies)| plies.binary_search(&ply).is_ok());
        let texts = |parts: Vec<(&QueryTree, &Vec<u32>)>| parts.iter().map(|(part, _)| part.to_string()).collect();
        Ok(Some(Nearest { ply, holds: texts(holds), fails: texts(fails) }))
    }
}

impl WhyNot {
    /// Writes it as text.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "Game {}, {} - {}, ", grouped(self.game), self.white, self.black)?;
        let verdict = if self.matches { "matches" } else { "does not match" };
        style_of(self.matches).of(|| writeln!(out, "{verdict}"))?;
        self.parts.iter().try_for_each(|part| part.write(out, 1))?;
        if !self.drop.is_empty() {
            writeln!(out, "It matches without: {}", self.drop.join(", "))?;
        } else if !self.matches && self.parts.iter().all(|part| part.matches) {
            writeln!(out, "Each part holds by itself, but not for the same pieces.")?;
        }
        Ok(())
    }
}

fn style_of(matches: bool) -> Style {
    if matches { Style::Match } else { Style::Failure }
}

impl PartReport {
    fn write(&self, out: &mut dyn Write, depth: usize) -> Result<()> {
        let indent = "  ".repeat(depth);
        write!(out, "{indent}")?;
        style_of(self.matches).of(|| write!(out, "{}", if self.matches { "yes" } else { "no " }))?;
        writeln!(out, "  {}", self.text)?;
        if let Some(Occurrences { positions, first_ply: Some(ply) }) = &self.without_window {
            let times = if *positions == 1 { "ply".to_owned() } else { format!("{positions} plies, first") };
            writeln!(out, "{indent}     holds after {times} {ply}, but not as its words about plies ask")?;
        }
        if let Some(Nearest { ply, holds, fails }) = &self.nearest {
            let (holds, fails) = (holds.join(", "), fails.join(", "));
            writeln!(out, "{indent}     comes nearest after ply {ply}: {holds}; but not {fails}")?;
        }
        self.parts.iter().try_for_each(|part| part.write(out, depth + 1))
    }
}
