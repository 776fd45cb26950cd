//! Notes what a query asks for and some games do not store, because an older version imported them, or no game has: such a game
//! matches nothing there.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_annotations::COMMENT_MARK;
use plyfold_annotations::columns::AnnotationNumber;
use shakmaty::Color;

use super::Query;
use super::predicate::{AnnotationTest, PlyMark, PositionPredicate};
use crate::game::GameSpan;
use crate::headers::of_game::{date, eco_tag, elos, time_class};
use crate::headers::{HeaderTest, NameField, TimeClass};

/// Notes on a query for the games of `spans`, each a sentence without its full stop; none if the games store all it asks for.
pub fn unstored_notes(query: &Query, spans: &[GameSpan<'_>]) -> Vec<String> {
    let asks = |is_asked: fn(&PositionPredicate) -> bool| query.predicates.iter().any(is_asked);
    let games = |is_stored: fn(&GameSpan<'_>) -> bool| -> u64 {
        spans.iter().filter(|span| !is_stored(span)).map(|span| u64::from(span.len())).sum()
    };
    let all: u64 = spans.iter().map(|span| u64::from(span.len())).sum();
    let mut notes: Vec<String> = HEADERS
        .iter()
        .filter(|header| all > 0 && query.predicates.iter().any(|predicate| asks_header(predicate, header.is_asked)))
        .filter(|header| !spans.iter().any(|span| (0..span.len()).any(|game| (header.has_game)(span, game))))
        .map(|header| none_has(header.name))
        .collect();
    if asks(|predicate| matches!(predicate, PositionPredicate::Annotations(_))) {
        let without = games(|span| span.stores_annotations());
        let of_older_version = note("evaluations, clocks and comments", without, all);
        if of_older_version.is_none() && all > 0 {
            notes.extend(notes_on_annotations(query, spans));
        }
        // The words of comments are read from the texts themselves.
        let is_stored = |predicate: &PositionPredicate| match predicate {
            PositionPredicate::Annotations(test) => {
                !matches!(test, AnnotationTest::Comment(_) | AnnotationTest::Lines(_))
            }
            _ => false,
        };
        notes.extend(of_older_version.filter(|_| query.predicates.iter().any(is_stored)));
    }
    let is_header_text = |predicate: &PositionPredicate| {
        matches!(predicate, PositionPredicate::Header(HeaderTest::Name { field: NameField::Text(_), .. }))
    };
    if asks(is_header_text) {
        let without = games(|span| span.names().texts.is_stored());
        notes.extend(note("rounds, annotators, time controls and titles", without, all));
    }
    let is_opening = |predicate: &PositionPredicate| {
        matches!(predicate, PositionPredicate::Header(HeaderTest::Eco(_) | HeaderTest::Opening(_)))
    };
    if asks(is_opening) {
        let without = games(|span| span.names().openings.is_stored());
        notes.extend(games_of(without, all).map(|(games, was)| {
            format!(
                "{games} {was} imported by a version that did not find openings by the moves, so the ECO tag decides there: \
                 `plyfold upgrade` finds them"
            )
        }));
    }
    notes
}

/// So many games of `all`, and whether they are one or several; none if there are none.
fn games_of(without: u64, all: u64) -> Option<(String, &'static str)> {
    Some(match without {
        0 => return None,
        1 if all > 1 => (String::from("a game of this corpus"), "was"),
        _ if without == all => (String::from("the games of this corpus"), "were"),
        _ => (format!("{without} games of this corpus"), "were"),
    })
}

/// What the header of a game may lack.
struct HeaderFact {
    name: &'static str,
    is_asked: fn(&HeaderTest) -> bool,
    has_game: fn(&GameSpan<'_>, u32) -> bool,
}

const HEADERS: &[HeaderFact] = &[
    HeaderFact {
        name: "a rating",
        is_asked: |test| matches!(test, HeaderTest::Elo { .. }),
        has_game: |span, game| elos(span, game) != [0, 0],
    },
    HeaderFact {
        name: "the ratings of both players",
        is_asked: |test| matches!(test, HeaderTest::EloLead { .. }),
        has_game: |span, game| !elos(span, game).contains(&0),
    },
    HeaderFact {
        name: "a date",
        is_asked: |test| matches!(test, HeaderTest::Date { .. }),
        has_game: |span, game| date(span, game).year() != 0,
    },
    HeaderFact {
        name: "an ECO tag",
        is_asked: |test| matches!(test, HeaderTest::EcoTag(_)),
        has_game: |span, game| !eco_tag(span, game).is_unknown(),
    },
    HeaderFact {
        name: "an opening that is known",
        is_asked: |test| matches!(test, HeaderTest::Eco(_) | HeaderTest::Opening(_)),
        has_game: |span, game| {
            let openings = span.names().openings;
            match openings.is_stored() {
                true => openings.of_game(span.first_in_shard + game).is_some(),
                false => !eco_tag(span, game).is_unknown(),
            }
        },
    },
    HeaderFact {
        name: "a time control",
        is_asked: |test| matches!(test, HeaderTest::TimeClass(classes) if classes >> TimeClass::Unknown as u16 & 1 == 0),
        has_game: |span, game| time_class(span, game) != TimeClass::Unknown as u8,
    },
];

fn asks_header(predicate: &PositionPredicate, is_asked: fn(&HeaderTest) -> bool) -> bool {
    matches!(predicate, PositionPredicate::Header(test) if is_asked(test))
}

fn none_has(what: &str) -> String {
    format!("no game of this corpus has {what}, so nothing matches that asks for it")
}

/// Evaluations, and from which numbers they show.
const EVALUATIONS: &[AnnotationNumber] = &[AnnotationNumber::Eval, AnnotationNumber::MateIn];
/// Clocks, and from which numbers they show.
const CLOCKS: &[AnnotationNumber] = &[
    AnnotationNumber::ClockTime(Color::White),
    AnnotationNumber::ClockTime(Color::Black),
    AnnotationNumber::TimeSpent,
];

/// Notes that a query asks for evaluations, clocks, comments or glyphs and no game has any.
fn notes_on_annotations(query: &Query, spans: &[GameSpan<'_>]) -> impl Iterator<Item = String> {
    let asks = |of_number: fn(AnnotationNumber) -> bool, of_mark: fn(PlyMark) -> bool| {
        query.predicates.iter().any(|predicate| match predicate {
            PositionPredicate::Annotations(AnnotationTest::Compare { terms, .. }) => {
                terms.iter().any(|&(_, number)| of_number(number))
            }
            PositionPredicate::Annotations(AnnotationTest::Mark { mark, .. }) => of_mark(*mark),
            PositionPredicate::Annotations(AnnotationTest::Comment(_)) => of_mark(PlyMark::Commented),
            _ => false,
        })
    };
    fn is_clock(number: AnnotationNumber) -> bool {
        matches!(number, AnnotationNumber::ClockTime(_) | AnnotationNumber::TimeSpent)
    }
    let has_number = |numbers: &[AnnotationNumber]| spans.iter().any(|span| span.may_have_annotation(numbers));
    let has_mark = |is_sought: fn(u8) -> bool| {
        let mut marks = spans.iter().flat_map(GameSpan::games).flat_map(|game| game.annotations.unpack().marks);
        marks.any(|(_, mark)| is_sought(mark))
    };
    let unmet = [
        (
            "evaluations",
            asks(|number| !is_clock(number), |mark| matches!(mark, PlyMark::Judged(_))) && !has_number(EVALUATIONS),
        ),
        ("clocks", asks(is_clock, |mark| mark == PlyMark::TimeTrouble) && !has_number(CLOCKS)),
        ("comments", asks(|_| false, |mark| mark == PlyMark::Commented) && !has_mark(|mark| mark == COMMENT_MARK)),
        (
            "glyphs such as `!` and `?`",
            asks(|_| false, |mark| matches!(mark, PlyMark::Nag(_))) && !has_mark(|mark| mark != COMMENT_MARK),
        ),
    ];
    let unmet = unmet.into_iter().filter(|&(_, is_unmet)| is_unmet);
    unmet.map(|(what, _)| format!("no game of this corpus has {what}, so nothing matches that asks for them"))
}

/// The note that so many games of `all` do not store something; none if there are none.
fn note(what: &str, without: u64, all: u64) -> Option<String> {
    let (games, was) = games_of(without, all)?;
    Some(format!(
        "{games} {was} imported by a version that did not read {what}, so they match nothing that asks for them: \
         `plyfold upgrade` reads them from the stored texts"
    ))
}
