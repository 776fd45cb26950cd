//! Criterion benchmarks on the demo games, for watching one part while it is worked on: `cargo bench -p plyfold-bench`.
//! The table of figures with baselines is `cargo xtask bench`.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plyfold_core::board::make::{FullState, MailboxOnly, MakePolicy, WithBitboards, WithPieceCounts};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::structures::STRUCTURES;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::imported;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo/demo.pgn.zst");

fn replay<P: MakePolicy>(spans: &[GameSpan<'_>]) {
    for game in spans.iter().flat_map(GameSpan::games) {
        let mut board = game.start_board();
        for &mv in game.moves {
            board.make::<P>(mv);
        }
        black_box(&board);
    }
}

fn engine(criterion: &mut Criterion) {
    let (bytes, _) = imported::file(Path::new(DEMO));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
    let spans = corpus_spans(&corpus);

    let mut group = criterion.benchmark_group("replay");
    group.throughput(Throughput::Elements(corpus.header.plies));
    group.bench_function("mailbox", |bench| bench.iter(|| replay::<MailboxOnly>(&spans)));
    group.bench_function("bitboards", |bench| bench.iter(|| replay::<WithBitboards>(&spans)));
    group.bench_function("tally", |bench| bench.iter(|| replay::<WithPieceCounts>(&spans)));
    group.bench_function("everything", |bench| bench.iter(|| replay::<FullState>(&spans)));
    group.finish();

    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let count = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::Elements(corpus.header.plies));
    for (name, query, selection) in [
        ("queens_off", "queens_off", count.clone()),
        ("check", "check", count.clone()),
        ("braces", "{ queens_off and white bishop_pair } or passed_pawn on 7", count.clone()),
        ("heatmap", "", ReducerSelection { outputs: vec![HEATMAP.output()], ..count.clone() }),
        ("structures", "", ReducerSelection { outputs: vec![STRUCTURES.output().most(20)], ..count.clone() }),
    ] {
        let query = compile(query).expect("a query");
        group.bench_function(name, |bench| {
            bench.iter(|| one.install(|| run_query(&spans, &query, &selection, &())).expect("nobody cancels"));
        });
    }
    group.finish();

    criterion.bench_function("open", |bench| {
        bench.iter(|| one.install(|| CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).is_ok()));
    });
    criterion.bench_function("compile a query", |bench| {
        bench.iter(|| compile(black_box("{ queens_off and white bishop_pair } or count(white rook) * 2 - 1 >= 3")));
    });
}

criterion_group!(benches, engine);
criterion_main!(benches);
