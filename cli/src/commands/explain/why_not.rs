//! Why a game matches or not, as text and JSON. Each part is asked of the game by a scan of its own, so that the answers are those of
//! `plyfold query`.

use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, GameSpan, span_of_game};
use plyfold_core::query::plan::plan_part;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::why_not::{AskedPart, Nearest, Occurrences, WhyNot};
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::shown_names::ShownNames;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::style::Style;
use plyfold_terminal::table::grouped;
use serde::Serialize;

use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::mapped_corpus::require_games;
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
pub(super) struct GameReport {
    query: String,
    game: u64,
    white: String,
    black: String,
    #[serde(flatten)]
    why: WhyNot,
}

/// A game, and the query that is asked of it.
struct AskedGame<'a> {
    query: &'a CommandQuery,
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
    game: Option<GameSpan<'a>>,
}

/// Asks a game.
///
/// # Errors
///
/// There is no such game, or a name of the query is unknown there.
pub(super) fn why_not(query: &CommandQuery, path: &Path, corpus: &JoinedCorpus<'_>, number: u32) -> Result<GameReport> {
    let id = GameId(number - 1);
    require_games(corpus, [id])?;
    let row = GameRow::from_game(corpus, id)
        .ok_or_else(|| CliFailure::unsuitable(path, corpus.no_such_game(id.0).to_string()))?;
    let asked = AskedGame { query, path, corpus, game: span_of_game(corpus, id) };
    let why = plyfold_core::query::why_not::why_not(&query.tree, |part| asked.plies(part))?;
    let (white, black) = (row.white.to_owned(), row.black.to_owned());
    Ok(GameReport { query: query.text.clone(), game: id.number(), white, black, why })
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
            names: ShownNames::default(),
        };
        let mut asked = asked.with_tables(tables);
        CurrentSets::new(self.path, self.corpus).bind_to_games(&mut asked, self.game.as_slice())?;
        let positions = Some(PositionSelection::default());
        let selection = ReducerSelection { games: true, positions, ..ReducerSelection::default() };
        let found = run_query(self.game.as_slice(), &asked.query, &selection, &())?;
        let matches = found.games.is_some_and(|games| games.count() > 0);
        let plies = found.positions.unwrap_or_default().into_iter().map(|position| position.ply.0);
        Ok(matches.then(|| plies.collect()))
    }
}

impl GameReport {
    /// Writes it as text.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "Game {}, {} - {}, ", grouped(self.game), self.white, self.black)?;
        let WhyNot { matches, parts, drop } = &self.why;
        let verdict = if *matches { "matches" } else { "does not match" };
        style_of(*matches).of(|| writeln!(out, "{verdict}"))?;
        parts.iter().try_for_each(|part| write_part(part, out, 1))?;
        if !drop.is_empty() {
            writeln!(out, "It matches without: {}", drop.join(", "))?;
        } else if !matches && parts.iter().all(|part| part.matches) {
            writeln!(out, "Each part holds by itself, but not for the same pieces.")?;
        }
        Ok(())
    }
}

fn style_of(matches: bool) -> Style {
    if matches { Style::Match } else { Style::Failure }
}

fn write_part(part: &AskedPart, out: &mut dyn Write, depth: usize) -> Result<()> {
    let indent = "  ".repeat(depth);
    write!(out, "{indent}")?;
    style_of(part.matches).of(|| write!(out, "{}", if part.matches { "yes" } else { "no " }))?;
    writeln!(out, "  {}", part.text)?;
    if let Some(Occurrences { positions, first_ply: Some(ply) }) = &part.without_window {
        let times = if *positions == 1 { "ply".to_owned() } else { format!("{positions} plies, first") };
        writeln!(out, "{indent}     holds after {times} {ply}, but not as its words about plies ask")?;
    }
    if let Some(Nearest { ply, holds, fails }) = &part.nearest {
        let (holds, fails) = (holds.join(", "), fails.join(", "));
        writeln!(out, "{indent}     comes nearest after ply {ply}: {holds}; but not {fails}")?;
    }
    part.parts.iter().try_for_each(|part| write_part(part, out, depth + 1))
}
