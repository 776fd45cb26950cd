//! Changes the texts of games on their way out: what is left out of them, the tags that are written from their moves, and
//! the names for which aliases stand.
//!
//! A text in which nothing is to be changed keeps its bytes.

use std::borrow::Cow;

use clap::ValueEnum;
use plyfold_core::aliases::Aliases;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::edit_list::EditsByGame;
use plyfold_core::game::GameId;
use plyfold_core::pgn::{Omission, TagEdit, edit_tags, read_tags};

use crate::game_row::GameRow;
use crate::shard_copies::ChangedGame;

/// What is changed in the texts of games.
#[derive(clap::Args)]
pub struct RewriteArguments {
    /// Leave out parts of the games, each by itself; all other bytes stay.
    #[arg(long, value_name = "PARTS", value_enum, value_delimiter = ',')]
    without: Vec<GamePart>,
    /// Write tags from the moves of each game, in place of those that it has.
    #[arg(long, value_name = "TAGS", value_enum, value_delimiter = ',')]
    add_tags: Vec<DerivedTag>,
}

/// A part of games that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GamePart {
    /// The words of comments, and arrows and marks of squares.
    Comments,
    /// Variations, with their comments.
    Variations,
    /// Glyphs such as `$14` and `!?`.
    Glyphs,
    /// Clocks and times spent.
    Clocks,
    /// Evaluations.
    Evaluations,
}

/// A tag that follows from the moves.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DerivedTag {
    /// The code of the opening, `[ECO "B90"]`.
    Eco,
    /// Its name without variations, `[Opening "Sicilian Defense"]`.
    Opening,
    /// Its variation, `[Variation "Najdorf Variation"]`.
    Variation,
    /// The number of plies, `[PlyCount "84"]`.
    Plycount,
}

/// Changes the texts of games.
#[derive(Default)]
pub struct GameRewriter {
    aliases: Aliases,
    omission: Omission,
    added: Vec<DerivedTag>,
    edits: EditsByGame,
}

impl GameRewriter {
    /// Makes what the options ask for.
    pub fn new(arguments: &RewriteArguments) -> GameRewriter {
        let has = |part| arguments.without.contains(&part);
        let omission = Omission {
            comments: has(GamePart::Comments),
            variations: has(GamePart::Variations),
            glyphs: has(GamePart::Glyphs),
            clocks: has(GamePart::Clocks),
            evaluations: has(GamePart::Evaluations),
        };
        GameRewriter { omission, added: arguments.add_tags.clone(), ..GameRewriter::default() }
    }

    /// The same, which also writes the names for which aliases stand.
    #[must_use]
    pub fn with_aliases(self, aliases: Aliases) -> GameRewriter {
        GameRewriter { aliases, ..self }
    }

    /// The same, which makes these edits before all other changes.
    #[must_use]
    pub fn with_edits(self, edits: EditsByGame) -> GameRewriter {
        GameRewriter { edits, ..self }
    }

    /// Returns whether a game is written: edits may delete it.
    pub fn keeps(&self, game: GameId) -> bool {
        !self.edits.deleted().contains(game)
    }

    /// Returns whether tags are written from the moves.
    pub fn adds_tags(&self) -> bool {
        !self.added.is_empty()
    }

    /// The aliases.
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// Returns whether every text stays as it is.
    pub fn is_idle(&self) -> bool {
        self.omission.is_empty() && self.added.is_empty() && self.aliases.is_empty() && self.edits.keeps_texts()
    }

    /// The text of game `id` as it is written, where `text` is its text so far.
    pub fn rewrite<'t>(&self, corpus: &JoinedCorpus<'_>, id: GameId, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        if self.is_idle() {
            return text;
        }
        let before = text.clone();
        let text = self.edits.of(id, text);
        let is_edited = *text != *before;
        let text = changed(text, |text| self.omission.of(text));
        if self.added.is_empty() && self.aliases.is_empty() {
            return text;
        }
        let Some(row) = GameRow::from_game(corpus, id) else { return text };
        let values: Vec<(&str, String)> = self.added.iter().filter_map(|tag| tag.of(&row)).collect();
        let mut edits = match is_edited {
            false => self.aliases.tag_edits([row.white, row.black, row.event, row.site]),
            // The names of an edited game are those of its text.
            true => self.aliases.edits_of_tags(&read_tags(&text)),
        };
        edits.extend(values.iter().map(|(name, value)| TagEdit::Set { name, value }));
        match edit_tags(&text, &edits) {
            Cow::Owned(edited) => Cow::Owned(edited),
            Cow::Borrowed(_) => text,
        }
    }

    /// What game `id` becomes, where `text` is its text so far.
    pub fn changed_game<'t>(&self, corpus: &JoinedCorpus<'_>, id: GameId, text: Cow<'t, [u8]>) -> ChangedGame<'t> {
        let has_other_moves = self.edits.replaces_moves(id);
        ChangedGame { text: self.rewrite(corpus, id, text), has_other_moves }
    }
}

/// The text that `change` makes, without a copy where it changes nothing.
pub fn changed<'t>(text: Cow<'t, [u8]>, change: impl Fn(&[u8]) -> Cow<'_, [u8]>) -> Cow<'t, [u8]> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => match change(&text) {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(_) => Cow::Owned(text),
        },
    }
}

impl DerivedTag {
    /// The name and the value of the tag for a game; none if its moves say nothing.
    fn of(self, row: &GameRow<'_>) -> Option<(&'static str, String)> {
        let part = |nth: usize| row.opening?.splitn(2, ": ").nth(nth).map(str::to_owned);
        match self {
            DerivedTag::Eco => Some(("ECO", row.opening.and(row.eco.clone())?)),
            DerivedTag::Opening => Some(("Opening", part(0)?)),
            DerivedTag::Variation => Some(("Variation", part(1)?)),
            DerivedTag::Plycount => Some(("PlyCount", row.plies.to_string())),
        }
    }
}
