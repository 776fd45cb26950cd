//! Lists of games by number are read and written.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::game_numbers::GameNumberRanges;

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
    for list in ["1", "1,5-7,9-", "3-4"] {
        assert_eq!(list.parse::<GameNumberRanges>().map(|list| list.to_string()), Ok(list.into()));
    }
    let ranges = "1-3,5,7-8".parse::<GameNumberRanges>().expect("a list of games");
    let set = ranges.set(10).expect("all ten games are there");
    assert_eq!(GameNumberRanges::of_set(&set).to_string(), "1-3,5,7-8");
    for wrong in ["", "0", "a", "5-3", "1,,2", "-4"] {
        assert!(wrong.parse::<GameNumberRanges>().is_err(), "{wrong}");
    }
}
