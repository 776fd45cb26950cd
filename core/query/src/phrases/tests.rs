//! Phrases that players type, and what a vocabulary makes of them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::headers::NameCount;

use super::matching::{Matcher, is_side};
use super::sides::{OPEN_SIDE, of_either_side};
use super::vocabulary::{MeaningPart, Part};
use super::*;

/// Each language with lines `phrase`, tab, the query that is its best reading, and at least so many of them.
const PHRASES: [(&str, &str, usize); 2] =
    [(ENGLISH, include_str!("en_phrases.tsv"), 100), (GERMAN, include_str!("de_phrases.tsv"), 60)];

/// A few names.
struct SomeNames;

impl KnownNames for SomeNames {
    fn find(&self, kind: NameKind, words: &str) -> Vec<NameCount> {
        let known: &[(&str, u64)] = match kind {
            NameKind::Player => &[
                ("Karpov, Anatoly", 2000),
                ("Kasparov, Garry", 1900),
                ("Carlsen, Magnus", 1500),
                ("Carlsen, Henrik", 5),
                ("Caruana, Fabiano", 900),
                ("Short, Nigel", 500),
                ("Tal, Mihail", 700),
                ("Benko, Pal", 300),
                ("White, John", 3),
            ],
            NameKind::Event => &[("Linares 10th", 50), ("Tata Steel Masters", 90)],
            NameKind::Opening => &[("Benko Gambit", 40), ("English Opening", 90)],
        };
        let words = words.split(' ').collect::<Vec<_>>();
        let has_all = |name: &str| words.iter().all(|word| name.to_lowercase().contains(word));
        let found = known.iter().filter(|(name, _)| has_all(name));
        found.map(|&(name, games)| NameCount { name: name.to_string(), games }).collect()
    }

    fn own_name(&self) -> Option<&str> {
        Some("Nobody, Nora")
    }
}

fn english() -> Vocabulary {
    Vocabulary::new(ENGLISH).expect("a vocabulary")
}

#[test]
fn phrases_are_the_queries_of_the_table() {
    let mut wrong = Vec::new();
    for (language, phrases, least) in PHRASES {
        let language = Vocabulary::new(language).expect("a vocabulary");
        assert!(phrases.lines().count() >= least);
        for (phrase, query) in phrases.lines().map(|line| line.split_once('\t').expect("a tab")) {
            // Nobody says which language it is.
            for all in [read_phrase(phrase, &language, &SomeNames), read_plain_words(phrase, &SomeNames)] {
                if all[0].query != query || !all[0].unknown.is_empty() {
                    wrong.push(format!("{phrase}: {} {:?}", all[0].query, all[0].unknown));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pieces_have_the_letters_of_the_language() {
    let best = |text| read_plain_words(text, &SomeNames).swap_remove(0);
    for (text, query) in [
        // What both languages understand is English.
        ("KBvK", "material KBvK"),
        ("KLvK", "material KBvK"),
        ("ktbkt", "material KRPvKR"),
        ("Tad1", "Rad1"),
        ("e8=D#", "e8=Q#"),
        ("1.d4 d5 2.Sc3", "1.d4 d5 2.Nc3"),
        ("Weiß Dxd5", "white Qxd5"),
        ("Weiß dxe5", "white dxe5"),
    ] {
        let reading = best(text);
        assert_eq!((&*reading.query, &*reading.unknown), (query, &[][..]), "{text}");
    }
    for text in ["Bd4xq", "Xe4", "KKvK", "KvK", "Weiß Bxe5"] {
        assert!(!best(text).unknown.is_empty(), "{text}");
    }
}

#[test]
fn words_that_mean_nothing_are_told() {
    let english = english();
    let best = |text| read_phrase(text, &english, &SomeNames).swap_remove(0);
    let text = "Karpov frobnicated rook endgames";
    let reading = best(text);
    assert_eq!(reading.query, "\"Karpov*\" and endgame rook");
    assert_eq!(reading.unknown, [TextSpan { from: 7, to: 18 }]);
    let understood: Vec<_> =
        reading.understood.iter().map(|one| (&text[one.span.from..one.span.to], &*one.meaning)).collect();
    assert_eq!(understood, [("Karpov", "\"Karpov*\""), ("rook endgames", "endgame rook")]);
    assert_eq!(reading.understood[0].notes, ["Karpov, Anatoly (2000 games)"]);
    // A side of what has none.
    let reading = best("queen trade by White after move 20");
    assert_eq!(
        (&*reading.query, &*reading.unknown),
        ("traded queen after move 20", &[TextSpan { from: 12, to: 20 }][..])
    );
    // A window of nothing, and signs that a query has.
    assert_eq!(best("before move 20").unknown, [TextSpan { from: 0, to: 14 }]);
    for text in ["", "qwerty", "not queens off please", "1-0 | 0-1", &"rook endgame ".repeat(40)] {
        let reading = best(text);
        assert!(reading.is_query == text.is_empty() && (text.is_empty() || !reading.unknown.is_empty()), "{text}");
    }
}

#[test]
fn a_query_stays_itself_unless_the_vocabulary_says_otherwise() {
    let english = english();
    let best = |text| read_phrase(text, &english, &SomeNames).swap_remove(0);
    for text in ["queens_off and white bishop_pair", "white knight on e5", "result 1-0 and year 1980..1990"] {
        let reading = best(text);
        assert!(reading.is_query && reading.query == text, "{text}");
    }
    let reading = best("rook and pawn endgame");
    assert!(!reading.is_query && reading.query == "endgame rook");
}

#[test]
fn a_name_of_several_people_has_several_readings() {
    let readings = read_phrase("Carlsen lost", &english(), &SomeNames);
    let queries: Vec<&str> = readings.iter().map(|reading| &*reading.query).collect();
    assert_eq!(queries[..3], ["loser \"Carlsen*\"", "loser \"Carlsen, Magnus\"", "loser \"Carlsen, Henrik\""]);
}

#[test]
fn every_meaning_of_the_vocabularies_is_a_condition() {
    let wrong: Vec<String> = LANGUAGES.iter().flat_map(|language| wrong_meanings(language)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong_meanings(language: &str) -> Vec<String> {
    let vocabulary = Vocabulary::new(language).expect("a vocabulary");
    let mut matcher = Matcher::new(&[], (&vocabulary, core::slice::from_ref(&vocabulary)), &());
    let mut wrong = Vec::new();
    for (section, joining) in SECTIONS {
        assert!(matcher.section(section, 0).is_empty());
        for phrase in vocabulary.section(section).filter(|_| joining != Joining::Nothing) {
            for with_optional in [false, true] {
                let text = of_either_side(&sample(&phrase.meaning, &phrase.words, &vocabulary, with_optional));
                let condition = match joining {
                    Joining::Window => format!("check {text}"),
                    Joining::By => format!("{text} check"),
                    Joining::Same => format!("{{ white check and {text} }}"),
                    Joining::Doer => {
                        text.split_once("; ").map(|(whole, side)| format!("{whole} and {side} check")).unwrap_or(text)
                    }
                    Joining::Link if text == "not" => "not check".into(),
                    Joining::Link => format!("check {text} check"),
                    _ => text,
                };
                if !is_readable(&condition) {
                    wrong.push(condition);
                }
            }
        }
    }
    wrong
}

/// A meaning with a sample in each slot.
fn sample(meaning: &[MeaningPart], words: &[Part], vocabulary: &Vocabulary, with_optional: bool) -> String {
    let parts = meaning.iter().map(|part| match part {
        MeaningPart::Text(text) => text.clone(),
        MeaningPart::Optional(parts) if with_optional => sample(parts, words, vocabulary, with_optional),
        MeaningPart::Optional(parts) if is_side(parts) => OPEN_SIDE.to_string(),
        MeaningPart::Optional(_) => String::new(),
        MeaningPart::Slot { name, .. } => {
            // A side that other words say.
            let section = section_of(words, name).unwrap_or(if name == "subject" { "side" } else { "no section" });
            match section {
                "n" | "nth" | "rank" => "7".into(),
                "day" => "07".into(),
                "elo" => "2700".into(),
                "force" => "RP".into(),
                "year" => "1980".into(),
                "decade" => "1980..1989".into(),
                "square" => "e4".into(),
                "move" => "Nf3".into(),
                "file" => "e".into(),
                "eco" => "B90".into(),
                "material" => "KQvKR".into(),
                "player" | "tournament" | "opening" => "\"Karpov\"".into(),
                section => {
                    let first = vocabulary.section(section).next().unwrap_or_else(|| panic!("{section} of {name}"));
                    sample(&first.meaning, &first.words, vocabulary, with_optional)
                }
            }
        }
    });
    parts.collect()
}

fn section_of<'p>(parts: &'p [Part], slot: &str) -> Option<&'p str> {
    parts.iter().find_map(|part| match part {
        Part::Word { .. } => None,
        Part::Slot { name, section } => (name == slot).then_some(section.as_str()),
        Part::Optional(parts) => section_of(parts, slot),
        Part::Choice(choices) => choices.iter().find_map(|parts| section_of(parts, slot)),
    })
}
