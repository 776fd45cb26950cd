//! Reads lists of games by number: `1,5-9,100-`.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::game::GameId;
use plyfold_core::reduce::game_set::GameSet;

use crate::failure::Result;

/// Ranges of numbers, both ends included; an open end is `u64::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameNumberRanges(Vec<(u64, u64)>);

impl std::str::FromStr for GameNumberRanges {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<GameNumberRanges, String> {
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
        text.split(',').map(range).collect::<std::result::Result<_, _>>().map(GameNumberRanges)
    }
}

impl GameNumberRanges {
    /// The games of a corpus of this size.
    ///
    /// # Errors
    ///
    /// A number is larger than the corpus.
    pub fn set(&self, games: u32) -> Result<GameSet, CorpusError> {
        let mut set = GameSet::empty(games);
        let games = u64::from(games);
        for &(from, to) in &self.0 {
            let last = if to == u64::MAX { from.max(games) } else { to };
            if last > games {
                return Err(CorpusError::NoSuchGame { number: last, games });
            }
            (from - 1..last).for_each(|id| set.insert(GameId(id as u32)));
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_games() {
        let ids = |text: &str| {
            text.parse::<GameNumberRanges>()
                .map(|list| list.set(10).map(|set| Vec::from_iter(set.iter().map(|game| game.0))))
        };
        assert_eq!(ids("1, 5-7,9-"), Ok(Ok(vec![0, 4, 5, 6, 8, 9])));
        assert_eq!(ids("3,2-3"), Ok(Ok(vec![1, 2])));
        assert_eq!(ids("11"), Ok(Err(CorpusError::NoSuchGame { number: 11, games: 10 })));
        assert_eq!(ids("11-"), Ok(Err(CorpusError::NoSuchGame { number: 11, games: 10 })));
        assert_eq!(ids("1-18446744073709551614"), Ok(Err(CorpusError::NoSuchGame { number: u64::MAX - 1, games: 10 })));
        for wrong in ["", "0", "a", "5-3", "1,,2", "-4"] {
            assert!(wrong.parse::<GameNumberRanges>().is_err(), "{wrong}");
        }
    }
}
