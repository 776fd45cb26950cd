//! Conditions on headers give the same games whether the scan tests them or DataFusion does.

use crate::sandbox::{Sandbox, demo, lines};

/// Conditions, and what the scan is asked of them; nothing where DataFusion tests them alone.
const CONDITIONS: &[(&str, &str)] = &[
    ("white_elo >= 2500", "white elo >= 2500"),
    ("2500 < white_elo", "white elo > 2500"),
    ("NOT white_elo >= 2851", "white elo < 2851"),
    ("white_elo <> 2500", ""),
    ("black_elo BETWEEN 2400 AND 2850", "(black elo >= 2400) and (black elo <= 2850)"),
    ("result = '1-0'", "result 1-0"),
    ("result IN ('1-0', '*')", "(result 1-0) or (result *)"),
    ("NOT result = '1-0'", ""),
    ("result = 'draw'", ""),
    ("eco = 'B90'", "eco B90"),
    ("eco LIKE 'B%'", "eco B"),
    ("eco_tag = 'B90'", "eco_tag B90"),
    ("eco_tag LIKE 'C4%'", "eco_tag C4"),
    ("white = 'Carlsen, Magnus'", "white \"Carlsen, Magnus\""),
    ("white LIKE 'Carl%'", "white \"Carl*\""),
    ("white LIKE '%arlsen%'", "white \"*arlsen*\""),
    ("white LIKE 'Carlsen,%'", ""),
    ("white = '?'", ""),
    ("black = 'Anna*'", ""),
    ("black = 'O''Kelly de Galway'", "black \"O'Kelly de Galway\""),
    ("event = 'Cup, \"the\" 1st'", ""),
    ("date = DATE '2019-02-28'", "date = 2019.02.28"),
    ("date >= DATE '2000-01-01'", "date >= 2000.01.01"),
    ("date < DATE '2019-02-28'", "date <= 2019.02.28"),
    ("year = 2019", "year = 2019"),
    ("year < 2000", "year < 2000"),
    ("plies > 4", "plies > 4"),
    ("white_title = 'GM'", "white title \"GM\""),
    ("white = black", ""),
    ("matches('checkmate') OR year < 2000", "(checkmate) or (year < 2000)"),
    ("NOT matches('checkmate')", "not (checkmate)"),
    ("matches('checkmate') AND length(white) > 3", "checkmate"),
    ("white_elo > 100000", ""),
    ("white_elo IS NULL", ""),
];

/// The query in the plan of a statement.
fn pushed(address: &str, condition: &str) -> String {
    let plan = lines(address, &format!("EXPLAIN SELECT game FROM games WHERE {condition}")).concat();
    let from = plan.find("query=").unwrap() + "query=".len();
    let to = plan[from..].find(", columns=").unwrap() + from;
    plan[from..to].to_owned()
}

#[test]
fn conditions_mean_the_same_in_the_scan() {
    let sandbox = Sandbox::new();
    let mut others = Vec::new();
    for address in [sandbox.address("headers.plyfold"), sandbox.address("lib"), demo().to_owned()] {
        for (condition, query) in CONDITIONS {
            // A sort with a limit between the table and the condition keeps the condition from the scan.
            let whole = "(SELECT * FROM games ORDER BY game LIMIT 100000)";
            let expected = lines(&address, &format!("SELECT game FROM {whole} WHERE {condition} ORDER BY game"));
            let found = lines(&address, &format!("SELECT game FROM games WHERE {condition} ORDER BY game"));
            assert_eq!(found, expected, "{condition}");
            let query = if query.is_empty() { "(every game)" } else { query };
            let pushed = pushed(&address, condition);
            if pushed != query {
                others.push(format!("{condition}: {pushed}"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn conditions_find_their_games() {
    let sandbox = Sandbox::new();
    let address = sandbox.address("headers.plyfold");
    for (condition, games) in [
        ("NOT white_elo >= 2851", "1 2"),
        ("white = 'Carlsen, Magnus'", "1"),
        ("date <= DATE '2019-12-31'", "1 3"),
        ("year >= 2019", "1 2"),
        ("NOT matches('checkmate')", "3 4"),
        ("result IN ('1-0', '*')", "1 4"),
    ] {
        let found = lines(&address, &format!("SELECT game FROM games WHERE {condition} ORDER BY game"));
        assert_eq!(found.join(" "), games, "{condition}");
    }
}
