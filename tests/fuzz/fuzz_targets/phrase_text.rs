//! Any text as plain words: the readings are queries that can be read, and their words stand in the text, in order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::headers::NameCount;
use plyfold_core::query::parse::parse;
use plyfold_core::query::phrases::{KnownNames, NameKind, are_plain_words, read_plain_words};

/// The same names for all words; the reader leaves out those that do not have them.
struct Names;

impl KnownNames for Names {
    fn find(&self, _: NameKind, _: &str) -> Vec<NameCount> {
        let names = ["Karpov, Anatoly", "Tal, Mihail", "Tal \"T\" *", "King's Gambit", "White, B", "1980 é"];
        names.iter().zip(1..).map(|(name, games)| NameCount { name: (*name).into(), games }).collect()
    }
}

fuzz_target!(|text: &str| {
    let is_place = |from: usize, to: usize| from < to && text.get(from..to).is_some();
    let readings = read_plain_words(text, &Names);
    assert!(!readings.is_empty());
    for reading in readings {
        assert!(reading.query.is_empty() || parse(&reading.query).is_ok(), "{}", reading.query);
        assert!(!reading.query.is_empty() || !reading.unknown.is_empty() || text.trim().is_empty());
        let understood: Vec<_> = reading.understood.iter().map(|words| words.span).collect();
        for places in [&understood, &reading.unknown] {
            assert!(places.iter().all(|place| is_place(place.from, place.to)));
            assert!(places.is_sorted_by(|one, next| one.to <= next.from));
        }
    }
    are_plain_words(text);
});
