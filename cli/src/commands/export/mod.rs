//! `plyfold export`: games as they came, positions as FEN.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::reduce::{Wanted, answer};
use serde::Serialize;

use crate::facts::Facts;
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::positions::Stream;
use crate::seek::Seek;
use crate::{out, progress};

/// Write games as PGN, byte for byte as they were imported, or positions as FEN.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// The games that match (pgn, json), or the positions (fen); all without it.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// These games, by number from 1: `1,5-9,100-`.
    #[arg(long, value_name = "LIST", conflicts_with = "query")]
    games: Option<List>,
    /// What is written: pgn is each game's own text with its comments and variations; fen is a position a line; json is
    /// a game a line, facts and text.
    #[arg(long, value_enum, default_value_t = Format::Pgn)]
    format: Format,
    /// Write to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Pgn,
    Fen,
    Json,
}

/// Ranges of numbers, both ends within; an open end is `u64::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List(Vec<(u64, u64)>);

impl std::str::FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<List, String> {
        let number = |text: &str| match text.trim().parse::<u64>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{}` is no number of a game; a list reads 1,5-9,100-", text.trim())),
        };
        let range = |part: &str| match part.split_once('-') {
            None => number(part).map(|one| (one, one)),
            Some((from, to)) if to.trim().is_empty() => number(from).map(|from| (from, u64::MAX)),
            Some((from, to)) => match (number(from)?, number(to)?) {
                (from, to) if from <= to => Ok((from, to)),
                (from, to) => Err(format!("{from}-{to} runs backwards")),
            },
        };
        text.split(',').map(range).collect::<std::result::Result<_, _>>().map(List)
    }
}

impl List {
    /// The games, from 0, ascending, each once.
    fn ids(&self, games: u64) -> Result<BTreeSet<u32>, CorpusError> {
        let mut ids = BTreeSet::new();
        for &(from, to) in &self.0 {
            let last = if to == u64::MAX { from.max(games) } else { to };
            if last > games {
                return Err(CorpusError::NoSuchGame { number: last, games });
            }
            ids.extend((from - 1..last).map(|id| id as u32));
        }
        Ok(ids)
    }
}

/// A game in JSON.
#[derive(Serialize)]
struct Exported<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    /// The original text, what is no UTF-8 in it replaced.
    pgn: std::borrow::Cow<'a, str>,
}

/// Runs the command.
///
/// # Errors
///
/// A corpus that cannot be read, a mistake in the query, no such game, an answer that cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut seek = Seek::new(arguments.query.as_deref().unwrap_or(""))?;
    super::with_threads(arguments.threads, || {
        let opened = Opened::at(&arguments.corpus)?;
        let corpus = opened.corpus(Check::Scan)?;
        let all = corpus.header.games;
        seek.bind(&arguments.corpus, &corpus)?;
        let listed = arguments.games.as_ref().map(|list| list.ids(all)).transpose();
        let listed = listed.map_err(Failure::corpus(opened.path()))?;
        if arguments.format == Format::Fen {
            return positions(arguments, &corpus, &seek, listed.as_ref());
        }
        match (listed, &arguments.query) {
            (Some(listed), _) => games(arguments, &corpus, listed.into_iter()),
            (None, None) => games(arguments, &corpus, 0..all as u32),
            (None, Some(_)) => {
                let wanted = Wanted { games: true, ..Wanted::default() };
                let bar = progress::Scan::over(all);
                let answers = answer(&spans(&corpus), &seek.query, &wanted, &bar);
                drop(bar);
                let answers = answers.map_err(|cancelled| Failure::Other(cancelled.to_string()))?;
                games(arguments, &corpus, answers.games.unwrap_or_default().iter())
            }
        }
    })
}

/// A blank line between games; what a game's own text is, stays as it is.
fn games(arguments: &Arguments, corpus: &Corpus<'_>, ids: impl Iterator<Item = u32>) -> Result<()> {
    let damaged = |error| Failure::corpus(&arguments.corpus)(error);
    out::write(arguments.output.as_deref(), |out| {
        let mut texts = corpus.texts();
        for (nth, id) in ids.enumerate() {
            let text = texts.get(id).map_err(damaged)?;
            if arguments.format == Format::Pgn {
                if nth > 0 {
                    out.write_all(b"\n")?;
                }
                out.write_all(text)?;
                out.write_all(b"\n")?;
            } else if let Some(facts) = Facts::of(corpus, id) {
                serde_json::to_writer(&mut *out, &Exported { facts, pgn: String::from_utf8_lossy(text) })?;
                writeln!(out)?;
            }
        }
        Ok(())
    })
}

fn positions(arguments: &Arguments, corpus: &Corpus<'_>, seek: &Seek, listed: Option<&BTreeSet<u32>>) -> Result<()> {
    let spans: Vec<Span<'_>> = match listed {
        None => spans(corpus),
        Some(listed) => {
            let single = spans(corpus).into_iter().flat_map(|span| span.split(1));
            single.filter(|span| listed.contains(&span.first)).collect()
        }
    };
    out::write(arguments.output.as_deref(), |out| {
        for position in Stream::new(spans, &seek.query, true, false, None) {
            writeln!(out, "{}", position.fen.unwrap_or_default())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_games() {
        let ids = |text: &str| text.parse::<List>().map(|list| list.ids(10).map(Vec::from_iter));
        assert_eq!(ids("1, 5-7,9-"), Ok(Ok(vec![0, 4, 5, 6, 8, 9])));
        assert_eq!(ids("3,2-3"), Ok(Ok(vec![1, 2])));
        assert_eq!(ids("11"), Ok(Err(CorpusError::NoSuchGame { number: 11, games: 10 })));
        assert_eq!(ids("11-"), Ok(Err(CorpusError::NoSuchGame { number: 11, games: 10 })));
        assert_eq!(ids("1-18446744073709551614"), Ok(Err(CorpusError::NoSuchGame { number: u64::MAX - 1, games: 10 })));
        for wrong in ["", "0", "a", "5-3", "1,,2", "-4"] {
            assert!(wrong.parse::<List>().is_err(), "{wrong}");
        }
    }
}
