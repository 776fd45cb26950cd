//! `--cluster`: the executors of a cluster find the games and count the positions, asked by the program plyfold-sql.

use std::ffi::OsString;
use std::path::Path;

use plyfold_core::game::GameId;
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{QueryResults, ReduceRequest};

use crate::commands::sql;
use crate::failure::{CliFailure, Result};

/// The answer to the first request, which asks for games or for counts of a library of so many games; the query has this text.
///
/// # Errors
///
/// The program plyfold-sql is missing, or what it writes is not understood. If it fails, this program ends with its exit code.
pub(super) fn answers(
    scheduler: &str,
    (library, games): (&Path, u32),
    text: &str,
    requests: &[ReduceRequest<'_>],
) -> Result<Vec<QueryResults>> {
    let quoted = format!("'{}'", text.replace('\'', "''"));
    let ask = |statement: String| {
        let words = ["--format", "csv", "--cluster", scheduler, "--"].map(OsString::from);
        let arguments: Vec<OsString> = words.into_iter().chain([library.into(), statement.into()]).collect();
        sql::output_of(&arguments)
    };
    let positions = numbers(&ask(format!("SELECT count(*) FROM positions({quoted})"))?)?;
    let wants_games = requests.first().is_some_and(|request| request.selection.games);
    let (matching, set) = if wants_games {
        let numbers = numbers(&ask(format!("SELECT game FROM search({quoted}) ORDER BY game"))?)?;
        let mut set = GameSet::empty(games);
        let ids = numbers.iter().filter_map(|number| number.checked_sub(1)).filter(|&id| id < games.into());
        ids.for_each(|id| set.insert(GameId(id as u32)));
        (set.count(), Some(set))
    } else {
        (sole(&numbers(&ask(format!("SELECT count(*) FROM search({quoted})"))?)?), None)
    };
    let count = MatchCount { games: matching, positions: sole(&positions) };
    Ok(vec![QueryResults { count, games: set, ..QueryResults::default() }])
}

fn sole(numbers: &[u64]) -> u64 {
    numbers.first().copied().unwrap_or(0)
}

/// The numbers of a table of one column.
fn numbers(csv: &[u8]) -> Result<Vec<u64>> {
    let text = String::from_utf8_lossy(csv);
    let numbers = text.lines().skip(1).map(str::parse).collect::<Result<_, _>>();
    numbers.map_err(|_| CliFailure::Other(format!("plyfold-sql wrote something other than numbers: {text}")))
}
