//! A mistake in a statement is one sentence with its place and what to do.

use crate::sandbox::{Sandbox, ask};

#[test]
fn mistakes_are_explained() {
    let sandbox = Sandbox::new();
    for (statement, says) in [
        ("SELECT * FRO games", "SQL: Expected: end of statement, found: FRO at Line: 1, Column: 10"),
        ("SELECT foo FROM games", "No field named foo"),
        ("SELECT * FROM game", "game' not found"),
        ("SELECT nothing(1)", "Invalid function 'nothing'"),
        (
            "SELECT * FROM search('queens_of')",
            "unknown name `queens_of`: did you mean `queens_off`?\nqueens_of\n^^^^^^^^^",
        ),
        ("SELECT * FROM games WHERE matches('queens_of')", "did you mean `queens_off`?"),
        ("SELECT matches('queens_of') FROM games", "did you mean `queens_off`?"),
        ("SELECT matches('check')", "there is no column `game` beside it"),
        (
            "SELECT * FROM games a JOIN games b ON a.game = b.game WHERE matches('check')",
            "several tables beside it have a column `game`: write matches(query, TABLE.game)",
        ),
        ("SELECT * FROM games WHERE matches('check and in @mine')", "there is no set @mine: "),
        ("SELECT * FROM games WHERE matches('check and in @mine')", "check and in @mine\n             ^^^^^"),
        ("SELECT * FROM games WHERE matches('white left @mine')", "there are no lines @mine: "),
        ("SELECT * FROM search(1, 2, 3)", "search takes texts: search(query) or search(library, query)"),
        ("SELECT * FROM counts('check', 'ecco')", "`ecco` is not a key to group by"),
        ("SELECT * FROM partition('check', 'ecco:ever')", "`ecco` is not a key to group by"),
        ("SELECT * FROM partition('check', 'year:last')", "write `final`, `first` or `ever` after the colon"),
        ("SELECT tb('8/8/8/8/8/2k5/8/K6q w - - 0 1')", "tb(fen) needs endgame tables"),
        ("SELECT signature('nonsense')", "not a FEN"),
        ("SELECT transform(fen(1, 1), 'upside_down')", "`upside_down` is not a transform"),
    ] {
        let message = ask(&sandbox.address("lib"), statement).expect_err(statement);
        assert!(message.contains(says), "{statement}: {message}");
    }
}

#[test]
fn an_explicit_column_serves_a_join() {
    let sandbox = Sandbox::new();
    let statement =
        "SELECT count(*) FROM games a JOIN games b ON a.game = b.game + 1 WHERE matches('checkmate', b.game)";
    assert_eq!(ask(&sandbox.address("lib"), statement).unwrap(), [["2"]]);
}
