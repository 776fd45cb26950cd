//! `EXPLAIN` shows the query that is run, and only the columns that are needed are made.

use crate::sandbox::{demo, lines};

#[test]
fn a_plan_shows_query_columns_and_limit() {
    let explain = |statement: &str| lines(demo(), &format!("EXPLAIN {statement}")).concat();
    let plan = explain("SELECT eco, count(*) FROM games WHERE matches('queens_off') AND white_elo > 2000 GROUP BY eco");
    assert!(plan.contains("query=(white elo > 2000) and (queens_off), columns=[eco], shards="), "{plan}");
    assert!(!plan.contains("FilterExec"), "{plan}");
    let plan = explain("SELECT count(*) FROM search('check')");
    assert!(plan.contains("query=check, columns=[], "), "{plan}");
    let plan = explain("SELECT white FROM search('check') LIMIT 3");
    assert!(plan.contains("columns=[white]") && plan.contains("limit=3"), "{plan}");
    let plan = explain("SELECT fen FROM positions('check')");
    assert!(plan.contains("positions of ") && plan.contains("query=check, columns=[fen]"), "{plan}");
    let plan = explain("SELECT key FROM counts('check', 'eco')");
    assert!(plan.contains("SummaryExec: counts by eco of "), "{plan}");
}

#[test]
fn games_come_in_their_order() {
    let plan = lines(demo(), "EXPLAIN SELECT game, white FROM search('check') ORDER BY game LIMIT 3").concat();
    assert!(plan.contains("SortPreservingMergeExec") && !plan.contains("SortExec"), "{plan}");
}

#[test]
fn all_games_are_counted_without_a_scan() {
    let plan = lines(demo(), "EXPLAIN SELECT count(*) FROM games").concat();
    assert!(!plan.contains("FoldExec") && plan.contains("PlaceholderRowExec"), "{plan}");
}
