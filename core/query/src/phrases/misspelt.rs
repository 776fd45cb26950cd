//! Words that are nearly words of the vocabulary: `smotherd`. A reading says what they were taken for.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::vocabulary::Vocabulary;
use super::words::Word;
use crate::error::edit_distance;

/// Shorter words are too near to one another.
const SHORTEST: usize = 5;
/// From this length on, two letters may be wrong.
const LONG: usize = 9;

/// The words, those at `places` each as the one word of the vocabulary that is nearest, if any of them has one.
pub(super) fn corrected(words: &[Word], places: &[usize], vocabulary: &Vocabulary) -> Option<Vec<Word>> {
    let known = vocabulary.words();
    let mut all = words.to_vec();
    let mut is_any = false;
    for &place in places {
        let Some(word) = all.get_mut(place) else { continue };
        if let Some(nearest) = nearest(&word.folded, &known) {
            is_any = true;
            word.note = Some(format!("{} is read as {nearest}", word.folded));
            nearest.clone_into(&mut word.folded);
        }
    }
    is_any.then_some(all)
}

fn nearest<'v>(word: &str, known: &[&'v str]) -> Option<&'v str> {
    let letters = word.chars().count();
    if known.binary_search(&word).is_ok() || letters < SHORTEST || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let most = if letters < LONG { 1 } else { 2 };
    let is_like = |one: &&str| one.chars().count().abs_diff(letters) <= most;
    let distances = known.iter().copied().filter(is_like).map(|one| (distance(word, one), one));
    let near: Vec<(usize, &str)> = distances.filter(|(distance, _)| *distance <= most).collect();
    let least = near.iter().map(|(distance, _)| *distance).min()?;
    let mut nearest = near.into_iter().filter(|(distance, _)| *distance == least).map(|(_, one)| one);
    let first = nearest.next()?;
    // Several forms of one word are one.
    nearest.all(|other| other.starts_with(first) || first.starts_with(other)).then_some(first)
}

/// Letters to change, add or leave out; two neighbours in the wrong order are one mistake.
fn distance(word: &str, other: &str) -> usize {
    let letters: Vec<char> = word.chars().collect();
    let is_turned = (1..letters.len()).any(|at| {
        let mut turned = letters.clone();
        turned.swap(at - 1, at);
        turned.into_iter().collect::<String>() == other
    });
    if is_turned { 1 } else { edit_distance(word, other) }
}
