//! `plyfold publish`: writes games and tables as a folder that any static host serves, with the page that searches them.
//!
//! - [`library`]: `library.json`, which says what the folder has;
//! - [`corpora`], [`tables`]: the games, cut for the web, and the endgame tables;
//! - [`site`], [`service_worker`], [`site_pages`], [`frames`], [`hosting`]: the page and what hosts need;
//! - [`questions`]: first questions;
//! - [`folder`]: what is written, kept and removed, and in which order;
//! - [`check`]: reads a published folder back.

mod check;
mod corpora;
mod folder;
mod frames;
mod hosting;
mod library;
mod questions;
mod service_worker;
mod site;
mod site_pages;
mod tables;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::aliases::Aliases;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_files::PrintablePath;
use plyfold_terminal::output;
use plyfold_terminal::table::{format_bytes, grouped};
use serde::Serialize;

use super::RunArguments;
use crate::companions::corpus_beside;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{MappedCorpus, corpus_files};
use crate::query_argument::utf8_text;
use crate::read_in_passing;
use check::{FolderCheck, check_folder};
use corpora::{CorpusToPublish, write_corpora};
use folder::{FolderChanges, Inputs, PublishedFolder, check_apart};
use frames::page_of_frame;
use library::{Library, MAX_ABOUT_BYTES, MAX_ALIASES_BYTES, PublishedCorpus, check_title};
use questions::read_questions;
use site::{Site, read_bounded};
use site_pages::address_of_folder;
use tables::{TableFiles, find_tables, write_tables};

/// The most bytes of the file of questions.
const MAX_QUESTIONS_BYTES: u64 = 1 << 20;

/// Write games and tables as a folder that any static host serves, with the page that searches them.
///
/// Copy the folder to a host, and a link is all that visitors need; hosting/README.md in it says what each host wants. Publish into
/// the same folder again when games have been added: only what has changed is written. With --check, the folder is read back whole;
/// `plyfold publish --check OUT` does only that. `plyfold serve OUT` shows it on this machine.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  plyfold publish out --corpus club.plyfold --title 'Chess club X' --questions questions.txt
  plyfold serve out")]
pub struct Arguments {
    /// The folder to write.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// A corpus, which the page shows by the name of its file, or a folder of corpora or a pattern; PGN is read as `plyfold query` reads
    /// it; may be repeated.
    #[arg(long = "corpus", value_name = "FILE.plyfold")]
    corpora: Vec<PathBuf>,
    /// The folder of packed endgame tables (egtgen pack).
    #[arg(long, value_name = "DIR", requires = "corpora")]
    tables: Option<PathBuf>,
    /// The title of the library [default: the name of the first corpus].
    #[arg(long, requires = "corpora")]
    title: Option<String>,
    /// Your text for the first page: Markdown, at most 64 KiB.
    #[arg(long, value_name = "FILE.md", requires = "corpora")]
    about: Option<PathBuf>,
    /// Take names for others on the page, too: a file with lines `player<TAB>alias<TAB>name` (or event, site), as `plyfold names --confirm`
    /// writes it, at most 4 MiB.
    #[arg(long, value_name = "FILE", requires = "corpora")]
    aliases: Option<PathBuf>,
    /// First questions: a line each, `title: query` or only a query; lines that begin with # are comments.
    #[arg(long, value_name = "FILE", requires = "corpora")]
    questions: Option<PathBuf>,
    /// The folder of the built site (cargo xtask dist) [default: the site inside this program, if it was built with one].
    #[arg(long, value_name = "DIR", requires = "corpora")]
    site: Option<PathBuf>,
    /// The address where the folder will be, such as `https://club.example/games/`: sites and messengers that preview a link to it then
    /// show a picture.
    #[arg(long, value_name = "ADDRESS", requires = "corpora", value_parser = address_of_folder)]
    address: Option<String>,
    /// A host whose pages may show the library in a frame (index.html?embed), such as `https://blog.example`, or * for every page; may be
    /// repeated.
    #[arg(long, value_name = "HOST", requires = "corpora", value_parser = page_of_frame)]
    embed_in: Vec<String>,
    /// Read the whole folder back at the end and check every file; without --corpus, do nothing else.
    #[arg(long)]
    check: bool,
    /// Write into a folder that has other files too.
    #[arg(long, requires = "corpora")]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

/// The result of the command, and the JSON object.
#[derive(Default, Serialize)]
struct PublishReport {
    output: String,
    title: String,
    games: u64,
    plies: u64,
    shards: u64,
    tables: u64,
    /// Bytes of all packed scan parts.
    scan_bytes: u64,
    /// Bytes of all texts.
    text_bytes: u64,
    scan_bytes_per_ply: f64,
    text_bytes_per_ply: f64,
    #[serde(flatten)]
    changes: FolderChanges,
    seconds: f64,
    /// What `--check` found.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<FolderCheck>,
}

/// Runs the command.
///
/// # Errors
///
/// An input is missing or wrong, or the folder cannot be written; it then shows what it showed before. A published folder is damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.output;
    if arguments.corpora.is_empty() {
        if !arguments.check {
            let what = "name the games with --corpus FILE, a corpus or PGN; --check reads a folder back";
            return Err(CliFailure::Usage(what.into()));
        }
        let check = super::with_threads(arguments.run.threads, || check_folder(folder))?;
        output::report(arguments.run.format, &check, |out| write_check(out, folder, &check))?;
        return verdict(folder, &check);
    }
    let mut report = super::with_threads(arguments.run.threads, || publish(arguments))?;
    if arguments.check {
        report.check = Some(super::with_threads(arguments.run.threads, || check_folder(folder))?);
    }
    output::report(arguments.run.format, &report, |out| write_text(out, &report))?;
    report.check.as_ref().map_or(Ok(()), |check| verdict(folder, check))
}

/// A folder that is damaged is a failure.
fn verdict(folder: &Path, check: &FolderCheck) -> Result<()> {
    match check.problems.len() {
        0 => Ok(()),
        1 => Err(CliFailure::unsuitable(folder, "a file is not as it was published")),
        count => Err(CliFailure::unsuitable(folder, format!("{count} files are not as they were published"))),
    }
}

fn publish(arguments: &Arguments) -> Result<PublishReport> {
    let begin = Instant::now();
    let about = arguments.about.as_deref().map(|path| read_text(path, MAX_ABOUT_BYTES)).transpose()?;
    let aliases = arguments.aliases.as_deref().map(read_aliases).transpose()?;
    let questions = |path| read_questions(path, &read_text(path, MAX_QUESTIONS_BYTES)?);
    let questions = arguments.questions.as_deref().map(questions).transpose()?;
    let tables = arguments.tables.as_deref().map(find_tables).transpose()?;
    let paths = corpus_paths(arguments)?;
    // A pattern means files, and so does a folder, which may have links to others.
    let mut read = inputs(arguments);
    read.extend(paths.iter().map(|path| (path.as_path(), "the corpus")));
    read.extend(tables.iter().flatten().map(|(_, (_, path))| (path.as_path(), "the table")));
    check_apart(&arguments.output, &read)?;
    let opened: Vec<MappedCorpus> = paths.iter().map(|path| read_in_passing::open_one(path)).collect::<Result<_>>()?;
    let corpora = corpora_to_publish(&opened)?;
    let title = match &arguments.title {
        Some(title) => title.trim().to_owned(),
        None => corpora.first().map(|corpus| corpus.name.clone()).unwrap_or_default(),
    };
    check_title(&title).map_err(|what| CliFailure::Usage(format!("--title {what}")))?;
    let site = Site::read(arguments.site.as_deref(), &title, arguments.address.as_deref(), &arguments.embed_in)?;

    let folder = PublishedFolder::open(&arguments.output, arguments.force)?;
    let mut library = Library::new(title, chrono::Utc::now().format("%Y-%m-%d").to_string());
    library.corpora = write_corpora(&folder, &corpora)?;
    library.about = about.map(|text| folder.write_named(text.as_bytes(), ".md")).transpose()?;
    library.aliases = aliases.map(|text| folder.write_named(text.as_bytes(), ".tsv")).transpose()?;
    library.questions = questions.unwrap_or_default();
    library.tables = tables.as_ref().map(|tables: &TableFiles| write_tables(&folder, tables)).transpose()?;
    for (path, bytes) in &site.files {
        folder.write(path, bytes)?;
    }
    for (path, text) in hosting::hosting_files(&site.headers) {
        folder.write(path, text.as_bytes())?;
    }
    let mut report = report_of(arguments, &library);
    report.changes = folder.finish(library)?;
    report.seconds = (begin.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    Ok(report)
}

/// The corpora, each a file.
fn corpus_paths(arguments: &Arguments) -> Result<Vec<PathBuf>> {
    let listed = arguments.corpora.iter().map(|path| corpus_files(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(listed.concat())
}

/// Everything that is read.
fn inputs(arguments: &Arguments) -> Inputs<'_> {
    let Arguments { corpora, tables, about, aliases, questions, site, .. } = arguments;
    let named = [
        (tables, "the folder of tables"),
        (about, "the text"),
        (aliases, "the file of aliases"),
        (questions, "the file of questions"),
        (site, "the folder of the site"),
    ];
    let named = named.into_iter().filter_map(|(path, role)| Some((path.as_deref()?, role)));
    corpora.iter().map(|path| (path.as_path(), "the corpus")).chain(named).collect()
}

fn read_text(path: &Path, limit: u64) -> Result<String> {
    utf8_text(path, read_bounded(path, limit)?)
}

/// The text of a file of aliases, each line as it is read.
fn read_aliases(path: &Path) -> Result<String> {
    let aliases = Aliases::parse(&read_text(path, MAX_ALIASES_BYTES)?);
    aliases.map(|aliases| aliases.to_text()).map_err(|what| CliFailure::unsuitable(path, what))
}

fn corpora_to_publish(opened: &[MappedCorpus]) -> Result<Vec<CorpusToPublish<'_>>> {
    let mut corpora: Vec<CorpusToPublish<'_>> = Vec::new();
    for mapped in opened {
        let path = mapped.path();
        let unsuitable = |what: String| CliFailure::unsuitable(path, what);
        let reader = mapped.corpus(CorpusCheck::WithoutTexts)?;
        if reader.header.games == 0 {
            return Err(unsuitable("has no games: import some first".into()));
        }
        // PGN is shown by the name of the corpus that would be made of it.
        let named = if read_in_passing::means_games(path) { corpus_beside(path) } else { path.to_path_buf() };
        let name = named.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        check_title(&name).map_err(|what| unsuitable(format!("its name {what}: rename it")))?;
        if let Some(other) = corpora.iter().find(|other| other.reader.header.id == reader.header.id) {
            let other = PrintablePath(other.path);
            return Err(unsuitable(format!("is the same corpus as {other}: name it once")));
        }
        if let Some(other) = corpora.iter().find(|other| other.name == name) {
            let other = PrintablePath(other.path);
            return Err(unsuitable(format!("has the same name as {other}, and visitors see the names: rename one")));
        }
        corpora.push(CorpusToPublish { path, name, reader });
    }
    Ok(corpora)
}

fn report_of(arguments: &Arguments, library: &Library) -> PublishReport {
    let shards = || library.corpora.iter().flat_map(|corpus| &corpus.shards);
    let sum = |part: fn(&PublishedCorpus) -> u64| library.corpora.iter().map(part).sum::<u64>();
    let plies = sum(|corpus| corpus.plies);
    let scan_bytes: u64 = shards().map(|shard| shard.scan.bytes).sum();
    let text_bytes: u64 = shards().filter_map(|shard| shard.text.as_ref()).map(|text| text.bytes).sum();
    let per_ply = |bytes: u64| (bytes as f64 * 1e3 / plies.max(1) as f64).round() / 1e3;
    PublishReport {
        output: arguments.output.display().to_string(),
        title: library.title.clone(),
        games: sum(|corpus| corpus.games),
        plies,
        shards: shards().count() as u64,
        tables: library.tables.as_ref().map_or(0, |tables| tables.names.len() as u64),
        scan_bytes,
        text_bytes,
        scan_bytes_per_ply: per_ply(scan_bytes),
        text_bytes_per_ply: per_ply(text_bytes),
        ..PublishReport::default()
    }
}

fn write_text(out: &mut dyn Write, report: &PublishReport) -> Result<()> {
    let PublishReport { output, games, plies, shards, tables, changes, seconds, .. } = report;
    let folder = Path::new(output);
    writeln!(out, "{}", PrintablePath(folder))?;
    for (name, count) in [("games", games), ("plies", plies), ("shards", shards), ("tables", tables)] {
        writeln!(out, "  {name:<10} {:>13}", grouped(*count))?;
    }
    for (name, bytes, per_ply) in [
        ("to search", report.scan_bytes, report.scan_bytes_per_ply),
        ("texts", report.text_bytes, report.text_bytes_per_ply),
    ] {
        writeln!(out, "  {name:<10} {:>13}  {per_ply} bytes a ply", format_bytes(bytes))?;
    }
    for (name, count) in [("written", changes.written), ("kept", changes.kept), ("removed", changes.removed)] {
        writeln!(out, "  {name:<10} {:>13}  {}", grouped(count.files), format_bytes(count.bytes))?;
    }
    writeln!(out, "  {:<10} {seconds:>13}", "seconds")?;
    match &report.check {
        Some(check) => write_check(out, folder, check),
        None => Ok(()),
    }
}

fn write_check(out: &mut dyn Write, folder: &Path, check: &FolderCheck) -> Result<()> {
    for problem in &check.problems {
        writeln!(out, "{}: {}", PrintablePath(&folder.join(&problem.file)), problem.what)?;
    }
    let (files, games, tables) = (grouped(check.files), grouped(check.games), grouped(check.tables));
    if check.is_of_old_form {
        let why = "its files are named in an old way, which does not prove what is in them; publish it anew";
        writeln!(out, "{}: {why}.", PrintablePath(folder))?;
    }
    if check.problems.is_empty() {
        writeln!(out, "{files} files with {games} games and {tables} tables are as they were published.")?;
    }
    Ok(())
}
