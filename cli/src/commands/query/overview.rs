//! What is in a corpus, for a user who asks nothing yet: games, years, players, openings and results, and three questions.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::GameResult;
use plyfold_files::PrintablePath;
use plyfold_terminal::style::Style;
use plyfold_terminal::table::{grouped, percent};
use serde::Serialize;

use crate::failure::Result;
use crate::query_argument::OPENING_NAMES;

/// How many players and openings are listed.
const LISTED: usize = 5;

/// The overview, and the object in JSON.
#[derive(Serialize)]
pub(super) struct Overview {
    corpus: String,
    games: u64,
    plies: u64,
    first_year: Option<u32>,
    last_year: Option<u32>,
    players: usize,
    /// Those with the most games.
    most_games: Vec<Counted>,
    /// The codes with the most games, each with the first of its names.
    openings: Vec<Counted>,
    results: Vec<Counted>,
    /// Command lines to go on with.
    questions: Vec<String>,
}

#[derive(Serialize)]
struct Counted {
    name: String,
    games: u64,
}

/// Counts of the headers of all games.
#[derive(Default)]
struct HeaderCounts<'a> {
    players: HashMap<&'a str, u64>,
    openings: HashMap<String, u64>,
    results: HashMap<&'static str, u64>,
    years: Option<(u32, u32)>,
}

impl<'a> HeaderCounts<'a> {
    fn of(corpus: &'a JoinedCorpus<'_>) -> HeaderCounts<'a> {
        let mut counts = HeaderCounts::default();
        for shard in corpus.shards() {
            // A name is looked up once for a shard, and not for each game.
            let mut players = HashMap::<u32, u64>::new();
            for record in shard.records {
                *players.entry(record.white).or_default() += 1;
                *players.entry(record.black).or_default() += 1;
                *counts.results.entry(record.result().name()).or_default() += 1;
                if !record.eco.is_unknown() {
                    *counts.openings.entry(record.eco.to_string()).or_default() += 1;
                }
                let year = record.date.year();
                if year != 0 {
                    let (first, last) = counts.years.unwrap_or((year, year));
                    counts.years = Some((first.min(year), last.max(year)));
                }
            }
            for (player, games) in players {
                *counts.players.entry(shard.players.get(player)).or_default() += games;
            }
        }
        counts.players.retain(|&name, _| name != "?" && !name.is_empty());
        counts
    }
}

impl Overview {
    /// The overview of a corpus, from the headers of its games.
    pub(super) fn of(path: &Path, corpus: &JoinedCorpus<'_>) -> Overview {
        let HeaderCounts { players, openings, results, years } = HeaderCounts::of(corpus);
        let number_of_players = players.len();
        let most_games = largest(players.into_iter().map(|(name, games)| Counted { name: name.into(), games }));
        let openings = openings.into_iter().map(|(code, games)| {
            let name = OPENING_NAMES.iter().find(|(eco, _)| eco.to_string() == code);
            Counted { name: name.map_or_else(|| code.clone(), |(_, name)| format!("{code} {name}")), games }
        });
        let of_result = |result: &GameResult| {
            let name = result.name();
            Counted { name: name.into(), games: results.get(name).copied().unwrap_or(0) }
        };
        Overview {
            corpus: path.display().to_string(),
            games: corpus.header.games,
            plies: corpus.header.plies,
            first_year: years.map(|(first, _)| first),
            last_year: years.map(|(_, last)| last),
            players: number_of_players,
            openings: largest(openings),
            results: GameResult::ALL.iter().map(of_result).collect(),
            questions: questions(path, &most_games),
            most_games,
        }
    }

    /// Writes it as text.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        Style::Heading.of(|| writeln!(out, "{}", PrintablePath(Path::new(&self.corpus))))?;
        writeln!(out, "  games    {:>11}", grouped(self.games))?;
        writeln!(out, "  plies    {:>11}", grouped(self.plies))?;
        if let (Some(first), Some(last)) = (self.first_year, self.last_year) {
            writeln!(out, "  years    {:>11}", format!("{first}-{last}"))?;
        }
        writeln!(out, "  players  {:>11}", grouped(self.players as u64))?;
        let lists = [("Most games", &self.most_games), ("Openings", &self.openings), ("Results", &self.results)];
        for (heading, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            Style::Heading.of(|| writeln!(out, "\n{heading}"))?;
            for Counted { name, games } in list {
                writeln!(out, "  {:>9}  {:>7}  {name}", grouped(*games), percent(*games, self.games))?;
            }
        }
        Style::Heading.of(|| writeln!(out, "\nTo go on"))?;
        self.questions.iter().try_for_each(|question| writeln!(out, "  {question}"))?;
        Ok(())
    }
}

/// Those with the most games, in this order; of equal ones, the first by name.
fn largest(counted: impl Iterator<Item = Counted>) -> Vec<Counted> {
    let mut counted: Vec<Counted> = counted.collect();
    counted.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    counted.truncate(LISTED);
    counted
}

/// Three questions about the games of a corpus: to one player's games if a name can be typed as it is.
fn questions(path: &Path, most_games: &[Counted]) -> Vec<String> {
    let shown = PrintablePath(path).to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\._-:~".contains(letter);
    let corpus = if shown.chars().all(is_plain) { shown } else { format!("'{shown}'") };
    let can_be_typed = |name: &str| !name.contains(['"', '\'', '*', '?', '\\', '$', '`']);
    let player = most_games.iter().find(|player| can_be_typed(&player.name));
    let of_player = player.map_or_else(
        || "'white castled and black castled' --next".to_owned(),
        |player| format!("'\"{}\" rook_on_seventh' --games 5", player.name),
    );
    let each = ["'queens_off and white bishop_pair' --games 5", &of_player, "'passed_pawn in endgame' --by eco"];
    each.iter().map(|question| format!("plyfold query {corpus} {question}")).collect()
}
