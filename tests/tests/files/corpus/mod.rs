//! The corpus file: what goes in comes out, and no damage passes.

mod contents;
mod damage;
mod derived_sections;
mod sources;
mod storage;
mod upgrade;

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::upgrade::upgrade_shard;
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::structures::STRUCTURES;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};
use plyfold_core::scan::ScanStatistics;
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, play};
use plyfold_tests::shards::{CorpusParts, TestShard};

fn sample() -> Vec<u8> {
    let games: Vec<PlayedGame> =
        (0..9u16).map(|n| play(STARTS[usize::from(n) % STARTS.len()], &[n * 7 + 1, n + 3, n * 1000, 12, 5])).collect();
    corpus(&games, 4)
}

fn open(bytes: &[u8]) -> Result<(), CorpusError> {
    CorpusReader::open(Aligned::new(bytes).bytes(), CorpusCheck::EveryByte).map(drop)
}

/// Random games from every start, in shards of 70.
fn games() -> Vec<PlayedGame> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut choice = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = (state >> 40) as u16;
        if choice.is_multiple_of(61) { u16::MAX } else { choice }
    };
    let choices = |length| (0..length).map(|_| choice()).collect::<Vec<u16>>();
    let lengths = (0..300).map(|n| n % 190);
    lengths.map(choices).enumerate().map(|(n, choices)| play(STARTS[n % STARTS.len()], &choices)).collect()
}

/// Results of every kind for a few queries, without the amount of work.
fn answers(corpus: &Aligned) -> Vec<QueryResults> {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("whole");
    let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Distinct });
    let selection = ReducerSelection {
        games: true,
        positions_count: true,
        positions,
        outputs: vec![HEATMAP.output(), STRUCTURES.output().most(5)],
    };
    let queries =
        ["", "queens_off", "passed_pawn and not check", "points(white) - points(black) >= 3 or white pawn on e5"];
    let answer = |query| {
        let answers = run_query(&corpus_spans(&corpus), &compile(query).expect("a query"), &selection, &())
            .expect("nobody cancels");
        QueryResults { work: ScanStatistics::default(), ..answers }
    };
    queries.map(answer).into()
}

fn upgraded_twice(shard: &[u8]) -> Option<Vec<u8>> {
    upgrade_shard(Aligned::new(shard).bytes()).expect("a sound shard")
}

/// Damages the first shard, and asserts that opening refuses the corpus, names `section` and says `what` of it.
fn assert_refused(sound: &CorpusParts, section: &str, what: &str, damage: &dyn Fn(&mut TestShard)) {
    let mut parts = sound.clone();
    damage(&mut parts.shards[0]);
    match open(&parts.bytes()) {
        Err(CorpusError::Inconsistent { section: found, what: says, offset }) => {
            assert_eq!((found, says.contains(what)), (section, true), "{says}");
            assert!(offset >= 64);
        }
        other => panic!("{section}, {what}: {other:?}"),
    }
}
