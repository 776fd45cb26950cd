//! Searches a PGN file: `cargo run -p plyfold-core --example search -- games.pgn "{ queens_off and white bishop_pair }"`.
//!
//! Without arguments it searches two games of its own.

use std::error::Error;

use plyfold_core::{CorpusBuffer, CorpusCheck, QueryResults, ReducerSelection, game, notation, pgn, query, reduce};

const GAMES: &str = "\
[White \"Anna\"]
[Black \"Bert\"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. d4 Nd6 6. Bxc6 dxc6 7. dxe5 Nf5 8. Qxd8+ Kxd8 9. h3 1/2-1/2

[White \"Cleo\"]
[Black \"Dora\"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 1-0
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = match arguments.next() {
        Some(path) => std::fs::read(path)?,
        None => GAMES.into(),
    };
    let query = arguments.next().unwrap_or_else(|| "{ queens_off and black bishop_pair }".into());
    let corpus = import(&text)?;
    let results = search(&corpus, &query)?;
    println!("{} positions in {} games", results.count.positions, results.count.games);

    let reader = corpus.reader(CorpusCheck::WithoutTexts)?;
    for span in game::corpus_spans(&reader) {
        let found = span.games().filter(|game| results.games.as_ref().is_some_and(|games| games.contains(game.id)));
        for game in found {
            let white = span.names().players.get(game.record.white);
            let moves: Vec<String> =
                notation::notate_game(&game).into_iter().take(6).map(|played| played.san).collect();
            println!("game {}: {white}, {} …", game.id.number(), moves.join(" "));
        }
    }
    Ok(())
}

/// A corpus of the games of a PGN text. Games that are rejected are reported and left out.
fn import(text: &[u8]) -> Result<CorpusBuffer, Box<dyn Error>> {
    let (shard, report) = pgn::pack_shard(text, 0);
    for rejected in &report.rejections {
        eprintln!("{rejected}");
    }
    let mut corpus = CorpusBuffer::new();
    corpus.append(&shard)?;
    Ok(corpus)
}

/// The games that match, and the number of positions that do.
fn search(corpus: &CorpusBuffer, query: &str) -> Result<QueryResults, Box<dyn Error>> {
    let reader = corpus.reader(CorpusCheck::EveryByte)?;
    let query = query::compile(query)?;
    let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
    // `()` observes nothing; implement `ScanObserver` to show progress or to cancel.
    Ok(reduce::run_query(&game::corpus_spans(&reader), &query, &selection, &())?)
}

#[test]
fn the_first_game_is_found() {
    let corpus = import(GAMES.as_bytes()).expect("a corpus");
    let results = search(&corpus, "{ queens_off and black bishop_pair }").expect("results");
    assert_eq!((results.count.games, results.count.positions), (1, 2));
    assert!(results.games.expect("games were requested").contains(game::GameId(0)));
}
