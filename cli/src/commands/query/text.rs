//! The answer for reading.

use std::io::Write;

use plyfold_core::corpus::file::Corpus;
use plyfold_files::Shown;

use super::{Found, LookedAt};
use crate::draw;
use crate::facts::Facts;
use crate::failure::Result;
use crate::notice;
use crate::positions::Form;
use crate::table::{Column, grouped, headings, percent, row};
use crate::told::{ByResult, Groups, NextMoves, Partition};

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

pub(in crate::commands) fn write(out: &mut dyn Write, found: &Found<'_>) -> Result<()> {
    let Found { question, answers, corpus, stats, .. } = found;
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
    if let Some((set, games)) = found.within {
        writeln!(out, "  within     {set}: {} games", grouped(games))?;
    }
    if let Some(place) = &found.saved {
        writeln!(out, "  the games are kept in {}", Shown(place))?;
    }
    if let Some(notice) = notice::of_positions(&found.seek.tree) {
        writeln!(out, "  Note: {notice}.")?;
    }
    if question.stats {
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
    if question.games.is_some() {
        writeln!(out)?;
        games(out, corpus, found.games())?;
    }
    if let Some(heatmap) = answers.heatmap.as_ref().filter(|_| answers.count.positions > 0) {
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
    for groups in found.groups() {
        write_groups(out, &groups, answers.count.positions)?;
    }
    for partition in found.partitions() {
        write_partition(out, &partition, answers.count.games)?;
    }
    if !found.parts.is_empty() {
        writeln!(out, "Kept as {}", found.parts.join(", "))?;
    }
    if let Some(next) = found.next() {
        write_next(out, &next)?;
    }
    if let Some(form) = question.positions {
        writeln!(out)?;
        positions(out, found, form)?;
    }
    Ok(())
}

/// Results of so many games in percent: White, drawn, Black.
fn shares(results: &ByResult, games: u64) -> [String; 3] {
    let [white, draw, black, _] = results.each();
    [white, draw, black].map(|part| percent(part, games))
}

const GROUPS: &[Column] = &[
    Column("positions", 12, true),
    Column("share", 7, true),
    Column("games", 10, true),
    Column("White won", 9, true),
    Column("drawn", 7, true),
    Column("Black won", 9, true),
    Column("key", 44, false),
];

fn write_groups(out: &mut dyn Write, groups: &Groups, positions: u64) -> Result<()> {
    let Groups { key, distinct, groups, .. } = groups;
    writeln!(out, "\nBy {key}: {} different", grouped(*distinct))?;
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headings(out, GROUPS)?;
    for group in groups {
        let (number, games) = (grouped(group.positions), grouped(group.games));
        let [white, draw, black] = shares(&group.results, group.games);
        let share = percent(group.positions, positions);
        row(out, GROUPS, [&*number, &share, &games, &white, &draw, &black, &group.name])?;
    }
    more(out, *distinct, groups.len())
}

/// What was left out.
fn more(out: &mut dyn Write, all: u64, listed: usize) -> Result<()> {
    match all - listed as u64 {
        0 => {}
        left => writeln!(out, "and {} more (--top lists more)", grouped(left))?,
    }
    Ok(())
}

const PARTS: &[Column] = &[Column("games", 10, true), Column("share", 7, true), Column("key", 60, false)];

fn write_partition(out: &mut dyn Write, partition: &Partition, games: u64) -> Result<()> {
    let Partition { key, rule, parts, distinct } = partition;
    let of = match *rule {
        "first" => "the first matching position",
        "ever" => "every matching position",
        _ => "the last matching position",
    };
    writeln!(out, "\nGames by {key} of {of}: {} different", grouped(*distinct))?;
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headings(out, PARTS)?;
    for part in parts {
        row(out, PARTS, [&*grouped(part.games), &percent(part.games, games), &part.name])?;
    }
    more(out, *distinct, parts.len())
}

const NEXT: &[Column] = &[
    Column("move", 12, false),
    Column("games", 11, true),
    Column("share", 7, true),
    Column("White won", 9, true),
    Column("drawn", 7, true),
    Column("Black won", 9, true),
    Column("Elo", 5, true),
    Column("performance", 11, true),
    Column("last played", 11, false),
];

fn write_next(out: &mut dyn Write, next: &NextMoves) -> Result<()> {
    let (games, positions) = (grouped(next.games), grouped(next.positions));
    writeln!(out, "\nNext moves of {positions} positions in {games} games")?;
    if next.moves.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headings(out, NEXT)?;
    for one in &next.moves {
        let [white, draw, black] = shares(&one.results, one.games);
        let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
        // Of several positions, moves of different men may be written alike.
        let alike = next.moves.iter().filter(|other| other.san == one.san).count() > 1;
        let cells = [
            if alike { format!("{} {}", one.san, one.uci) } else { one.san.clone() },
            grouped(one.games),
            percent(one.games, next.games),
            white,
            draw,
            black,
            number(one.average_elo.map(i64::from)),
            number(one.performance),
            one.last_played.clone().unwrap_or_default(),
        ];
        row(out, NEXT, cells.iter().map(String::as_str))?;
    }
    more(out, next.distinct, next.moves.len())
}

/// A list of games, by their numbers from 0.
pub(in crate::commands) fn games(
    out: &mut dyn Write,
    corpus: &Corpus<'_>,
    ids: impl Iterator<Item = u32>,
) -> Result<()> {
    headings(out, GAMES)?;
    for game in ids.filter_map(|id| Facts::of(corpus, id)) {
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
            write!(out, "{:>7} {:>5}{}", position.game, position.ply, if form.has_fen() { "  " } else { "" })?;
        }
        if let Some(fen) = position.fen {
            write!(out, "{fen}")?;
        }
        if form == Form::Hash {
            write!(out, "{:016x}", position.hash)?;
        }
        match position.images.filter(|names| !names.is_empty()) {
            Some(names) => writeln!(out, "  as {}", names.join(", "))?,
            None => writeln!(out)?,
        }
    }
    if let Some(distinct) = positions.distinct() {
        writeln!(out, "\n{} different positions match", grouped(distinct))?;
    }
    Ok(())
}
