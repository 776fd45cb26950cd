//! Aliases are read and written as they are, mistakes in their file say their line, and one name of a player finds and counts all.

use std::collections::BTreeMap;

use plyfold_core::aliases::{AliasKind, Aliases};
use plyfold_core::corpus::buffer::CorpusBuffer;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::fide_ids::FideIds;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::{
    CountedName, NameAlias, NameCount, NameGroup, NamePattern, OpeningNames, WhySimilar, count_names,
};
use plyfold_core::pgn::pack_shard;
use plyfold_core::query::compile;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::{ReducerSelection, run_query};

#[test]
fn lines_are_read_and_written() {
    const LINES: &str = "player\tKarpow, A\tKarpov, Anatoly\nevent\tWch\tWorld Championship\n";
    let aliases = Aliases::parse(&format!("# so\n\n{LINES}")).expect("a file");
    assert_eq!(aliases.to_text(), LINES);
    assert_eq!(aliases.name_of(AliasKind::Player, "KARPOW,A."), Some("Karpov, Anatoly"));
    assert_eq!(aliases.name_of(AliasKind::Player, "Karpov, Anatoly"), None);
    assert_eq!(aliases.name_of(AliasKind::Site, "Wch"), None);
}

#[test]
fn mistakes_say_their_line() {
    for (text, says) in [
        ("player\tA", "line 1: write a kind"),
        ("\n\nplayer A B", "line 3: write a kind"),
        ("town\tA\tB", "line 1: `town` is no kind"),
        ("player\t?\tB", "line 1: a name has no letters"),
        ("player\tA\tB\nplayer\ta.\tC", "line 2: \"a.\" already stands for \"B\""),
        ("player\tA\tB\nplayer\tB\tC", "\"A\" stands for \"B\", which is an alias itself"),
    ] {
        let error = Aliases::parse(text).expect_err(text);
        assert!(error.starts_with(says), "{error}");
    }
}

#[test]
fn one_name_of_a_player_finds_all() {
    let lines =
        "player\tKarpow, A\tKarpov, Anatoly\nplayer\tAnatoly Karpov\tKarpov, Anatoly\nevent\tKarpow, A\tMatch\n";
    let aliases = Aliases::parse(lines).expect("a file");
    let names = ["Karpov, Anatoly", "KARPOW A.", "Anatoly Karpov", "Karpov, Alexander", "Match"];
    for (pattern, matched) in [
        ("Karpov, Anatoly", &names[..3]),
        ("karpow, a", &names[..3]),
        ("Karpow*", &names[..3]),
        ("Karpov*", &names[..4]),
        ("Karpov, Alexander", &names[3..4]),
        ("*", &names[..]),
    ] {
        let widened = aliases.widened(AliasKind::Player, NamePattern::new(pattern));
        assert_eq!(names.into_iter().filter(|name| widened.matches(name)).collect::<Vec<_>>(), matched, "{pattern}");
    }
}

#[test]
fn games_of_all_names_are_counted_under_the_one_that_is_shown() {
    let aliases = Aliases::parse("player\tKarpow, A\tKarpov, Anatoly\n").expect("a file");
    let count = |name: &str, games| NameCount { name: name.into(), games };
    let all = [count("Timman, Jan", 7), count("Karpow, A", 6), count("Karpov, Anatoly", 3), count("KARPOW A", 1)];
    let shown = |found: &[NameCount]| aliases.shown_counts(AliasKind::Player, found.to_vec(), || all.to_vec(), &[]);
    assert_eq!(shown(&all[1..2]), [count("Karpov, Anatoly", 10)]);
    assert_eq!(shown(&all), [count("Karpov, Anatoly", 10), count("Timman, Jan", 7)]);
    let without = Aliases::default().shown_counts(AliasKind::Player, all.to_vec(), Vec::new, &[]);
    assert_eq!(without, all);
}

/// Games of Karpov under three names, of which two are of him against himself.
const OWN_GAMES: &str = "[White \"Karpov, Anatoly\"]\n[Black \"Karpow, A\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
    [White \"karpow a\"]\n[Black \"Karpow, A\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n\
    [White \"Timman, Jan\"]\n[Black \"Karpov, Anatoly\"]\n[Result \"1/2-1/2\"]\n\n1. c4 1/2-1/2\n";

#[test]
fn a_game_of_two_names_of_one_player_counts_once() {
    let mut buffer = CorpusBuffer::new();
    buffer.append(&pack_shard(OWN_GAMES.as_bytes(), 0).0).expect("a shard");
    let corpus = buffer.reader(CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let aliases = Aliases::parse("player\tKarpow, A\tKarpov, Anatoly\n").expect("a file");
    let openings = OpeningNames::new("");
    let all = || count_names(&spans, &openings, CountedName::Player, "", usize::MAX);
    let shown: Vec<(String, u64)> = aliases
        .shown_counts(AliasKind::Player, all(), all, &spans)
        .into_iter()
        .map(|NameCount { name, games }| (name, games))
        .collect();
    assert_eq!(shown, [("Karpov, Anatoly".to_owned(), 3), ("Timman, Jan".to_owned(), 1)]);
    let by_player = |aliases: &Aliases| -> Vec<(String, u64, u64)> {
        let key = GroupingKey::named("player").expect("a key");
        let selection = ReducerSelection::of(COUNTS.by(key).showing(&aliases.shown_names()));
        let found = run_query(&spans, &compile("").expect("all"), &selection, &()).expect("nobody cancels");
        let table = found.outputs[0].of_type::<GroupTable>().expect("groups").clone();
        table.groups.into_iter().map(|group| (group.name, group.positions, group.results.games())).collect()
    };
    let row = |name: &str, positions, games| (name.to_owned(), positions, games);
    assert_eq!(by_player(&aliases), [row("Karpov, Anatoly", 5, 3), row("Timman, Jan", 1, 1)]);
    // Two spellings of one name are one name without aliases, too.
    let alone = [row("Karpow, A", 4, 2), row("Karpov, Anatoly", 3, 2), row("Timman, Jan", 1, 1)];
    assert_eq!(by_player(&Aliases::default()), alone);
}

#[test]
fn groups_have_the_names_that_are_not_joined_yet() {
    let count = |name: &str, games| NameCount { name: name.into(), games };
    let group = |name, aliases: &[(&str, u64)]| {
        let alias = |&(name, games): &(&str, u64)| NameAlias { name: count(name, games), why: WhySimilar::Shorter };
        NameGroup { name, aliases: aliases.iter().map(alias).collect() }
    };
    let lines = "player\tBacrot, Etienne\tBacrot,E\nplayer\tBakro, E\tBacrot,E\nplayer\tLi, W\tLi, Wei\n";
    let aliases = Aliases::parse(lines).expect("a file");
    let found = vec![
        group(count("Bacrot, Etienne", 37), &[("Bacrot,E", 397), ("Bacrot", 5)]),
        group(count("Li, Wei", 3), &[("Li, W", 2)]),
        group(count("Bakro, E", 1), &[("Bacro", 2)]),
        group(count("Timman, Jan", 7), &[("Timman, J", 6)]),
    ];
    let new: Vec<NameGroup> =
        found.into_iter().filter_map(|group| aliases.new_names(AliasKind::Player, group)).collect();
    let bacrot = |games, other| group(count("Bacrot,E", games), &[other]);
    let timman = group(count("Timman, Jan", 7), &[("Timman, J", 6)]);
    assert_eq!(new, [bacrot(434, ("Bacrot", 5)), bacrot(1, ("Bacro", 2)), timman]);
}

#[test]
fn a_name_with_several_fide_ids_has_none() {
    let mut ids = FideIds::default();
    ids.add_game(b"[White \"Xie Jun\"]\n[Black \"Li\"]\n[WhiteFideId \"8600147\"]\n[BlackFideId \"1\"]\n\n1. e4 *\n");
    ids.add_game(b"[White \"Ding\"]\n[WhiteFideId \"0\"]\n[BlackFideId \"none\"]\n\n1. e4 *\n");
    let mut others = FideIds::default();
    others.add_game(b"[White \"Li\"]\n[WhiteFideId \"2\"]\n\n1. e4 *\n");
    ids.add_all(&others);
    assert_eq!(*ids.of_names(), BTreeMap::from([("Xie Jun".to_owned(), 8_600_147), ("Li".to_owned(), 0)]));
}
