//! The query given on a command line: as an argument, from a file, or from standard input; as text or as JSON.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use plyfold_core::corpus::file::Corpus;
use plyfold_core::game::{Span, spans};
use plyfold_core::headers::{Headers, Openings as NamesOfOpenings, unknown};
use plyfold_core::query::plan::Openings;
use plyfold_core::query::tree::Tree;
use plyfold_core::query::{self, names, parse, under};
use plyfold_core::scan::Query;
use plyfold_files::{Outputs, open_text};

use crate::failure::{Failure, Result};
use crate::stored;

/// Longest text of a query that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The names of openings.
pub static NAMES: LazyLock<NamesOfOpenings> = LazyLock::new(|| NamesOfOpenings::new(plyfold_openings::NAMES));
/// Who knows them.
pub const OPENINGS: Openings<'static> = &|name| query::codes(&NAMES, name);

/// Where a command takes its query from.
#[derive(clap::Args)]
pub struct Given {
    /// What to look for; `-` reads it from standard input, '' matches every position.
    query: Option<String>,
    /// Read the query from a file.
    #[arg(long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// Read the query as JSON from a file, or from standard input for `-`; `plyfold schema` says how it is written.
    #[arg(long, value_name = "FILE")]
    json_query: Option<PathBuf>,
}

impl Given {
    /// Tells the check of `outputs` from which file the query is read.
    pub fn read_by(&self, outputs: &mut Outputs) {
        let is_file = |path: &&PathBuf| path.as_path() != Path::new("-");
        for path in [&self.query_file, &self.json_query].into_iter().flatten().filter(is_file) {
            outputs.reads("the query file", path);
        }
    }
}

/// A query, its tree and its text.
pub struct Seek {
    /// As written, without the white space around it; from JSON, as printed.
    pub text: String,
    /// As read.
    pub tree: Tree,
    /// Ready for scanning.
    pub query: Query,
    /// What it seeks `under` transforms, if anything.
    pub images: Option<under::Found>,
}

impl Seek {
    /// Reads a query.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place.
    pub fn new(text: &str) -> Result<Seek> {
        let text = text.trim().to_owned();
        let read = || Ok((parse::parse(&text)?, query::compile_with(&text, &NAMES)?));
        match read() {
            Ok((tree, query)) => Ok(Seek { images: under::Found::of(&tree), tree, query, text }),
            Err(error) => Err(Failure::Query(error, text)),
        }
    }

    /// The query of a command line.
    ///
    /// # Errors
    ///
    /// None or several given; a file that cannot be read; a mistake in the query.
    pub fn given(given: &Given) -> Result<Seek> {
        match (given.query.as_deref(), given.query_file.as_deref(), given.json_query.as_deref()) {
            (Some("-"), None, None) => Seek::new(&read_input()?),
            (Some(text), None, None) => Seek::new(text),
            (None, Some(path), None) => Seek::new(&read_file(path)?),
            (None, None, Some(path)) => {
                let json = if path == Path::new("-") { read_input()? } else { read_file(path)? };
                Seek::new(&plyfold_json::from_json(&json)?.to_string())
            }
            (None, None, None) => {
                Err(Failure::Usage("a query is missing: give it as an argument ('' matches every position)".into()))
            }
            (Some(_), Some(_), None) => {
                Err(Failure::Usage("give the query as an argument or by --query-file, not both".into()))
            }
            _ => {
                let message = "give the query once: as an argument, by --query-file or by --json-query";
                Err(Failure::Usage(message.into()))
            }
        }
    }

    /// Tells the check of `outputs` which files a command reads for the sets of the query: those of the corpus at `path`.
    pub fn read_by(&self, outputs: &mut Outputs, path: &Path) {
        for name in self.query.sets() {
            if let Ok(place) = stored::place(path, &format!("@{name}")) {
                outputs.reads_own("the set", place);
            }
        }
    }

    /// Binds the query to the corpus at `path`: sets by their names, and names of players, events and so on.
    ///
    /// # Errors
    ///
    /// The first name that no game has, or set that there is not, with its place and the nearest ones; a set that cannot be read.
    pub fn bind(&mut self, path: &Path, corpus: &Corpus<'_>) -> Result<()> {
        let Seek { query, text, .. } = self;
        query.bind(|name| {
            let set = stored::named(path, corpus, name).map_err(|failure| match failure {
                Failure::Expression(error, _) => {
                    Failure::Query(names::placed_set(text, name, &error.message), text.clone())
                }
                failure => failure,
            })?;
            Ok::<_, Failure>(set.words().into())
        })?;
        let (tests, spans) = (names::asked(&self.query), spans(corpus));
        // A corpus without games knows nobody, and that is no mistake of the query.
        if tests.is_empty() || spans.iter().all(Span::is_empty) {
            return Ok(());
        }
        match unknown(&Headers::new(&tests, &spans), &spans) {
            None => Ok(()),
            Some(name) => Err(Failure::Query(names::placed(&self.text, &name), self.text.clone())),
        }
    }
}

fn read_file(path: &Path) -> Result<String> {
    let mut file = open_text(path).map_err(Failure::file(path, "the query cannot be read"))?;
    read_from(&mut file, path)
}

fn read_input() -> Result<String> {
    read_from(&mut std::io::stdin().lock(), Path::new("standard input"))
}

fn read_from(from: &mut dyn Read, path: &Path) -> Result<String> {
    let mut text = String::new();
    from.take(LONGEST + 1).read_to_string(&mut text).map_err(Failure::file(path, "the query cannot be read"))?;
    if text.len() as u64 > LONGEST {
        return Err(Failure::NotThat(path.to_path_buf(), "a query has at most 1 MiB".into()));
    }
    Ok(text)
}
