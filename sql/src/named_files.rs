//! Files that statements may read beside the library, each by a name that was given outside the statement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;

use crate::error::SqlFailure;
use crate::remote::is_address;
use crate::session::LIBRARY_TABLE;

/// How the names of corpora end.
const CORPUS_EXTENSION: &str = "plyfold";

/// A file with the name by which statements read it: a Parquet, CSV, JSON or Arrow file is the table of that name, and a corpus, a folder
/// or a pattern of corpora, or an address of them, is the library of that name, such as in `search('NAME', 'check')`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedFile {
    /// The name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl NamedFile {
    /// A file with a name.
    ///
    /// # Errors
    ///
    /// The name is empty or that of the library.
    pub fn new(name: &str, path: impl Into<PathBuf>) -> Result<NamedFile> {
        if name.is_empty() || name == LIBRARY_TABLE {
            let why = format!("`{name}` is no name for a file: it is not empty, and `{LIBRARY_TABLE}` is the library");
            return Err(SqlFailure::usage(why));
        }
        Ok(NamedFile { name: name.into(), path: path.into() })
    }

    /// Whether it is a library rather than a table.
    #[must_use]
    pub fn is_library(&self) -> bool {
        let text = self.path.to_string_lossy();
        let is_corpus = self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(CORPUS_EXTENSION));
        is_corpus || is_address(&text) || text.contains('*') || self.path.is_dir()
    }

    /// The library's address.
    pub(crate) fn address(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// Makes each file that is no library a table of a session. Only their heads are read.
///
/// # Errors
///
/// A file is missing or has no such format.
pub async fn register_files(context: &SessionContext, files: &[NamedFile]) -> Result<()> {
    // Only this context takes the name of a file for a table.
    let opener = context.clone().enable_url_table();
    for NamedFile { name, path, .. } in files.iter().filter(|file| !file.is_library()) {
        let table = open_table(&opener, path).await?;
        context.register_table(TableReference::bare(name.as_str()), table)?;
    }
    Ok(())
}

/// Refuses files of which two have the same name.
pub(crate) fn check_names(files: &[NamedFile]) -> Result<()> {
    let is_named_before = |nth: usize| files[..nth].iter().any(|file| file.name == files[nth].name);
    match (0..files.len()).find(|&nth| is_named_before(nth)) {
        Some(nth) => Err(SqlFailure::usage(format!("`{}` names two files", files[nth].name))),
        None => Ok(()),
    }
}

async fn open_table(opener: &SessionContext, path: &Path) -> Result<Arc<dyn TableProvider>> {
    let unreadable = |why: &str| SqlFailure::from(std::io::Error::other(format!("{}: {why}", path.display())));
    std::fs::metadata(path).map_err(|error| DataFusionError::from(unreadable(&error.to_string())))?;
    let place = std::path::absolute(path).map_err(|error| DataFusionError::from(unreadable(&error.to_string())))?;
    opener.table_provider(TableReference::bare(place.to_string_lossy())).await.map_err(|error| {
        let why = format!("is no table of Parquet, CSV, JSON or Arrow: {}", SqlFailure::message(&error));
        unreadable(&why).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_files_have_one_name() {
        let named = |names: &[&str]| {
            let files: Vec<_> = names.iter().map(|name| NamedFile::new(name, "a.plyfold").expect("a name")).collect();
            check_names(&files).map_err(|error| error.to_string())
        };
        assert_eq!(named(&["a", "b", "A"]), Ok(()));
        assert!(named(&["a", "b", "a"]).is_err_and(|sentence| sentence.contains("`a` names two files")));
    }
}
