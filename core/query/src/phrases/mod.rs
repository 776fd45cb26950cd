//! Reads what players type: `Karpov lost rook endgames 1980-1990` is the query
//! `loser "Karpov*" and endgame rook and year 1980..1990`.
//!
//! A [`Vocabulary`] is data, one text a language; [`read_plain_words`] tries all of them. The caller knows the names of a corpus
//! ([`KnownNames`]). The reader cuts the text into phrases (`matching`), leaving as few words as possible,
//! and joins what they stand for (`joined`). Each [`PhraseReading`] says what it understood, and which words it did not: nothing is
//! left out in silence but the words that the vocabulary calls fillers.

mod joined;
mod known_names;
mod matching;
mod misspelt;
mod moves;
mod sides;
mod suggest;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::ResolvedOpening;

pub use known_names::{KnownNames, NameKind};
pub use suggest::{SuggestedPhrase, suggest_phrases};
pub use vocabulary::{Vocabulary, VocabularyError};

use self::joined::join;
use self::matching::{Match, Matcher};
use self::sides::with_sides;
use self::vocabulary::{Joining, SECTIONS};
use self::words::{Word, words};
use crate::span::TextSpan;

/// The vocabulary of English players.
pub const ENGLISH: &str = include_str!("en.tsv");
/// The vocabulary of German players.
pub const GERMAN: &str = include_str!("de.tsv");
/// The vocabularies of all languages.
pub const LANGUAGES: &[&str] = &[ENGLISH, GERMAN];

/// Signs that only a query has: a text with one of them is always read as a query, and its mistakes are told in the words of the language.
const SIGNS_OF_QUERIES: [char; 12] = ['"', '{', '}', '(', ')', '_', '<', '>', '=', '&', '@', '*'];

/// The most words of a text that is read as phrases.
pub const MAX_WORDS: usize = 48;
/// The most readings of a text.
pub const MAX_READINGS: usize = 6;
/// Readings that are less likely than the best one by more than this are no readings.
const MAX_DISTANCE: u32 = 40;

/// How many cuts of a text are looked at for its readings.
const MAX_CUTS: usize = 16 * MAX_READINGS;

/// One way to understand a text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PhraseReading {
    /// A query of the language, which can be read. Empty if nothing was understood.
    pub query: String,
    /// What was understood, in the order of the text.
    pub understood: Vec<UnderstoodWords>,
    /// The places of the words that were not understood, in the order of the text; neighbours are one place.
    pub unknown: Vec<TextSpan>,
    /// Whether the text itself is the query.
    pub is_query: bool,
    /// How unlikely this reading is, beside others of the same text.
    pub cost: u32,
}

/// Words of a text, and what they stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnderstoodWords {
    /// Their place in the text.
    pub span: TextSpan,
    /// The piece of the query.
    pub meaning: String,
    /// Whom names among them mean.
    pub notes: Vec<String>,
}

/// A phrase of a text.
#[derive(Clone)]
struct Segment {
    from: usize,
    joining: Joining,
    found: Match,
}

/// The beginning of a text, cut into phrases.
#[derive(Clone, Default)]
struct Cut {
    segments: Vec<Segment>,
    unknown: Vec<usize>,
    cost: u32,
}

impl Cut {
    /// The fewest words that are not understood, then the fewest phrases, then the likeliest.
    fn rank(&self) -> (usize, u32) {
        let phrases = self.segments.iter().filter(|segment| segment.joining != Joining::Nothing).count() as u32;
        // `White wins with` goes before `White wins`, and `castling with mate` is one move.
        let is_tied = |segment: &&Segment| matches!(segment.joining, Joining::Doer | Joining::Same);
        let tied = self.segments.iter().filter(is_tied).count() as u32;
        (self.unknown.len(), phrases * 100 + self.cost - tied)
    }
}

/// Whether a text is to be read as plain words: it is no query, nor has the signs of one, or the words of a language mean something else
/// by it.
pub fn are_plain_words(text: &str) -> bool {
    let is_query = |all: Vec<PhraseReading>| all.first().is_some_and(|best| best.is_query);
    !text.trim().is_empty() && !text.contains(SIGNS_OF_QUERIES) && !is_query(read_plain_words(text, &()))
}

/// The readings of a text, as [`read_phrase`] has them, in the language that leaves the fewest letters not understood.
pub fn read_plain_words(text: &str, names: &dyn KnownNames) -> Vec<PhraseReading> {
    let languages: Vec<Vocabulary> = LANGUAGES.iter().filter_map(|words| Vocabulary::new(words).ok()).collect();
    let in_language = |vocabulary: &Vocabulary| read_in(text, (vocabulary, &languages), names);
    let unknown = |best: &PhraseReading| {
        let bytes: usize = best.unknown.iter().map(|span| span.to - span.from).sum();
        // What a language says of the words goes before what they are as a query.
        (bytes, best.is_query, best.cost)
    };
    languages.iter().map(in_language).min_by_key(|all| all.first().map(unknown)).unwrap_or_default()
}

/// The readings of a text, the best first; at least one. The readings after the first differ from it by what a phrase or a name means.
///
/// A text that is a query is read as itself, unless the vocabulary says of its words that they mean something else. A text of more than
/// [`MAX_WORDS`] words that is no query is not understood. Cost: milliseconds, besides the search of names.
pub fn read_phrase(text: &str, vocabulary: &Vocabulary, names: &dyn KnownNames) -> Vec<PhraseReading> {
    read_in(text, (vocabulary, core::slice::from_ref(vocabulary)), names)
}

/// The same where the user may write any of `languages`, whose common words are no names.
fn read_in(
    text: &str,
    (vocabulary, languages): (&Vocabulary, &[Vocabulary]),
    names: &dyn KnownNames,
) -> Vec<PhraseReading> {
    let is_query = is_readable(text);
    // Moves in the letters of another language, or without numbers.
    let as_moves = || {
        let lettered = vocabulary.with_letters_of_queries(text);
        let line = moves::numbered_line(lettered.as_deref().unwrap_or(text));
        [lettered, line].into_iter().flatten().find(|query| is_readable(query))
    };
    if let Some(query) = (!is_query).then(as_moves).flatten() {
        let span = TextSpan { from: 0, to: text.len() };
        let understood = Vec::from([UnderstoodWords { span, meaning: query.clone(), notes: Vec::new() }]);
        return Vec::from([PhraseReading { query, understood, ..PhraseReading::default() }]);
    }
    let words = words(text);
    let cuts_of = |words: &[Word]| {
        if words.len() > MAX_WORDS { Vec::new() } else { cuts(Matcher::new(words, (vocabulary, languages), names)) }
    };
    let cuts = cuts_of(&words);
    let overrides = |cut: &Cut| cut.unknown.is_empty() && cut.segments.iter().any(|segment| segment.found.overrides);
    if is_query && !cuts.first().is_some_and(overrides) {
        return Vec::from([PhraseReading { query: text.trim().into(), is_query, ..PhraseReading::default() }]);
    }
    let unknown = cuts.first().map_or(&[][..], |best| &best.unknown);
    let corrected = if unknown.is_empty() { None } else { misspelt::corrected(&words, unknown, vocabulary) };
    let mut readings = readings_of(&cuts, &words);
    if let Some(words) = corrected {
        let others = readings_of(&cuts_of(&words), &words);
        let is_better = |one: &PhraseReading, than: &PhraseReading| one.unknown.len() < than.unknown.len();
        if others.first().zip(readings.first()).is_none_or(|(other, first)| is_better(other, first)) {
            readings = others;
        }
    }
    if readings.is_empty() {
        let unknown = Vec::from([TextSpan { from: 0, to: text.len() }]);
        readings.push(PhraseReading { unknown, ..PhraseReading::default() });
    }
    readings.truncate(MAX_READINGS);
    readings
}

/// What these cuts can be read as, the best first.
fn readings_of(cuts: &[Cut], words: &[Word]) -> Vec<PhraseReading> {
    let mut readings: Vec<PhraseReading> = Vec::new();
    for cut in cuts {
        let reading = reading_of(cut, words);
        let is_near = readings.first().is_none_or(|best| {
            cut.unknown.len() == cuts[0].unknown.len()
                && reading.unknown.len() <= best.unknown.len()
                && reading.cost <= best.cost.saturating_add(MAX_DISTANCE)
        });
        if is_near && is_readable(&reading.query) && readings.iter().all(|known| known.query != reading.query) {
            readings.push(reading);
        }
    }
    readings
}

/// Whether the language has this text, whatever openings there are.
fn is_readable(text: &str) -> bool {
    let tree = crate::parse::parse(text);
    tree.is_ok_and(|tree| crate::plan::plan(&tree, &|_| Ok(ResolvedOpening::default())).is_ok())
}

/// The best ways to cut words into phrases, the best first.
fn cuts(mut matcher: Matcher<'_>) -> Vec<Cut> {
    let words = matcher.words;
    let mut best: Vec<Vec<Cut>> = alloc::vec![Vec::new(); words.len() + 1];
    best[0].push(Cut::default());
    for at in 0..words.len() {
        let begun = core::mem::take(&mut best[at]);
        let mut keep = |cut: Cut, end: usize| {
            let most = if end == words.len() { MAX_CUTS } else { 2 * MAX_READINGS };
            keep_best(&mut best[end], cut, most);
        };
        for (section, joining) in SECTIONS {
            for found in matcher.section(section, at).iter() {
                for cut in &begun {
                    let mut cut = cut.clone();
                    cut.cost += found.cost + 3 * u32::from(joining == Joining::Nothing);
                    cut.segments.push(Segment { from: at, joining, found: found.clone() });
                    keep(cut, found.end);
                }
            }
        }
        for mut cut in begun {
            cut.unknown.push(at);
            keep(cut, at + 1);
        }
    }
    best.pop().unwrap_or_default()
}

/// Adds a cut after those that are as good, and leaves out what then is more than `most`.
fn keep_best(best: &mut Vec<Cut>, cut: Cut, most: usize) {
    let rank = cut.rank();
    let at = best.partition_point(|known| known.rank() <= rank);
    best.insert(at, cut);
    best.truncate(most);
}

/// The reading of a text that was cut so.
fn reading_of(cut: &Cut, words: &[Word]) -> PhraseReading {
    let segments = with_sides(&cut.segments);
    let (query, loose) = join(&segments);
    let span = |from: usize, to: usize| TextSpan { from: words[from].span.from, to: words[to - 1].span.to };
    let (mut understood, mut places) = (Vec::new(), cut.unknown.clone());
    for (nth, segment) in segments.iter().enumerate() {
        if loose.contains(&nth) {
            places.extend(segment.from..segment.found.end);
        } else if segment.joining != Joining::Nothing {
            let Match { end, meaning, mut notes, .. } = segment.found.clone();
            notes.extend(words[segment.from..end].iter().filter_map(|word| word.note.clone()));
            understood.push(UnderstoodWords { span: span(segment.from, end), meaning, notes });
        }
    }
    places.sort_unstable();
    let mut unknown: Vec<(usize, usize)> = Vec::new();
    for place in places {
        match unknown.last_mut() {
            Some((_, end)) if *end == place => *end += 1,
            _ => unknown.push((place, place + 1)),
        }
    }
    let unknown = unknown.into_iter().map(|(from, to)| span(from, to)).collect();
    PhraseReading { query, understood, unknown, is_query: false, cost: cut.rank().1 }
}
