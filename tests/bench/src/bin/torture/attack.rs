//! What an attack is, its possible outcomes, and how they are counted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use serde_json::{Value, json};

/// The outcome of an attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttackOutcome {
    /// An error with a message, as expected.
    Refused,
    /// The result of the undamaged input: the damage hit something that does not matter.
    Answered,
    /// A forgery that is a sound file with other content, and passes the check of its kind.
    Believed,
    /// This machine does not allow the attack.
    Skipped(String),
    /// Any other result.
    Wrong(String),
    /// A panic, an abort, an undocumented exit code, or an error without a message.
    Panicked(String),
    /// The attack did not end within the limit.
    Hung(String),
    /// An existing file is missing or damaged, or a rerun does not succeed with the same bytes.
    Lost(String),
}

/// Attacks of one kind, each determined by its random numbers.
pub trait AttackSeries {
    /// Tries one attack.
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome;
}

/// The current attack, for the report of a failure: a line, and the input files.
#[derive(Default)]
pub struct Tried(Mutex<Trial>);

/// A line, and files by name.
pub type Trial = (String, Vec<(String, Vec<u8>)>);

impl Tried {
    /// Describes the current attack.
    pub fn says(&self, line: impl Into<String>) {
        self.lock().0 = line.into();
    }

    /// Adds the place of a panic.
    pub fn panicked_at(&self, place: &str) {
        let line = &mut self.lock().0;
        *line = format!("{line} (a panic at {place})");
    }

    /// Keeps an input, which is saved under this name if the attack fails.
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

/// Tries an attack. A panic is an outcome like any other.
pub fn outcome_of(attacks: &mut dyn AttackSeries, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
    catch_unwind(AssertUnwindSafe(|| attacks.attack(random, tried))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        AttackOutcome::Panicked(format!("panicked: {}", text.unwrap_or("without a text")))
    })
}

/// How often each outcome occurred among the attacks of a kind.
#[derive(Clone, Default)]
pub struct AttackTally {
    counts: [u64; AttackTally::COLUMNS.len()],
    /// Why attacks were skipped, each reason once.
    pub skipped: Vec<String>,
    /// Folders with the inputs of failed attacks.
    pub failed: Vec<PathBuf>,
}

impl AttackTally {
    /// The counted outcomes, in order. Those from the fifth on are failures.
    pub const COLUMNS: [&'static str; 8] =
        ["tried", "refused", "answered", "believed", "wrong", "panicked", "hung", "lost"];

    /// Counts an outcome, and returns whether it is a failure.
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

    /// Whether no attack failed.
    pub fn is_clean(&self) -> bool {
        self.counts[4..].iter().all(|count| *count == 0)
    }

    /// The tally as a JSON object: a number for each column, why attacks were skipped, and where failed inputs are.
    pub fn to_json(&self) -> Value {
        let mut all = json!({ "skipped": self.skipped, "failed": self.failed });
        for (name, count) in AttackTally::COLUMNS.iter().zip(self.counts) {
            all[name] = count.into();
        }
        all
    }

    /// The tally of such an object; `None` for anything else.
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
