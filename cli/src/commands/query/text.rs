//! The answer for reading.

use std::io::Write;

use super::{Form, Found, LookedAt};
use crate::draw;
use crate::facts::Facts;
use crate::failure::Result;
use crate::notice;
use crate::table::{Column, grouped, headings, percent, row};

const GAMES: &[Column] = &[
    Column("game", 7, true),
    Column("white", 22, false),
    Column("elo", 4, true),
    Column("black", 22, false),
    Column("elo", 4, true),
    Column("result", 7, false),
    Column("eco", 3, false),
    Column("date", 10, false),
    Column("plies", 5, true),
    Column("event", 26, false),
];

pub(super) fn write(out: &mut dyn Write, found: &Found<'_>) -> Result<()> {
    let Found { arguments, answers, corpus, stats, .. } = found;
    let text = &found.seek.text;
    writeln!(out, "{}", if text.is_empty() { "(every position)" } else { text })?;
    let counts = [
        ("games", answers.count.games, corpus.header.games),
        ("positions", answers.count.positions, corpus.header.plies),
    ];
    let wide = grouped(corpus.header.plies).len().max(1);
    for (name, count, all) in counts {
        writeln!(out, "  {name:<9}  {:>wide$} of {:>wide$}  ({})", grouped(count), grouped(all), percent(count, all))?;
    }
    if let Some(notice) = notice::of_positions(&found.seek.tree) {
        writeln!(out, "  Note: {notice}.")?;
    }
    if arguments.stats {
        writeln!(
            out,
            "  opened in {} ms, scanned in {} ms with {} threads",
            stats.open_ms, stats.scan_ms, stats.threads
        )?;
        writeln!(
            out,
            "  {} plies a second; the replay kept up {}",
            grouped(stats.plies_per_second as u64),
            stats.keeps
        )?;
        looked_at(out, &stats.looked_at, corpus.header.games, corpus.header.plies)?;
    }
    if arguments.games.is_some() {
        writeln!(out)?;
        headings(out, GAMES)?;
        for game in found.games().filter_map(|id| Facts::of(corpus, id)) {
            let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
            let (number, plies) = (game.number.to_string(), game.plies.to_string());
            let (white_elo, black_elo) = (elo(game.white_elo), elo(game.black_elo));
            let eco = game.eco.unwrap_or_default();
            let cells = [
                &number,
                game.white,
                &white_elo,
                game.black,
                &black_elo,
                game.result,
                &eco,
                &game.date,
                &plies,
                game.event,
            ];
            row(out, GAMES, cells)?;
        }
    }
    if let Some(heatmap) = &answers.heatmap {
        writeln!(out, "\nWhere the men stand, in percent of the matching positions\n")?;
        draw::heatmap(out, &heatmap.counts(), answers.count.positions)?;
    }
    if let Some(structures) = &answers.structures {
        writeln!(
            out,
            "\n{} different pawn structures; the {} most frequent, with their positions\n",
            grouped(structures.distinct),
            grouped(structures.top.len() as u64),
        )?;
        draw::structures(out, &structures.top)?;
    }
    if let Some(form) = arguments.positions {
        writeln!(out)?;
        positions(out, found, form)?;
    }
    Ok(())
}

/// What the scan looked at, of all games and plies.
fn looked_at(out: &mut dyn Write, looked_at: &LookedAt, games: u64, plies: u64) -> Result<()> {
    let wide = [games, plies, looked_at.plies_replayed, looked_at.plies_filtered, looked_at.events];
    let wide = wide.into_iter().map(|number| grouped(number).len()).max().unwrap_or_default();
    for (name, count, all) in [
        ("games skipped", looked_at.games_skipped, games),
        ("games replayed", looked_at.games_replayed, games),
        ("plies replayed", looked_at.plies_replayed, plies),
        ("plies filtered by squares", looked_at.plies_filtered, plies),
        ("plies not looked at", looked_at.plies_skipped, plies),
    ] {
        writeln!(out, "  {name:<25}  {:>wide$}  ({})", grouped(count), percent(count, all))?;
    }
    writeln!(out, "  {:<25}  {:>wide$}", "events of games", grouped(looked_at.events))?;
    Ok(())
}

fn positions(out: &mut dyn Write, found: &Found<'_>, form: Form) -> Result<()> {
    if form.has_ref() {
        writeln!(out, "   game   ply{}", if form.has_fen() { "  position" } else { "" })?;
    }
    let mut positions = found.positions(form);
    for position in positions.by_ref() {
        if form.has_ref() {
            write!(out, "{:>7} {:>5}{}", position.game, position.ply, if form.has_fen() { "  " } else { "\n" })?;
        }
        if let Some(fen) = position.fen {
            writeln!(out, "{fen}")?;
        }
    }
    if let Some(distinct) = positions.distinct() {
        writeln!(out, "\n{} different positions match", grouped(distinct))?;
    }
    Ok(())
}
