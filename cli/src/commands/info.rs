//! `plyfold info`: what is in a corpus, and whether its bytes are sound.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::corpus::record::{CHESS960, OWN_START, Outcome};
use plyfold_files::Shown;
use serde::Serialize;

use crate::failure::Result;
use crate::opened::Opened;
use crate::table::{bytes, grouped, percent};
use crate::{Format, out};

/// Show what is in a corpus.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// Check every byte, the texts too.
    #[arg(long)]
    verify: bool,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What is known of a corpus, and the object in JSON.
#[derive(Serialize)]
struct Known {
    file: String,
    games: u64,
    plies: u64,
    shards: usize,
    /// Shards with signatures and courses; those of older versions have none.
    shards_with_signatures: usize,
    /// Shards with the facts of the headers by column; those of older versions have none.
    shards_with_columns: usize,
    bytes: u64,
    /// Bytes behind the last shard, left from an append that was broken off.
    unused_bytes: u64,
    /// Names the corpus for the sets that are made of it.
    id: String,
    verified: bool,
    players: usize,
    first_date: Option<String>,
    last_date: Option<String>,
    games_with_date: u64,
    games_with_both_elos: u64,
    games_with_eco: u64,
    games_from_own_start: u64,
    chess960_games: u64,
    results: BTreeMap<&'static str, u64>,
    endings: BTreeMap<&'static str, u64>,
    time_classes: BTreeMap<&'static str, u64>,
    /// The files that games came from, in the order of their first games.
    sources: Vec<Source>,
    /// Games of shards that do not tell: older versions did not write it down.
    games_of_unknown_source: u64,
    sections: Vec<Section>,
}

#[derive(Serialize)]
struct Source {
    file: String,
    games: u64,
}

#[derive(Serialize)]
struct Section {
    name: &'static str,
    bytes: u64,
}

/// Runs the command.
///
/// # Errors
///
/// A corpus that cannot be read, or is damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let opened = Opened::at(&arguments.corpus)?;
    let corpus = opened.corpus(if arguments.verify { Check::Whole } else { Check::Scan })?;
    let known = known(&opened, &corpus, arguments.verify);
    out::report(arguments.format, &known, |out| write_text(out, &known))
}

fn known(opened: &Opened, corpus: &Corpus<'_>, verified: bool) -> Known {
    let mut known = Known {
        file: opened.path().display().to_string(),
        games: corpus.header.games,
        plies: corpus.header.plies,
        shards: corpus.shards().len(),
        shards_with_signatures: corpus.shards().filter(|shard| shard.has_courses()).count(),
        shards_with_columns: corpus.shards().filter(|shard| shard.columns.is_some()).count(),
        bytes: corpus.header.length,
        unused_bytes: opened.size_bytes() - corpus.header.length,
        id: format!("{:016x}", corpus.header.id),
        verified,
        players: 0,
        first_date: None,
        last_date: None,
        games_with_date: 0,
        games_with_both_elos: 0,
        games_with_eco: 0,
        games_from_own_start: 0,
        chess960_games: 0,
        results: Outcome::ALL.iter().map(|result| (result.name(), 0)).collect(),
        endings: BTreeMap::new(),
        time_classes: BTreeMap::new(),
        sources: Vec::new(),
        games_of_unknown_source: 0,
        sections: Vec::new(),
    };
    let mut players = HashSet::new();
    let mut dates = None;
    for shard in corpus.shards() {
        for record in shard.records {
            players.extend([record.white, record.black].map(|player| shard.players.get(player)));
            *known.results.entry(record.result().name()).or_default() += 1;
            *known.endings.entry(record.ending().name()).or_default() += 1;
            *known.time_classes.entry(record.time_class().name()).or_default() += 1;
            known.games_with_both_elos += u64::from(record.white_elo != 0 && record.black_elo != 0);
            known.games_with_eco += u64::from(!record.eco.is_unknown());
            known.games_from_own_start += u64::from(record.flags() & OWN_START != 0);
            known.chess960_games += u64::from(record.flags() & CHESS960 != 0);
            if record.date.year() != 0 {
                known.games_with_date += 1;
                let (first, last) = dates.unwrap_or((record.date, record.date));
                dates = Some((first.min(record.date), last.max(record.date)));
            }
        }
        let games = shard.records.len() as u32;
        known.games_of_unknown_source += if shard.sources.is_empty() { u64::from(games) } else { 0 };
        for (from, to, name) in shard.sources.runs(games) {
            let (file, games) = (shard.sources.names.get(name), u64::from(to - from));
            match known.sources.iter_mut().find(|source| source.file == file) {
                Some(source) => source.games += games,
                None => known.sources.push(Source { file: file.to_owned(), games }),
            }
        }
        for (nth, (name, bytes)) in shard.sizes().into_iter().enumerate() {
            match known.sections.get_mut(nth) {
                Some(section) => section.bytes += bytes,
                None => known.sections.push(Section { name, bytes }),
            }
        }
    }
    players.retain(|&name| name != "?" && !name.is_empty());
    known.players = players.len();
    known.first_date = dates.map(|(first, _)| first.to_string());
    known.last_date = dates.map(|(_, last)| last.to_string());
    known
}

fn write_text(out: &mut dyn Write, known: &Known) -> Result<()> {
    let share = |part: u64| format!("{:>11}  {:>7}", grouped(part), percent(part, known.games));
    writeln!(out, "{}", Shown(Path::new(&known.file)))?;
    writeln!(out, "  {:<22} {:>11}", "games", grouped(known.games))?;
    writeln!(out, "  {:<22} {:>11}", "plies", grouped(known.plies))?;
    writeln!(out, "  {:<22} {:>11}", "players", grouped(known.players as u64))?;
    writeln!(out, "  {:<22} {:>11}", "shards", grouped(known.shards as u64))?;
    let with = grouped(known.shards_with_signatures as u64);
    let advice = match known.shards_with_signatures == known.shards {
        true => "",
        false => "  (queries are faster with the others too: plyfold upgrade)",
    };
    writeln!(out, "  {:<22} {:>11}{advice}", "  with signatures", with)?;
    let with = grouped(known.shards_with_columns as u64);
    let advice = match known.shards_with_columns == known.shards {
        true => "",
        false => "  (questions about headers are faster with the others too: plyfold upgrade)",
    };
    writeln!(out, "  {:<22} {:>11}{advice}", "  with header columns", with)?;
    writeln!(out, "  {:<22} {:>11}", "size", bytes(known.bytes))?;
    if known.unused_bytes > 0 {
        writeln!(
            out,
            "  {:<22} {:>11}  (an append was broken off; the next one removes them)",
            "unused",
            bytes(known.unused_bytes)
        )?;
    }
    if let (Some(first), Some(last)) = (&known.first_date, &known.last_date) {
        writeln!(out, "  {:<22} {first} to {last}", "dates")?;
    }
    writeln!(out, "  {:<22} {:>11}", "id", known.id)?;
    writeln!(out, "\nGames")?;
    let parts = [
        ("with a date", known.games_with_date),
        ("with both Elos", known.games_with_both_elos),
        ("with an opening code", known.games_with_eco),
        ("from their own start", known.games_from_own_start),
        ("Chess960", known.chess960_games),
    ];
    for (name, part) in parts {
        writeln!(out, "  {name:<22} {}", share(part))?;
    }
    for (heading, counts) in
        [("Results", &known.results), ("Endings", &known.endings), ("Time classes", &known.time_classes)]
    {
        writeln!(out, "\n{heading}")?;
        for (name, &count) in counts {
            writeln!(out, "  {name:<22} {}", share(count))?;
        }
    }
    if !known.sources.is_empty() {
        writeln!(out, "\nSource files")?;
        for Source { file, games } in &known.sources {
            writeln!(out, "  {:<22} {}", Shown(Path::new(file)), share(*games))?;
        }
        if known.games_of_unknown_source > 0 {
            writeln!(out, "  {:<22} {}", "(not known)", share(known.games_of_unknown_source))?;
        }
    }
    writeln!(out, "\nSections")?;
    for section in &known.sections {
        writeln!(
            out,
            "  {:<22} {:>11}  {:>7}",
            section.name,
            bytes(section.bytes),
            percent(section.bytes, known.bytes)
        )?;
    }
    if known.verified {
        writeln!(out, "\nEvery byte was checked: the file is sound.")?;
    }
    Ok(())
}
