//! `plyfold info`: shows the contents of a corpus, and whether its bytes are intact.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use hashbrown::HashSet;
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::{
    CHESS960, CUSTOM_START, Date, Ending, GameResult, HeaderRecord, INCOMPLETE, TimeClass,
};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::pgn::{PgnImportReport, ShardPacker};
use plyfold_files::PrintablePath;
use plyfold_terminal::progress;
use plyfold_terminal::table::{format_bytes, grouped, percent};
use plyfold_terminal::{ReportFormat, output};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use crate::failure::{CliFailure, Result};
use crate::import_account::ImportAccount;
use crate::mapped_corpus::{LibraryArgument, MappedCorpus, require_parts};

/// Show the contents of a corpus.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// Check every byte, including the texts.
    #[arg(long)]
    verify: bool,
    /// Read the texts of the games again, and tell what of them is not understood, as the import did.
    #[arg(long)]
    account: bool,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// What a corpus contains, and the object in JSON.
#[derive(Default, Serialize)]
struct CorpusReport {
    file: String,
    /// The corpora, if the path names a library of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corpora: Vec<SourceReport>,
    games: u64,
    plies: u64,
    shards: usize,
    /// Shards with signatures and event streams; shards of older versions have none.
    shards_with_signatures: usize,
    /// Shards with header columns; shards of older versions have none.
    shards_with_columns: usize,
    bytes: u64,
    /// Bytes behind the last shard, left by an interrupted append.
    unused_bytes: u64,
    /// The id of the corpus, by which its sets refer to it.
    id: String,
    verified: bool,
    players: usize,
    first_date: Option<String>,
    last_date: Option<String>,
    games_with_date: u64,
    games_with_both_elos: u64,
    games_with_opening: u64,
    games_from_own_start: u64,
    chess960_games: u64,
    incomplete_games: u64,
    /// Games of which the corpus keeps no text: `import --no-text`.
    games_without_text: u64,
    results: BTreeMap<&'static str, u64>,
    endings: BTreeMap<&'static str, u64>,
    time_classes: BTreeMap<&'static str, u64>,
    /// The files from which the games came, in the order of their first games.
    sources: Vec<SourceReport>,
    /// Games of shards that do not record their source, as in older versions.
    games_of_unknown_source: u64,
    sections: Vec<SectionReport>,
    /// What the texts have that is not understood, with --account.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<serde_json::Value>,
}

/// What the headers of some shards count.
#[derive(Default)]
struct ShardCounts<'a> {
    players: HashSet<&'a str>,
    dates: Option<(Date, Date)>,
    /// By the numbers of [`GameResult`], [`Ending`] and [`TimeClass`].
    results: [u64; GameResult::ALL.len()],
    endings: [u64; Ending::ALL.len()],
    time_classes: [u64; TimeClass::ALL.len()],
    with_date: u64,
    with_both_elos: u64,
    with_opening: u64,
    from_own_start: u64,
    chess960: u64,
    incomplete: u64,
    without_text: u64,
}

impl<'a> ShardCounts<'a> {
    /// Counts the games of another shard as well.
    ///
    /// PERF: a name of a player or an opening is read once a shard.
    fn with_shard(mut self, shard: &Shard<'a>) -> ShardCounts<'a> {
        let mut is_player = vec![false; shard.players.len() as usize];
        let openings = shard.openings.is_stored().then(|| shard.openings.column());
        let is_opening: Vec<bool> =
            openings.iter().flat_map(|of| of.names.iter()).map(|name| !name.is_empty()).collect();
        for (game, record) in (0..).zip(shard.records) {
            is_player[record.white as usize] = true;
            is_player[record.black as usize] = true;
            self.add_record(record);
            let has_opening = openings
                .map_or(!record.eco.is_unknown(), |of| is_opening.get(of.index_of_game(game) as usize) == Some(&true));
            self.with_opening += u64::from(has_opening);
            let has_text = shard.text_location(game).is_some_and(|place| place.text_bytes() > 0);
            self.without_text += u64::from(!has_text);
        }
        let players = (0..).zip(is_player).filter(|&(_, is_player)| is_player);
        self.players.extend(players.map(|(name, _)| shard.players.get(name)));
        self
    }

    /// Counts a game by its header.
    fn add_record(&mut self, record: &HeaderRecord) {
        self.results[record.result() as usize] += 1;
        self.endings[record.ending() as usize] += 1;
        self.time_classes[record.time_class() as usize] += 1;
        self.with_both_elos += u64::from(record.white_elo != 0 && record.black_elo != 0);
        self.from_own_start += u64::from(record.flags() & CUSTOM_START != 0);
        self.chess960 += u64::from(record.flags() & CHESS960 != 0);
        self.incomplete += u64::from(record.flags() & INCOMPLETE != 0);
        if record.date.year() != 0 {
            self.with_date += 1;
            self.add_dates((record.date, record.date));
        }
    }

    fn add_dates(&mut self, (first, last): (Date, Date)) {
        let (from, to) = self.dates.unwrap_or((first, last));
        self.dates = Some((from.min(first), to.max(last)));
    }

    fn merged(mut self, other: ShardCounts<'a>) -> ShardCounts<'a> {
        fn add(sums: &mut [u64], more: &[u64]) {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let (mut players, fewer) = match self.players.len() < other.players.len() {
            true => (other.players, self.players),
            false => (self.players, other.players),
        };
        players.extend(fewer);
        self.players = players;
        other.dates.into_iter().for_each(|dates| self.add_dates(dates));
        add(&mut self.results, &other.results);
        add(&mut self.endings, &other.endings);
        add(&mut self.time_classes, &other.time_classes);
        self.with_date += other.with_date;
        self.with_both_elos += other.with_both_elos;
        self.with_opening += other.with_opening;
        self.from_own_start += other.from_own_start;
        self.chess960 += other.chess960;
        self.incomplete += other.incomplete;
        self.without_text += other.without_text;
        self
    }
}

/// A corpus of a library, or a file from which games came.
#[derive(Serialize)]
struct SourceReport {
    file: String,
    games: u64,
}

#[derive(Serialize)]
struct SectionReport {
    name: &'static str,
    bytes: u64,
}

/// The parts of a shard that are counted.
const COUNTED_PARTS: ShardParts = ShardParts::RECORDS
    .union(ShardParts::PLAYERS)
    .union(ShardParts::SOURCES)
    .union(ShardParts::OPENINGS)
    .union(ShardParts::TEXT_PLACES);

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, or is damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.library.open()?;
    let check = if arguments.verify { CorpusCheck::EveryByte } else { CorpusCheck::WhenUsed };
    let corpus = arguments.library.corpus(&opened, check)?;
    require_parts(&corpus, COUNTED_PARTS)?;
    let mut known = corpus_report(&opened, &corpus, arguments.verify);
    let file =
        [(known.file.clone(), if arguments.account { account_of(&opened, &corpus)? } else { Default::default() })];
    let account = ImportAccount::new(&file);
    known.account = arguments.account.then(|| serde_json::json!(account));
    output::report(arguments.format, &known, |out| {
        write_text(out, &known)?;
        if arguments.account {
            writeln!(out, "\nWhat the texts have that is not understood")?;
            account.write_refusals(out, file[0].1.in_part)?;
            account.write_notes(out)?;
            if account.is_empty() {
                writeln!(out, "Nothing: all of it was understood.")?;
            }
        }
        Ok(())
    })
}

/// Reports what of the texts is not understood. Games are counted by their numbers in the corpus, and bytes from the beginnings of
/// their texts.
fn account_of(opened: &MappedCorpus, corpus: &JoinedCorpus<'_>) -> Result<PgnImportReport> {
    let (mut account, mut packer) = (PgnImportReport::default(), ShardPacker::new(None));
    let bar = progress::bar(corpus.header.games, "{wide_bar} {percent} %  {eta} left");
    for id in 0..corpus.header.games as u32 {
        let text = corpus.text(id).map_err(CliFailure::corpus(opened.path()))?;
        let (_, of_game) = packer.pack(&text, 0);
        account.append(of_game.counted_from(u64::from(id)));
        bar.inc(1);
    }
    Ok(account)
}

fn corpus_report(opened: &MappedCorpus, corpus: &JoinedCorpus<'_>, verified: bool) -> CorpusReport {
    let corpora = members_of(corpus);
    let mut known = CorpusReport {
        file: opened.path().display().to_string(),
        games: corpus.header.games,
        plies: corpus.header.plies,
        shards: corpus.shards().len(),
        shards_with_signatures: corpus.shards_storing(ShardParts::SIGNATURES),
        shards_with_columns: corpus.shards_storing(ShardParts::COLUMNS),
        bytes: corpus.header.length,
        // Of a library, not every file may have been read.
        unused_bytes: if corpora.is_empty() { opened.size_bytes() - corpus.header.length } else { 0 },
        corpora,
        id: format!("{:016x}", corpus.header.id),
        verified,
        ..CorpusReport::default()
    };
    let shards: Vec<Shard<'_>> = corpus.shards().collect();
    let counts = shards
        .par_iter()
        .fold(ShardCounts::default, ShardCounts::with_shard)
        .reduce(ShardCounts::default, ShardCounts::merged);
    known.add_counts(&counts);
    shards.iter().for_each(|shard| known.add_sources(shard));
    corpus.section_sizes().for_each(|sections| known.add_sections(&sections));
    known
}

/// The corpora of a library; empty for one corpus.
fn members_of(corpus: &JoinedCorpus<'_>) -> Vec<SourceReport> {
    let members = corpus.members();
    let ends = members.iter().skip(1).map(|next| u64::from(next.first_game)).chain([corpus.header.games]);
    let each = members.iter().zip(ends);
    let told =
        each.map(|(member, end)| SourceReport { file: member.name.clone(), games: end - u64::from(member.first_game) });
    if members.len() > 1 { told.collect() } else { Vec::new() }
}

impl CorpusReport {
    fn add_counts(&mut self, counts: &ShardCounts<'_>) {
        fn by_name(names: impl Iterator<Item = &'static str>, counts: &[u64]) -> BTreeMap<&'static str, u64> {
            names.zip(counts.iter().copied()).collect()
        }
        self.results = by_name(GameResult::ALL.iter().map(|result| result.name()), &counts.results);
        self.endings = by_name(Ending::ALL.iter().map(|ending| ending.name()), &counts.endings);
        self.time_classes = by_name(TimeClass::ALL.iter().map(|class| class.name()), &counts.time_classes);
        for counts in [&mut self.endings, &mut self.time_classes] {
            counts.retain(|_, games| *games > 0);
        }
        self.players = counts.players.iter().filter(|&&name| name != "?" && !name.is_empty()).count();
        self.first_date = counts.dates.map(|(first, _)| first.to_string());
        self.last_date = counts.dates.map(|(_, last)| last.to_string());
        self.games_with_date = counts.with_date;
        self.games_with_both_elos = counts.with_both_elos;
        self.games_with_opening = counts.with_opening;
        self.games_from_own_start = counts.from_own_start;
        self.chess960_games = counts.chess960;
        self.incomplete_games = counts.incomplete;
        self.games_without_text = counts.without_text;
    }

    /// Counts the games of a shard by the files that they came from.
    fn add_sources(&mut self, shard: &Shard<'_>) {
        let games = shard.records.len() as u32;
        self.games_of_unknown_source += if shard.sources.is_empty() { u64::from(games) } else { 0 };
        for (from, to, name) in shard.sources.runs(games) {
            let (file, games) = (shard.sources.names.get(name), u64::from(to - from));
            match self.sources.iter_mut().find(|source| source.file == file) {
                Some(source) => source.games += games,
                None => self.sources.push(SourceReport { file: file.to_owned(), games }),
            }
        }
    }

    /// Adds the bytes of a shard's sections.
    fn add_sections(&mut self, sections: &[(&'static str, u64)]) {
        for (index, &(name, bytes)) in sections.iter().enumerate() {
            match self.sections.get_mut(index) {
                Some(section) => section.bytes += bytes,
                None => self.sections.push(SectionReport { name, bytes }),
            }
        }
    }
}

fn write_text(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    write_size_and_state(out, report)?;
    write_members(out, report)?;
    write_game_counts(out, report)?;
    write_sources(out, report)?;
    write_sections(out, report)?;
    if report.verified {
        writeln!(out, "\nEvery byte was checked: the file is intact.")?;
    }
    Ok(())
}

fn write_members(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    if report.corpora.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nCorpora")?;
    for member in &report.corpora {
        writeln!(out, "  {:>11}  {}", grouped(member.games), member.file)?;
    }
    Ok(())
}

/// The size of the corpus, and what `plyfold upgrade` or the next append would change.
fn write_size_and_state(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    writeln!(out, "{}", PrintablePath(Path::new(&report.file)))?;
    writeln!(out, "  {:<22} {:>11}", "games", grouped(report.games))?;
    writeln!(out, "  {:<22} {:>11}", "plies", grouped(report.plies))?;
    writeln!(out, "  {:<22} {:>11}", "players", grouped(report.players as u64))?;
    writeln!(out, "  {:<22} {:>11}", "shards", grouped(report.shards as u64))?;
    for (name, with) in
        [("  with signatures", report.shards_with_signatures), ("  with header columns", report.shards_with_columns)]
    {
        let advice = match with == report.shards {
            true => "",
            false => "  (the other shards have none: plyfold upgrade adds them)",
        };
        writeln!(out, "  {name:<22} {:>11}{advice}", grouped(with as u64))?;
    }
    writeln!(out, "  {:<22} {:>11}", "size", format_bytes(report.bytes))?;
    if report.unused_bytes > 0 {
        let why = "(left by an interrupted append; the next append removes them)";
        writeln!(out, "  {:<22} {:>11}  {why}", "unused", format_bytes(report.unused_bytes))?;
    }
    if let (Some(first), Some(last)) = (&report.first_date, &report.last_date) {
        writeln!(out, "  {:<22} {first} to {last}", "dates")?;
    }
    writeln!(out, "  {:<22} {:>11}", "id", report.id)?;
    Ok(())
}

/// A number of games and its share of all games.
fn games_with_share(games: u64, report: &CorpusReport) -> String {
    format!("{:>11}  {:>7}", grouped(games), percent(games, report.games))
}

fn write_game_counts(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    writeln!(out, "\nGames")?;
    let parts = [
        ("with a date", report.games_with_date),
        ("with both Elos", report.games_with_both_elos),
        ("of a known opening", report.games_with_opening),
        ("from a start position", report.games_from_own_start),
        ("Chess960", report.chess960_games),
        ("incomplete", report.incomplete_games),
        ("without a text", report.games_without_text),
    ];
    for (name, part) in parts {
        writeln!(out, "  {name:<22} {}", games_with_share(part, report))?;
    }
    for (heading, counts) in
        [("Results", &report.results), ("Endings", &report.endings), ("Time classes", &report.time_classes)]
    {
        writeln!(out, "\n{heading}")?;
        for (name, &count) in counts {
            writeln!(out, "  {name:<22} {}", games_with_share(count, report))?;
        }
    }
    Ok(())
}

fn write_sources(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    if !report.sources.is_empty() {
        writeln!(out, "\nSource files")?;
        for SourceReport { file, games } in &report.sources {
            writeln!(out, "  {:<22} {}", PrintablePath(Path::new(file)), games_with_share(*games, report))?;
        }
        if report.games_of_unknown_source > 0 {
            writeln!(out, "  {:<22} {}", "(unknown)", games_with_share(report.games_of_unknown_source, report))?;
        }
    }
    Ok(())
}

fn write_sections(out: &mut dyn Write, report: &CorpusReport) -> Result<()> {
    writeln!(out, "\nSections")?;
    for SectionReport { name, bytes } in &report.sections {
        let (size, share) = (format_bytes(*bytes), percent(*bytes, report.bytes));
        writeln!(out, "  {name:<22} {size:>11}  {share:>7}")?;
    }
    Ok(())
}
