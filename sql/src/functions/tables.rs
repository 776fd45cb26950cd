//! Table functions: `search`, `positions`, `next_moves` and `counts`, each of `(library, query)` or of `(query)`.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::prelude::SessionContext;
use plyfold_core::keys::parse_key;
use plyfold_core::reduce::key::GroupingKey;

use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::session::SessionLibraries;
use crate::shard_rows::FoldOutput;
use crate::summaries::{Summary, SummaryTable};
use crate::tables::FoldTable;

/// A table function.
#[derive(Debug)]
struct LibraryFunction {
    libraries: Arc<SessionLibraries>,
    kind: FunctionKind,
    name: &'static str,
    /// The arguments after the library.
    arguments: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FunctionKind {
    Search,
    Positions,
    NextMoves,
    Counts,
}

/// The functions, with their names and their arguments after the library.
const FUNCTIONS: [(FunctionKind, &str, &[&str]); 4] = [
    (FunctionKind::Search, "search", &["query"]),
    (FunctionKind::Positions, "positions", &["query"]),
    (FunctionKind::NextMoves, "next_moves", &["query"]),
    (FunctionKind::Counts, "counts", &["query", "key"]),
];

/// Registers the table functions.
pub(super) fn register(context: &SessionContext, libraries: &Arc<SessionLibraries>) {
    for (kind, name, arguments) in FUNCTIONS {
        let function = LibraryFunction { libraries: libraries.clone(), kind, name, arguments };
        context.register_udtf(name, Arc::new(function));
    }
}

impl LibraryFunction {
    /// The texts of a call, without the library if it is left out.
    fn texts(&self, arguments: &[Expr]) -> Result<(Option<String>, Vec<String>)> {
        let names = self.arguments;
        let text = |argument: &Expr| match argument {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let texts: Option<Vec<String>> = arguments.iter().map(text).collect();
        match texts {
            Some(texts) if texts.len() == names.len() => Ok((None, texts)),
            Some(mut texts) if texts.len() == names.len() + 1 => Ok((Some(texts.remove(0)), texts)),
            _ => {
                let (name, names) = (self.name, names.join(", "));
                Err(SqlFailure::usage(format!("{name} takes texts: {name}({names}) or {name}(library, {names})")))
            }
        }
    }

    fn key(&self, text: &str) -> Result<GroupingKey> {
        let mut key = parse_key(text).map_err(|error| {
            let nearest = error.nearest.map(|nearest| format!(": did you mean `{nearest}`?")).unwrap_or_default();
            SqlFailure::usage(format!("{}{nearest} (`plyfold keys` lists them)", error.message))
        })?;
        key.bind_tables(&self.libraries.bound_tables());
        Ok(key)
    }
}

impl TableFunctionImpl for LibraryFunction {
    fn call_with_args(&self, arguments: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let (name, texts) = self.texts(arguments.exprs())?;
        let library = name.map_or_else(|| Ok(self.libraries.main.clone()), |name| self.libraries.named(&name))?;
        let tables = self.libraries.bound_tables();
        let query = BoundQuery::read(&texts[0], &tables)?;
        let rows = |output| FoldTable::new(library.clone(), query.clone(), output, tables.clone());
        Ok(match self.kind {
            FunctionKind::Search => Arc::new(rows(FoldOutput::Games)),
            FunctionKind::Positions => Arc::new(rows(FoldOutput::Positions)),
            FunctionKind::NextMoves => Arc::new(SummaryTable::new(library, query, Summary::NextMoves)),
            FunctionKind::Counts => Arc::new(SummaryTable::new(library, query, Summary::Counts(self.key(&texts[1])?))),
        })
    }
}
