//! Counts by a key: how many positions with a passed pawn, by the numbers of pawns, and how the games ended.
//!
//! `cargo run -p plyfold-core --example count_by_key -- games.pgn "passed_pawn" "count(pawn)"`

use std::error::Error;

use plyfold_core::{CorpusBuffer, CorpusCheck, GroupTable, ReducerSelection, game, keys, pgn, query, reduce};

const GAMES: &str = "\
[FEN \"4k3/8/8/8/8/8/P6p/4K3 w - - 0 1\"]

1. a4 h1=Q+ 2. Kd2 Qh6+ 0-1

[FEN \"4k3/8/8/8/8/8/P7/4K3 w - - 0 1\"]

1. a4 Kd7 2. a5 Kc6 1/2-1/2
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = match arguments.next() {
        Some(path) => std::fs::read(path)?,
        None => GAMES.into(),
    };
    let query = arguments.next().unwrap_or_else(|| "passed_pawn".into());
    let key = arguments.next().unwrap_or_else(|| "count(pawn)".into());
    let table = count_by(&text, &query, &key)?;
    println!("{}: {} values, {} positions", table.key, table.distinct, table.positions);
    for group in &table.groups {
        // Games by result: won by White, won by Black, drawn, unknown.
        println!("{:12} {:8} positions, games {:?}", group.name, group.positions, group.results.counts());
    }
    Ok(())
}

/// The matching positions of a PGN text, counted by the value of a key: a name such as `material`, or a number such as `count(pawn)`.
fn count_by(text: &[u8], query: &str, key: &str) -> Result<GroupTable, Box<dyn Error>> {
    let mut corpus = CorpusBuffer::new();
    corpus.append(&pgn::pack_shard(text, 0).0)?;
    let reader = corpus.reader(CorpusCheck::EveryByte)?;
    let max_groups = 20;
    let selection = ReducerSelection::of(reduce::groups::COUNTS.by(keys::parse_key(key)?).most(max_groups));
    let results = reduce::run_query(&game::corpus_spans(&reader), &query::compile(query)?, &selection, &())?;
    Ok(results.summary::<GroupTable>().cloned().unwrap_or_default())
}

#[test]
fn positions_are_counted_by_the_number_of_pawns() {
    let table = count_by(GAMES.as_bytes(), "passed_pawn", "count(pawn)").expect("a table");
    let counts: Vec<_> = table.groups.iter().map(|group| (&*group.name, group.positions)).collect();
    assert_eq!(counts, [("1", 7), ("2", 1)]);
    assert_eq!(table.groups[0].results.games(), 2);
}
