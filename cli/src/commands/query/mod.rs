//! `plyfold query`: gives several results from one pass over every position.
//!
//! The scan collects small results: counts, the set of games, the heatmap, the structures. Positions are computed while they
//! are written ([`crate::positions`]), so memory does not grow with their number.

mod cluster;
pub(super) mod json;
mod overview;
mod plan;
pub(super) mod saved_outputs;
pub(super) mod text;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::query::notes::UnbracedConditions;
use plyfold_core::query::plan::plan;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::output::OutputArgument;
use plyfold_core::reduce::partition::PartitionLimit;
use plyfold_core::reduce::{QueryResults, ReduceRequest, ReducerSelection, run_queries, run_query_within};
use plyfold_core::scan::parts::parts_read;
use plyfold_core::scan::plan::PlannedPredicate;
use plyfold_core::scan::replay_needs::ReplayNeeds;
use plyfold_core::scan::{Query, ScanStatistics};
use plyfold_core::tag_search::bind_tag_keys;
use plyfold_files::{OutputPlan, OverwriteRule};
use plyfold_terminal::{output, printable, write_note};
use serde::Serialize;

use self::overview::Overview;
use self::saved_outputs::{DeclaredFiles, SavedOutputs};

use super::predicates;
use crate::aliases::AliasArgument;
use crate::commands::QueryFormat;
use crate::current_sets::CurrentSets;
use crate::endgame_tables::{TablesArgument, UnknownReport};
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument, require_games, spans_with};
use crate::outputs::{RequestedOutput, RequestedOutputs};
use crate::plain_words::GivenQuery;
use crate::positions::{PositionFormat, PositionStream};
use crate::query_argument::{CommandQuery, OPENING_RESOLVER, QueryArgument};
use crate::result_tables::{self, StreamedTable};
use crate::tag_columns::{ListedTags, TagColumns};
use crate::{progress, saved_sets, set_expression, warning};

/// Find games and positions.
///
/// Counts the matching games and positions; options request other results. All results come
/// from one pass over the games. Without a query, the answer is an overview of the games.
#[derive(clap::Args)]
#[command(after_long_help = predicates::help())]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    #[command(flatten)]
    given: QueryArgument,
    #[command(flatten)]
    options: QueryOptions,
    #[command(flatten)]
    tables: TablesArgument,
    #[command(flatten)]
    aliases: AliasArgument,
    /// Write the output to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
    /// Write a plan for `plyfold scan` instead: a query for each group of --by structure or --by material, with a heatmap. The
    /// plan can be used on another corpus.
    #[arg(long, requires = "by", conflicts_with = "format")]
    plan: bool,
    /// Format of the results; csv holds one table, so it needs exactly one of --games, --positions and the outputs.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    format: QueryFormat,
    /// Scheduler of a cluster, whose executors count and find the games; they must be able to read the library at the same path.
    /// The program plyfold-sql asks it.
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = [
        "positions", "evidence", "stats", "within", "tables", "syzygy", "threads", "skip_damaged", "aliases",
    ])]
    cluster: Option<String>,
}

/// What is asked of a scan beside the query.
#[derive(clap::Args)]
pub(super) struct QueryOptions {
    /// Search only the games of a set: a file, a named set (@name), or an expression as in `plyfold sets`.
    #[arg(long, value_name = "SET")]
    pub within: Option<String>,
    /// Save the set of matching games: as a file, or beside the corpus under a name (@name).
    #[arg(long, value_name = "SET")]
    pub save_games: Option<String>,
    #[command(flatten)]
    pub saved: SavedOutputs,
    /// List the matching games, at most N.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pub games: Option<Option<u64>>,
    #[command(flatten)]
    pub tags: TagColumns,
    /// List the matching positions: by game and ply, as FEN, both, or as hashes.
    #[arg(long, value_name = "FORM")]
    pub positions: Option<PositionFormat>,
    /// List each distinct position only at its first occurrence (needs about 24 bytes of memory for each).
    #[arg(long, requires = "positions")]
    pub unique: bool,
    /// List at most N positions.
    #[arg(long, value_name = "N", requires = "positions")]
    pub limit: Option<u64>,
    #[command(flatten)]
    pub outputs: RequestedOutputs,
    /// Show at most N rows of an output; all values are listed for keys that are numbers.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Take as positions only the evidence of the games that match: where the conditions were fulfilled.
    #[arg(long)]
    pub evidence: bool,
    /// Show the time, what the scan looked at, and what the replay kept.
    #[arg(long)]
    pub stats: bool,
    /// Replace existing files; named sets (@name) are replaced without it.
    #[arg(long)]
    pub force: bool,
}

/// The values from which all formats are written.
pub(super) struct QueryReport<'a> {
    options: &'a QueryOptions,
    command_query: &'a CommandQuery,
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
    spans: Vec<GameSpan<'a>>,
    /// The games that were searched, if not all.
    searched_games: Option<GameSet>,
    /// The text of that set, and how many games it has.
    within: Option<(&'a str, u64)>,
    /// Where the set of matching games was saved.
    saved_games: Option<PathBuf>,
    /// The names under which parts were saved.
    saved_parts: Vec<String>,
    answers: QueryResults,
    /// The tags of the listed games.
    tags: ListedTags,
    stats: ScanReport,
    /// The positions that no table knows, if the query asks tables.
    unknown: Option<UnknownReport>,
    /// What the query may not mean.
    notes: Vec<String>,
}

/// Statistics of the scan.
#[derive(Serialize)]
struct ScanReport {
    open_ms: f64,
    scan_ms: f64,
    threads: usize,
    /// Plies of the corpus divided by the time of the scan. The scan looked at fewer plies if it skipped games or left
    /// them early.
    plies_per_second: f64,
    /// The state that the replay maintained for the query; empty if nothing was replayed.
    keeps: String,
    #[serde(flatten)]
    looked_at: ScannedWork,
}

/// The work of the scan to find games and positions. It does not include the work of a heatmap on matching games.
#[derive(Serialize)]
struct ScannedWork {
    /// Games that were rejected by their home-pawn signature and last signature, without a test.
    games_skipped: u64,
    games_replayed: u64,
    /// Moves that were made on a board; the moves of a game that was replayed twice count twice.
    plies_replayed: u64,
    /// Moves that were searched for those that touch some squares.
    plies_filtered: u64,
    /// Moves that the scan did not look at. If a game was filtered and then replayed, this is a lower bound.
    plies_skipped: u64,
    /// Captures, promotions and pawn moves that were read.
    events: u64,
    /// Positions whose verdicts of endgame tables were needed.
    table_positions: u64,
    /// Positions about which tables were asked; the other verdicts were remembered.
    table_probes: u64,
}

/// Runs the command.
///
/// # Errors
///
/// The query has a mistake, the corpus cannot be read, or a result cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let question = &arguments.options;
    if arguments.format == QueryFormat::Csv && question.table_count() != 1 {
        let message =
            format!("csv is one table: choose exactly one of --games, --positions, {}", RequestedOutputs::options());
        return Err(CliFailure::Usage(message));
    }
    if let (Some(_), Some(output)) = (&arguments.cluster, question.outputs.0.first()) {
        let option = output.definition.option;
        return Err(CliFailure::Usage(format!(
            "--{option} cannot be used with --cluster: `plyfold sql` makes it there"
        )));
    }
    let plan_key = arguments.plan.then(|| plan::plan_key(&question.outputs)).transpose()?;
    saved_outputs::check_saved_outputs(&question.saved, &question.outputs)?;
    if arguments.given.is_missing() && question.asks_nothing() && !arguments.plan {
        return write_overview(arguments);
    }
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        let query = if question.evidence { query.with_evidence()? } else { query };
        outputs(arguments, &query)?.check()?;
        Ok(query.with_tables(&arguments.tables.open()?))
    };
    let given = GivenQuery::from_argument(&arguments.given)?.prepared(prepare)?;
    super::with_threads(arguments.threads, || {
        let begin = Instant::now();
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WhenUsed)?;
        let open_ms = milliseconds(begin.elapsed());
        let mut command_query = given.read(Some(&corpus), prepare)?;
        command_query.asks_for_notes = arguments.format == QueryFormat::Json;
        let aliases = arguments.aliases.read()?;
        aliases.bind(&mut command_query.query);
        command_query.names = aliases.shown_names();
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut command_query)?;
        let path = &arguments.library.path;
        let mut found = match &arguments.cluster {
            None => report_queries(path, &corpus, &[(&command_query, question)], open_ms)?,
            Some(scheduler) => {
                report_answers(path, &corpus, &[(&command_query, question)], open_ms, &|_, requests| {
                    cluster::answers(scheduler, (path, corpus.header.games as u32), &command_query.text, requests)
                })?
            }
        };
        let Some(mut found) = found.pop() else { return Ok(()) };
        found.notes.extend(found.note_on_braces());
        if arguments.format == QueryFormat::Csv {
            let window = warning::window_warning(&command_query).filter(|_| question.reports_positions());
            // A table has no place for notes.
            window.iter().chain(&found.notes).for_each(|note| write_note(note));
        }
        if let Some(key) = plan_key {
            return output::write(arguments.output.as_deref(), question.force, |out| {
                printable::text(out, |out| plan::write(out, key, &found))
            });
        }
        output::write(arguments.output.as_deref(), question.force, |out| match arguments.format {
            QueryFormat::Text => printable::text(out, |out| text::write(out, &found)),
            QueryFormat::Json => Ok(output::json(out, &found)?),
            QueryFormat::Csv => found.result_table().map_or(Ok(()), |table| table.write_csv(out)),
        })
    })
}

/// Tells what the corpus contains, for a user who gives no query.
fn write_overview(arguments: &Arguments) -> Result<()> {
    let Arguments { library, output, options, .. } = arguments;
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &library.path);
    if let Some(output) = output {
        outputs.streams("-o", output, OverwriteRule::from_force(options.force));
    }
    outputs.check()?;
    let opened = library.open()?;
    let corpus = library.corpus(&opened, CorpusCheck::WithoutTexts)?;
    let overview = Overview::of(&library.path, &corpus);
    output::write(output.as_deref(), options.force, |out| match arguments.format {
        QueryFormat::Json => Ok(output::json(out, &overview)?),
        _ => printable::text(out, |out| overview.write(out)),
    })
}

/// The files that the command reads and writes.
fn outputs(arguments: &Arguments, command_query: &CommandQuery) -> Result<OutputPlan> {
    let Arguments { library: LibraryArgument { path: corpus, .. }, given, options: question, output, .. } = arguments;
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, corpus);
    given.declare_inputs(&mut outputs);
    arguments.tables.declare_inputs(&mut outputs);
    arguments.aliases.declare_inputs(&mut outputs);
    let role = |option: &str| format!("--{option}");
    let existing = OverwriteRule::from_force(question.force);
    if let Some(output) = output {
        outputs.streams("-o", output, existing);
    }
    question
        .declare_files(command_query, &mut DeclaredFiles { outputs: &mut outputs, corpus, role: &role, existing })?;
    Ok(outputs)
}

/// Runs queries that are bound to a corpus in one pass over it, and saves the requested files.
///
/// # Errors
///
/// A set cannot be read, or a file cannot be written.
pub(super) fn report_queries<'a>(
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
    queries: &[(&'a CommandQuery, &'a QueryOptions)],
    open_ms: f64,
) -> Result<Vec<QueryReport<'a>>> {
    report_answers(path, corpus, queries, open_ms, &|spans, requests| {
        let bar = progress::ScanProgress::for_games(corpus.header.games);
        Ok(run_queries(spans, requests, &bar)?)
    })
}

/// Makes answers of queries that are bound to a corpus, in the order of the requests.
type Answerer<'s> = &'s dyn Fn(&[GameSpan<'_>], &[ReduceRequest<'_>]) -> Result<Vec<QueryResults>>;

/// Reports the answers of queries that are bound to a corpus, and saves the requested files.
///
/// # Errors
///
/// A set cannot be read, the answers cannot be made, or a file cannot be written.
fn report_answers<'a>(
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
    queries: &[(&'a CommandQuery, &'a QueryOptions)],
    open_ms: f64,
    answer: Answerer<'_>,
) -> Result<Vec<QueryReport<'a>>> {
    let stamp = saved_sets::corpus_stamp(corpus);
    // Everything that can fail early is done before the scan, which may take long.
    let mut prepared = Vec::new();
    for (query, question) in queries {
        let set =
            question.within.as_deref().map(|text| CurrentSets::new(path, corpus).set_of_argument(text)).transpose()?;
        let saved = question.save_games.as_deref().map(|name| saved_sets::set_path(path, name)).transpose()?;
        let mut selection = question.selection(query);
        bind_tag_keys(&mut selection.outputs, corpus).map_err(CliFailure::corpus(path))?;
        prepared.push((set, saved, selection));
    }
    let unknown = queries.iter().map(|(query, _)| query.unknown_positions()).collect::<Result<Vec<_>>>()?;
    let begin = Instant::now();
    let requests = queries.iter().zip(&prepared).map(|((command_query, _), (set, _, selection))| ReduceRequest {
        query: &command_query.query,
        within: set.as_ref(),
        selection,
    });
    let of_unknown = unknown.iter().zip(&prepared).filter_map(|(unknown, (set, ..))| {
        let (query, selection) = unknown.as_ref()?;
        Some(ReduceRequest { query, within: set.as_ref(), selection })
    });
    let requests: Vec<ReduceRequest<'_>> = requests.chain(of_unknown).collect();
    let lists_positions = queries.iter().any(|(_, question)| question.lists_positions());
    let spans = spans_with(corpus, parts_of(&requests, lists_positions))?;
    let mut answers = answer(&spans, &requests)?.into_iter();
    let answers_of_queries: Vec<QueryResults> = answers.by_ref().take(queries.len()).collect();
    let scan = begin.elapsed();
    let mut reports = Vec::new();
    let each = queries.iter().zip(prepared).zip(answers_of_queries).zip(unknown);
    for (((&(command_query, question), (set, saved, _)), found), unknown) in each {
        let unknown = unknown.and_then(|_| answers.next()).map(|found| command_query.tables.report(&found));
        if let (Some(place), Some(games)) = (&saved, &found.games) {
            let replaces = question.force || question.save_games.as_ref().is_some_and(|set| set.starts_with('@'));
            saved_sets::write_set(place, replaces, stamp, |sink| Ok(sink(games.words()).map(|()| games.count())?))?;
        }
        let within = question.within.as_deref().zip(set.as_ref().map(GameSet::count));
        let notes = command_query.notes.iter().cloned().chain(command_query.tables.notes(unknown.as_ref())).collect();
        let mut report = QueryReport {
            options: question,
            command_query,
            path,
            corpus,
            spans: spans.clone(),
            searched_games: set,
            within,
            saved_games: saved,
            saved_parts: Vec::new(),
            stats: ScanReport::new(&command_query.query, found.work, (open_ms, scan)),
            answers: found,
            tags: ListedTags::default(),
            unknown,
            notes,
        };
        report.saved_parts = saved_outputs::save_outputs(&report)?;
        require_games(corpus, report.listed_games())?;
        report.tags = ListedTags::read(&question.tags, path, corpus, report.listed_games())?;
        report.notes.extend(report.tags.note());
        reports.push(report);
    }
    Ok(reports)
}

/// What of the shards is read for some requests, and for a list of positions.
fn parts_of(requests: &[ReduceRequest<'_>], lists_positions: bool) -> ShardParts {
    // Positions are listed by a replay.
    let listed = if lists_positions { ShardParts::MOVES | ShardParts::RECORDS } else { ShardParts::NONE };
    requests.iter().map(ReduceRequest::parts).fold(listed, ShardParts::union)
}

impl ScanReport {
    /// The report of a scan that took this work and this time, after the corpus was opened in so many milliseconds.
    fn new(query: &Query, work: ScanStatistics, (open_ms, scan): (f64, Duration)) -> ScanReport {
        let kept_state = match work.plies_replayed {
            0 => ReplayNeeds::NONE,
            // These outputs need no board.
            _ => PlannedPredicate::replay_needs(&PlannedPredicate::plan_all(&query.predicates)),
        };
        ScanReport {
            open_ms,
            scan_ms: milliseconds(scan),
            threads: rayon::current_num_threads(),
            plies_per_second: (work.plies as f64 / scan.as_secs_f64().max(1e-9)).round(),
            keeps: kept_state.to_string(),
            looked_at: ScannedWork {
                games_skipped: work.games_rejected_early,
                games_replayed: work.games_replayed,
                plies_replayed: work.plies_replayed,
                plies_filtered: work.plies_read_without_board,
                plies_skipped: work.plies.saturating_sub(work.plies_replayed + work.plies_read_without_board),
                events: work.events_read,
                table_positions: work.table_positions,
                table_probes: work.table_probes,
            },
        }
    }
}

impl QueryOptions {
    fn selection(&self, query: &CommandQuery) -> ReducerSelection {
        // The note on braces counts among the matching games.
        let is_unbraced = UnbracedConditions::of_query(&query.tree).is_some();
        let saved_sets = if self.saved.save_parts.is_some() { self.top } else { 0 };
        let requested = self.outputs.outputs((self.top, true), &query.tables.bound);
        ReducerSelection {
            games: self.games.is_some() || self.save_games.is_some() || is_unbraced,
            positions_count: true,
            // A list that ends early has not seen all positions.
            positions: (self.unique && self.limit.is_some())
                .then_some(PositionSelection { limit: Some(0), choice: PositionChoice::Distinct }),
            // A set for each value of a key would be too many.
            outputs: requested
                .into_iter()
                .map(|output| output.with_sets(PartitionLimit::Largest(saved_sets)).showing(&query.names))
                .collect(),
        }
    }

    /// Declares which files the options read and write.
    ///
    /// # Errors
    ///
    /// A name is not allowed for a set.
    pub(super) fn declare_files(&self, command_query: &CommandQuery, files: &mut DeclaredFiles<'_>) -> Result<()> {
        command_query.declare_set_inputs(files.outputs, files.corpus);
        if let Some(within) = &self.within {
            set_expression::declare_inputs(files.outputs, files.corpus, within);
        }
        if let Some(set) = &self.save_games {
            let role = (files.role)("save-games");
            saved_sets::declare_output(files.outputs, role, files.corpus, set, files.existing)?;
        }
        self.saved.declare_outputs(files);
        Ok(())
    }

    /// Returns whether nothing is asked of the games.
    fn asks_nothing(&self) -> bool {
        let saves = self.save_games.is_some() || self.saved.save_positions.is_some();
        self.table_count() == 0 && self.within.is_none() && !saves && !self.evidence && !self.stats
    }

    /// How many tables the result has.
    fn table_count(&self) -> usize {
        usize::from(self.games.is_some()) + usize::from(self.positions.is_some()) + self.outputs.0.len()
    }

    /// Whether single positions are told.
    fn lists_positions(&self) -> bool {
        self.positions.is_some() || self.saved.save_positions.is_some()
    }

    /// Whether the result has more about positions than their number.
    fn reports_positions(&self) -> bool {
        // Parts are of games, although a position of each decides.
        let is_of_games = |output: &RequestedOutput| output.definition.argument == OutputArgument::KeyWithRule;
        let mut outputs = self.outputs.0.iter().filter(|output| !is_of_games(output));
        self.positions.is_some() || outputs.any(|output| output.definition.output().takes_positions())
    }
}

impl QueryReport<'_> {
    /// The note that far fewer games match with braces, if that is so. It takes another scan, of the matching games.
    fn note_on_braces(&self) -> Option<String> {
        let unbraced = UnbracedConditions::of_query(&self.command_query.tree)?;
        let mut query = plan(&unbraced.together, OPENING_RESOLVER).ok()?;
        query.bind_tables(&self.command_query.tables.bound);
        let selection = ReducerSelection::default();
        let spans = spans_with(self.corpus, parts_read(&query)).ok()?;
        let found = run_query_within(&spans, &query, self.answers.games.as_ref(), &selection, &()).ok()?;
        unbraced.note(self.answers.count.games, found.count.games)
    }

    /// The matching games to list, from 0.
    fn listed_games(&self) -> impl Iterator<Item = GameId> + '_ {
        let most = self.options.games.flatten().map_or(usize::MAX, |most| most as usize);
        self.answers.games.iter().flat_map(|games| games.iter()).take(most)
    }

    /// The one requested table.
    fn result_table(&self) -> Option<StreamedTable<'_>> {
        let QueryOptions { games, positions, .. } = self.options;
        let table = games.map(|_| result_tables::games_with_tags(self.corpus, self.listed_games(), &self.tags));
        let positions = || positions.map(|form| result_tables::positions(self.corpus, self.position_stream(form)));
        table.or_else(positions).or_else(|| Some(self.answers.outputs.first()?.table().into()))
    }

    /// The matching positions to list.
    fn position_stream(&self, form: PositionFormat) -> PositionStream<'_> {
        let QueryOptions { unique, limit, .. } = *self.options;
        PositionStream::new(&self.spans, self.command_query, self.searched_games.as_ref(), form, (unique, limit))
    }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
