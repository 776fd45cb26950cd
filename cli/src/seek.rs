//! The query given on a command line: as an argument, from a file, or from standard input.

use std::io::Read;
use std::path::PathBuf;

use plyfold_core::query;
use plyfold_core::scan::Query;

use crate::failure::{Failure, Result};

/// Longest text of a query that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// A query and its text.
pub struct Seek {
    /// As written, without the white space around it.
    pub text: String,
    /// Ready for scanning.
    pub query: Query,
}

impl Seek {
    /// Reads a query.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place.
    pub fn new(text: &str) -> Result<Seek> {
        let text = text.trim().to_owned();
        match query::compile(&text) {
            Ok(query) => Ok(Seek { text, query }),
            Err(error) => Err(Failure::Query(error, text)),
        }
    }

    /// The query of the argument (`-` for standard input) or of the file.
    ///
    /// # Errors
    ///
    /// Neither or both given; a file that cannot be read; a mistake in the query.
    pub fn given(argument: Option<&str>, file: Option<&PathBuf>) -> Result<Seek> {
        let read = |from: &mut dyn Read, name: &str| {
            let mut text = String::new();
            let path = PathBuf::from(name);
            from.take(LONGEST + 1)
                .read_to_string(&mut text)
                .map_err(Failure::file(&path, "the query cannot be read"))?;
            if text.len() as u64 > LONGEST {
                return Err(Failure::NotThat(path, "a query has at most 1 MiB".into()));
            }
            Ok(text)
        };
        match (argument, file) {
            (Some("-"), None) => Seek::new(&read(&mut std::io::stdin().lock(), "standard input")?),
            (Some(text), None) => Seek::new(text),
            (None, Some(path)) => {
                let mut file = std::fs::File::open(path).map_err(Failure::file(path, "the query cannot be read"))?;
                Seek::new(&read(&mut file, &path.display().to_string())?)
            }
            (Some(_), Some(_)) => {
                Err(Failure::Usage("give the query as an argument or by --query-file, not both".into()))
            }
            (None, None) => {
                Err(Failure::Usage("a query is missing: give it as an argument ('' matches every position)".into()))
            }
        }
    }
}
