//! The crosstable of a tournament, counted by hand.

use crate::program::CliSandbox;

/// A round of six games: who has White, the rating, who has Black, the rating, and the result.
const GAMES: [(&str, u16, &str, u16, &str); 6] = [
    ("Anders, Eva", 2400, "Brandt, Jo", 2200, "1-0"),
    ("Conte, Lia", 2000, "Dahl, Per", 2300, "1/2-1/2"),
    ("Brandt, Jo", 2200, "Conte, Lia", 2000, "0-1"),
    ("Dahl, Per", 2300, "ANDERS, Eva", 2400, "1/2-1/2"),
    ("Anders, Eva", 2400, "Conte, Lia", 2000, "1/2-1/2"),
    ("Brandt, Jo", 2200, "Dahl, Per", 2300, "*"),
];

#[test]
fn a_tournament_has_a_crosstable() {
    let sandbox = CliSandbox::with_sample();
    let game = |(white, white_elo, black, black_elo, result): (&str, u16, &str, u16, &str)| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"{white_elo}\"]\n[BlackElo \"{black_elo}\"]\n\
             [Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    };
    sandbox.put("round.pgn", GAMES.map(game).concat().as_bytes());
    sandbox.run(&["import", "round.pgn", "-o", "round.plyfold"]).succeeded();
    let csv = sandbox.run(&["query", "round.plyfold", "", "--standings", "--format", "csv"]).succeeded().text();
    assert_eq!(
        csv.lines().collect::<Vec<_>>(),
        [
            "rank,player,points,games,won,drawn,lost,sonneborn_berger,rating,performance,against,condition",
            // (2200 + 2300 + 2000 + 400) / 3
            "1,\"Anders, Eva\",2,3,1,2,0,1.5,2400,2300,2:½ 3:½ 4:1,\"player \"\"Anders, Eva\"\"\"",
            // (2300 + 2200 + 2400 + 400) / 3
            "2,\"Conte, Lia\",2,3,1,2,0,1.5,2000,2433,1:½ 3:½ 4:1,\"player \"\"Conte, Lia\"\"\"",
            // The game without a result counts as a game.
            "3,\"Dahl, Per\",1,3,0,2,0,2,2300,2200,1:½ 2:½ 4:*,\"player \"\"Dahl, Per\"\"\"",
            "4,\"Brandt, Jo\",0,3,0,0,2,0,2200,1800,1:0 2:0 3:*,\"player \"\"Brandt, Jo\"\"\"",
        ]
    );
    let two = sandbox.json(&["query", "round.plyfold", "", "--standings", "2"]);
    let table = &two["standings"];
    assert_eq!((&table["distinct"], table["rows"].as_array().map(Vec::len)), (&4.into(), Some(2)), "{two}");
}
