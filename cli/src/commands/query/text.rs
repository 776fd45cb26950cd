//! Writes results as text.

use std::io::Write;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::heatmap::Heatmap;
use plyfold_core::reduce::output::OutputResult;
use plyfold_core::reduce::structures::TopStructures;
use plyfold_core::transform;
use plyfold_files::PrintablePath;
use plyfold_terminal::style::Style;
use plyfold_terminal::table::{TextColumn, grouped, percent, write_headings, write_row};

use super::{QueryReport, ScannedWork};
use crate::diagram;
use crate::failure::Result;
use crate::game_row::{GameRow, member_of_number};
use crate::positions::PositionFormat;
use crate::tag_columns::ListedTags;
use crate::{result_tables, warning};

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

/// The least width of a column of tags.
const TAG_WIDTH: usize = 16;

pub(in crate::commands) fn write(out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
    let QueryReport { options: question, answers, corpus, .. } = found;
    let text = &found.command_query.text;
    let title = if text.is_empty() { "(every position)" } else { text };
    Style::Heading.of(|| writeln!(out, "{title}"))?;
    write_counts(out, found)?;
    if question.stats {
        write_stats(out, found)?;
    }
    if question.games.is_some() {
        writeln!(out)?;
        games(out, corpus, found.listed_games(), &found.tags)?;
    }
    for result in &answers.outputs {
        write_output(out, result, answers.count)?;
    }
    if !found.saved_parts.is_empty() {
        writeln!(out, "Saved as {}", found.saved_parts.join(", "))?;
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
        write!(out, "  {name:<9}  ")?;
        Style::Figure.of(|| write!(out, "{:>wide$}", grouped(count)))?;
        writeln!(out, " of {:>wide$}  ({})", grouped(all), percent(count, all))?;
    }
    if let Some((set, games)) = found.within {
        writeln!(out, "  within     {set}: {} games", grouped(games))?;
    }
    if let Some(place) = &found.saved_games {
        writeln!(out, "  the games are saved in {}", PrintablePath(place))?;
    }
    for notice in warning::window_warning(found.command_query).iter().chain(&found.notes) {
        Style::Note.of(|| writeln!(out, "  Note: {notice}."))?;
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

/// An output: a drawing if it is of boards, otherwise its table.
fn write_output(out: &mut dyn Write, result: &OutputResult, count: MatchCount) -> Result<()> {
    if let Some(heatmap) = result.of_type::<Heatmap>() {
        if count.positions > 0 {
            Style::Heading.of(|| writeln!(out, "\nWhere the pieces stand, in percent of the matching positions\n"))?;
            diagram::heatmap(out, &heatmap.counts(), count.positions)?;
        }
        return Ok(());
    }
    if let Some(TopStructures { distinct, top, .. }) = result.of_type() {
        let (distinct, listed) = (grouped(*distinct), grouped(top.len() as u64));
        let title = "different pawn structures";
        Style::Heading
            .of(|| writeln!(out, "\n{distinct} {title}; the {listed} most frequent, with their positions\n"))?;
        return Ok(diagram::structures(out, top)?);
    }
    result_tables::text::write(out, result, count)
}

/// A list of games, by their numbers from 0, with their tags as further columns.
pub(in crate::commands) fn games(
    out: &mut dyn Write,
    corpus: &JoinedCorpus<'_>,
    ids: impl Iterator<Item = GameId>,
    tags: &ListedTags,
) -> Result<()> {
    let headers = if corpus.members().len() > 1 { GAMES } else { &GAMES[..GAMES.len() - 1] };
    let of_tags = tags.names().iter().map(|name| TextColumn(name, name.len().max(TAG_WIDTH), false));
    let columns: Vec<TextColumn<'_>> =
        headers.iter().map(|&TextColumn(name, width, right)| TextColumn(name, width, right)).chain(of_tags).collect();
    write_headings(out, &columns)?;
    for (nth, game) in ids.filter_map(|id| GameRow::from_game(corpus, id)).enumerate() {
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
        let cells = cells.into_iter().take(headers.len()).chain(tags.of_listed(nth).map(Option::unwrap_or_default));
        write_row(out, &columns, cells)?;
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
        Style::Dim.of(|| writeln!(out, "   game   ply{}", if form.has_fen() { "  position" } else { "" }))?;
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
    if let Some(distinct) = found.answers.distinct_positions.or(positions.distinct()) {
        writeln!(out, "\n{} different positions match", grouped(distinct))?;
    }
    Ok(())
}
