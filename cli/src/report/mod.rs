//! Reports of several tables under one title: as text, as JSON, one of the tables as CSV, or as a sheet of HTML.

mod html;

use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::result_table::ResultTable;
use plyfold_files::{OutputPlan, OverwriteRule};
use plyfold_terminal::output;
use plyfold_terminal::style::Style;
use plyfold_terminal::table::grouped;
use plyfold_terminal::threads::parse_threads;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::aliases::AliasArgument;
use crate::commands::QueryFormat;
use crate::failure::{CliFailure, Result};
use crate::result_tables::{JsonRow, StreamedTable, text};

/// The most rows of a table for people, unless a number is given.
const USUAL_ROWS: usize = 15;

/// What a report is written as, and where.
#[derive(clap::Args)]
pub struct ReportArguments {
    #[command(flatten)]
    pub aliases: AliasArgument,
    /// Only the tables of these names, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    section: Vec<String>,
    /// At most N rows of each table that is not by year [default: 15 as text and in HTML, otherwise all].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Format of the report; csv is of one table, which --section names.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    format: QueryFormat,
    /// Write the report to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the report as one page of HTML without scripts, to print or send, and nothing else.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "format"])]
    html: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}

/// A report.
pub struct Report<'a> {
    pub title: String,
    /// What is said before the tables, by names.
    pub facts: Vec<(&'static str, Value)>,
    /// The games of which shares are told.
    pub games: u64,
    pub sections: Vec<ReportSection<'a>>,
}

/// A table of a report.
pub struct ReportSection<'a> {
    /// The name in JSON, and for `--section`.
    pub name: &'static str,
    pub title: &'static str,
    /// Whether the rows have an order of their own, of which none is left out.
    pub is_ordered: bool,
    pub table: ResultTable<'a>,
}

impl ReportArguments {
    /// Whether existing files are replaced.
    pub fn overwrite_rule(&self) -> OverwriteRule {
        OverwriteRule::from_force(self.force)
    }

    /// Declares the file that is written.
    pub fn declare_outputs(&self, outputs: &mut OutputPlan) {
        let rule = self.overwrite_rule();
        for (option, path) in [("-o", &self.output), ("--html", &self.html)] {
            if let Some(path) = path {
                outputs.streams(option, path, rule);
            }
        }
    }

    /// Checks the names of tables before anything is read; `names` are all of them.
    ///
    /// # Errors
    ///
    /// There is no such table, or not exactly one for CSV.
    pub fn check(&self, names: &[&str]) -> Result<()> {
        if let Some(unknown) = self.section.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(CliFailure::Usage(format!("--section {unknown}: the tables are {}", names.join(", "))));
        }
        match self.format == QueryFormat::Csv && self.section.len() != 1 {
            true => Err(CliFailure::Usage(format!(
                "CSV is of one table: choose it with --section, of {}",
                names.join(", ")
            ))),
            false => Ok(()),
        }
    }

    /// Whether a table is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.section.is_empty() || self.section.iter().any(|one| one == name)
    }

    /// Writes the tables that are asked for.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn write(&self, mut report: Report<'_>) -> Result<()> {
        report.sections.retain(|section| self.wants(section.name));
        let is_for_people = self.html.is_some() || self.format == QueryFormat::Text;
        let most = self.top.unwrap_or(if is_for_people { USUAL_ROWS } else { usize::MAX });
        report.sections.iter_mut().filter(|section| !section.is_ordered).for_each(|one| one.table.rows.truncate(most));
        if let Some(path) = &self.html {
            return self.write_to(Some(path), |out| html::write(out, &report));
        }
        self.write_to(self.output.as_deref(), |out| match self.format {
            QueryFormat::Text => report.write_text(out),
            QueryFormat::Json => Ok(output::json(out, &report)?),
            QueryFormat::Csv => {
                report.sections.into_iter().try_for_each(|section| StreamedTable::from(section.table).write_csv(out))
            }
        })
    }

    fn write_to(&self, path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        output::write(path, self.force, write)
    }
}

impl Report<'_> {
    /// The facts as people read them, without those that are unknown.
    fn facts_in_words(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let in_words = |name: &str, value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) if name == "games" => number.as_u64().map(grouped),
            other => Some(other.to_string()),
        };
        self.facts.iter().filter_map(move |(name, value)| Some((name.replace('_', " "), in_words(name, value)?)))
    }

    fn count(&self) -> MatchCount {
        MatchCount { games: self.games, positions: 0 }
    }

    fn write_text(&self, out: &mut dyn Write) -> Result<()> {
        Style::Heading.of(|| writeln!(out, "{}", self.title))?;
        let width = self.facts_in_words().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in self.facts_in_words() {
            writeln!(out, "  {name:<width$}  {value}")?;
        }
        for ReportSection { title, table, .. } in &self.sections {
            if table.rows.is_empty() {
                continue;
            }
            Style::Heading.of(|| writeln!(out, "\n{title}"))?;
            writeln!(out)?;
            text::write_rows(out, table, self.count())?;
        }
        Ok(())
    }
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("title", &self.title)?;
        for (name, value) in &self.facts {
            map.serialize_entry(name, value)?;
        }
        for ReportSection { name, table, .. } in &self.sections {
            let rows: Vec<JsonRow<'_, '_>> = table.rows.iter().map(|row| JsonRow(&table.columns, row)).collect();
            map.serialize_entry(name, &JsonSection { distinct: table.distinct, rows })?;
        }
        map.end()
    }
}

/// A table in JSON: how many rows there are, with those that are left out, and the rows.
#[derive(serde::Serialize)]
struct JsonSection<'a> {
    distinct: u64,
    rows: Vec<JsonRow<'a, 'a>>,
}
