//! Measures header tests: time a game for each kind, including the lookup of names.
//!
//! `cargo run --release -p plyfold-bench --bin headers CORPUS.plyfold [--threads N]`. Figures are medians of a hundred runs.
//! Games come in batches of 512, as in a scan.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::headers::{
    CompiledHeaderTests, Date, Eco, EcoCodes, HeaderTest, NameField, NamePattern, RatingField, find_unknown_name,
};
use plyfold_tests::games::Aligned;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a corpus");
    let threads = arguments.nth(1).and_then(|threads| threads.parse().ok()).unwrap_or(0);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let bytes = Aligned::new(&bytes);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let name = |field, text| HeaderTest::Name { field, pattern: NamePattern::new(text) };
    let eco = |from, to| HeaderTest::Eco(EcoCodes::range(Eco::from_pgn(from), Eco::from_pgn(to)));
    let tests = [
        ("result 1-0", HeaderTest::Result(1 << 1)),
        ("white \"Kasparov*\"", name(NameField::White, "kasparov*")),
        ("white \"k*\"", name(NameField::White, "k*")),
        ("white \"*garry\"", name(NameField::White, "*garry")),
        ("black \"Carlsen, Magnus\"", name(NameField::Black, "carlsen, magnus")),
        ("event \"Linares*\"", name(NameField::Event, "linares*")),
        ("site \"*\"", name(NameField::Site, "*")),
        ("source \"m*\"", name(NameField::Source, "m*")),
        ("white elo >= 2500", HeaderTest::Elo { which: RatingField::White, least: 2500, most: u16::MAX }),
        ("average elo >= 2500", HeaderTest::Elo { which: RatingField::Average, least: 2500, most: u16::MAX }),
        ("elo difference >= 200", HeaderTest::Elo { which: RatingField::Difference, least: 200, most: u16::MAX }),
        ("white elo > black elo", HeaderTest::EloLead { least: 1, most: i32::MAX }),
        ("eco B80-B99", eco("B80", "B99")),
        ("year 1985..1995", HeaderTest::Date { from: Date::new(1985, 0, 0), to: Date::new(1995, 12, 31) }),
        ("plies <= 40", HeaderTest::Plies { least: 0, most: 40 }),
        ("ending checkmate", HeaderTest::Ending(1 << 1)),
        ("time class blitz", HeaderTest::TimeClass(1 << 3)),
    ];
    println!("{} games, {} threads", corpus.header.games, rayon::current_num_threads());
    let ns = |time: Duration| time.as_secs_f64() * 1e9 / corpus.header.games as f64;
    for (text, test) in tests {
        let mut runs: Vec<_> = (0..101).map(|_| run(&spans, &test)).collect();
        runs.sort_by_key(|(made, tested, _)| *made + *tested);
        let (made, tested, games) = runs[50];
        println!("{text:26} {games:>8} games  {:5.2} ns a game, {:5.2} of them for names", ns(made + tested), ns(made));
    }
    let begin = Instant::now();
    let missing = [name(NameField::White, "Kasparof, Gary*")];
    let said = find_unknown_name(&CompiledHeaderTests::new(&missing, &spans), &spans);
    println!("{:?}: {}", begin.elapsed(), said.map_or_else(String::new, |unknown| unknown.to_string()));
}

fn run(spans: &[GameSpan<'_>], test: &HeaderTest) -> (Duration, Duration, u32) {
    let begin = Instant::now();
    let headers = CompiledHeaderTests::new(std::slice::from_ref(test), spans);
    let made = begin.elapsed();
    let batches: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(CompiledHeaderTests::MAX_GAMES)).collect();
    let begin = Instant::now();
    let next = AtomicUsize::new(0);
    let count = |_| {
        let mut games = 0;
        while let Some(span) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            games += headers.evaluate(black_box(span), 0).iter().map(|word| word.count_ones()).sum::<u32>();
        }
        games
    };
    let games = (0..rayon::current_num_threads()).into_par_iter().map(count).sum();
    (made, begin.elapsed(), games)
}
