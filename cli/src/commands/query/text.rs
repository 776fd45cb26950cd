//! Results as text.

use std::io::Write;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::reduce::QueryResults;
use plyfold_core::reduce::endgames::EndgameSummary;
use plyfold_core::transform;
use plyfold_files::PrintablePath;
use plyfold_terminal::table::{TextColumn, grouped, percent, write_headings, write_row};

use super::{QueryReport, ScannedWork};
use crate::diagram;
use crate::failure::Result;
use crate::game_row::{GameRow, member_of_number};
use crate::positions::PositionFormat;
use crate::report::{GamesByResult, GroupsReport, NextMovesReport, PartitionReport};
use crate::warning;

const GAMES: &[TextColumn] = &[
    TextColumn("game", 7, true),
    TextColumn("white", 22, false),
    TextColumn("elo", 4, true),
    TextColumn("black", 22, false),
    TextColumn("elo", 4, true),
    TextColumn("result", 7, false),
    TextColumn("eco", 3, false),
    TextColumn("date", 10, false),
    TextColumn("plies", 5, true),
    TextColumn("event", 26, false),
    // Of a library: the corpus, and the number there.
    TextColumn("corpus", 60, false),
];

pub(in crate::commands) fn write(out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
    let QueryReport { options: question, answers, corpus, .. } = found;
    let text = &found.command_query.text;
    writeln!(out, "{}", if text.is_empty() { "(every position)" } else { text })?;
    write_counts(out, found)?;
    if question.stats {
        write_stats(out, found)?;
    }
    if question.games.is_some() {
        writeln!(out)?;
        games(out, corpus, found.listed_games())?;
    }
    write_boards(out, answers)?;
    for groups in found.groups_reports() {
        write_groups(out, &groups, answers.count.positions)?;
    }
    for partition in found.partition_reports() {
        write_partition(out, &partition, answers.count.games)?;
    }
    if !found.saved_parts.is_empty() {
        writeln!(out, "Saved as {}", found.saved_parts.join(", "))?;
    }
    if let Some(next) = found.next_moves_report() {
        write_next(out, &next)?;
    }
    if let Some(endgames) = &answers.endgames {
        write_endgames(out, endgames, question.top)?;
    }
    if let Some(form) = question.positions {
        writeln!(out)?;
        positions(out, found, form)?;
    }
    Ok(())
}

/// How many games and positions match, and the notes on these numbers.
fn write_counts(out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
    let QueryReport { answers, corpus, .. } = found;
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
    if let Some(place) = &found.saved_games {
        writeln!(out, "  the games are saved in {}", PrintablePath(place))?;
    }
    for notice in warning::window_warning(found.command_query).iter().chain(&found.notes) {
        writeln!(out, "  Note: {notice}.")?;
    }
    Ok(())
}

/// The time of the scan, and what it looked at.
fn write_stats(out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
    let QueryReport { corpus, stats, .. } = found;
    writeln!(out, "  opened in {} ms, scanned in {} ms with {} threads", stats.open_ms, stats.scan_ms, stats.threads)?;
    writeln!(out, "  {} plies a second; the replay kept {}", grouped(stats.plies_per_second as u64), stats.keeps)?;
    looked_at(out, &stats.looked_at, corpus.header.games, corpus.header.plies)
}

/// The heatmap and the pawn structures.
fn write_boards(out: &mut dyn Write, answers: &QueryResults) -> Result<()> {
    if let Some(heatmap) = answers.heatmap.as_ref().filter(|_| answers.count.positions > 0) {
        writeln!(out, "\nWhere the pieces stand, in percent of the matching positions\n")?;
        diagram::heatmap(out, &heatmap.counts(), answers.count.positions)?;
    }
    if let Some(structures) = &answers.structures {
        writeln!(
            out,
            "\n{} different pawn structures; the {} most frequent, with their positions\n",
            grouped(structures.distinct),
            grouped(structures.top.len() as u64),
        )?;
        diagram::structures(out, &structures.top)?;
    }
    Ok(())
}

/// The results of this many games in percent: White, drawn, Black.
fn result_shares(results: &GamesByResult, games: u64) -> [String; 3] {
    let [white, draw, black, _] = results.as_array();
    [white, draw, black].map(|part| percent(part, games))
}

const GROUPS: &[TextColumn] = &[
    TextColumn("positions", 12, true),
    TextColumn("share", 7, true),
    TextColumn("games", 10, true),
    TextColumn("White won", 9, true),
    TextColumn("drawn", 7, true),
    TextColumn("Black won", 9, true),
    TextColumn("key", 44, false),
];

fn write_groups(out: &mut dyn Write, groups: &GroupsReport, positions: u64) -> Result<()> {
    let GroupsReport { key, distinct, groups, .. } = groups;
    writeln!(out, "\nBy {key}: {} different", grouped(*distinct))?;
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    write_headings(out, GROUPS)?;
    for group in groups {
        let (number, games) = (grouped(group.positions), grouped(group.games));
        let [white, draw, black] = result_shares(&group.results, group.games);
        let share = percent(group.positions, positions);
        write_row(out, GROUPS, [&*number, &share, &games, &white, &draw, &black, &group.name])?;
    }
    write_omitted(out, *distinct, groups.len())
}

/// How many rows were left out.
fn write_omitted(out: &mut dyn Write, all: u64, listed: usize) -> Result<()> {
    match all - listed as u64 {
        0 => {}
        left => writeln!(out, "and {} more (--top lists more)", grouped(left))?,
    }
    Ok(())
}

const PARTS: &[TextColumn] =
    &[TextColumn("games", 10, true), TextColumn("share", 7, true), TextColumn("key", 60, false)];

fn write_partition(out: &mut dyn Write, partition: &PartitionReport, games: u64) -> Result<()> {
    let PartitionReport { key, rule, parts, distinct } = partition;
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
    write_headings(out, PARTS)?;
    for part in parts {
        write_row(out, PARTS, [&*grouped(part.games), &percent(part.games, games), &part.name])?;
    }
    write_omitted(out, *distinct, parts.len())
}

const NEXT: &[TextColumn] = &[
    TextColumn("move", 12, false),
    TextColumn("games", 11, true),
    TextColumn("share", 7, true),
    TextColumn("White won", 9, true),
    TextColumn("drawn", 7, true),
    TextColumn("Black won", 9, true),
    TextColumn("Elo", 5, true),
    TextColumn("performance", 11, true),
    TextColumn("last played", 11, false),
];

fn write_next(out: &mut dyn Write, next: &NextMovesReport) -> Result<()> {
    let (games, positions) = (grouped(next.games), grouped(next.positions));
    writeln!(out, "\nNext moves of {positions} positions in {games} games")?;
    if next.moves.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    write_headings(out, NEXT)?;
    for one in &next.moves {
        let [white, draw, black] = result_shares(&one.results, one.games);
        let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
        // In several positions, moves of different pieces may have the same SAN.
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
        write_row(out, NEXT, cells.iter().map(String::as_str))?;
    }
    write_omitted(out, next.distinct, next.moves.len())
}

const ENDGAMES: &[TextColumn] = &[
    TextColumn("material", 14, false),
    TextColumn("games", 9, true),
    TextColumn("won", 8, true),
    TextColumn("drawn", 8, true),
    TextColumn("lost", 8, true),
    TextColumn("unknown", 8, true),
    TextColumn("wins", 6, true),
    TextColumn("draws", 6, true),
    TextColumn("wins", 6, true),
    TextColumn("draws", 6, true),
];

/// The first `most` endgames.
fn write_endgames(out: &mut dyn Write, endgames: &[EndgameSummary], most: usize) -> Result<()> {
    let distinct = endgames.len() as u64;
    writeln!(out, "\nEndgames of the matching games: {} different", grouped(distinct))?;
    let listed = &endgames[..endgames.len().min(most)];
    if listed.is_empty() {
        return Ok(());
    }
    writeln!(out, "won, drawn, lost: for the side that is named first, when the material arose;")?;
    writeln!(out, "wins and draws: how often that side threw them away, and then how often the other side did\n")?;
    write_headings(out, ENDGAMES)?;
    for EndgameSummary { material, totals } in listed {
        let numbers = totals.in_columns().map(grouped);
        write_row(out, ENDGAMES, [&**material].into_iter().chain(numbers.iter().map(String::as_str)))?;
    }
    write_omitted(out, distinct, listed.len())
}

/// A list of games, by their numbers from 0.
pub(in crate::commands) fn games(
    out: &mut dyn Write,
    corpus: &JoinedCorpus<'_>,
    ids: impl Iterator<Item = GameId>,
) -> Result<()> {
    let columns = if corpus.members().len() > 1 { GAMES } else { &GAMES[..GAMES.len() - 1] };
    write_headings(out, columns)?;
    for game in ids.filter_map(|id| GameRow::from_game(corpus, id)) {
        let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
        let (number, plies) = (game.number.to_string(), game.plies.to_string());
        let (white_elo, black_elo) = (elo(game.white_elo), elo(game.black_elo));
        let eco = game.eco.unwrap_or_default();
        let place = place_text(game.corpus.zip(game.corpus_number));
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
            &place,
        ];
        write_row(out, columns, cells)?;
    }
    Ok(())
}

/// Where a game of a library lies, such as `games/may.plyfold 12`; empty without a library.
fn place_text(place: Option<(&str, u64)>) -> String {
    place.map_or(String::new(), |(name, number)| format!("{name} {number}"))
}

/// The work of the scan, in relation to all games and plies.
fn looked_at(out: &mut dyn Write, looked_at: &ScannedWork, games: u64, plies: u64) -> Result<()> {
    let wide = [games, plies, looked_at.plies_replayed, looked_at.plies_filtered, looked_at.events];
    let wide = wide.into_iter().map(|number| grouped(number).len()).max().unwrap_or_default();
    for (name, count, all) in [
        ("games skipped", looked_at.games_skipped, games),
        ("games replayed", looked_at.games_replayed, games),
        ("plies replayed", looked_at.plies_replayed, plies),
        ("plies filtered by squares", looked_at.plies_filtered, plies),
        ("plies skipped", looked_at.plies_skipped, plies),
    ] {
        writeln!(out, "  {name:<25}  {:>wide$}  ({})", grouped(count), percent(count, all))?;
    }
    writeln!(out, "  {:<25}  {:>wide$}", "events of games", grouped(looked_at.events))?;
    if looked_at.table_positions > 0 {
        let (positions, probes) = (grouped(looked_at.table_positions), grouped(looked_at.table_probes));
        writeln!(out, "  {:<25}  {positions:>wide$}", "positions of few pieces")?;
        writeln!(out, "  {:<25}  {probes:>wide$}", "asked of endgame tables")?;
    }
    Ok(())
}

fn positions(out: &mut dyn Write, found: &QueryReport<'_>, form: PositionFormat) -> Result<()> {
    if form.has_ref() {
        writeln!(out, "   game   ply{}", if form.has_fen() { "  position" } else { "" })?;
    }
    let mut positions = found.position_stream(form);
    for position in positions.by_ref() {
        if form.has_ref() {
            write!(out, "{:>7} {:>5}{}", position.game, position.ply, if form.has_fen() { "  " } else { "" })?;
        }
        if let Some(fen) = position.fen {
            write!(out, "{fen}")?;
        }
        if form == PositionFormat::Hash {
            write!(out, "{:016x}", position.hash)?;
        }
        if let Some(names) = position.images.filter(|names| !names.is_empty()) {
            write!(out, "  as {}", transform::names_for_players(&names.join(", ")))?;
        }
        let place = form.has_ref().then(|| place_text(member_of_number(found.corpus, position.game)));
        match place.filter(|place| !place.is_empty()) {
            Some(place) => writeln!(out, "  {place}")?,
            None => writeln!(out)?,
        }
    }
    if let Some(distinct) = positions.distinct() {
        writeln!(out, "\n{} different positions match", grouped(distinct))?;
    }
    Ok(())
}
