//! The files under attack, one or more of every format, and the results that readers give for each.

pub mod corpus;
pub mod index;
pub mod part;
pub mod pmote;
pub mod table;

use rand::rngs::StdRng;

use crate::attack::AttackOutcome;

/// The results of all requests to a file, in the same order for every file of a format. An error is one of these results or
/// the only one.
pub type SubjectAnswers = Vec<Result<String, String>>;

/// A sound file of some format, and its readers.
pub trait Subject {
    /// The name of the subject, in a few words.
    fn name(&self) -> &'static str;

    /// The name of the file.
    fn file(&self) -> &'static str;

    /// The bytes of the sound file.
    fn sound(&self) -> &[u8];

    /// The offsets at which parts begin and end.
    fn borders(&self) -> Vec<usize>;

    /// The results that the readers give for these bytes.
    fn ask(&self, bytes: &[u8]) -> SubjectAnswers;

    /// The file with a random change and all checksums right.
    fn forge(&self, random: &mut StdRng) -> Vec<u8>;

    /// Checks forged bytes whose results differ from those of the sound file.
    fn law(&self, bytes: &[u8]) -> Result<(), String>;

    /// A file of the same parts, with some exchanged, repeated or left out.
    fn rearranged(&self, random: &mut StdRng) -> Vec<u8>;

    /// Whether reading this file takes much longer than reading others.
    fn is_slow(&self) -> bool {
        false
    }
}

/// All subjects.
pub fn all() -> Vec<Box<dyn Subject>> {
    let mut all: Vec<Box<dyn Subject>> = Vec::new();
    all.extend(corpus::all());
    all.extend(index::all());
    all.extend(pmote::all());
    all.extend(table::all());
    all.extend(part::all());
    all
}

/// A subject and its results when undamaged.
pub struct KnownSubject {
    /// The subject.
    pub subject: Box<dyn Subject>,
    answers: SubjectAnswers,
}

impl KnownSubject {
    /// All subjects with their sound results.
    pub fn all() -> Vec<KnownSubject> {
        let known = |subject: Box<dyn Subject>| {
            let answers = subject.ask(subject.sound());
            assert!(answers.iter().all(Result::is_ok), "{} is refused undamaged: {answers:?}", subject.name());
            KnownSubject { subject, answers }
        };
        all().into_iter().map(known).collect()
    }

    /// Judges damage without repaired checksums: it must give the same results, or errors.
    pub fn judge(&self, bytes: &[u8]) -> AttackOutcome {
        let found = self.subject.ask(bytes);
        match self.different(&found) {
            Some(what) => AttackOutcome::Wrong(what),
            None if found.iter().all(Result::is_ok) => AttackOutcome::Answered,
            None => AttackOutcome::Refused,
        }
    }

    /// Judges a forgery: it must give the same results, errors, or other content that passes the check.
    pub fn judge_forged(&self, bytes: &[u8]) -> AttackOutcome {
        let found = self.subject.ask(bytes);
        if found.iter().all(Result::is_err) {
            return AttackOutcome::Refused;
        }
        if self.different(&found).is_none() {
            return if found.iter().all(Result::is_ok) { AttackOutcome::Answered } else { AttackOutcome::Refused };
        }
        self.subject.law(bytes).map_or_else(AttackOutcome::Wrong, |()| AttackOutcome::Believed)
    }

    /// Describes the first result that is not an error and differs from the sound one.
    fn different(&self, found: &SubjectAnswers) -> Option<String> {
        if let [Err(error)] = &found[..] {
            return error.is_empty().then(|| "an error without a sentence".to_owned());
        }
        if found.len() != self.answers.len() {
            return Some(format!("{} answers in place of {}", found.len(), self.answers.len()));
        }
        found.iter().zip(&self.answers).enumerate().find_map(|(nth, (found, sound))| match found {
            Ok(_) if found != sound => Some(format!("answer {nth} is {found:?} in place of {sound:?}")),
            Err(error) if error.is_empty() => Some(format!("answer {nth} is an error without a sentence")),
            _ => None,
        })
    }
}

/// A short stand-in for a long result.
pub fn hash(answer: impl std::fmt::Debug) -> String {
    let text = format!("{answer:?}");
    if text.len() < 200 { text } else { format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes())) }
}

/// The bytes cut at these borders, with some of the parts left out, exchanged or repeated.
pub fn shuffled(random: &mut StdRng, bytes: &[u8], borders: &[usize]) -> Vec<u8> {
    use rand::Rng;
    let mut at: Vec<usize> = borders.iter().copied().chain([0, bytes.len()]).filter(|at| *at <= bytes.len()).collect();
    at.sort_unstable();
    at.dedup();
    let mut pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    for _ in 0..random.random_range(1..3) {
        let (one, other) = (random.random_range(0..pieces.len()), random.random_range(0..pieces.len()));
        match random.random_range(0..4) {
            0 => pieces.swap(one, other),
            1 => pieces.insert(one, pieces[other]),
            2 => pieces[one] = pieces[other],
            _ if pieces.len() > 1 => drop(pieces.remove(one)),
            _ => {}
        }
    }
    pieces.concat()
}
