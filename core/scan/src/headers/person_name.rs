//! Compares the names of people as databases write them: `Karpov, Anatoly`, `KARPOV,A`, `Anatoly Karpow`, `A. Karpov`.
//!
//! Two names agree if they may be names of one person. That is weaker than being the same person: `Karpov, A` agrees with `Karpov, Anatoly`
//! and with `Karpov, Alexander`, which do not agree with each other.

use alloc::string::String;
use alloc::vec::Vec;

use super::name_folding::fold;
use super::nearest::is_one_letter_apart;
use crate::sorted::sorted;

/// A name, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PersonName {
    folded: String,
    /// Its words in their order, as they are compared.
    words: Vec<Word>,
    /// How many of them are the surname, which a comma ends; 0 if there is no comma.
    surname_words: usize,
}

/// A word of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Word {
    folded: String,
    /// In one of the ways in which languages spell names: `karpov` for `karpow`.
    spelled: String,
}

/// In how far two names may be one person's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameAgreement {
    /// A word is spelled otherwise: by another language, or with one other letter.
    Spelling,
    /// One of them is shorter: an initial, fewer first names, or none.
    Shorter,
    /// They have the same words: case, accents, signs and the order may differ.
    Words,
    /// They are compared as equal.
    Equal,
}

/// Titles that stand before names, and behind them.
const TITLES: [&str; 9] = ["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM", "Dr"];

impl PersonName {
    /// Takes a name apart. Titles and what stands in brackets are no parts of it.
    pub fn read(name: &str) -> PersonName {
        let plain = without_brackets(name);
        let (surname, given) = plain.split_once(',').unwrap_or(("", &plain));
        let mut words = Vec::new();
        push_words(surname, false, &mut words);
        let surname_words = words.len();
        push_words(given, surname_words > 0, &mut words);
        PersonName { folded: fold(name), words, surname_words }
    }

    /// Whether it says nobody.
    pub fn is_unknown(&self) -> bool {
        self.words.is_empty() || self.folded == "nn" || self.folded == "n n"
    }

    /// Returns in how far two names may be one person's; none if they may not, or if one of them is unknown and the other is not.
    ///
    /// ```
    /// use plyfold_scan::headers::{NameAgreement, PersonName};
    /// let agree = |one: &str, other: &str| PersonName::read(one).agreement(&PersonName::read(other));
    /// assert_eq!(agree("Karpov, Anatoly", "KARPOV,A."), Some(NameAgreement::Shorter));
    /// assert_eq!(agree("Karpov, Anatoly", "Anatoly Karpov"), Some(NameAgreement::Words));
    /// assert_eq!(agree("Karpov, Anatoly", "Karpov, Alexander"), None);
    /// ```
    pub fn agreement(&self, other: &PersonName) -> Option<NameAgreement> {
        if self.folded == other.folded {
            return Some(NameAgreement::Equal);
        }
        if self.is_unknown() || other.is_unknown() || !self.numbers().eq(other.numbers()) {
            return None;
        }
        let mut best = None;
        for (surname, given) in self.readings(other) {
            for (other_surname, other_given) in other.readings(self) {
                let found = surnames_agree(surname, other_surname)
                    .and_then(|surnames| Some(surnames.min(given_names_agree(&given, &other_given)?)));
                best = best.max(found);
            }
        }
        best
    }

    /// Words with digits, which are never abbreviated or spelled otherwise.
    fn numbers(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &*word.folded).filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
    }

    /// Surname and first names, in each way in which they may stand in the name.
    fn readings(&self, other: &PersonName) -> Vec<(&[Word], Vec<&Word>)> {
        let split = |from: usize, to: usize| {
            (&self.words[from..to], self.words[..from].iter().chain(&self.words[to..]).collect())
        };
        let all = self.words.len();
        if self.surname_words > 0 {
            return alloc::vec![split(0, self.surname_words)];
        }
        let length = other.surname_words.clamp(1, all);
        match length == all {
            true => alloc::vec![split(0, all)],
            false => alloc::vec![split(all - length, all), split(0, length)],
        }
    }

    /// Whether it is one word, as the names of users are.
    pub fn is_one_word(&self) -> bool {
        self.words.len() < 2
    }

    /// What may be the surname as it is spelled, and all words in the order of the alphabet.
    pub(super) fn surnames(&self) -> Vec<String> {
        let join = |words: &[Word]| words.iter().map(|word| &*word.spelled).collect::<String>();
        let all = sorted(self.words.iter().map(|word| &*word.spelled).collect(), |one: &&str, other| one.cmp(other));
        let mut surnames = match (&self.words[..], self.surname_words) {
            ([], _) => Vec::new(),
            (words, 0) => alloc::vec![join(&words[..1]), join(&words[words.len() - 1..])],
            (words, surname) => alloc::vec![join(&words[..surname])],
        };
        surnames.push(all.join(" "));
        surnames
    }

    /// How fully it is written: words that are no initials, and of the same number of those, with a comma.
    pub(super) fn fullness(&self) -> (usize, bool) {
        let full = self.words.iter().filter(|word| word.folded.chars().count() > 1).count();
        (full, self.surname_words > 0)
    }

    /// Texts of which two names that agree mostly share one: the first consonants of what may be the surname.
    pub fn keys(&self) -> impl Iterator<Item = String> + '_ {
        /// A name without a comma has at most so many.
        const MAX_KEYS: usize = 3;
        let words = match self.surname_words {
            0 => &self.words[..],
            surname => &self.words[..surname],
        };
        let longest = words.iter().map(|word| word.spelled.len()).max();
        let has_surname = self.surname_words > 0;
        let is_key = move |word: &&Word| match has_surname {
            true => Some(word.spelled.len()) == longest,
            false => word.spelled.len() > 1 || longest == Some(1),
        };
        let most = if has_surname { 1 } else { MAX_KEYS };
        words.iter().rev().filter(is_key).take(most).map(|word| first_consonants(&word.spelled))
    }
}

/// The first letter and two consonants.
fn first_consonants(word: &str) -> String {
    let consonants = word.chars().enumerate().filter(|&(at, letter)| at == 0 || !"aeiou".contains(letter));
    consonants.map(|(_, letter)| letter).take(3).collect()
}

/// A name without what stands in brackets, unless that has digits, and without apostrophes.
fn without_brackets(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('(') {
        let Some((inside, after)) = behind.split_once(')') else { break };
        plain.push_str(before);
        plain.push(' ');
        if inside.bytes().any(|byte| byte.is_ascii_digit()) {
            plain.push_str(inside);
            plain.push(' ');
        }
        rest = after;
    }
    plain.push_str(rest);
    plain.retain(|letter| !matches!(letter, '\'' | '’' | '`'));
    plain
}

/// Adds the words of a part of a name. Of first names, two capitals are two initials.
fn push_words(part: &str, is_given: bool, words: &mut Vec<Word>) {
    let parts = part
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '.' | '-'))
        .filter(|word| !word.is_empty());
    for part in parts.filter(|word| !TITLES.contains(word)) {
        let are_initials = is_given && part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
        for folded in fold(part).split(' ').filter(|word| !word.is_empty()) {
            let mut push = |word: &str| words.push(Word { folded: word.into(), spelled: spelled(word) });
            match are_initials {
                true => folded.char_indices().for_each(|(at, _)| push(&folded[at..=at])),
                false => push(folded),
            }
        }
    }
}

/// A folded word in one of the ways in which languages spell names of each other.
fn spelled(word: &str) -> String {
    const SPELLINGS: [(&str, &str); 14] = [
        ("tsch", "ch"),
        ("tch", "ch"),
        ("sch", "sh"),
        ("ph", "f"),
        ("kh", "h"),
        ("ck", "k"),
        ("x", "ks"),
        ("w", "v"),
        ("j", "i"),
        ("y", "i"),
        ("q", "k"),
        ("ae", "a"),
        ("oe", "o"),
        ("ue", "u"),
    ];
    let mut spelled = String::from(word);
    for (from, to) in SPELLINGS {
        if spelled.contains(from) {
            spelled = spelled.replace(from, to);
        }
    }
    // `Yurii` and `Yuri`, `Mueller` and `Müler`.
    let mut last = None;
    spelled.retain(|letter| last.replace(letter) != Some(letter) || letter.is_ascii_digit());
    spelled
}

/// Whether one is the other with an `a`: `Ivanov` and `Ivanova` are two families' names.
fn differ_by_gender(one: &str, other: &str) -> bool {
    one.strip_suffix('a') == Some(other) || other.strip_suffix('a') == Some(one)
}

fn surnames_agree(one: &[Word], other: &[Word]) -> Option<NameAgreement> {
    /// Shorter names with one other letter are mostly other names.
    const LONG: usize = 6;
    let join = |words: &[Word], text: fn(&Word) -> &str| words.iter().map(text).collect::<String>();
    let [one_folded, other_folded] = [one, other].map(|words| join(words, |word| &word.folded));
    if one_folded == other_folded {
        return Some(NameAgreement::Words);
    }
    // `Yang` and `Jiang`, `Naylor` and `Taylor` are two; `Jussupow` and `Yusupov` are one.
    let begins_alike = one_folded.chars().next() == other_folded.chars().next();
    let [one, other] = [one, other].map(|words| join(words, |word| &word.spelled));
    let is_long = one.len().min(other.len()) >= LONG;
    let is_spelled_so = one == other && (begins_alike || is_long);
    let is_near = || begins_alike && is_long && is_one_letter_apart(&one, &other) && !differ_by_gender(&one, &other);
    (is_spelled_so || is_near()).then_some(NameAgreement::Spelling)
}

fn given_names_agree(one: &[&Word], other: &[&Word]) -> Option<NameAgreement> {
    /// `Alex` is short for `Alexander`; `Al` might be anything.
    const SHORT_FORM: usize = 3;
    let mut agreement = if one.len() == other.len() { NameAgreement::Words } else { NameAgreement::Shorter };
    for (one, other) in one.iter().zip(other) {
        let is_short =
            |one: &str, other: &str| other.starts_with(one) && (one.chars().count() == 1 || one.len() >= SHORT_FORM);
        let (plain, spelling) = ((&*one.folded, &*other.folded), (&*one.spelled, &*other.spelled));
        let of_word = if plain.0 == plain.1 {
            NameAgreement::Words
        } else if is_short(plain.0, plain.1) || is_short(plain.1, plain.0) {
            NameAgreement::Shorter
        } else if spelling.0 == spelling.1
            || plain.0.len().min(plain.1.len()) >= 5
                && is_one_letter_apart(spelling.0, spelling.1)
                && !differ_by_gender(spelling.0, spelling.1)
        {
            NameAgreement::Spelling
        } else {
            return None;
        };
        agreement = agreement.min(of_word);
    }
    Some(agreement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_one_persons() {
        use NameAgreement::{Equal, Shorter, Spelling, Words};
        for (one, other, expected) in [
            ("Karpov, Anatoly", "karpov anatoly", Some(Equal)),
            ("Karpov, Anatoly", "Anatoly Karpov", Some(Words)),
            ("Karpov, Anatoly", "Karpov, A.", Some(Shorter)),
            ("Karpov, Anatoly", "Karpov,AE", Some(Shorter)),
            ("Karpov, Anatoly", "A. Karpov", Some(Shorter)),
            ("Karpov, Anatoly", "Karpov A", Some(Shorter)),
            ("Karpov, Anatoly", "Karpov", Some(Shorter)),
            ("Karpov, Anatoly", "GM Karpov, Anatoly E (RUS)", Some(Shorter)),
            ("Karpov, Anatoly", "Karpow, Anatolij", Some(Spelling)),
            ("Korchnoi, Viktor", "Kortschnoj, Viktor", Some(Spelling)),
            ("Nimzowitsch, Aaron", "Nimzovich, A", Some(Spelling)),
            ("Müller, Karsten", "Mueller, Karsten", Some(Spelling)),
            ("Müller, Karsten", "Muller, Karsten", Some(Equal)),
            ("Vachier-Lagrave, Maxime", "M. Vachier Lagrave", Some(Shorter)),
            ("De la Villa Garcia, Jesus", "Jesus De la Villa Garcia", Some(Words)),
            ("O'Kelly de Galway, Alberic", "OKelly de Galway, A", Some(Shorter)),
            ("Tal, Mikhail", "Tal', M", Some(Shorter)),
            ("Jussupow, Artur", "Yusupov, Artur", Some(Spelling)),
            ("Yang, Wen", "Jiang, Wen", None),
            ("Naylor, John", "Taylor, John", None),
            ("Karpov, Anatoly", "Karpov, Alexander", None),
            ("Karpov, Anatoly", "Kasparov, Garry", None),
            ("Karpov, Anatoly", "Anatoly", None),
            ("Ivanov, Alexander", "Ivanova, Alexandra", None),
            ("Polgar, Judit", "Polgar, Zsuzsa", None),
            ("Stockfish 8", "Stockfish 9", None),
            ("Stockfish 8", "Stockfish", None),
            ("Quiet Move 180", "Q. Move 180", Some(Shorter)),
            ("Quiet Move 180", "Quiet Move 100", None),
            ("?", "Karpov, Anatoly", None),
            ("?", "", Some(Equal)),
            ("Li, Chao", "Li, Chaob", Some(Shorter)),
            ("Xu, Jun", "Xu Jun", Some(Equal)),
        ] {
            let agreement = |one: &str, other: &str| PersonName::read(one).agreement(&PersonName::read(other));
            assert_eq!(agreement(one, other), expected, "{one} / {other}");
            assert_eq!(agreement(other, one), expected, "{other} / {one}");
        }
    }

    #[test]
    fn names_that_agree_share_a_key() {
        for names in [
            &["Karpov, Anatoly", "KARPOV,A", "Anatoly Karpow", "A. Karpov", "Karpov A", "Karpov"][..],
            &["Korchnoi, Viktor", "Kortschnoj, V"],
            &["De la Villa Garcia, Jesus", "Jesus De la Villa Garcia"],
            &["Vachier-Lagrave, Maxime", "M Vachier-Lagrave"],
            &["Xu, Jun", "Jun Xu"],
        ] {
            let keys = |name: &str| PersonName::read(name).keys().collect::<Vec<_>>();
            let shared = keys(names[0]);
            for name in names {
                assert!(keys(name).iter().any(|key| shared.contains(key)), "{name}: {:?} {shared:?}", keys(name));
            }
        }
        assert_eq!(PersonName::read("?").keys().count(), 0);
    }
}
