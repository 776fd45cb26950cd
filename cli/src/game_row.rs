//! The headers of a game as lists show them: numbers from 1, and unknown values left out.

use plyfold_core::aliases::{AliasKind, Aliases};
use plyfold_core::corpus::HeaderText;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::{CHESS960, Eco, INCOMPLETE};
use plyfold_core::game::GameId;
use serde::Serialize;

/// A line of a list of games, and an object of the list in JSON.
#[derive(Serialize)]
pub struct GameRow<'a> {
    /// From 1, in the order of the corpus.
    pub number: u64,
    /// Of a library of several corpora: the one that has the game, and its number there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corpus: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corpus_number: Option<u64>,
    pub white: &'a str,
    pub black: &'a str,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
    /// The code of the opening, by the positions of the game.
    pub eco: Option<String>,
    pub opening: Option<&'a str>,
    /// The code that the PGN says.
    pub eco_tag: Option<String>,
    /// As in PGN, with question marks for unknown parts.
    pub date: String,
    pub event: &'a str,
    pub site: &'a str,
    pub plies: u16,
    pub ending: &'static str,
    pub time_class: &'static str,
    pub chess960: bool,
    /// Only the moves before one that could not be played or read are kept.
    pub incomplete: bool,
    pub round: Option<&'a str>,
    pub white_title: Option<&'a str>,
    pub black_title: Option<&'a str>,
    /// As the PGN writes it.
    pub time_control: Option<&'a str>,
    pub annotator: Option<&'a str>,
}

/// Of a library of several corpora: the one that has the game with this number, from 1, and the game's number there.
pub fn member_of_number<'a>(corpus: &'a JoinedCorpus<'_>, number: u64) -> Option<(&'a str, u64)> {
    let id = u32::try_from(number.checked_sub(1)?).ok()?;
    let (member, game) = corpus.member_of(id).filter(|_| corpus.members().len() > 1)?;
    Some((&member.name, GameId(game).number()))
}

impl<'a> GameRow<'a> {
    /// Gives the game the names for which aliases stand.
    pub fn rename(&mut self, aliases: &'a Aliases) {
        self.white = aliases.name_of(AliasKind::Player, self.white).unwrap_or(self.white);
        self.black = aliases.name_of(AliasKind::Player, self.black).unwrap_or(self.black);
        self.event = aliases.name_of(AliasKind::Event, self.event).unwrap_or(self.event);
        self.site = aliases.name_of(AliasKind::Site, self.site).unwrap_or(self.site);
    }

    /// The headers of game `id` (from 0); `None` if there is no such game.
    pub fn from_game(corpus: &'a JoinedCorpus<'_>, id: GameId) -> Option<GameRow<'a>> {
        let (shard, game) = corpus.find_game(id.0)?;
        let record = shard.records.get(game as usize)?;
        let member = member_of_number(corpus, id.number());
        let text = |text| Some(shard.header_texts.of_game(text, game)).filter(|text| !text.is_empty());
        let code = |code: Eco| (!code.is_unknown()).then(|| code.to_string());
        let elo = |elo: u16| (elo != 0).then_some(elo);
        Some(GameRow {
            number: id.number(),
            corpus: member.map(|(name, _)| name),
            corpus_number: member.map(|(_, number)| number),
            white: shard.players.get(record.white),
            black: shard.players.get(record.black),
            white_elo: elo(record.white_elo),
            black_elo: elo(record.black_elo),
            result: record.result().name(),
            eco: code(shard.openings.code_of(game, record.eco)),
            opening: shard.openings.of_game(game).map(|opening| opening.name),
            eco_tag: code(record.eco),
            date: record.date.to_string(),
            event: shard.events.get(record.event),
            site: shard.sites.get(record.site),
            plies: record.plies,
            ending: record.ending().name(),
            time_class: record.time_class().name(),
            chess960: record.flags() & CHESS960 != 0,
            incomplete: record.flags() & INCOMPLETE != 0,
            round: text(HeaderText::Round),
            white_title: text(HeaderText::WhiteTitle),
            black_title: text(HeaderText::BlackTitle),
            time_control: text(HeaderText::TimeControl),
            annotator: text(HeaderText::Annotator),
        })
    }
}
