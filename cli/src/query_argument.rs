//! The query of a command line: an argument, a file, or standard input; as text or as JSON.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::{CompiledHeaderTests, HeaderTest, OpeningNames as NamesOfOpenings, find_unknown_name};
use plyfold_core::pgn::{OpeningTable, read_opening_lines};
use plyfold_core::query::notes::notes;
use plyfold_core::query::plan::OpeningResolver;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::{self, CompiledQuery, transformed, unknown_names};
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::COUNTS;
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::shown_names::ShownNames;
use plyfold_core::scan::Query;
use plyfold_core::scan::evidence::PositionRule;
use plyfold_core::scan::parts::parts_read;
use plyfold_core::scan::unstored::unstored_notes;
use plyfold_files::{OutputPlan, open_text};
use plyfold_library::lines_path;
use plyfold_terminal::input::{STANDARD_INPUT, STDIN_MARK};

use crate::endgame_tables::EndgameTables;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::spans_with;
use crate::saved_sets;

/// The longest text of a query that is read, in bytes.
const MAX_QUERY_BYTES: u64 = 1 << 20;

/// The names of openings.
pub static OPENING_NAMES: LazyLock<NamesOfOpenings> = LazyLock::new(|| NamesOfOpenings::new(plyfold_openings::LINES));
/// The positions by which games get their openings.
pub static OPENING_TABLE: LazyLock<Arc<OpeningTable>> =
    LazyLock::new(|| Arc::new(read_opening_lines(plyfold_openings::LINES)));
/// Finds an opening by its name.
pub const OPENING_RESOLVER: OpeningResolver<'static> = &|name| query::resolve_opening(&OPENING_NAMES, name);

/// Where a command takes its query from.
#[derive(clap::Args)]
pub struct QueryArgument {
    /// The query; `-` reads it from standard input, '' matches every position.
    query: Option<String>,
    /// Read the query from a file.
    #[arg(long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// Read the query as JSON from a file, or from standard input for `-`; `plyfold schema` prints its schema.
    #[arg(long, value_name = "FILE")]
    json_query: Option<PathBuf>,
}

impl QueryArgument {
    /// Returns whether no query is given.
    pub fn is_missing(&self) -> bool {
        self.query.is_none() && self.query_file.is_none() && self.json_query.is_none()
    }

    /// The query, if it is given as an argument.
    pub fn text(&self) -> Option<&str> {
        let text = self.query.as_deref().filter(|text| *text != STDIN_MARK)?;
        (self.query_file.is_none() && self.json_query.is_none()).then_some(text)
    }

    /// Declares the file from which the query is read.
    pub fn declare_inputs(&self, outputs: &mut OutputPlan) {
        let is_file = |path: &&PathBuf| path.as_path() != Path::new(STDIN_MARK);
        for path in [&self.query_file, &self.json_query].into_iter().flatten().filter(is_file) {
            outputs.reads("the query file", path);
        }
    }
}

/// A query, its tree and its text.
pub struct CommandQuery {
    /// As written, without the white space around it; a query from JSON, as printed.
    pub text: String,
    /// As read.
    pub tree: QueryTree,
    /// Ready for scanning.
    pub query: Query,
    /// What the query may not mean, what it asks for and the corpus does not store, and names that no game has if [`asks_for_notes`](Self::asks_for_notes).
    pub notes: Vec<String>,
    /// Whether a name that no game has is a note, as for programs, instead of an error.
    pub asks_for_notes: bool,
    /// The tables that the query asks.
    pub tables: EndgameTables,
    /// Names that its outputs show in place of aliases.
    pub names: ShownNames,
    /// Finds the images of a position if the query has `under` transforms.
    pub images: Option<transformed::ImageMatcher>,
}

impl CommandQuery {
    /// Reads a query.
    ///
    /// # Errors
    ///
    /// The query has a mistake; the error has its place.
    pub fn new(text: &str) -> Result<CommandQuery> {
        let text = text.trim().to_owned();
        match CompiledQuery::read(&text, &OPENING_NAMES) {
            Ok(CompiledQuery { tree, plan }) => {
                let (notes, images) = (notes(&tree, &text), transformed::ImageMatcher::for_query(&tree));
                let tables = EndgameTables::default();
                Ok(CommandQuery {
                    images,
                    tree,
                    query: plan,
                    text,
                    notes,
                    tables,
                    names: ShownNames::default(),
                    asks_for_notes: false,
                })
            }
            Err(error) => Err(CliFailure::Query(error, text)),
        }
    }

    /// The same query with the evidence of the games that match as its positions.
    ///
    /// # Errors
    ///
    /// The query has too many conditions.
    pub fn with_evidence(self) -> Result<CommandQuery> {
        let plan = query::plan::plan_positions(&self.tree, OPENING_RESOLVER, PositionRule::Evidence);
        match plan {
            Ok(query) => Ok(CommandQuery { query, ..self }),
            Err(error) => Err(CliFailure::Query(error, self.text)),
        }
    }

    /// The same query, which asks these tables.
    #[must_use]
    pub fn with_tables(mut self, tables: &EndgameTables) -> CommandQuery {
        self.query.bind_tables(&tables.bound);
        self.tables = tables.clone();
        self
    }

    /// The query of a command line.
    ///
    /// # Errors
    ///
    /// No query is given, or several; a file cannot be read; the query has a mistake.
    pub fn from_argument(given: &QueryArgument) -> Result<CommandQuery> {
        let usage = |message: &str| Err(CliFailure::Usage(message.into()));
        match (given.query.as_deref(), given.query_file.as_deref(), given.json_query.as_deref()) {
            (Some(STDIN_MARK), None, None) => CommandQuery::new(&read_query(Path::new(STDIN_MARK))?),
            (Some(text), None, None) => CommandQuery::new(text),
            (None, Some(path), None) => CommandQuery::new(&read_query(path)?),
            (None, None, Some(path)) => {
                CommandQuery::new(&plyfold_core::query::json::from_json(&read_query(path)?)?.to_string())
            }
            (None, None, None) => usage("there is no query: give it as an argument ('' matches every position)"),
            (Some(_), Some(_), None) => usage("give the query as an argument or by --query-file, not both"),
            _ => usage("give the query once: as an argument, by --query-file or by --json-query"),
        }
    }

    /// The query of the positions that this query leaves open, with the outputs that are made of them; none if it asks no tables.
    ///
    /// # Errors
    ///
    /// The query has too many predicates for it.
    pub fn unknown_positions(&self) -> Result<Option<(Query, ReducerSelection)>> {
        let wrong = |error| CliFailure::Query(error, self.text.clone());
        let material = GroupingKey::named("material").map(|key| COUNTS.by(key));
        let selection = ReducerSelection {
            positions_count: true,
            outputs: material.into_iter().collect(),
            ..ReducerSelection::default()
        };
        Ok(query::unknown_positions(&self.query).map_err(wrong)?.map(|unknown| (unknown, selection)))
    }

    /// Declares the files that a command reads for the sets of the query; `path` is the corpus.
    pub fn declare_set_inputs(&self, outputs: &mut OutputPlan, path: &Path) {
        for name in self.query.set_names() {
            if let Ok(place) = saved_sets::set_path(path, &format!("@{name}")) {
                outputs.reads_own("the set", place);
            }
        }
        for name in self.query.line_names() {
            if let Ok(place) = lines_path(path, name) {
                outputs.reads("the lines", place);
            }
        }
    }

    /// Binds the query to a corpus: to the names of players, events and so on, and to sets, which `named_set` finds by their
    /// names without the `@`. A name that no game has is a note if the query [asks for notes](Self::asks_for_notes).
    ///
    /// # Errors
    ///
    /// A name that no game has or a set that does not exist, with its place and the nearest names; a set that cannot be
    /// read.
    pub fn bind(&mut self, corpus: &JoinedCorpus<'_>, named_set: impl Fn(&str) -> Result<GameSet>) -> Result<()> {
        let CommandQuery { query, tree, text, .. } = self;
        query.bind_sets(|name| {
            let set = named_set(name).map_err(|failure| match failure {
                CliFailure::Expression(error, _) => {
                    let error = unknown_names::unknown_set_error(tree, text, name, &error.message);
                    CliFailure::Query(error, text.clone())
                }
                failure => failure,
            })?;
            Ok::<_, CliFailure>(set.words().into())
        })?;
        let (tests, spans) = (unknown_names::name_tests(&self.query), spans_with(corpus, parts_read(&self.query))?);
        self.notes.extend(unstored_notes(&self.query, &spans));
        // A corpus without games has no names, so a missing name is not a mistake of the query.
        if tests.is_empty() || spans.iter().all(GameSpan::is_empty) {
            return Ok(());
        }
        let unknown = |tests: &[HeaderTest]| find_unknown_name(&CompiledHeaderTests::new(tests, &spans), &spans);
        if self.asks_for_notes {
            for name in tests.iter().filter_map(|test| unknown(std::slice::from_ref(test))) {
                let note = name.to_string();
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            return Ok(());
        }
        match unknown(&tests) {
            None => Ok(()),
            Some(name) => Err(CliFailure::Query(
                unknown_names::unknown_name_error(&self.tree, &self.text, &name),
                self.text.clone(),
            )),
        }
    }
}

/// The bytes of a file as text.
///
/// # Errors
///
/// They are not UTF-8; the message says where.
pub fn utf8_text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1;
        CliFailure::unsuitable(path, format!("is not UTF-8 at byte {offset}, in line {line}: save it as UTF-8"))
    })
}

fn read_query(path: &Path) -> Result<String> {
    read_text(path, MAX_QUERY_BYTES, "the query cannot be read", "a query has at most 1 MiB")
}

/// The text of a file, or of standard input for `-`, with at most `limit` bytes; `cannot` and `most` are what messages say.
///
/// # Errors
///
/// It cannot be read, is longer, or is not UTF-8.
pub fn read_text(path: &Path, limit: u64, cannot: &'static str, most: &str) -> Result<String> {
    let (from, path): (Box<dyn Read>, &Path) = match path == Path::new(STDIN_MARK) {
        true => (Box::new(std::io::stdin().lock()), Path::new(STANDARD_INPUT)),
        false => (Box::new(open_text(path).map_err(CliFailure::file(path, cannot))?), path),
    };
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).map_err(CliFailure::file(path, cannot))?;
    if bytes.len() as u64 > limit {
        return Err(CliFailure::unsuitable(path, most));
    }
    let mut text = utf8_text(path, bytes)?;
    // Some editors write a byte order mark.
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}
