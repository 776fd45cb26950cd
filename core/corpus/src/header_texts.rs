//! Stores what the tags of each game say besides its header record: round, annotator, time control, and the titles of both players.
//! They are five [columns of texts](super::text_columns).

use alloc::vec::Vec;

use super::record::GameHeader;
use super::text_columns::{GameTextColumn, TextColumns, TextColumnsBuilder};

/// Which text of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderText {
    /// The round.
    Round,
    /// Who annotated the game.
    Annotator,
    /// The time control as the tag says it: `300+3`.
    TimeControl,
    /// White's title: `GM`.
    WhiteTitle,
    /// Black's title.
    BlackTitle,
}

impl HeaderText {
    /// All, in the order of the columns.
    pub const ALL: [HeaderText; 5] = [
        HeaderText::Round,
        HeaderText::Annotator,
        HeaderText::TimeControl,
        HeaderText::WhiteTitle,
        HeaderText::BlackTitle,
    ];

    /// Returns the text of a header; empty if nothing is known.
    fn of_header<'h>(self, header: &'h GameHeader<'_>) -> &'h str {
        match self {
            HeaderText::Round => &header.round,
            HeaderText::Annotator => &header.annotator,
            HeaderText::TimeControl => &header.time_control,
            HeaderText::WhiteTitle => &header.white_title,
            HeaderText::BlackTitle => &header.black_title,
        }
    }
}

/// The texts of the games of a shard. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct HeaderTexts<'a>(TextColumns<'a, 5>);

impl<'a> HeaderTexts<'a> {
    /// Makes the texts of a section, if there is one.
    pub(super) fn new(section: Option<&'a [u8]>) -> HeaderTexts<'a> {
        HeaderTexts(TextColumns::new(section))
    }

    /// Returns whether the tags have been read; they have not in a shard of an older version.
    pub fn is_stored(&self) -> bool {
        self.0.is_stored()
    }

    /// The column of a text. Cost: constant.
    pub fn column(&self, text: HeaderText) -> GameTextColumn<'a> {
        self.0.column(text as usize)
    }

    /// The text of the game with this index in the shard; empty if nothing is known.
    pub fn of_game(&self, text: HeaderText, game: u32) -> &'a str {
        self.column(text).of_game(game)
    }

    /// Whether the bytes hold texts of so many games. Cost: one pass.
    pub(super) fn is_sound(&self, games: u32) -> bool {
        self.0.is_sound(games)
    }
}

/// Texts while they are collected.
#[derive(Default)]
pub struct HeaderTextsBuilder(TextColumnsBuilder<5>);

impl HeaderTextsBuilder {
    /// Adds what the header of the next game says.
    pub fn push_game(&mut self, header: &GameHeader<'_>) {
        self.0.push_game(HeaderText::ALL.map(|text| text.of_header(header)));
    }

    /// Notes that the texts of a game are not known, so that the shard stores none.
    pub fn mark_incomplete(&mut self) {
        self.0.mark_incomplete();
    }

    /// The section as stored, empty if no game has any text. None if the texts of a game are not known.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.0.to_bytes()
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
