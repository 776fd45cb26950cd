//! The games of a player, from the player's side.

use plyfold_core::aliases::{AliasKind, Aliases};
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::HeaderRecord;
use plyfold_core::game::GameId;
use plyfold_core::headers::{Date, GameResult};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::next_moves::RatingSums;

/// A game of the player.
pub struct OwnGame<'a> {
    pub id: GameId,
    pub is_black: bool,
    pub record: &'a HeaderRecord,
    /// The name that the game gives the player.
    pub name: &'a str,
    pub opponent: &'a str,
    pub event: &'a str,
    /// The family of the opening, `?` if no position of the game has a name.
    pub opening: &'a str,
}

/// How a game ended for the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnResult {
    Won,
    Drawn,
    Lost,
    Unknown,
}

impl OwnGame<'_> {
    pub fn result(&self) -> OwnResult {
        match (self.record.result(), self.is_black) {
            (GameResult::Draw, _) => OwnResult::Drawn,
            (GameResult::White, false) | (GameResult::Black, true) => OwnResult::Won,
            (GameResult::White, true) | (GameResult::Black, false) => OwnResult::Lost,
            (GameResult::Unknown, _) => OwnResult::Unknown,
        }
    }

    /// When it was played.
    pub fn date(&self) -> Date {
        self.record.date
    }
}

/// The games of a set in which the player has this colour, in the order of the corpus.
pub fn own_games<'a>(
    corpus: &'a JoinedCorpus<'a>,
    aliases: &'a Aliases,
    set: &GameSet,
    is_black: bool,
) -> Vec<OwnGame<'a>> {
    let game = |id: GameId| {
        let (shard, at) = corpus.find_game(id.0)?;
        let record = shard.records.get(at as usize)?;
        let (own, other) = if is_black { (record.black, record.white) } else { (record.white, record.black) };
        let known = |kind, name| aliases.name_of(kind, name).unwrap_or(name);
        Some(OwnGame {
            id,
            is_black,
            record,
            name: known(AliasKind::Player, shard.players.get(own)),
            opponent: known(AliasKind::Player, shard.players.get(other)),
            event: known(AliasKind::Event, shard.events.get(record.event)),
            opening: shard.openings.of_game(at).map_or("?", |opening| opening.family()),
        })
    };
    set.iter().filter_map(game).collect()
}

/// What the player scored.
#[derive(Clone, Copy, Default)]
pub struct OwnScore {
    pub won: u64,
    pub drawn: u64,
    pub lost: u64,
    pub unknown: u64,
    pub ratings: RatingSums,
}

impl OwnScore {
    /// The score of these games.
    pub fn of<'g>(games: impl IntoIterator<Item = &'g OwnGame<'g>>) -> OwnScore {
        let mut score = OwnScore::default();
        games.into_iter().for_each(|game| score.add(game));
        score
    }

    pub fn add(&mut self, game: &OwnGame<'_>) {
        let number = match game.result() {
            OwnResult::Won => &mut self.won,
            OwnResult::Drawn => &mut self.drawn,
            OwnResult::Lost => &mut self.lost,
            OwnResult::Unknown => &mut self.unknown,
        };
        *number += 1;
        let record = game.record;
        self.ratings.add_game([record.white_elo, record.black_elo], record.result(), game.is_black);
    }

    pub fn games(&self) -> u64 {
        self.won + self.drawn + self.lost + self.unknown
    }

    /// The points of each hundred that could be scored, with one decimal, such as `62.5`; none without a result.
    pub fn percent(&self) -> Option<String> {
        let decided = self.won + self.drawn + self.lost;
        let half_points = 2 * self.won + self.drawn;
        (decided > 0).then(|| format!("{:.1}", half_points as f64 * 50.0 / decided as f64))
    }
}
