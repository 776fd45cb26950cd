//! What an attack is, what can come of it, and how it is counted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use serde_json::{Value, json};

/// What came of an attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttackOutcome {
    /// An error that says so, as it should.
    Refused,
    /// The very answer that the undamaged input gives: the damage hit what does not matter.
    Answered,
    /// A forgery that is a sound file of another content, and obeys the law of its kind.
    Believed,
    /// The machine does not allow this attack.
    Skipped(String),
    /// An answer that is neither.
    Wrong(String),
    /// A panic, an abort, an undocumented exit code, or an error without a sentence.
    Panicked(String),
    /// No end within the limit.
    Hung(String),
    /// A file that was there is gone or damaged, or a rerun does not succeed with the same bytes.
    Lost(String),
}

/// Attacks of one kind, each made of its random numbers alone.
pub trait AttackSeries {
    /// Tries one.
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome;
}

/// What is tried right now, for whoever has to say what failed: a line, and the files that show it.
#[derive(Default)]
pub struct Tried(Mutex<Trial>);

/// A line, and files by name.
pub type Trial = (String, Vec<(String, Vec<u8>)>);

impl Tried {
    /// Says what is tried.
    pub fn says(&self, line: impl Into<String>) {
        self.lock().0 = line.into();
    }

    /// Adds where something panicked.
    pub fn panicked_at(&self, place: &str) {
        let line = &mut self.lock().0;
        *line = format!("{line} (a panic at {place})");
    }

    /// Keeps an input, which gets this name if the attack fails.
    pub fn input(&self, name: &str, bytes: &[u8]) {
        self.lock().1.push((name.to_owned(), bytes.to_vec()));
    }

    /// Forgets the last attack.
    pub fn clear(&self) {
        *self.lock() = Default::default();
    }

    /// The line, and the inputs by name.
    pub fn all(&self) -> Trial {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Trial> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tries an attack; a panic is an outcome like any other.
pub fn outcome_of(attacks: &mut dyn AttackSeries, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
    catch_unwind(AssertUnwindSafe(|| attacks.attack(random, tried))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        AttackOutcome::Panicked(format!("panicked: {}", text.unwrap_or("without a text")))
    })
}

/// How often each came of the attacks of a kind.
#[derive(Clone, Default)]
pub struct AttackTally {
    counts: [u64; AttackTally::COLUMNS.len()],
    /// Why attacks were skipped, each reason once.
    pub skipped: Vec<String>,
    /// Folders with what failed.
    pub failed: Vec<PathBuf>,
}

impl AttackTally {
    /// What is counted, in order; from the fifth on none may come.
    pub const COLUMNS: [&'static str; 8] =
        ["tried", "refused", "answered", "believed", "wrong", "panicked", "hung", "lost"];

    /// Counts an outcome, and says whether it is one that must not come.
    pub fn count(&mut self, outcome: &AttackOutcome) -> bool {
        let column = match outcome {
            AttackOutcome::Skipped(why) => {
                if !self.skipped.contains(why) {
                    self.skipped.push(why.clone());
                }
                return false;
            }
            AttackOutcome::Refused => 1,
            AttackOutcome::Answered => 2,
            AttackOutcome::Believed => 3,
            AttackOutcome::Wrong(_) => 4,
            AttackOutcome::Panicked(_) => 5,
            AttackOutcome::Hung(_) => 6,
            AttackOutcome::Lost(_) => 7,
        };
        self.counts[0] += 1;
        self.counts[column] += 1;
        column >= 4
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &AttackTally) {
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, more)| *sum += more);
        self.skipped
            .extend(other.skipped.iter().filter(|why| !self.skipped.contains(why)).cloned().collect::<Vec<_>>());
        self.failed.extend(other.failed.iter().cloned());
    }

    /// Counts, in the order of [`COLUMNS`](AttackTally::COLUMNS).
    pub fn counts(&self) -> [u64; AttackTally::COLUMNS.len()] {
        self.counts
    }

    /// Whether nothing came that must not.
    pub fn is_clean(&self) -> bool {
        self.counts[4..].iter().all(|count| *count == 0)
    }

    /// As an object: a number for each column, why attacks were skipped, and where failed inputs are.
    pub fn to_json(&self) -> Value {
        let mut all = json!({ "skipped": self.skipped, "failed": self.failed });
        for (name, count) in AttackTally::COLUMNS.iter().zip(self.counts) {
            all[name] = count.into();
        }
        all
    }

    /// The tally of such an object; none if it is something else.
    pub fn from_json(object: &Value) -> Option<AttackTally> {
        let mut tally = AttackTally::default();
        for (name, count) in AttackTally::COLUMNS.iter().zip(&mut tally.counts) {
            *count = object[name].as_u64()?;
        }
        let texts = |name: &str| object[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        tally.skipped = texts("skipped").map(str::to_owned).collect();
        tally.failed = texts("failed").map(PathBuf::from).collect();
        Some(tally)
    }
}
