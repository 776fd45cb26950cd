//! The edits of the open corpus. They are made in its games in memory, so everything that reads the corpus sees the edited games; its file stays. Deleted
//! games keep their numbers, and searches and counts leave them out.
//!
//! Their list is the text that the command line keeps beside a corpus, too; the page stores it.

use std::sync::Arc;

use js_sys::{Array, Uint32Array};
use plyfold_core::corpus::ShardParts;
use plyfold_core::edit_list::{
    EditList, EditsByGame, GameChange, GameEdit, check_game_text, check_tag_name, check_tag_value,
};
use plyfold_core::edited_corpus::{EditFailure, kept_spans, make_edits};
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::game_numbers::GameNumberRanges;
use plyfold_core::pgn::read_tags;
use plyfold_core::reduce::game_set::GameSet;
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::openings::opening_table;
use crate::plain::{FromJs, Js, List, plain_input, plain_object, to_js};

/// The edits of a corpus, which have been made in it.
pub(crate) struct PendingEdits {
    list: EditList,
    by_game: Arc<EditsByGame>,
}

/// A change of a game.
#[derive(Tsify)]
pub struct ChangeOfGame {
    /// What is done with the game or one of its tags.
    #[tsify(type = "'set' | 'rename' | 'remove' | 'text' | 'delete' | 'restore'")]
    pub kind: String,
    /// The name of the tag; empty if it is about the whole game.
    pub name: String,
    /// The value or the new name of the tag, or the text of the game; empty without one.
    pub value: String,
}
plain_object!(ChangeOfGame { kind, name, value });
plain_input!(ChangeOfGame { kind, name, value });

/// An edit: what is changed in some games.
#[derive(Tsify)]
pub struct ListedEdit {
    /// The numbers of the games, from 1: `1,5-9`.
    pub games: String,
    /// The changes of each of them.
    pub changes: List<ChangeOfGame>,
}
plain_object!(ListedEdit { games, changes });

/// The edits of a corpus.
#[derive(Tsify)]
pub struct EditsOfCorpus {
    /// The text of their list.
    pub text: String,
    /// The edits, in the order in which they are made.
    pub edits: List<ListedEdit>,
    /// The games with other tags or another text, from 0.
    pub edited: Uint32Array,
    /// The games that are deleted.
    pub deleted: Uint32Array,
}
plain_object!(EditsOfCorpus { text, edits, edited, deleted });

/// A tag of a game.
#[derive(Tsify)]
pub struct TagOfGame {
    /// Its name, as it is written.
    pub name: String,
    /// Its value.
    pub value: String,
}
plain_object!(TagOfGame { name, value });

#[wasm_bindgen]
impl Corpus {
    /// Takes the edits of a list, and no others; none of an empty text.
    ///
    /// # Errors
    ///
    /// The text is no list, or that of another corpus; the edits are as before.
    #[wasm_bindgen(js_name = takeEdits)]
    pub fn take_edits(&mut self, text: &str) -> Result<(), JsFailure> {
        let list = match text {
            "" => EditList::new(self.id()),
            text => EditList::parse(text).map_err(bad_input)?,
        };
        if list.corpus() != self.id() {
            return Err(bad_input("these are edits of other games"));
        }
        self.put_edits(list)
    }

    /// Adds an edit: these changes of these games, from 0.
    ///
    /// # Errors
    ///
    /// There is no such game; a tag cannot be changed so; a text is no game that can be read to its end.
    #[wasm_bindgen(js_name = addEdit)]
    pub fn add_edit(
        &mut self,
        ids: &[u32],
        #[wasm_bindgen(unchecked_param_type = "ChangeOfGame[]")] changes: &JsValue,
    ) -> Result<(), JsFailure> {
        let mut games = GameSet::empty(self.opened.header.games as u32);
        for &id in ids {
            self.locate_shard(id)?;
            games.insert(GameId(id));
        }
        let changes = Vec::from_js_value(changes).into_iter().map(change_of).collect::<Result<Vec<_>, _>>()?;
        let mut list = self.edits.list.clone();
        list.push(GameEdit { games: GameNumberRanges::of_set(&games), changes });
        self.put_edits(list)
    }

    /// Takes the last `count` edits away.
    ///
    /// # Errors
    ///
    /// An edit that stays names a game that there is not.
    #[wasm_bindgen(js_name = undoEdits)]
    pub fn undo_edits(&mut self, count: u32) -> Result<(), JsFailure> {
        let mut list = self.edits.list.clone();
        list.undo(count as usize);
        self.put_edits(list)
    }

    /// Lists the edits.
    #[must_use]
    pub fn edits(&self) -> Js<EditsOfCorpus> {
        let PendingEdits { list, by_game } = &self.edits;
        let numbers = |games: &GameSet| Uint32Array::from(&*games.iter().map(|game| game.0).collect::<Vec<u32>>());
        let listed = |edit: &GameEdit| ListedEdit {
            games: edit.games.to_string(),
            changes: edit.changes.iter().map(listed_change).collect(),
        };
        to_js(EditsOfCorpus {
            text: list.text().to_owned(),
            edits: list.edits().map(listed).collect(),
            edited: numbers(by_game.changed()),
            deleted: numbers(by_game.deleted()),
        })
    }

    /// Returns the text of game `id` (from 0) as the edits make it, with its own names.
    ///
    /// # Errors
    ///
    /// As [`text`](Corpus::text).
    #[wasm_bindgen(js_name = editedText)]
    pub fn edited_text(&self, id: u32) -> Result<Vec<u8>, JsFailure> {
        self.opened.text(id)
    }

    /// Returns the tags of game `id` (from 0) as the edits make them.
    ///
    /// # Errors
    ///
    /// As [`text`](Corpus::text).
    #[wasm_bindgen(unchecked_return_type = "TagOfGame[]")]
    pub fn tags(&self, id: u32) -> Result<Array, JsFailure> {
        let text = self.edited_text(id)?;
        let tags = read_tags(&text).into_iter();
        let tags = tags.map(|tag| TagOfGame { name: tag.name.into_owned(), value: tag.value.into_owned() });
        Ok(tags.collect::<List<_>>().0)
    }
}

impl Corpus {
    /// Makes the edits of a list in the games, and no others.
    fn put_edits(&mut self, list: EditList) -> Result<(), JsFailure> {
        let by_game = Arc::new(EditsByGame::new(&list, self.opened.header.games as u32)?);
        // The names of openings take a while to read, and only other moves need them.
        let before = &self.edits.by_game;
        let has_other_moves = before.replaces_any_moves() || by_game.replaces_any_moves();
        let openings = if has_other_moves { opening_table() } else { None };
        make_edits(&mut self.opened, before, &by_game, openings.as_ref()).map_err(|failure| match failure {
            EditFailure::Corpus(failure) => failure,
            EditFailure::Game { number, why } => bad_input(format!("game {number}: {why}")),
        })?;
        self.edits = PendingEdits { list, by_game };
        Ok(())
    }

    /// The games that are deleted.
    pub(crate) fn deleted(&self) -> &GameSet {
        self.edits.by_game.deleted()
    }

    /// The same games without the deleted ones.
    pub(crate) fn without_deleted(&self, mut games: GameSet) -> GameSet {
        if self.deleted().count() > 0 {
            games.sub(self.deleted());
        }
        games
    }

    /// Returns all games with these parts and their companions but the deleted ones.
    ///
    /// # Errors
    ///
    /// They are damaged.
    pub(crate) fn kept_spans(&self, parts: ShardParts) -> Result<Vec<GameSpan<'_>>, JsFailure> {
        Ok(kept_spans(self.spans_with(parts)?, self.deleted()))
    }

    /// How many plies the deleted games have.
    pub(crate) fn deleted_plies(&self) -> u64 {
        let plies = |game: GameId| self.opened.record(game.0).map_or(0, |record| u64::from(record.plies));
        self.deleted().iter().map(plies).sum()
    }
}

impl PendingEdits {
    /// No edits of the corpus with this id.
    pub(crate) fn none(corpus: u64) -> PendingEdits {
        PendingEdits { list: EditList::new(corpus), by_game: Arc::default() }
    }
}

fn bad_input(message: impl Into<String>) -> JsFailure {
    JsFailure::new("bad-input", message)
}

fn change_of(ChangeOfGame { kind, name, value }: ChangeOfGame) -> Result<GameChange, JsFailure> {
    Ok(match &*kind {
        "set" => {
            check_tag_name(&name).and_then(|()| check_tag_value(&name, &value)).map_err(bad_input)?;
            GameChange::Set { name, value }
        }
        "remove" => {
            check_tag_name(&name).map_err(bad_input)?;
            GameChange::Remove { name }
        }
        "text" => {
            check_game_text(&value).map_err(bad_input)?;
            GameChange::Text(value)
        }
        "delete" => GameChange::Delete,
        "restore" => GameChange::Restore,
        _ => return Err(bad_input(format!("games cannot be changed by {kind}"))),
    })
}

fn listed_change(change: &GameChange) -> ChangeOfGame {
    let (kind, name, value) = match change {
        GameChange::Set { name, value } => ("set", &**name, &**value),
        GameChange::Rename { name, to } => ("rename", &**name, &**to),
        GameChange::Remove { name } => ("remove", &**name, ""),
        GameChange::Text(text) => ("text", "", &**text),
        GameChange::Delete => ("delete", "", ""),
        GameChange::Restore => ("restore", "", ""),
    };
    ChangeOfGame { kind: kind.into(), name: name.into(), value: value.into() }
}
