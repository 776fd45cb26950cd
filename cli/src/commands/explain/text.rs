//! Writes the report of `plyfold explain` as text.

use std::io::Write;

use plyfold_core::scan::plan::AccessPath;
use plyfold_core::transform;
use plyfold_terminal::style::Style;

use super::skipping::{HomePawnSquares, SkipReasons, SkippedWork};
use super::{ConditionReport, Explained, PredicateReport, ReplayPass, ReplayReport};
use crate::failure::Result;

/// The largest number of images that are named.
const MAX_IMAGES: usize = 16;

pub(super) fn write(out: &mut dyn Write, explained: &Explained) -> Result<()> {
    let Explained { query, reads_as, conditions, predicates, board, cut_offs, .. } = explained;
    if conditions.is_empty() {
        writeln!(out, "(every position)\n\nEvery game and every position matches, so no moves are replayed.")?;
        return Ok(());
    }
    Style::Heading.of(|| writeln!(out, "{query}"))?;
    if query != reads_as {
        writeln!(out, "is read as")?;
        Style::Heading.of(|| writeln!(out, "{reads_as}"))?;
    }
    write_meaning(out, explained)?;

    Style::Dim.of(|| writeln!(out, "\nWhere predicates are tested, in the order of the query:"))?;
    for (nth, PredicateReport { text, tested, depends_on, board, .. }) in predicates.iter().enumerate() {
        if nth == 0 || predicates[nth - 1].text != *text {
            Style::Heading.of(|| writeln!(out, "  {text}"))?;
        }
        writeln!(out, "     {tested}")?;
        if *board {
            writeln!(out, "     depends on {depends_on}")?;
        }
    }
    match board.needed {
        true => write_replays(out, board, predicates)?,
        false if predicates.iter().any(|one| one.source == AccessPath::Tables.name()) => {
            writeln!(out, "A board is needed only where few enough pieces are left for the tables.")?;
        }
        false => writeln!(out, "No board is needed.")?,
    }
    write_skipped_work(out, cut_offs)?;
    writeln!(
        out,
        "If only games are counted or listed, the scan leaves a game as soon as it knows whether the game matches;\n\
         the count and the list of positions, and what is made of them as the heatmap is, need every matching position."
    )?;
    Ok(())
}

fn write_meaning(out: &mut dyn Write, explained: &Explained) -> Result<()> {
    let Explained { verdict, positions, conditions, braces, notices, has_windows, .. } = explained;
    let of_positions = conditions.iter().filter(|told| !told.by_header).count();
    Style::Dim.of(|| match (&**verdict, conditions.len()) {
        ("1", 1) => writeln!(out, "\nA game matches if this condition holds:"),
        ("not 1", 1) => writeln!(out, "\nA game matches if this condition never holds:"),
        (verdict, _) if of_positions < 2 => writeln!(out, "\nA game matches if {verdict}:"),
        (verdict, _) => writeln!(out, "\nA game matches if {verdict}, each condition at a position of its own:"),
    })?;
    for ConditionReport { number, text, holds, implies, by_header, .. } in conditions {
        write!(out, "  {number}  ")?;
        Style::Heading.of(|| writeln!(out, "{text}"))?;
        writeln!(out, "     {holds}")?;
        match implies {
            _ if *by_header => {}
            Some(implied) => writeln!(out, "     implies: {implied}")?,
            None => writeln!(out, "     implies nothing about the pieces")?,
        }
    }
    let unasked = if !*has_windows { "" } else { ", whatever the rest of the game" };
    match (&**positions, conditions.len()) {
        ("1", 1) if of_positions == 0 => writeln!(out, "All positions of the matching games match.")?,
        ("1", 1) => writeln!(out, "A position matches if the condition holds there{unasked}.")?,
        ("not 1", 1) => writeln!(out, "A position matches if the condition does not hold there{unasked}.")?,
        (positions, _) => writeln!(out, "A position matches if {positions} there{unasked}.")?,
    }
    if let Some(braces) = braces {
        writeln!(out, "{braces}")?;
    }
    for images in &explained.images {
        let more = images.len().saturating_sub(MAX_IMAGES);
        let named = images.iter().take(MAX_IMAGES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let number = if images.len() == 1 { "1 image".to_owned() } else { format!("{} images", images.len()) };
        writeln!(out, "It looks for {number}: {}{rest}.", transform::names_for_players(&named))?;
    }
    for notice in notices {
        Style::Note.of(|| writeln!(out, "Note: {notice}."))?;
    }
    Ok(())
}

fn write_replays(out: &mut dyn Write, board: &ReplayReport, predicates: &[PredicateReport]) -> Result<()> {
    writeln!(out, "The remaining games need a board, which keeps {}.", board.keeps)?;
    for ReplayPass { policy, keeps, predicates: numbers } in &board.replays {
        let texts = numbers.iter().filter_map(|number| predicates.get(number - 1));
        let mut texts: Vec<String> = texts.map(|tested| format!("`{}`", tested.text)).collect();
        texts.dedup();
        writeln!(out, "  The replay uses the policy `{policy}` (it keeps {keeps}) for {}.", texts.join(", "))?;
    }
    Ok(())
}

fn write_skipped_work(out: &mut dyn Write, cut_offs: &SkippedWork) -> Result<()> {
    let SkippedWork { headers_alone, always, for_games_alone, home_pawns } = cut_offs;
    if *headers_alone {
        writeln!(out, "\nThe headers decide, so no moves are replayed.")?;
        return Ok(());
    }
    writeln!(out)?;
    for (skips, alone, where_they) in [
        (always.by_headers, for_games_alone.by_headers, "their headers rule a match out"),
        (
            always.by_last_signature,
            for_games_alone.by_last_signature,
            "their final material signature rules a match out",
        ),
        (always.by_milestones, for_games_alone.by_milestones, "their home-pawn signature rules a match out"),
    ] {
        match (skips, alone) {
            (true, _) => writeln!(out, "Games are skipped without a replay if {where_they}.")?,
            (false, true) => {
                writeln!(out, "Unless positions are counted, games are skipped without a replay if {where_they}.")?
            }
            (false, false) => {}
        }
    }
    let none = SkipReasons { by_headers: false, by_last_signature: false, by_milestones: false };
    if *for_games_alone == none {
        writeln!(out, "No game can be skipped by its final material signature.")?;
    }
    let HomePawnSquares { white, black } = home_pawns;
    for (side, pawns) in [("White", white), ("Black", black)] {
        if !pawns.is_empty() {
            writeln!(out, "The scan leaves a game once {side} has no pawn on {}.", pawns.join(" or "))?;
        }
    }
    Ok(())
}
