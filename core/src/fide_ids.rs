//! The numbers of players at FIDE, from the tags WhiteFideId and BlackFideId of games.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;

use plyfold_pgn::read_tags;

/// The numbers by name, as games say them; 0 for a name with several numbers, which is the name of several players.
#[derive(Clone, Default, Debug)]
pub struct FideIds(BTreeMap<String, u64>);

impl FideIds {
    /// Adds what the text of a game says.
    pub fn add_game(&mut self, text: &[u8]) {
        if !text.windows(6).any(|window| window == b"FideId") {
            return;
        }
        let tags = read_tags(text);
        let value = |name: &str| tags.iter().find(|tag| tag.name == name).map(|tag| &*tag.value);
        for (player, number) in [("White", "WhiteFideId"), ("Black", "BlackFideId")] {
            let number = value(number).and_then(|number| number.trim().parse().ok()).filter(|number| *number > 0);
            if let (Some(name), Some(number)) = (value(player), number) {
                self.add(name, number);
            }
        }
    }

    /// Adds what other games say.
    pub fn add_all(&mut self, others: &FideIds) {
        others.0.iter().for_each(|(name, number)| self.add(name, *number));
    }

    fn add(&mut self, name: &str, number: u64) {
        match self.0.get_mut(name) {
            Some(known) if *known != number => *known = 0,
            Some(_) => {}
            None => _ = self.0.insert(name.to_owned(), number),
        }
    }

    /// The number of each name; 0 for a name with several.
    pub fn of_names(&self) -> &BTreeMap<String, u64> {
        &self.0
    }
}
