//! `plyfold scan`: the queries of a plan, all answered in one pass.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use plyfold_core::corpus::file::Check;
use plyfold_files::{Existing, Outputs, Shown, open_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::query::kept::{self, Kept};
use super::query::{Found, Question, answer, milliseconds, text};
use crate::by::{By, read_key, read_partition};
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::positions::Form;
use crate::seek::Seek;
use crate::{Format, out, stored};

/// Longest plan that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Answer many queries in one pass.
///
/// A plan is a JSON file with a list of queries; each has a name and asks as `plyfold query` does. Games are read once, and what several
/// queries ask of a game is found out once for all of them.
#[derive(clap::Args)]
#[command(after_help = PLAN)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// The plan; `-` reads it from standard input.
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Write the answers to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace files that exist; sets under a name (@name) need no force.
    #[arg(long)]
    force: bool,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
    /// How the answers are written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const PLAN: &str = r#"A plan:
  { "queries": [
      { "name": "endings", "query": "endgame rook", "save_games": "@rook-endings", "by": ["material"], "top": 10 },
      { "name": "fianchetto", "query": "white bishop on g2 for 20", "within": "@mine", "heatmap": true, "next": true },
      { "name": "wins", "query": { "result": ["1-0"] }, "games": 20, "partition": ["year", "endgame:ever"] }
  ] }

Each query may have the options of `plyfold query`, with _ for -: within, games (a number, or true for all), positions (ref, fen, both,
hash), unique, limit, heatmap, structures, by, partition, top, next, save_games, save_positions, save_heatmap, save_by, save_parts.
A query is a text, or JSON as `plyfold schema` says."#;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    queries: Vec<Item>,
}

/// A query of the plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    name: String,
    query: Value,
    within: Option<String>,
    games: Option<Games>,
    positions: Option<String>,
    #[serde(default)]
    unique: bool,
    limit: Option<u64>,
    #[serde(default)]
    heatmap: bool,
    structures: Option<usize>,
    #[serde(default)]
    by: Vec<String>,
    top: Option<usize>,
    #[serde(default)]
    partition: Vec<String>,
    #[serde(default)]
    next: bool,
    save_games: Option<String>,
    save_positions: Option<PathBuf>,
    save_heatmap: Option<PathBuf>,
    save_by: Option<PathBuf>,
    save_parts: Option<String>,
}

/// `true` for all of them, or at most so many.
#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Games {
    All(bool),
    Most(u64),
}

/// A query ready to be asked.
struct Ready {
    name: String,
    seek: Seek,
    question: Question,
}

impl Item {
    fn ready(self, force: bool) -> Result<Ready> {
        let wrong = |message: String| Failure::Usage(message);
        let seek = match &self.query {
            Value::String(text) => Seek::new(text)?,
            json => Seek::new(&plyfold_json::from_json(&json.to_string())?.to_string())?,
        };
        let keys = |texts: &[String], read: fn(&str) -> std::result::Result<By, String>| {
            texts.iter().map(|text| read(text)).collect::<std::result::Result<Vec<By>, String>>()
        };
        let form = |text: &String| {
            Form::from_str(text, false)
                .map_err(|_| wrong(format!("positions are listed as ref, fen, both or hash, not as `{text}`")))
        };
        let requires = [
            (self.unique, self.positions.is_some(), "unique", "positions"),
            (self.limit.is_some(), self.positions.is_some(), "limit", "positions"),
            (self.save_heatmap.is_some(), self.heatmap, "save_heatmap", "heatmap"),
            (self.save_by.is_some(), !self.by.is_empty(), "save_by", "by"),
            (self.save_parts.is_some(), !self.partition.is_empty(), "save_parts", "partition"),
        ];
        if let Some((.., option, other)) = requires.iter().find(|(given, has, ..)| *given && !has) {
            return Err(wrong(format!("`{option}` says something of `{other}`, which is not asked for")));
        }
        let question = Question {
            positions: self.positions.as_ref().map(form).transpose()?,
            by: keys(&self.by, read_key).map_err(wrong)?,
            partition: keys(&self.partition, read_partition).map_err(wrong)?,
            within: self.within,
            save_games: self.save_games,
            kept: Kept {
                save_positions: self.save_positions,
                save_heatmap: self.save_heatmap,
                save_by: self.save_by,
                save_parts: self.save_parts,
            },
            games: self.games.and_then(|games| match games {
                Games::All(all) => all.then_some(None),
                Games::Most(most) => Some(Some(most)),
            }),
            unique: self.unique,
            limit: self.limit,
            heatmap: self.heatmap,
            structures: self.structures,
            top: self.top.unwrap_or(20),
            next: self.next,
            stats: false,
            force,
        };
        kept::check(&question.kept, question.by.len(), question.partition.len())?;
        Ok(Ready { name: self.name, seek, question })
    }
}

impl Ready {
    /// What it writes, as it is written in the plan.
    fn outputs(&self) -> impl Iterator<Item = String> + '_ {
        let Question { save_games, kept, .. } = &self.question;
        let files = [&kept.save_positions, &kept.save_heatmap, &kept.save_by];
        let files = files.into_iter().flatten().map(|path| Shown(path).to_string());
        files.chain([save_games, &kept.save_parts].into_iter().flatten().cloned())
    }
}

/// Runs the command.
///
/// # Errors
///
/// A mistake in the plan or in one of its queries, a corpus that cannot be read, an answer that cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut plan = read(&arguments.plan, arguments.force)?;
    distinct(&arguments.plan, &plan)?;
    outputs(arguments, &plan)?.check()?;
    super::with_threads(arguments.threads, || {
        let begin = Instant::now();
        let opened = Opened::at(&arguments.corpus)?;
        let corpus = opened.corpus(Check::Scan)?;
        let open_ms = milliseconds(begin.elapsed());
        for Ready { name, seek, .. } in &mut plan {
            seek.bind(&arguments.corpus, &corpus).map_err(|failure| of_query(&arguments.plan, name, failure))?;
        }
        let asked: Vec<(&Seek, &Question)> = plan.iter().map(|one| (&one.seek, &one.question)).collect();
        let begin = Instant::now();
        let found = answer(&arguments.corpus, &corpus, &asked, open_ms)?;
        let elapsed_ms = milliseconds(begin.elapsed());
        let names = plan.iter().map(|one| &*one.name);
        out::write(arguments.output.as_deref(), arguments.force, |out| match arguments.format {
            Format::Json => {
                let queries = names.zip(&found).map(|(name, found)| Told { name, found }).collect();
                let (games_total, plies_total) = (corpus.header.games, corpus.header.plies);
                serde_json::to_writer(&mut *out, &All { games_total, plies_total, elapsed_ms, queries })?;
                Ok(writeln!(out)?)
            }
            Format::Text => {
                for (nth, (name, found)) in names.zip(&found).enumerate() {
                    writeln!(out, "{}{name}:", if nth > 0 { "\n" } else { "" })?;
                    text::write(out, found)?;
                }
                Ok(())
            }
        })
    })
}

/// What is read and written.
fn outputs(arguments: &Arguments, plan: &[Ready]) -> Result<Outputs> {
    let mut outputs = Outputs::new();
    outputs.reads("the corpus", &arguments.corpus);
    if arguments.plan != Path::new("-") {
        outputs.reads("the plan", &arguments.plan);
    }
    let existing = Existing::forced(arguments.force);
    if let Some(output) = &arguments.output {
        outputs.streams("-o", output, existing);
    }
    for Ready { name, seek, question } in plan {
        let role = |option: &str| format!("\"{name}\": {}", option.replace('-', "_"));
        let declared = question.read_and_written_by(&mut outputs, &arguments.corpus, seek, &role, existing);
        declared.map_err(|failure| of_query(&arguments.plan, name, failure))?;
    }
    Ok(outputs)
}

/// The answers in JSON.
#[derive(Serialize)]
struct All<'a> {
    games_total: u64,
    plies_total: u64,
    /// Of the one pass and of what was kept.
    elapsed_ms: f64,
    queries: Vec<Told<'a>>,
}

#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    #[serde(flatten)]
    found: &'a Found<'a>,
}

fn read(path: &Path, force: bool) -> Result<Vec<Ready>> {
    let cannot = || Failure::file(path, "the plan cannot be read");
    let mut text = String::new();
    let from: &mut dyn Read = match path == Path::new("-") {
        true => &mut std::io::stdin().lock(),
        false => &mut open_text(path).map_err(cannot())?,
    };
    from.take(LONGEST + 1).read_to_string(&mut text).map_err(cannot())?;
    if text.len() as u64 > LONGEST {
        return Err(Failure::NotThat(path.into(), "a plan has at most 16 MiB".into()));
    }
    let plan: Plan = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{}: this is no plan: {error}", Shown(path))))?;
    if plan.queries.is_empty() {
        return Err(Failure::Usage(format!("{}: a plan has one query at least", Shown(path))));
    }
    let each = plan.queries.into_iter().map(|item| {
        let name = item.name.clone();
        item.ready(force).map_err(|failure| of_query(path, &name, failure))
    });
    each.collect()
}

/// What is wrong, with the query in which it is.
fn of_query(path: &Path, name: &str, failure: Failure) -> Failure {
    match failure {
        failure @ (Failure::Usage(_) | Failure::Query(..) | Failure::Expression(..) | Failure::Json(_)) => {
            Failure::Usage(format!("{}: \"{name}\": {failure}", Shown(path)))
        }
        failure => failure,
    }
}

/// Refuses names and outputs that come twice, and sets that are read and written.
fn distinct(path: &Path, plan: &[Ready]) -> Result<()> {
    let wrong = |message: String| Err(Failure::Usage(format!("{}: {message}", Shown(path))));
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut outputs: BTreeMap<String, &str> = BTreeMap::new();
    for one in plan {
        if !names.insert(&one.name) {
            return wrong(format!("two queries are called \"{}\"", one.name));
        }
        for output in one.outputs() {
            if let Some(other) = outputs.insert(output.clone(), &one.name) {
                let whose = if other == one.name {
                    format!("\"{other}\" writes {output} twice")
                } else {
                    format!("\"{other}\" and \"{}\" both write {output}", one.name)
                };
                return wrong(format!("{whose}: give each answer a file of its own"));
            }
        }
    }
    for one in plan {
        let Some(prefix) = one.question.kept.save_parts.as_ref().map(|prefix| format!("{prefix}-")) else { continue };
        // The names are sorted: if one begins so, it is the first that is not less.
        let next = outputs.range(prefix.clone()..).next();
        if let Some((output, other)) = next.filter(|(output, _)| output.starts_with(&prefix)) {
            return wrong(format!(
                "\"{other}\" writes {output}, which may be a part of \"{}\": give one of them another name",
                one.name
            ));
        }
    }
    for one in plan {
        let mut read: Vec<String> = one.seek.query.sets().map(|name| format!("@{name}")).collect();
        if let Some(within) = &one.question.within {
            read.extend(stored::names_of(within).unwrap_or_else(|_| vec![within.clone()]));
        }
        // Of other files the check of all outputs sees to it.
        read.retain(|name| name.starts_with('@'));
        if let Some((name, writer)) = read.iter().find_map(|name| outputs.get_key_value(name)) {
            return wrong(format!(
                "\"{}\" reads {name}, which \"{writer}\" writes in the same pass: scan one after the other",
                one.name
            ));
        }
    }
    Ok(())
}
