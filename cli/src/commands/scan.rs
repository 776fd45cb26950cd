//! `plyfold scan`: runs all queries of a plan in one pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::query::language::{FIRST_LANGUAGE, LANGUAGE, in_this_language};
use plyfold_core::reduce::groups::COUNTS;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::output::OutputDefinition;
use plyfold_core::reduce::partition::PARTITION;
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::{ReportFormat, output, printable};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::query::saved_outputs::{self, DeclaredFiles, SavedOutputs};
use super::query::{QueryOptions, QueryReport, milliseconds, report_queries, text};
use crate::current_sets::CurrentSets;
use crate::endgame_tables::{EndgameTables, TablesArgument};
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::outputs::RequestedOutputs;
use crate::positions::PositionFormat;
use crate::query_argument::{CommandQuery, read_text};
use crate::set_expression;
use crate::tag_columns::TagColumns;

/// The longest plan that is read, in bytes.
const MAX_PLAN_BYTES: u64 = 16 << 20;

/// Run many queries in one pass.
///
/// A plan is a JSON file with a list of queries, each with a name and options of `plyfold query`. The games are read once, and
/// work that several queries share is done once.
#[derive(clap::Args)]
#[command(after_help = PLAN)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The plan; `-` reads it from standard input.
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    #[command(flatten)]
    tables: TablesArgument,
    /// Write the output to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace existing files; named sets (@name) are replaced without it.
    #[arg(long)]
    force: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

const PLAN: &str = r#"A plan:
  { "language": 2, "queries": [
      { "name": "endings", "query": "endgame rook", "save_games": "@rook-endings", "by": ["material"], "top": 10 },
      { "name": "fianchetto", "query": "white bishop on g2 for 20", "within": "@mine", "heatmap": true, "next": true },
      { "name": "wins", "query": { "result": ["1-0"] }, "games": 20, "partition": ["year", "endgame:ever"] }
  ] }

Each query may have the options of `plyfold query`, with _ for -: within, games (a number, or true for all), positions (ref, fen, both,
hash), unique, limit, top, evidence, save_games, save_positions, save_heatmap, save_by, save_parts, and each output by its option.
A query is a text, or JSON as `plyfold schema` describes. `language` is the version of the language of the queries; without it, they
are read as in the first version."#;

/// The plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScanPlan {
    /// The version of the language of its queries.
    language: Option<u32>,
    queries: Vec<PlanEntry>,
}

/// A query of the plan.
#[derive(Deserialize)]
struct PlanEntry {
    name: String,
    query: Value,
    within: Option<String>,
    games: Option<GamesOutput>,
    positions: Option<String>,
    #[serde(default)]
    unique: bool,
    limit: Option<u64>,
    top: Option<usize>,
    #[serde(default)]
    evidence: bool,
    save_games: Option<String>,
    save_positions: Option<PathBuf>,
    save_heatmap: Option<PathBuf>,
    save_by: Option<PathBuf>,
    save_parts: Option<String>,
    /// The outputs by their options.
    #[serde(flatten)]
    outputs: OtherOptions,
}

/// Options of a query that are not fields of [`PlanEntry`], each once.
struct OtherOptions(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for OtherOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<OtherOptions, D::Error> {
        struct Options;

        impl<'de> Visitor<'de> for Options {
            type Value = OtherOptions;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("options of a query")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<OtherOptions, A::Error> {
                let mut options: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if options.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format!("duplicate field `{key}`")));
                    }
                    options.push((key, value));
                }
                Ok(OtherOptions(options))
            }
        }

        deserializer.deserialize_map(Options)
    }
}

/// `true` for all games, or the largest number of games.
#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum GamesOutput {
    All(bool),
    Most(u64),
}

/// A query that is ready to run.
pub(super) struct PreparedEntry {
    pub name: String,
    pub command_query: CommandQuery,
    options: QueryOptions,
}

impl PlanEntry {
    /// The query in the words of this version of the language, with a note if that changed a text.
    fn command_query(&self, language: Option<u32>) -> Result<CommandQuery> {
        let Value::String(text) = &self.query else {
            // JSON may say its own version.
            let document = match language.filter(|_| self.query.get("language").is_none()) {
                Some(language) => json!({ "language": language, "query": self.query }),
                None => self.query.clone(),
            };
            return CommandQuery::new(&plyfold_core::query::json::from_json(&document.to_string())?.to_string());
        };
        let now = in_this_language(text, language.unwrap_or(FIRST_LANGUAGE));
        let mut command_query = CommandQuery::new(&now.map_err(|error| CliFailure::Usage(error.to_string()))?)?;
        if language.is_none() && *text != command_query.text {
            let now = &command_query.text;
            command_query.notes =
                vec![format!("the plan does not say `\"language\": {LANGUAGE}`, so this is read as `{now}`")];
        }
        Ok(command_query)
    }

    fn prepare(self, language: Option<u32>, force: bool, tables: &EndgameTables) -> Result<PreparedEntry> {
        let wrong = |message: String| CliFailure::Usage(message);
        let query = self.command_query(language)?;
        let command_query = if self.evidence { query.with_evidence()? } else { query }.with_tables(tables);
        let mut outputs = RequestedOutputs::default();
        for (key, value) in &self.outputs.0 {
            if !outputs.take_from_plan(key, value).map_err(wrong)? {
                return Err(wrong(format!(
                    "a query of a plan has no `{key}`; `plyfold scan --help` lists what it has"
                )));
            }
        }
        outputs.sort();
        let has = |output: &OutputDefinition| outputs.of_option(output.option).next().is_some();
        let form = |text: &String| {
            PositionFormat::from_str(text, false)
                .map_err(|_| wrong(format!("positions are listed as ref, fen, both or hash, not as `{text}`")))
        };
        let requires = [
            (self.unique, self.positions.is_some(), "unique", "positions"),
            (self.limit.is_some(), self.positions.is_some(), "limit", "positions"),
            (self.save_heatmap.is_some(), has(&HEATMAP), "save_heatmap", "heatmap"),
            (self.save_by.is_some(), has(&COUNTS), "save_by", "by"),
            (self.save_parts.is_some(), has(&PARTITION), "save_parts", "partition"),
        ];
        if let Some((.., option, other)) = requires.iter().find(|(given, has, ..)| *given && !has) {
            return Err(wrong(format!("`{option}` applies to `{other}`, which is not requested")));
        }
        let question = QueryOptions {
            positions: self.positions.as_ref().map(form).transpose()?,
            within: self.within,
            save_games: self.save_games,
            saved: SavedOutputs {
                save_positions: self.save_positions,
                save_heatmap: self.save_heatmap,
                save_by: self.save_by,
                save_parts: self.save_parts,
            },
            games: self.games.and_then(|games| match games {
                GamesOutput::All(all) => all.then_some(None),
                GamesOutput::Most(most) => Some(Some(most)),
            }),
            tags: TagColumns::default(),
            unique: self.unique,
            limit: self.limit,
            outputs,
            top: self.top.unwrap_or(20),
            evidence: self.evidence,
            stats: false,
            force,
        };
        saved_outputs::check_saved_outputs(&question.saved, &question.outputs)?;
        Ok(PreparedEntry { name: self.name, command_query, options: question })
    }
}

impl PreparedEntry {
    /// The files that the query writes, as named in the plan.
    fn output_paths(&self) -> impl Iterator<Item = String> + '_ {
        let QueryOptions { save_games, saved: kept, .. } = &self.options;
        let files = [&kept.save_positions, &kept.save_heatmap, &kept.save_by];
        let files = files.into_iter().flatten().map(|path| PrintablePath(path).to_string());
        files.chain([save_games, &kept.save_parts].into_iter().flatten().cloned())
    }
}

/// Runs the command.
///
/// # Errors
///
/// The plan or one of its queries has a mistake, the corpus cannot be read, or a result cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.tables.open()?;
    let mut plan = read_plan(&arguments.plan, arguments.force, &tables)?;
    check_distinct_outputs(&arguments.plan, &plan)?;
    outputs(arguments, &plan)?.check()?;
    super::with_threads(arguments.threads, || {
        let begin = Instant::now();
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WhenUsed)?;
        let open_ms = milliseconds(begin.elapsed());
        let sets = CurrentSets::new(&arguments.library.path, &corpus);
        for PreparedEntry { name, command_query, .. } in &mut plan {
            command_query.asks_for_notes = arguments.format == ReportFormat::Json;
            let bound = sets.bind_sets(command_query);
            bound.map_err(|failure| with_query_name(&arguments.plan, name, failure))?;
        }
        sets.bind_comments(&mut plan.iter_mut().map(|entry| &mut entry.command_query).collect::<Vec<_>>())?;
        let asked: Vec<(&CommandQuery, &QueryOptions)> =
            plan.iter().map(|one| (&one.command_query, &one.options)).collect();
        let begin = Instant::now();
        let found = report_queries(&arguments.library.path, &corpus, &asked, open_ms)?;
        let elapsed_ms = milliseconds(begin.elapsed());
        let names = plan.iter().map(|one| &*one.name);
        output::write(arguments.output.as_deref(), arguments.force, |out| match arguments.format {
            ReportFormat::Json => {
                let queries = names.zip(&found).map(|(name, found)| PlanEntryReport { name, found }).collect();
                let (games_total, plies_total) = (corpus.header.games, corpus.header.plies);
                Ok(output::json(out, &ScanAnswer { games_total, plies_total, elapsed_ms, queries })?)
            }
            ReportFormat::Text => printable::text(out, |out| {
                for (index, (name, found)) in names.zip(&found).enumerate() {
                    writeln!(out, "{}{name}:", if index > 0 { "\n" } else { "" })?;
                    text::write(out, found)?;
                }
                Ok(())
            }),
        })
    })
}

/// The files that the command reads and writes.
fn outputs(arguments: &Arguments, plan: &[PreparedEntry]) -> Result<OutputPlan> {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.tables.declare_inputs(&mut outputs);
    if arguments.plan != Path::new("-") {
        outputs.reads("the plan", &arguments.plan);
    }
    let existing = OverwriteRule::from_force(arguments.force);
    if let Some(output) = &arguments.output {
        outputs.streams("-o", output, existing);
    }
    for PreparedEntry { name, command_query, options: question } in plan {
        let role = |option: &str| format!("\"{name}\": {}", option.replace('-', "_"));
        let mut files = DeclaredFiles { outputs: &mut outputs, corpus: &arguments.library.path, role: &role, existing };
        let declared = question.declare_files(command_query, &mut files);
        declared.map_err(|failure| with_query_name(&arguments.plan, name, failure))?;
    }
    Ok(outputs)
}

/// The results in JSON.
#[derive(Serialize)]
struct ScanAnswer<'a> {
    games_total: u64,
    plies_total: u64,
    /// The time of the pass, and of saving results.
    elapsed_ms: f64,
    queries: Vec<PlanEntryReport<'a>>,
}

#[derive(Serialize)]
struct PlanEntryReport<'a> {
    name: &'a str,
    #[serde(flatten)]
    found: &'a QueryReport<'a>,
}

/// Reads a plan.
///
/// # Errors
///
/// The file cannot be read, is no plan, or has a query with a mistake.
pub(super) fn read_plan(path: &Path, force: bool, tables: &EndgameTables) -> Result<Vec<PreparedEntry>> {
    let text = read_text(path, MAX_PLAN_BYTES, "the plan cannot be read", "a plan has at most 16 MiB")?;
    let plan: ScanPlan = serde_json::from_str(&text)
        .map_err(|error| CliFailure::Usage(format!("{}: this is not a plan: {error}", PrintablePath(path))))?;
    if plan.queries.is_empty() {
        return Err(CliFailure::Usage(format!("{}: a plan has at least one query", PrintablePath(path))));
    }
    let each = plan.queries.into_iter().map(|item| {
        let name = item.name.clone();
        item.prepare(plan.language, force, tables).map_err(|failure| with_query_name(path, &name, failure))
    });
    each.collect()
}

/// The error with the name of its query.
fn with_query_name(path: &Path, name: &str, failure: CliFailure) -> CliFailure {
    match failure {
        failure @ (CliFailure::Usage(_) | CliFailure::Query(..) | CliFailure::Expression(..) | CliFailure::Json(_)) => {
            CliFailure::Usage(format!("{}: \"{name}\": {failure}", PrintablePath(path)))
        }
        failure => failure,
    }
}

/// Refuses names and outputs that occur twice, and sets that are both read and written.
fn check_distinct_outputs(path: &Path, plan: &[PreparedEntry]) -> Result<()> {
    let wrong = |message: String| Err(CliFailure::Usage(format!("{}: {message}", PrintablePath(path))));
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut outputs: BTreeMap<String, &str> = BTreeMap::new();
    for one in plan {
        if !names.insert(&one.name) {
            return wrong(format!("two queries have the name \"{}\"", one.name));
        }
        for output in one.output_paths() {
            if let Some(other) = outputs.insert(output.clone(), &one.name) {
                let whose = if other == one.name {
                    format!("\"{other}\" writes {output} twice")
                } else {
                    format!("\"{other}\" and \"{}\" both write {output}", one.name)
                };
                return wrong(format!("{whose}: give each output its own file"));
            }
        }
    }
    for one in plan {
        let Some(prefix) = one.options.saved.save_parts.as_ref().map(|prefix| format!("{prefix}-")) else { continue };
        // The names are sorted, so the first name that is not less begins with the prefix if any does.
        let next = outputs.range(prefix.clone()..).next();
        if let Some((output, other)) = next.filter(|(output, _)| output.starts_with(&prefix)) {
            return wrong(format!(
                "\"{other}\" writes {output}, which may be a part of \"{}\": rename one of them",
                one.name
            ));
        }
    }
    for one in plan {
        let mut read: Vec<String> = one.command_query.query.set_names().map(|name| format!("@{name}")).collect();
        if let Some(within) = &one.options.within {
            read.extend(set_expression::names_in_expression(within).unwrap_or_else(|_| vec![within.clone()]));
        }
        // The check of all outputs covers other files.
        read.retain(|name| name.starts_with('@'));
        if let Some((name, writer)) = read.iter().find_map(|name| outputs.get_key_value(name)) {
            return wrong(format!(
                "\"{}\" reads {name}, which \"{writer}\" writes in the same pass: run two scans",
                one.name
            ));
        }
    }
    Ok(())
}
