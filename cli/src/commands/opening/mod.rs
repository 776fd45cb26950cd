//! `plyfold opening`: what is known of an opening, or of a position.

mod lines;
mod model_games;
mod motifs;

use std::collections::BTreeMap;

use plyfold_core::aliases::Aliases;
use plyfold_core::board::Board;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::NamePattern;
use plyfold_core::index::fen::board_from_fen;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::manoeuvres::MANOEUVRES;
use plyfold_core::reduce::novelties::NOVELTIES;
use plyfold_core::reduce::opening_tree::TreeRequest;
use plyfold_core::reduce::output::OutputDefinition;
use plyfold_core::reduce::result_table::{ResultCell, ResultTable};
use plyfold_core::reduce::{ReducerSelection, run_query, run_query_within};
use plyfold_files::OutputPlan;
use plyfold_terminal::write_note;
use serde_json::{Value, json};

use super::player::games::{OwnGame, OwnResult, OwnScore, own_games};
use super::player::tables::{PlayerGames, ScoreRow, board_outputs, by_name, ranked, table};
use super::tree::tree_of;
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::plain_words::GivenQuery;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::report::{Report, ReportArguments, ReportSection};

/// Show what is known of an opening or a position: score, main lines, players, years, ratings, structures, manoeuvres, motifs, endgames, model games and novelties.
///
/// The games are those that match the query or have the position. Scores are White's, but those of Black's players.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The query that selects the games, or a position as a FEN, from which the main lines go on; `startpos` takes all games.
    opening: String,
    /// The main lines go at most N plies from the position, or from the start.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=200))]
    depth: u16,
    /// A move of the main lines has at least N games [default: 2 % of the games, and at least 2].
    #[arg(long, value_name = "N")]
    least: Option<u32>,
    #[command(flatten)]
    report: ReportArguments,
}

const EXAMPLES: &str = "\
Example:
  plyfold opening games.plyfold 'opening \"Najdorf Variation\" and elo >= 2400' --html najdorf.html
  plyfold opening games.plyfold 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -' --depth 8
  plyfold opening games.plyfold 'eco C65-C67' --section novelties --format csv";

/// The names of the tables, in the order of the report.
const SECTIONS: [&str; 12] = [
    "lines",
    "white_players",
    "black_players",
    "years",
    "ratings",
    "structures",
    MANOEUVRES.name,
    "motifs",
    "endgames",
    "white_wins",
    "black_wins",
    NOVELTIES.name,
];

/// The outputs that are tables of the report as they are.
const OUTPUTS: [&OutputDefinition; 2] = [&MANOEUVRES, &NOVELTIES];

/// The query of all games, which `startpos` stands for.
const ALL_GAMES: &str = "plies >= 0";

/// The rating of a band of the table of ratings, from its first on.
const RATING_BAND: u32 = 100;

/// Runs the command.
///
/// # Errors
///
/// The query has a mistake, the corpus cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    arguments.report.check(&SECTIONS)?;
    let text = arguments.opening.trim();
    if text.is_empty() {
        return Err(CliFailure::Usage("the opening is a query or a FEN; for all games, write startpos".into()));
    }
    let position = if text == "startpos" { Some(Board::initial()) } else { board_from_fen(text).ok() };
    let given = match &position {
        // No ply leads to the start, so `fen` does not find it.
        Some(board) if board.hash == Board::initial().hash => {
            GivenQuery::Written(Box::new(CommandQuery::new(ALL_GAMES)?))
        }
        Some(board) => GivenQuery::Written(Box::new(CommandQuery::new(&format!("fen \"{}\"", board.fen()))?)),
        None => GivenQuery::new(text)?,
    };
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        let mut outputs = OutputPlan::new();
        mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
        arguments.report.aliases.declare_inputs(&mut outputs);
        query.declare_set_inputs(&mut outputs, &arguments.library.path);
        arguments.report.declare_outputs(&mut outputs);
        outputs.check()?;
        Ok(query)
    };
    let given = given.prepared(prepare)?;
    super::with_threads(arguments.report.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let aliases = arguments.report.aliases.read()?;
        let mut query = given.read_aloud(&corpus, prepare)?;
        aliases.bind(&mut query.query);
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut query)?;
        let bar = ScanProgress::for_games(corpus.header.games);
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        let games = run_query(&corpus_spans(&corpus), &query.query, &selection, &bar)?.games.unwrap_or_default();
        if games.count() == 0 {
            write_note("no game matches");
        }
        let opening = Opening { arguments, corpus: &corpus, aliases: &aliases, query: &query.text, position, games };
        arguments.report.write(opening.report()?)
    })
}

/// An opening with its games.
struct Opening<'a> {
    arguments: &'a Arguments,
    corpus: &'a JoinedCorpus<'a>,
    aliases: &'a Aliases,
    query: &'a str,
    /// The position, if it is not a query that was given.
    position: Option<Board>,
    games: GameSet,
}

impl Opening<'_> {
    fn report(&self) -> Result<Report<'static>> {
        let (corpus, games) = (self.corpus, self.games.count());
        // What was on the boards is that of whole games, and not of the positions that match.
        let every = CommandQuery::new("")?;
        let mut outputs = board_outputs(corpus.header.games);
        let wanted: Vec<_> = OUTPUTS.into_iter().filter(|output| self.arguments.report.wants(output.name)).collect();
        outputs.extend(wanted.iter().map(|output| output.output()));
        let selection = ReducerSelection { outputs, ..ReducerSelection::default() };
        let bar = ScanProgress::for_games(corpus.header.games);
        let found = run_query_within(&corpus_spans(corpus), &every.query, Some(&self.games), &selection, &bar)?;
        let mut on_board = found.outputs;
        let of_outputs = on_board.split_off(on_board.len() - wanted.len());
        let query = format!("({})", self.query);
        let of_white = PlayerGames {
            by_colour: [own_games(corpus, self.aliases, &self.games, false), Vec::new()],
            queries: [query.clone(), query.clone()],
            query,
            on_board: [on_board, Vec::new()],
        };
        let mut sections = Vec::new();
        for name in SECTIONS.into_iter().filter(|name| self.arguments.report.wants(name)) {
            let output = wanted.iter().zip(&of_outputs).find(|(output, _)| output.name == name);
            sections.push(match output {
                Some((output, result)) => {
                    ReportSection { name, title: output.title, is_ordered: false, table: owned(result.table()) }
                }
                None => self.section(name, &of_white)?,
            });
        }
        let score = OwnScore::of(&of_white.by_colour[0]);
        let [first, last] = years(&of_white.by_colour[0]);
        Ok(Report {
            title: self.arguments.opening.trim().to_owned(),
            facts: vec![
                ("query", json!(self.query)),
                ("position", json!(self.position.as_ref().map(|board| board.fen().to_string()))),
                ("games", json!(games)),
                ("first_year", first),
                ("last_year", last),
                ("score_of_white", json!(score.percent())),
                ("average_rating_of_white", json!(score.ratings.average())),
                ("performance_of_white", json!(score.ratings.performance())),
            ],
            games,
            sections,
        })
    }

    fn section(&self, name: &'static str, own: &PlayerGames<'_>) -> Result<ReportSection<'static>> {
        let games = &own.by_colour[0];
        let players = |is_black: bool| {
            let of_black;
            let (games, word) = match is_black {
                false => (games, "white"),
                true => {
                    of_black = own_games(self.corpus, self.aliases, &self.games, true);
                    (&of_black, "black")
                }
            };
            let condition = |name: &str| {
                let name = NamePattern::of_name(name)?;
                Some(format!("{} and {word} \"{name}\"", own.query))
            };
            table("player", ranked(by_name(games, |game| game.name, condition)))
        };
        let (title, is_ordered, table) = match name {
            "lines" => ("Main lines", true, self.lines()),
            "white_players" => ("Players with White", false, players(false)),
            "black_players" => ("Players with Black, from their side", false, players(true)),
            "motifs" => {
                let rows = motifs::scores(self.corpus, &self.games, games, &own.query)?;
                ("Motifs, and White's score where a side played them", false, table("motif", rows))
            }
            "ratings" => ("White's score by the average rating of both", true, table("rating_band", ratings(games))),
            "white_wins" => ("Wins of White", false, model_games::table(self.corpus, games, OwnResult::Won)),
            "black_wins" => ("Wins of Black", false, model_games::table(self.corpus, games, OwnResult::Lost)),
            _ => {
                let ReportSection { is_ordered, table, title, .. } = own.section(name);
                let title = match name {
                    "years" => "White's score by year",
                    "structures" => "White's structures, and against which",
                    _ => title,
                };
                (title, is_ordered, table)
            }
        };
        Ok(ReportSection { name, title, is_ordered, table })
    }

    fn lines(&self) -> ResultTable<'static> {
        let least_games = self.arguments.least.unwrap_or((self.games.count() / 50).max(2) as u32);
        let root = self.position.clone().unwrap_or_else(Board::initial);
        let request = TreeRequest { root, depth: self.arguments.depth, least_games };
        lines::table(&tree_of(&corpus_spans(self.corpus), &self.games, &request))
    }
}

/// The first and the last year of games, if it is known.
fn years(games: &[OwnGame<'_>]) -> [Value; 2] {
    let years = || games.iter().map(|game| game.date().year()).filter(|year| *year > 0);
    [json!(years().min()), json!(years().max())]
}

/// White's scores by the average rating of both players.
fn ratings(games: &[OwnGame<'_>]) -> Vec<ScoreRow> {
    let mut bands: BTreeMap<u32, OwnScore> = BTreeMap::new();
    for game in games {
        let band = match [game.record.white_elo, game.record.black_elo].map(u32::from) {
            [0, _] | [_, 0] => 0,
            [white, black] => (white + black) / 2 / RATING_BAND * RATING_BAND,
        };
        bands.entry(band).or_default().add(game);
    }
    let name = |band| if band == 0 { "?".into() } else { format!("{band}-{}", band + RATING_BAND - 1) };
    bands.into_iter().map(|(band, score)| ScoreRow { name: name(band), score, condition: None }).collect()
}

/// The table with cells of its own.
fn owned(table: ResultTable<'_>) -> ResultTable<'static> {
    let cell = |cell: ResultCell<'_>| match cell {
        ResultCell::Text(text) => ResultCell::Text(text.into_owned().into()),
        ResultCell::Empty => ResultCell::Empty,
        ResultCell::Count(number) => ResultCell::Count(number),
        ResultCell::Signed(number) => ResultCell::Signed(number),
        ResultCell::Date(date) => ResultCell::Date(date),
    };
    let ResultTable { columns, rows, distinct, .. } = table;
    let rows = rows.into_iter().map(|row| row.into_iter().map(cell).collect());
    ResultTable::new(columns, rows).of_distinct(distinct)
}
