//! The longest runs of wins, and of games without a loss.

use plyfold_core::game::GameId;
use plyfold_core::headers::Date;
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};

use super::games::{OwnGame, OwnResult};

/// Games one after another: how many, and the first and the last with their dates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    games: u64,
    first: (GameId, Date),
    last: (GameId, Date),
}

/// The longest runs of the games, which come by date. Games of no date, which may belong anywhere, and games without a result are passed over.
pub fn table(games: &[&OwnGame<'_>]) -> ResultTable<'static> {
    let known = games.iter().filter(|game| game.date().year() > 0 && game.result() != OwnResult::Unknown);
    let known: Vec<(OwnResult, (GameId, Date))> = known.map(|game| (game.result(), (game.id, game.date()))).collect();
    let runs = [
        ("wins", longest(&known, |result| result == OwnResult::Won)),
        ("without a loss", longest(&known, |result| result != OwnResult::Lost)),
        ("without a win", longest(&known, |result| result != OwnResult::Won)),
    ];
    let rows = runs.into_iter().filter_map(|(name, run)| {
        let Run { games, first, last } = run?;
        let mut row: Vec<ResultCell<'static>> = vec![name.into(), games.into()];
        for (game, date) in [first, last] {
            row.extend([game.number().into(), date.into()]);
        }
        Some(row)
    });
    let columns = vec![
        ResultColumn::text("run"),
        ResultColumn::count("length"),
        ResultColumn::new(CellKind::Game, "first_game"),
        ResultColumn::new(CellKind::Date, "from"),
        ResultColumn::new(CellKind::Game, "last_game"),
        ResultColumn::new(CellKind::Date, "to"),
    ];
    ResultTable::new(columns, rows)
}

/// The longest run, the first of several.
fn longest(games: &[(OwnResult, (GameId, Date))], goes_on: impl Fn(OwnResult) -> bool) -> Option<Run> {
    let mut best: Option<Run> = None;
    for run in games.chunk_by(|one, other| goes_on(one.0) && goes_on(other.0)) {
        if let [(result, first), ..] = run
            && goes_on(*result)
            && best.is_none_or(|best| best.games < run.len() as u64)
        {
            let last = run.last().map_or(*first, |(_, last)| *last);
            best = Some(Run { games: run.len() as u64, first: *first, last });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_is_found() {
        use OwnResult::{Drawn, Lost, Won};
        let results = [Won, Lost, Drawn, Won, Won, Lost, Won, Won, Drawn];
        let games: Vec<(OwnResult, (GameId, Date))> =
            (0..).zip(results).map(|(nth, result)| (result, (GameId(nth), Date::new(2000, 1, nth + 1)))).collect();
        let place = |run: Run| (run.games, run.first.0.0, run.last.0.0);
        assert_eq!(longest(&games, |result| result == Won).map(place), Some((2, 3, 4)));
        assert_eq!(longest(&games, |result| result != Lost).map(place), Some((3, 2, 4)));
        assert_eq!(longest(&games[1..2], |result| result == Won), None);
    }
}
