//! The answer for spreadsheets: one table, its first line the names of the columns.

use std::io::Write;

use plyfold_core::corpus::file::Corpus;

use super::Found;
use crate::draw::squares;
use crate::facts::Facts;
use crate::failure::Result;
use crate::table::csv;

pub(super) fn write(out: &mut dyn Write, found: &Found<'_>) -> Result<()> {
    let Found { arguments, answers, corpus, .. } = found;
    if arguments.games.is_some() {
        games(out, corpus, found.games())?;
    }
    if let Some(form) = arguments.positions {
        let names = ["game", "ply", "fen"].into_iter();
        csv(out, names.filter(|&name| if name == "fen" { form.has_fen() } else { form.has_ref() }))?;
        for position in found.positions(form) {
            let reference = form.has_ref().then(|| [position.game.to_string(), position.ply.to_string()]);
            let fields = reference.iter().flatten().map(String::as_str);
            csv(out, fields.chain(position.fen.as_deref()))?;
        }
    }
    if let Some(heatmap) = &answers.heatmap {
        csv(out, ["colour", "man", "square", "positions"])?;
        for (colour, counts) in ["white", "black"].into_iter().zip(heatmap.counts()) {
            for (man, counts) in ["pawn", "knight", "bishop", "rook", "queen", "king"].into_iter().zip(counts) {
                for (square, count) in squares(u64::MAX).iter().zip(counts) {
                    csv(out, [colour, man, square, &count.to_string()])?;
                }
            }
        }
    }
    if let Some(structures) = &answers.structures {
        csv(out, ["rank", "positions", "white", "black", "white_squares", "black_squares"])?;
        for (rank, structure) in (1..).zip(&structures.top) {
            csv(
                out,
                [
                    &format!("{rank}"),
                    &structure.count.to_string(),
                    &format!("{:016x}", structure.white),
                    &format!("{:016x}", structure.black),
                    &squares(structure.white).join(" "),
                    &squares(structure.black).join(" "),
                ],
            )?;
        }
    }
    for groups in found.groups() {
        csv(out, [&*groups.key, "positions", "games", "white", "draw", "black", "unknown", "first_game", "first_ply"])?;
        for group in groups.groups {
            let [white, draw, black, unknown] = group.results.each();
            let (game, ply) = (group.first_game, u64::from(group.first_ply));
            let numbers = [group.positions, group.games, white, draw, black, unknown, game, ply];
            csv(out, [group.name].into_iter().chain(numbers.map(|number| number.to_string())))?;
        }
    }
    for partition in found.partitions() {
        csv(out, [&*partition.key, "games"])?;
        for part in partition.parts {
            csv(out, [part.name, part.games.to_string()])?;
        }
    }
    if let Some(next) = found.next() {
        let rated = ["average_elo", "performance", "last_played"];
        csv(out, ["san", "uci", "games", "times", "white", "draw", "black", "unknown"].into_iter().chain(rated))?;
        for one in next.moves {
            let [white, draw, black, unknown] = one.results.each();
            let numbers = [one.games, one.times, white, draw, black, unknown].map(|number| number.to_string());
            let elo = one.average_elo.map_or_else(String::new, |elo| elo.to_string());
            let performance = one.performance.map_or_else(String::new, |performance| performance.to_string());
            let rated = [elo, performance, one.last_played.unwrap_or_default()];
            csv(out, [one.san, one.uci].into_iter().chain(numbers).chain(rated))?;
        }
    }
    Ok(())
}

/// A list of games, by their numbers from 0.
pub(in crate::commands) fn games(
    out: &mut dyn Write,
    corpus: &Corpus<'_>,
    ids: impl Iterator<Item = u32>,
) -> Result<()> {
    csv(
        out,
        [
            "number",
            "white",
            "black",
            "white_elo",
            "black_elo",
            "result",
            "eco",
            "date",
            "event",
            "site",
            "plies",
            "ending",
            "time_class",
        ],
    )?;
    for game in ids.filter_map(|id| Facts::of(corpus, id)) {
        let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
        csv(
            out,
            [
                &game.number.to_string(),
                game.white,
                game.black,
                &elo(game.white_elo),
                &elo(game.black_elo),
                game.result,
                game.eco.as_deref().unwrap_or(""),
                &game.date,
                game.event,
                game.site,
                &game.plies.to_string(),
                game.ending,
                game.time_class,
            ],
        )?;
    }
    Ok(())
}
