//! The vocabulary of a language: a text with one phrase a line, `words`, a tab, and what they stand for.
//!
//! A line `[name]` begins a section; [`SECTIONS`] lists those that are conditions, and all others are named by slots. In the words,
//! `[ ]` is optional, `( | )` a choice, `knight/s` one word with or without an ending, and `<square>` a slot: what a section or the
//! reader itself understands there. `<side:by_side>` fills the slot `side` from the section `by_side`, and `<piece2>` is a second slot
//! of the section `piece`. The section `letters` has the letters of the pieces, small, with those of the language of queries. In the meaning a slot stands for its own meaning, `<n*2>` for a number, and `[ ]` is left out if a slot
//! in it is empty. `!` before a line says that these words mean this although they can also be read as a query.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::headers::folded_name;
use plyfold_scan::sorted::sorted;
use thiserror::Error;

/// The sections that are conditions, each with the way in which it joins others.
pub(super) const SECTIONS: [(&str, Joining); 10] = [
    ("state", Joining::OnePosition),
    ("event", Joining::SomePosition),
    ("game", Joining::WholeGame),
    ("header", Joining::WholeGame),
    ("window", Joining::Window),
    ("doer", Joining::Doer),
    ("by", Joining::By),
    ("same", Joining::Same),
    ("link", Joining::Link),
    ("filler", Joining::Nothing),
];

/// How a condition joins the others of a phrase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joining {
    /// In braces with others of its kind.
    OnePosition,
    /// At a position of its own.
    SomePosition,
    /// It takes no window.
    WholeGame,
    /// It is the window of the condition before it.
    Window,
    /// A condition of the whole game, and after `; ` the side of those that follow.
    Doer,
    /// The side of the condition before it.
    By,
    /// It holds at the position of the condition before it.
    Same,
    /// `or` and `then` join the conditions beside it, `not` negates the one after it.
    Link,
    /// It means nothing.
    Nothing,
}

impl Joining {
    /// Whether it is a condition by itself.
    pub fn is_condition(self) -> bool {
        matches!(self, Joining::OnePosition | Joining::SomePosition | Joining::WholeGame | Joining::Doer)
    }
}

/// What phrases mean in one language.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    sections: Vec<(String, Vec<Phrase>)>,
}

/// A line of a vocabulary.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub words: Vec<Part>,
    pub meaning: Vec<MeaningPart>,
    /// Whether it wins over a query of the same words.
    pub overrides: bool,
}

/// A part of the words of a phrase.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// One word in these forms, which differ in their endings, as they are compared.
    Word {
        forms: Vec<String>,
        /// The word as it is suggested: with its first ending, as several things have it.
        written: String,
    },
    Optional(Vec<Part>),
    Choice(Vec<Vec<Part>>),
    Slot {
        name: String,
        section: String,
    },
}

/// A part of a meaning.
#[derive(Clone, Debug)]
pub(super) enum MeaningPart {
    Text(String),
    /// What fills a slot, perhaps as a number to calculate with.
    Slot {
        name: String,
        calculation: Option<(char, i64)>,
    },
    Optional(Vec<MeaningPart>),
}

/// A line of a vocabulary that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of the vocabulary: {message}")]
pub struct VocabularyError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: &'static str,
}

impl Vocabulary {
    /// Reads the text of a vocabulary. Empty lines and lines that begin with `#` mean nothing.
    ///
    /// # Errors
    ///
    /// The first line that is no phrase.
    pub fn new(text: &str) -> Result<Vocabulary, VocabularyError> {
        let mut sections: Vec<(String, Vec<Phrase>)> = Vec::new();
        for (nth, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let wrong = |message| VocabularyError { line: nth + 1, message };
            match line.split_once('\t') {
                None => {
                    let name = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
                    let name = name.filter(|name| !name.contains([' ', ']']));
                    sections.push((name.ok_or(wrong("a tab separates words and meaning"))?.to_string(), Vec::new()));
                }
                Some((words, meaning)) => {
                    let (_, phrases) = sections.last_mut().ok_or(wrong("a section comes first, such as `[state]`"))?;
                    let stripped = words.strip_prefix('!');
                    let parts = PartReader { rest: stripped.unwrap_or(words), depth: 0 }.read_all().map_err(wrong)?;
                    let meaning = read_meaning(meaning).map_err(wrong)?;
                    phrases.push(Phrase { words: parts, meaning, overrides: stripped.is_some() });
                }
            }
        }
        Ok(Vocabulary { sections })
    }

    /// The phrases of a section; none if it does not exist.
    pub(super) fn section(&self, name: &str) -> impl Iterator<Item = &Phrase> {
        self.sections.iter().filter(move |(section, _)| *section == name).flat_map(|(_, phrases)| phrases)
    }

    /// The letter that the language of queries has for the piece with this letter, which is small.
    pub(super) fn piece_letter(&self, sign: char) -> Option<char> {
        let mut bytes = [0; 4];
        let sign = sign.encode_utf8(&mut bytes);
        let letter = self.section("letters").find(|letter| has_word(&letter.words, sign))?;
        letter.meaning.iter().find_map(|part| match part {
            MeaningPart::Text(text) => text.chars().next(),
            _ => None,
        })
    }

    /// All words of its phrases.
    pub(super) fn words(&self) -> Vec<&str> {
        let mut all = Vec::new();
        self.sections.iter().flat_map(|(_, phrases)| phrases).for_each(|phrase| add_words(&phrase.words, &mut all));
        let mut all = sorted(all, |one: &&str, other| one.cmp(other));
        all.dedup();
        all
    }

    /// Whether a word stands in a phrase, outside the section of openings, whose words are often names of players too.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.has_word_outside(&["opening"], word)
    }

    /// Whether a word stands in a phrase of another section than these.
    pub(super) fn has_word_outside(&self, sections: &[&str], word: &str) -> bool {
        let others = self.sections.iter().filter(|(name, _)| !sections.contains(&&**name));
        others.flat_map(|(_, phrases)| phrases).any(|phrase| has_word(&phrase.words, word))
    }

    /// Whether a word stands in a phrase of this section.
    pub(super) fn has_word_in(&self, section: &str, word: &str) -> bool {
        self.section(section).any(|phrase| has_word(&phrase.words, word))
    }
}

fn add_words<'v>(parts: &'v [Part], all: &mut Vec<&'v str>) {
    for part in parts {
        match part {
            Part::Word { forms, .. } => all.extend(forms.iter().map(String::as_str)),
            Part::Optional(parts) => add_words(parts, all),
            Part::Choice(choices) => choices.iter().for_each(|parts| add_words(parts, all)),
            Part::Slot { .. } => {}
        }
    }
}

fn has_word(parts: &[Part], word: &str) -> bool {
    parts.iter().any(|part| match part {
        Part::Word { forms, .. } => forms.iter().any(|form| form == word),
        Part::Optional(parts) => has_word(parts, word),
        Part::Choice(choices) => choices.iter().any(|parts| has_word(parts, word)),
        Part::Slot { .. } => false,
    })
}

/// Brackets nest at most so deep.
const MAX_DEPTH: usize = 8;

/// Reads the words of a phrase.
struct PartReader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> PartReader<'t> {
    fn read_all(mut self) -> Result<Vec<Part>, &'static str> {
        let mut choices = Vec::from([self.read_parts()?]);
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            choices.push(self.read_parts()?);
        }
        match (self.rest.is_empty(), choices.iter().any(Vec::is_empty)) {
            (false, _) => Err("a bracket is closed that was not opened"),
            (true, true) => Err("there are no words before the tab"),
            _ => Ok(Vec::from([Part::Choice(choices)])),
        }
    }

    /// The parts up to a closing bracket, a `|` or the end.
    fn read_parts(&mut self) -> Result<Vec<Part>, &'static str> {
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None | Some(')' | ']' | '|') => return Ok(parts),
                Some('(') => parts.push(Part::Choice(self.read_choice(')')?)),
                Some('[') => parts.push(Part::Optional(Vec::from([Part::Choice(self.read_choice(']')?)]))),
                Some('<') => {
                    let (slot, rest) = self.rest[1..].split_once('>').ok_or("a slot is not closed")?;
                    self.rest = rest;
                    let (name, section) =
                        slot.split_once(':').unwrap_or((slot, slot.trim_end_matches(char::is_numeric)));
                    parts.push(Part::Slot { name: name.into(), section: section.into() });
                }
                Some(_) => {
                    let end = self.rest.find(|sign: char| sign.is_whitespace() || "()[]|<".contains(sign));
                    let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()).max(1));
                    self.rest = rest;
                    parts.extend(read_word(word));
                }
            }
        }
    }

    fn read_choice(&mut self, close: char) -> Result<Vec<Vec<Part>>, &'static str> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("brackets nest too deep");
        }
        let mut choices = Vec::new();
        loop {
            self.rest = &self.rest[1..];
            choices.push(self.read_parts()?);
            if !self.rest.starts_with('|') {
                break;
            }
        }
        self.rest = self.rest.strip_prefix(close).ok_or("a bracket is not closed")?;
        self.depth -= 1;
        Ok(choices)
    }
}

/// The words of a piece of text without spaces: one with its endings, or several if it is cut as texts of players are.
fn read_word(word: &str) -> Vec<Part> {
    if let Some((stem, endings)) = word.split_once('/').filter(|(stem, _)| !stem.ends_with(char::is_numeric)) {
        let written = stem.to_string() + endings.split('/').next().unwrap_or_default();
        let endings = core::iter::once("").chain(endings.split('/'));
        let forms = endings.flat_map(|ending| spellings(&(stem.to_string() + ending))).collect();
        return Vec::from([Part::Word { forms, written }]);
    }
    // A hyphen that stands alone is one between numbers.
    if word == "-" {
        return Vec::from([Part::Word { forms: Vec::from([word.to_string()]), written: word.to_string() }]);
    }
    let cut = super::words::words(word).into_iter();
    cut.map(|part| match &word[part.span.from..part.span.to] {
        text if text.contains(UMLAUTS) => Part::Word { forms: spellings(text), written: text.into() },
        text => Part::Word { written: text.into(), forms: Vec::from([part.folded]) },
    })
    .collect()
}

const UMLAUTS: [char; 3] = ['ä', 'ö', 'ü'];

/// A word as it is compared, and, if it has umlauts, as those write it whose keyboards have none.
fn spellings(word: &str) -> Vec<String> {
    let mut spellings = Vec::from([folded_name(word)]);
    if word.contains(UMLAUTS) {
        spellings.push(folded_name(&word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")));
    }
    spellings
}

/// Reads the meaning of a phrase.
fn read_meaning(text: &str) -> Result<Vec<MeaningPart>, &'static str> {
    let mut rest = text;
    let parts = meaning_parts(&mut rest, false)?;
    if rest.is_empty() { Ok(parts) } else { Err("a bracket is closed that was not opened") }
}

fn meaning_parts(rest: &mut &str, inside: bool) -> Result<Vec<MeaningPart>, &'static str> {
    let mut parts = Vec::new();
    while let Some(first) = rest.chars().next() {
        if first == ']' {
            return Ok(parts);
        } else if first == '[' && !inside {
            *rest = &rest[1..];
            parts.push(MeaningPart::Optional(meaning_parts(rest, true)?));
            *rest = rest.strip_prefix(']').ok_or("a bracket is not closed")?;
        } else if first == '<' && rest[1..].starts_with(|sign: char| sign.is_ascii_alphabetic()) {
            let (slot, after) = rest[1..].split_once('>').ok_or("a slot is not closed")?;
            *rest = after;
            let at = slot.find(['*', '+', '-']).unwrap_or(slot.len());
            let (name, calculation) = slot.split_at(at);
            let calculation = calculation.chars().next().map(|sign| {
                let number = calculation[1..].parse().map_err(|_| "a slot calculates with a number: `<n*2>`")?;
                Ok::<_, &'static str>((sign, number))
            });
            parts.push(MeaningPart::Slot { name: name.into(), calculation: calculation.transpose()? });
        } else {
            let end = rest[first.len_utf8()..].find(['[', ']', '<']).map_or(rest.len(), |at| at + first.len_utf8());
            parts.push(MeaningPart::Text(rest[..end].into()));
            *rest = &rest[end..];
        }
    }
    if inside { Err("a bracket is not closed") } else { Ok(parts) }
}
