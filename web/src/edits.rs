//! The edits of the open corpus: what is changed in its games when they are shown and written. Scans see the games as they were imported.
//!
//! Their list is the text that the command line keeps beside a corpus, too; the page stores it.

use std::borrow::Cow;

use js_sys::{Array, Uint32Array};
use plyfold_core::board::Board;
use plyfold_core::corpus::record::{Date, Eco};
use plyfold_core::edit_list::{
    EditList, EditsByGame, GameChange, GameEdit, check_game_text, check_tag_name, check_tag_value,
};
use plyfold_core::game::GameId;
use plyfold_core::game_numbers::GameNumberRanges;
use plyfold_core::moves::Move;
use plyfold_core::pgn::{GameTag, PgnEntry, read_games, read_tags};
use plyfold_core::reduce::game_set::GameSet;
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::{GameRow, game_row};
use crate::plain::{FromJs, Js, List, plain_input, plain_object, to_js};

/// The edits of a corpus.
pub(crate) struct PendingEdits {
    list: EditList,
    by_game: EditsByGame,
    /// The games that an edit names.
    edited: GameSet,
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
    /// The games that an edit names, from 0.
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
        let PendingEdits { list, by_game, edited } = &self.edits;
        let numbers = |games: &GameSet| Uint32Array::from(&*games.iter().map(|game| game.0).collect::<Vec<u32>>());
        let listed = |edit: &GameEdit| ListedEdit {
            games: edit.games.to_string(),
            changes: edit.changes.iter().map(listed_change).collect(),
        };
        to_js(EditsOfCorpus {
            text: list.text().to_owned(),
            edits: list.edits().map(listed).collect(),
            edited: numbers(edited),
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
        Ok(self.edits.text_of(id, self.opened.text(id)?.into()).into_owned())
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
    fn put_edits(&mut self, list: EditList) -> Result<(), JsFailure> {
        let games = self.opened.header.games as u32;
        let by_game = EditsByGame::new(&list, games)?;
        let mut edited = GameSet::empty(games);
        for edit in list.edits() {
            edited.or(&edit.games.set(games)?);
        }
        self.edits = PendingEdits { list, by_game, edited };
        Ok(())
    }

    /// The first position and the moves of game `id`, from 0, if an edit has given it another text.
    pub(crate) fn edited_moves(&self, id: u32) -> Result<Option<(Board, Vec<Move>)>, JsFailure> {
        if !self.edits.by_game.replaces_moves(GameId(id)) {
            return Ok(None);
        }
        let mut game = None;
        read_games(&self.edited_text(id)?, 0, &mut |entry| {
            if let PgnEntry::Game { start, moves, .. } = entry {
                game = Some((start.as_ref().map_or_else(Board::initial, Board::from_start), moves.to_vec()));
            }
        });
        Ok(game)
    }

    /// The last ply up to which game `id`, from 0, is as it was imported; none if its first position is another.
    pub(crate) fn last_imported_ply(&self, id: u32) -> Result<Option<u32>, JsFailure> {
        let Some((start, moves)) = self.edited_moves(id)? else { return Ok(Some(u32::MAX)) };
        let imported = self.game(id)?;
        let is_same_start = imported.start_board().fen().to_string() == start.fen().to_string();
        let same = imported.moves.iter().zip(&moves).take_while(|(one, other)| one == other).count();
        Ok(is_same_start.then_some(same as u32))
    }

    /// Makes a row of game `id`, from 0, with the tags that the edits change and the names that are shown.
    pub(crate) fn row(&self, id: u32) -> Result<GameRow, JsFailure> {
        Ok(self.names.of_row(self.edited_row(id)?))
    }

    fn edited_row(&self, id: u32) -> Result<GameRow, JsFailure> {
        let (shard, game) = self.locate_shard(id)?;
        let row = game_row(id, &shard, game);
        if !self.edits.edited.contains(GameId(id)) {
            return Ok(row);
        }
        let before = self.opened.text(id)?;
        let after = self.edits.text_of(id, (&*before).into());
        Ok(with_changes(row, &read_tags(&before), &read_tags(&after)))
    }
}

impl PendingEdits {
    /// No edits of the corpus with this id.
    pub(crate) fn none(corpus: u64) -> PendingEdits {
        PendingEdits { list: EditList::new(corpus), by_game: EditsByGame::default(), edited: GameSet::default() }
    }

    /// Returns whether a game is left out.
    pub(crate) fn deletes(&self, id: u32) -> bool {
        self.by_game.deleted().contains(GameId(id))
    }

    /// The text of a game as the edits make it of `text`.
    pub(crate) fn text_of<'t>(&self, id: u32, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        self.by_game.of(GameId(id), text)
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

/// The row with what the tags say whose values differ. All others stay as the import has read them.
fn with_changes(mut row: GameRow, before: &[GameTag<'_>], after: &[GameTag<'_>]) -> GameRow {
    let changed = |name: &str| {
        let value = value_of(after, name);
        (value != value_of(before, name)).then_some(value)
    };
    for (name, text) in [
        ("White", &mut row.white),
        ("Black", &mut row.black),
        ("Event", &mut row.event),
        ("Site", &mut row.site),
        ("Round", &mut row.round),
        ("TimeControl", &mut row.time_control),
        ("Annotator", &mut row.annotator),
    ] {
        if let Some(value) = changed(name) {
            value.clone_into(text);
        }
    }
    for (name, elo) in [("WhiteElo", &mut row.white_elo), ("BlackElo", &mut row.black_elo)] {
        if let Some(value) = changed(name) {
            *elo = value.trim().parse().unwrap_or(0);
        }
    }
    if let Some(value) = changed("Date") {
        let date = Date::from_pgn(value);
        row.date = if date.year() == 0 { String::new() } else { date.to_string() };
    }
    if let Some(value) = changed("ECO") {
        row.eco_tag = Eco::from_pgn(value).to_string();
    }
    if let Some(value) = changed("Result") {
        row.result = ["1-0", "0-1", "1/2-1/2"].into_iter().find(|known| *known == value).unwrap_or("*");
    }
    row
}

/// The value of a tag; empty if it is unknown. If a tag is given twice, the later value counts.
fn value_of<'t>(tags: &'t [GameTag<'_>], name: &str) -> &'t str {
    let value = tags.iter().rfind(|tag| tag.name.eq_ignore_ascii_case(name)).map_or("", |tag| &*tag.value);
    if value == "?" { "" } else { value }
}
