//! `plyfold player`: what a player scored, from the player's side.

pub(in crate::commands) mod games;
mod runs;
pub(in crate::commands) mod tables;

use plyfold_core::aliases::Aliases;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::Date;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReduceRequest, ReducerSelection, run_queries, run_query};
use plyfold_files::OutputPlan;
use plyfold_terminal::write_note;
use serde_json::{Value, json};

use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::report::{Report, ReportArguments};
use games::{OwnScore, own_games};
use tables::{PlayerGames, SECTIONS, board_outputs};

/// Show what a player scored: by colour, opening, opponent, year, time class, event, structure and endgame, and the longest runs.
///
/// The name is one as in `player "…"`: a whole name, or a pattern such as `Carlsen*`; the report says which names it has if there are several.
/// Every number is from the player's side, and a game of two players whom the name means counts as White's. A performance is the average rating
/// of the opponents and 400 points times wins minus losses per game.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The name of the player, or a pattern.
    name: String,
    /// Only the games against this player, or pattern: head to head.
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Only games that match a query.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    report: ReportArguments,
}

const EXAMPLES: &str = "\
Example:
  plyfold player games.plyfold 'Carlsen, Magnus'
  plyfold player games.plyfold 'Karpov, Anatoly' --against 'Kasparov*' --html match.html
  plyfold player games.plyfold 'Tal, Mikhail' --query 'year 1957-1961' --section opponents --format csv";

/// Runs the command.
///
/// # Errors
///
/// No game has the name, the query has a mistake, the corpus cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    arguments.report.check(&SECTIONS)?;
    let mut queries = queries(&arguments.name, arguments.against.as_deref())?;
    let within = arguments.query.as_deref().map(CommandQuery::new).transpose()?;
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.report.aliases.declare_inputs(&mut outputs);
    if let Some(within) = &within {
        within.declare_set_inputs(&mut outputs, &arguments.library.path);
    }
    arguments.report.declare_outputs(&mut outputs);
    outputs.check()?;
    super::with_threads(arguments.report.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let aliases = arguments.report.aliases.read()?;
        let bind = |query: &mut CommandQuery| {
            aliases.bind(&mut query.query);
            CurrentSets::new(&arguments.library.path, &corpus).bind(query)
        };
        queries.iter_mut().try_for_each(bind)?;
        let within = within.map(|mut query| {
            bind(&mut query)?;
            games_of(&corpus, &query).map(|games| (query.text, games))
        });
        let within = within.transpose()?;
        let own = find(&corpus, &aliases, &queries, within.as_ref())?;
        let report = report(arguments, &own, within.as_ref().map(|(text, _)| text.as_str()));
        if report.games == 0 {
            write_note("no game of the player matches");
        }
        arguments.report.write(report)
    })
}

/// The queries of the games with White, with Black, and of all.
fn queries(name: &str, against: Option<&str>) -> Result<[CommandQuery; 3]> {
    if let Some(name) = [Some(name), against].into_iter().flatten().find(|name| name.contains('"')) {
        return Err(CliFailure::Usage(format!("{name}: a name has no quotation marks; write * in their place")));
    }
    let [white, black] = match against {
        None => [format!("white \"{name}\""), format!("black \"{name}\"")],
        Some(other) => {
            [format!("white \"{name}\" and black \"{other}\""), format!("black \"{name}\" and white \"{other}\"")]
        }
    };
    let all = match against {
        None => format!("player \"{name}\""),
        Some(_) => format!("(({white}) or ({black}))"),
    };
    Ok([CommandQuery::new(&white)?, CommandQuery::new(&black)?, CommandQuery::new(&all)?])
}

fn games_of(corpus: &JoinedCorpus<'_>, query: &CommandQuery) -> Result<GameSet> {
    let bar = ScanProgress::for_games(corpus.header.games);
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    Ok(run_query(&corpus_spans(corpus), &query.query, &selection, &bar)?.games.unwrap_or_default())
}

/// Finds the games in one pass, with what was on their boards.
fn find<'a>(
    corpus: &'a JoinedCorpus<'a>,
    aliases: &'a Aliases,
    [white, black, all]: &[CommandQuery; 3],
    within: Option<&(String, GameSet)>,
) -> Result<PlayerGames<'a>> {
    let bar = ScanProgress::for_games(corpus.header.games);
    let selection =
        ReducerSelection { games: true, outputs: board_outputs(corpus.header.games), ..ReducerSelection::default() };
    let request = |query| ReduceRequest { query, within: within.map(|(_, games)| games), selection: &selection };
    let both = [request(&white.query), request(&black.query)];
    let mut found = run_queries(&corpus_spans(corpus), &both, &bar)?.into_iter();
    let [of_white, of_black] = [found.next().unwrap_or_default(), found.next().unwrap_or_default()];
    let [with_white, mut with_black] = [of_white.games.unwrap_or_default(), of_black.games.unwrap_or_default()];
    with_black.sub(&with_white);
    let and_within = |text: &str| match within {
        None => text.to_owned(),
        Some((within, _)) => format!("{text} and ({within})"),
    };
    Ok(PlayerGames {
        by_colour: [own_games(corpus, aliases, &with_white, false), own_games(corpus, aliases, &with_black, true)],
        queries: [&white.text, &black.text].map(|text| and_within(text)),
        query: and_within(&all.text),
        on_board: [of_white.outputs, of_black.outputs],
    })
}

fn report(arguments: &Arguments, own: &PlayerGames<'_>, within: Option<&str>) -> Report<'static> {
    let title = match &arguments.against {
        None => arguments.name.clone(),
        Some(other) => format!("{} against {other}", arguments.name),
    };
    let games = own.by_date();
    let score = OwnScore::of(games.iter().copied());
    let mut dates = games.iter().map(|game| game.date()).filter(|date| date.year() > 0);
    let first = dates.next();
    let date = |date: Option<Date>| date.map_or(Value::Null, |date| json!(date.to_string()));
    let last = dates.next_back().or(first);
    Report {
        title,
        facts: vec![
            ("query", json!(own.query)),
            ("within", json!(within)),
            ("games", json!(score.games())),
            ("first", date(first)),
            ("last", date(last)),
            ("score", json!(score.percent())),
            ("average_rating", json!(score.ratings.average())),
            ("performance", json!(score.ratings.performance())),
        ],
        games: score.games(),
        sections: own.sections(|name| arguments.report.wants(name)),
    }
}
