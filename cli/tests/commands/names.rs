//! `plyfold names` and `--aliases`: names are joined where their user has confirmed it, and nowhere else.

use serde_json::Value;

use crate::program::CliSandbox;

fn game(event: &str, white: &str, black: &str, more: &str) -> String {
    format!("[Event \"{event}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n{more}\n1. e4 e5 1-0\n\n")
}

fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let games = [
        game("Linares", "Karpov, Anatoly", "Timman, Jan", ""),
        game("LINARES", "KARPOV,ANATOLY", "Timman, J", ""),
        game("Tilburg", "Karpow, Anatolij", "Polgar, J", ""),
        game("Tilburg", "Polgar, Judit", "Polgar, Jolan", ""),
        game("Tilburg", "Xie Jun", "Li", "[WhiteFideId \"8600147\"]\n"),
        game("Tilburg", "Xie, J.", "Li", "[WhiteFideId \"8600147\"]\n"),
    ];
    sandbox.put("some.pgn", games.concat());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    sandbox
}

#[test]
fn groups_are_confirmed_and_applied() {
    let sandbox = sandbox();
    let report = sandbox.json(&["names", "some.plyfold"]);
    let names = |of: &Value| {
        of.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let kinds: Vec<&str> =
        report["groups"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["player", "player", "player", "event"]);
    assert_eq!(names(&report["groups"]), ["Karpov, Anatoly", "Timman, Jan", "Xie Jun", "Linares"]);
    assert_eq!(names(&report["groups"][0]["aliases"]), ["KARPOV,ANATOLY", "Karpow, Anatolij"]);
    assert_eq!(names(&report["unclear"]), ["Polgar, J"]);
    let text = sandbox.run(&["names", "some.plyfold"]).succeeded().text();
    assert!(
        text.contains("   1  player  Karpov, Anatoly  (1 game)\n      KARPOV,ANATOLY  (1 game)  signs\n"),
        "{text}"
    );
    assert!(text.contains("player  Polgar, J  (1 game): Polgar, Jolan or Polgar, Judit"), "{text}");
    let csv = sandbox.run(&["names", "some.plyfold", "--kind", "event", "--format", "csv"]).succeeded().text();
    assert_eq!(csv, "group,kind,alias,games,name,why,sure\r\n1,event,LINARES,1,Linares,signs,yes\r\n");

    sandbox.run(&["names", "some.plyfold", "--confirm", "sure", "-o", "sure.tsv"]).succeeded();
    assert_eq!(sandbox.get("sure.tsv"), b"player\tXie, J.\tXie Jun\nevent\tLINARES\tLinares\n");
    let more = ["names", "some.plyfold", "--aliases", "sure.tsv", "--confirm", "1", "-o", "all.tsv"];
    sandbox.run(&more).succeeded();
    let karpov = "player\tKARPOV,ANATOLY\tKarpov, Anatoly\nplayer\tKarpow, Anatolij\tKarpov, Anatoly\n";
    assert_eq!(sandbox.get("all.tsv"), [sandbox.get("sure.tsv"), karpov.into()].concat());
    sandbox.run(&more).failed_in_a_line(2, &["exists already", "--force"]);
    sandbox
        .run(&["names", "some.plyfold", "--confirm", "9", "-o", "x.tsv"])
        .failed_in_a_line(2, &["there are 4 groups"]);

    // A query takes the aliases of the names that it finds, and nothing is changed without them.
    let count = |more: &[&str]| sandbox.json(&[&["query", "some.plyfold"], more].concat())["games"].clone();
    assert_eq!(count(&["winner \"Karpov*\""]), 2);
    assert_eq!(count(&["winner \"Karpov*\"", "--aliases", "all.tsv"]), 3);
    assert_eq!(count(&["winner \"karpow, anatolij\""]), 1);
    assert_eq!(count(&["winner \"karpow, anatolij\"", "--aliases", "all.tsv"]), 3);
    assert_eq!(count(&["not \"Karpov, Anatoly\"", "--aliases", "all.tsv"]), 3);
    assert_eq!(count(&["event \"Linares\" and \"xie jun\"", "--aliases", "all.tsv"]), 0);
    let exported = |more: &[&str]| sandbox.run(&[&["export", "some.plyfold"], more].concat()).succeeded().text();
    let with_aliases = exported(&["--aliases", "all.tsv"]);
    let expected = exported(&[])
        .replace("KARPOV,ANATOLY", "Karpov, Anatoly")
        .replace("Karpow, Anatolij", "Karpov, Anatoly")
        .replace("LINARES", "Linares")
        .replace("Xie, J.", "Xie Jun");
    assert_eq!(with_aliases, expected);
    let json = exported(&["--aliases", "all.tsv", "--format", "json", "--games", "3"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["white"], "Karpov, Anatoly");
    sandbox.run(&["compact", "some.plyfold", "--aliases", "all.tsv", "-o", "clean.plyfold"]).succeeded();
    assert_eq!(sandbox.run(&["export", "clean.plyfold"]).succeeded().text(), expected);
    assert_eq!(sandbox.json(&["query", "clean.plyfold", "\"Karpov, Anatoly\""])["games"], 3);
    // Tables by name are those of the corpus in which the names are written.
    let tables = |corpus: &str, more: &[&str]| {
        let options = ["--standings", "--by", "player", "--by", "white", "--by", "event", "--partition", "player"];
        let mut found = sandbox.json(&[&["query", corpus, ""], &options[..], more].concat());
        ["by", "partition", "standings"].map(|table| found[table].take())
    };
    let joined = tables("some.plyfold", &["--aliases", "all.tsv"]);
    assert_eq!(joined, tables("clean.plyfold", &[]));
    assert_ne!(joined, tables("some.plyfold", &[]));
    let left = sandbox.json(&["names", "clean.plyfold", "--kind", "player"]);
    assert_eq!(names(&left["groups"]), ["Timman, Jan"]);
}

#[test]
fn mistakes_in_a_file_of_aliases_say_their_line() {
    let sandbox = sandbox();
    sandbox.put("bad.tsv", "player\tA\tB\nplayer A C\n");
    for command in
        [&["query", "some.plyfold", ""][..], &["export", "some.plyfold"], &["compact", "some.plyfold", "-o", "x"]]
    {
        sandbox.run(&[command, &["--aliases", "bad.tsv"]].concat()).failed_in_a_line(1, &["bad.tsv", "line 2"]);
    }
    let over = ["export", "some.plyfold", "--aliases", "bad.tsv", "-o", "bad.tsv", "--force"];
    sandbox.run(&over).failed_in_a_line(2, &["also the file of aliases"]);
}
