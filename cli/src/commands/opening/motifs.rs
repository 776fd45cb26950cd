//! The motifs of tactics in the games of an opening, by side, with White's score where they came up.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::corpus_spans;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReduceRequest, ReducerSelection, run_queries};
use plyfold_core::scan::predicate::Motif;

use super::super::player::games::{OwnGame, OwnScore};
use super::super::player::tables::{ScoreRow, ranked};
use crate::failure::Result;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;

/// The scores of the games in which a side made a move with a motif. `query` finds the games.
///
/// # Errors
///
/// The scan was cancelled.
pub fn scores(corpus: &JoinedCorpus<'_>, set: &GameSet, games: &[OwnGame<'_>], query: &str) -> Result<Vec<ScoreRow>> {
    let names = Motif::ALL.iter().filter_map(|motif| motif.words().0.first());
    let names: Vec<String> = names.flat_map(|name| ["white", "black"].map(|side| format!("{side} {name}"))).collect();
    let queries = names.iter().map(|name| CommandQuery::new(name)).collect::<Result<Vec<_>>>()?;
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let requests: Vec<ReduceRequest<'_>> = queries
        .iter()
        .map(|one| ReduceRequest { query: &one.query, within: Some(set), selection: &selection })
        .collect();
    let found = run_queries(&corpus_spans(corpus), &requests, &ScanProgress::for_games(corpus.header.games))?;
    let rows = names.into_iter().zip(found).map(|(name, found)| {
        let set = found.games.unwrap_or_default();
        let score = OwnScore::of(games.iter().filter(|game| set.contains(game.id)));
        ScoreRow { condition: Some(format!("{query} and {name}")), name, score }
    });
    Ok(ranked(rows.filter(|row| row.score.games() > 0).collect()))
}
