//! Finds the phrases of a vocabulary in the words of a text.
//!
//! A section is read at a word by trying its lines, whose slots read other sections. What a section reads at a word is remembered, so
//! every pair is read once, and a section that is being read at a word is nothing there, so that a circle ends.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::known_names::{KnownNames, MAX_NAME_WORDS, NameKind, read_name};
use super::moves::is_square;
use super::sides::OPEN_SIDE;
use super::vocabulary::{MeaningPart, Part, Phrase, Vocabulary};
use super::words::Word;

/// The most ways in which one line is followed at once; more are cut off, the later ones of the line first.
const MAX_STATES: usize = 48;
/// What a name costs that is a word of the vocabulary too.
const COMMON_WORD: u32 = 60;
/// How unlikely a name is behind an article: so much that the words are rather cut in two.
const WITH_ARTICLE: u32 = 160;

/// The sections whose words also stand in names of openings.
const OF_OPENINGS: [&str; 3] = ["opening", "structure", "mate"];

/// Words that a section understands.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The word after them.
    pub end: usize,
    pub meaning: String,
    /// Whom names mean.
    pub notes: Vec<String>,
    /// How unlikely the reading is.
    pub cost: u32,
    /// Whether the line wins over a query of the same words.
    pub overrides: bool,
}

/// A line that has been followed up to a word.
#[derive(Clone, Default)]
struct State<'v> {
    at: usize,
    slots: Vec<(&'v str, String)>,
    notes: Vec<String>,
    cost: u32,
}

/// Reads the words of one text.
pub(super) struct Matcher<'v> {
    pub words: &'v [Word],
    vocabulary: &'v Vocabulary,
    /// Those that the user may write.
    languages: &'v [Vocabulary],
    names: &'v dyn KnownNames,
    /// For each word, the sections that have been read there.
    found: Vec<Vec<SectionAtWord<'v>>>,
}

/// A section's name, and what it understands.
type SectionAtWord<'v> = (&'v str, Rc<Vec<Match>>);

impl<'v> Matcher<'v> {
    pub fn new(
        words: &'v [Word],
        (vocabulary, languages): (&'v Vocabulary, &'v [Vocabulary]),
        names: &'v dyn KnownNames,
    ) -> Matcher<'v> {
        Matcher { words, vocabulary, languages, names, found: alloc::vec![Vec::new(); words.len() + 1] }
    }

    /// What a section understands from a word on.
    pub fn section(&mut self, name: &'v str, at: usize) -> Rc<Vec<Match>> {
        if let Some((_, found)) = self.found[at].iter().find(|(known, _)| *known == name) {
            return found.clone();
        }
        let nth = self.found[at].len();
        self.found[at].push((name, Rc::default()));
        let mut found = Vec::new();
        for phrase in self.vocabulary.section(name) {
            self.read_phrase(phrase, at, &mut found);
        }
        // What the vocabulary says of the same words is better than a name with them.
        let others = self.built_in(name, at);
        let lines = found.len();
        for other in others {
            if found[..lines].iter().all(|line| line.end != other.end) {
                found.push(other);
            }
        }
        let found = Rc::new(found);
        self.found[at][nth].1 = found.clone();
        found
    }

    fn read_phrase(&mut self, phrase: &'v Phrase, at: usize, found: &mut Vec<Match>) {
        for state in self.follow(&phrase.words, Vec::from([State { at, ..State::default() }])) {
            let Some(meaning) = meaning(&phrase.meaning, &state.slots) else { continue };
            let is_new = |known: &Match| known.end != state.at || known.meaning != meaning;
            if state.at > at && found.iter().all(is_new) {
                let State { at: end, notes, cost, .. } = state;
                found.push(Match { end, meaning, notes, cost, overrides: phrase.overrides });
            }
        }
    }

    fn follow(&mut self, parts: &'v [Part], begin: Vec<State<'v>>) -> Vec<State<'v>> {
        parts.iter().fold(begin, |states, part| {
            let mut next: Vec<State<'v>> = Vec::new();
            for state in states {
                self.follow_part(part, state, &mut next);
            }
            next.truncate(MAX_STATES);
            next
        })
    }

    fn follow_part(&mut self, part: &'v Part, state: State<'v>, next: &mut Vec<State<'v>>) {
        match part {
            Part::Word { forms, .. } => {
                if self.words.get(state.at).is_some_and(|word| word.is_any_of(forms)) {
                    next.push(State { at: state.at + 1, ..state });
                }
            }
            Part::Optional(parts) => {
                next.extend(self.follow(parts, Vec::from([state.clone()])));
                next.push(state);
            }
            Part::Choice(choices) => {
                for parts in choices {
                    next.extend(self.follow(parts, Vec::from([state.clone()])));
                }
            }
            Part::Slot { name, section } => {
                for found in self.section(section, state.at).iter() {
                    let mut state = state.clone();
                    state.at = found.end;
                    state.cost += found.cost;
                    state.slots.push((name, found.meaning.clone()));
                    state.notes.extend(found.notes.iter().cloned());
                    next.push(state);
                }
            }
        }
    }

    /// What the reader understands without a vocabulary.
    fn built_in(&self, section: &str, at: usize) -> Vec<Match> {
        let Some(word) = self.words.get(at).map(|word| &*word.folded) else { return Vec::new() };
        let number = word.parse::<u32>().ok().filter(|_| word.len() <= 5);
        let meaning = match section {
            "n" => number.map(|number| number.to_string()),
            "nth" => ordinal(word),
            "day" => number.filter(|day| (1..=31).contains(day)).map(|day| alloc::format!("{day:02}")),
            "elo" => number.filter(|elo| (1000..3500).contains(elo)).map(|elo| elo.to_string()),
            "force" => self.vocabulary.force(&self.words[at]),
            "year" => number.filter(|year| (1400..2200).contains(year)).map(|year| year.to_string()),
            "decade" => decade(word),
            "eco" => is_eco(word).then(|| word.to_ascii_uppercase()),
            "square" => is_square(word).then(|| word.to_string()),
            "file" => (word.len() == 1 && ("a"..="h").contains(&word)).then(|| word.to_string()),
            "rank" => (word.len() == 1 && ("1"..="8").contains(&word)).then(|| word.to_string()),
            "material" => self.vocabulary.material(word),
            "move" => self.vocabulary.written_move(&self.words[at]),
            "player" => return self.own_name(at).into_iter().chain(self.names(NameKind::Player, at, 10)).collect(),
            "tournament" => return self.names(NameKind::Event, at, 14),
            "opening" => return self.names(NameKind::Opening, at, 12),
            _ => None,
        };
        let found = |meaning| Match { end: at + 1, meaning, notes: Vec::new(), cost: 0, overrides: false };
        meaning.into_iter().map(found).collect()
    }

    /// Whether a word may be a name by itself. One of the vocabulary, such as that of Nigel Short, may be that of a player if it has a
    /// capital letter and is no colour, and of an opening if the words that are named so say nothing else; an ordinary word is a name of
    /// a player with a capital letter, and of nothing else.
    fn may_be_name_alone(&self, kind: NameKind, word: &Word) -> bool {
        let has_word = self.languages.iter().any(|language| language.has_word(&word.folded));
        if !has_word && !word.is_number() {
            return !is_square(&word.folded);
        }
        let says_nothing_else = |language: &Vocabulary| !language.has_word_outside(&OF_OPENINGS, &word.folded);
        match kind {
            NameKind::Player => word.is_capital && !self.is_in("side", word),
            NameKind::Opening => !self.is_in("ordinary", word) && self.languages.iter().all(says_nothing_else),
            NameKind::Event => false,
        }
    }

    /// Whether a word stands in a section of a language that the user may write.
    fn is_in(&self, section: &str, word: &Word) -> bool {
        self.languages.iter().any(|language| language.has_word_in(section, &word.folded))
    }

    /// The user, if a word means them.
    fn own_name(&self, at: usize) -> Option<Match> {
        let name = self.names.own_name().filter(|_| self.is_in("me", &self.words[at]))?;
        let meaning = alloc::format!("\"{name}\"");
        Some(Match { end: at + 1, meaning, notes: Vec::new(), cost: 0, overrides: false })
    }

    /// The names of a kind that begin with a word. A name of one word is less likely than one of several.
    fn names(&self, kind: NameKind, at: usize, alone: u32) -> Vec<Match> {
        let mut found = Vec::new();
        for end in at + 1..=self.words.len().min(at + MAX_NAME_WORDS) {
            let words = &self.words[at..end];
            let has_word = |word: &Word| self.languages.iter().any(|language| language.has_word(&word.folded));
            let Some(readings) = read_name(self.names, kind, words, &has_word) else { break };
            // What else names openings does not make a name of one common.
            let is_elsewhere = |word: &Word| {
                let outside = |language: &Vocabulary| language.has_word_outside(&OF_OPENINGS, &word.folded);
                self.languages.iter().any(outside)
            };
            let is_common = words.iter().all(|word| {
                word.is_number() || if kind == NameKind::Opening { is_elsewhere(word) } else { has_word(word) }
            });
            let is_capital = words.iter().all(|word| word.is_capital || word.is_number());
            let may_be_name = match words {
                [word] => self.may_be_name_alone(kind, word),
                // Squares are no names, nor are words that all say something else, unless they are written as a name.
                words => {
                    let last = &words[words.len() - 1];
                    !words.iter().any(|word| is_square(&word.folded))
                        && (!is_common || is_capital)
                        && !self.is_in("filler", last)
                        && !self.is_in("link", last)
                }
            };
            if !may_be_name {
                continue;
            }
            // Nobody writes *the Karpov*: with an article, it is an opening.
            let has_article = kind == NameKind::Player && at > 0 && self.is_in("article", &self.words[at - 1]);
            let cost = if has_article {
                WITH_ARTICLE
            } else if is_common {
                COMMON_WORD
            } else if words.len() == 1 {
                alone
            } else {
                0
            };
            found.extend(readings.into_iter().map(|reading| {
                let (meaning, notes) = (reading.quoted, Vec::from([reading.note]));
                Match { end, meaning, notes, cost: cost + reading.cost, overrides: false }
            }));
        }
        found
    }
}

/// Whether a word is the code of an opening: `B90`.
fn is_eco(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'e', b'0'..=b'9', b'0'..=b'9'])
}

/// The number of `20th`, or of `20` before a point that is no sign of its own.
fn ordinal(word: &str) -> Option<String> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    let ending = &word[digits.len()..];
    let is_number = matches!(digits.len(), 1..=3) && digits.bytes().all(|sign| sign.is_ascii_digit());
    (is_number && ["", "st", "nd", "rd", "th"].contains(&ending)).then(|| digits.into())
}

/// The years of a decade: `1980s`, `80s`.
fn decade(word: &str) -> Option<String> {
    let digits = word.strip_suffix('s').or_else(|| word.strip_suffix("er"))?;
    let year: u32 = digits.parse().ok()?;
    let first = match digits.len() {
        2 => 1900 + year,
        4 => year,
        _ => return None,
    };
    (first % 10 == 0 && (1400..2200).contains(&first)).then(|| alloc::format!("{first}..{}", first + 9))
}

/// Whether a part of a meaning is the side whose the condition is.
pub(super) fn is_side(parts: &[MeaningPart]) -> bool {
    matches!(parts, [MeaningPart::Slot { name, .. }, MeaningPart::Text(space)] if name == "subject" && space == " ")
}

/// The text of a meaning; none if a slot outside brackets is empty.
fn meaning(parts: &[MeaningPart], slots: &[(&str, String)]) -> Option<String> {
    let mut text = String::new();
    for part in parts {
        match part {
            MeaningPart::Text(plain) => text.push_str(plain),
            MeaningPart::Optional(parts) => match meaning(parts, slots) {
                Some(filled) => text.push_str(&filled),
                None if is_side(parts) => text.push(OPEN_SIDE),
                None => {}
            },
            MeaningPart::Slot { name, calculation } => {
                let (_, value) = slots.iter().find(|(slot, _)| slot == name)?;
                match *calculation {
                    None => text.push_str(value),
                    Some((sign, by)) => {
                        let value: i64 = value.parse().ok()?;
                        let result = match sign {
                            '*' => value.checked_mul(by)?,
                            '+' => value.checked_add(by)?,
                            _ => value.checked_sub(by)?,
                        };
                        text.push_str(&result.to_string());
                    }
                }
            }
        }
    }
    Some(text)
}
