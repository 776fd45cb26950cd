//! Table functions: `search`, `positions`, `read_phrase`, and one for each output; each of `(library, query)` or of `(query)`, with a key if the output
//! takes one.

use std::fmt;
use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::prelude::SessionContext;
use plyfold_core::keys::{parse_key, split_rule};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputDefinition};

use super::read_phrase;
use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::session::SessionLibraries;
use crate::shard_rows::FoldOutput;
use crate::summaries::SummaryTable;
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

#[derive(Clone, Copy)]
enum FunctionKind {
    Rows(FoldOutput),
    Output(&'static OutputDefinition),
    /// What plain words mean.
    Phrase,
}

impl fmt::Debug for FunctionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionKind::Rows(rows) => rows.fmt(out),
            FunctionKind::Output(output) => output.name.fmt(out),
            FunctionKind::Phrase => out.write_str("Phrase"),
        }
    }
}

/// Registers the table functions.
pub(super) fn register(context: &SessionContext, libraries: &Arc<SessionLibraries>) {
    let rows = [("search", FoldOutput::Games), ("positions", FoldOutput::Positions)];
    let rows = rows.into_iter().map(|(name, rows)| (name, FunctionKind::Rows(rows), &["query"][..]));
    let outputs = OUTPUTS.iter().map(|&output| {
        let arguments: &[&str] = match output.argument {
            OutputArgument::Nothing | OutputArgument::Maximum(_) => &["query"],
            OutputArgument::Key | OutputArgument::KeyWithRule => &["query", "key"],
        };
        (output.name, FunctionKind::Output(output), arguments)
    });
    let phrase = ("read_phrase", FunctionKind::Phrase, &["words"][..]);
    for (name, kind, arguments) in rows.chain(outputs).chain([phrase]) {
        let function = LibraryFunction { libraries: libraries.clone(), kind, name, arguments };
        context.register_udtf(name, Arc::new(function));
    }
}

/// An output with a key, if it has one, which is written as in `plyfold query`.
///
/// # Errors
///
/// There is no such key, or no such rule.
pub(crate) fn output_by(definition: &'static OutputDefinition, key: Option<&str>) -> Result<Output, String> {
    let read = |text: &str| {
        parse_key(text).map_err(|error| {
            let nearest = error.nearest.map(|nearest| format!(": did you mean `{nearest}`?")).unwrap_or_default();
            format!("{}{nearest} (`plyfold keys` lists them)", error.message)
        })
    };
    Ok(match (definition.argument, key) {
        (OutputArgument::Key, Some(text)) => definition.by(read(text)?),
        (OutputArgument::KeyWithRule, Some(text)) => {
            let (key, rule) = split_rule(text).map_err(|error| error.message)?;
            definition.by(read(key)?).ruled_by(rule)
        }
        _ => definition.output(),
    })
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
}

impl TableFunctionImpl for LibraryFunction {
    fn call_with_args(&self, arguments: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let (name, texts) = self.texts(arguments.exprs())?;
        let library = name.map_or_else(|| Ok(self.libraries.main.clone()), |name| self.libraries.named(&name))?;
        let tables = self.libraries.bound_tables();
        let query = || BoundQuery::read(&texts[0], &library, &tables);
        Ok(match self.kind {
            FunctionKind::Phrase => return read_phrase::table(&library, &texts[0], &tables),
            FunctionKind::Rows(rows) => {
                let query = query()?;
                Arc::new(FoldTable::new(library, query, rows, tables))
            }
            FunctionKind::Output(definition) => {
                let query = query()?;
                let output = output_by(definition, texts.get(1).map(String::as_str)).map_err(SqlFailure::usage)?;
                Arc::new(SummaryTable::new(library, query, output.judged_by(&tables)))
            }
        })
    }
}
