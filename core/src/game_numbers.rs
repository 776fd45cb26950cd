//! Reads lists of games by number: `1,5-9,100-`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use plyfold_corpus::error::CorpusError;
use plyfold_reduce::game_set::GameSet;
use plyfold_reduce::sorted::sorted;
use plyfold_scan::game::GameId;

/// Ranges of numbers, both ends included; an open end is `u64::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameNumberRanges(Vec<(u64, u64)>);

impl FromStr for GameNumberRanges {
    type Err = String;

    fn from_str(text: &str) -> Result<GameNumberRanges, String> {
        let number = |text: &str| match text.trim().parse::<u64>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{}` is not the number of a game: write a list as 1,5-9,100-", text.trim())),
        };
        let range = |part: &str| match part.split_once('-') {
            None => number(part).map(|one| (one, one)),
            Some((from, to)) if to.trim().is_empty() => number(from).map(|from| (from, u64::MAX)),
            Some((from, to)) => match (number(from)?, number(to)?) {
                (from, to) if from <= to => Ok((from, to)),
                (from, to) => Err(format!("{from}-{to} runs backwards")),
            },
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(GameNumberRanges)
    }
}

/// Writes the list as it is read.
impl fmt::Display for GameNumberRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, &(from, to)) in self.0.iter().enumerate() {
            let comma = if nth > 0 { "," } else { "" };
            match to {
                u64::MAX => write!(f, "{comma}{from}-")?,
                to if to == from => write!(f, "{comma}{from}")?,
                to => write!(f, "{comma}{from}-{to}")?,
            }
        }
        Ok(())
    }
}

impl GameNumberRanges {
    /// The list of the games of a set.
    pub fn of_set(set: &GameSet) -> GameNumberRanges {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for number in set.iter().map(GameId::number) {
            match ranges.last_mut() {
                Some((_, to)) if *to + 1 == number => *to = number,
                _ => ranges.push((number, number)),
            }
        }
        GameNumberRanges(ranges)
    }

    /// The games of a corpus of this size.
    ///
    /// # Errors
    ///
    /// A number is larger than the corpus.
    pub fn set(&self, games: u32) -> Result<GameSet, CorpusError> {
        let mut set = GameSet::empty(games);
        let games = u64::from(games);
        // Each game is added once, however often the list names it.
        let mut done = 0;
        for (from, to) in sorted(self.0.clone(), Ord::cmp) {
            let last = if to == u64::MAX { from.max(games) } else { to };
            if last > games {
                return Err(CorpusError::NoSuchGame { number: last, games });
            }
            (done.max(from - 1)..last).for_each(|id| set.insert(GameId(id as u32)));
            done = done.max(last);
        }
        Ok(set)
    }
}
