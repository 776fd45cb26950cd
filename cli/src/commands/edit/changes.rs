//! The changes that a command line asks for.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use plyfold_core::edit_list::{GameChange, check_game_text, check_tag_name, check_tag_value};

use crate::failure::{CliFailure, Result};
use crate::query_argument::read_text;

/// The longest text of a game that is read, in bytes.
const MAX_TEXT_BYTES: u64 = 64 << 20;

/// What is changed in the games.
#[derive(clap::Args)]
pub(super) struct ChangeArguments {
    /// Give a tag a value, or add it. `Result=1-0` also changes the result that ends the moves. May be repeated, as all changes may.
    #[arg(long, value_name = "TAG=VALUE")]
    set: Vec<TagValue>,
    /// Give a tag another name, where the game has none of this name. Tags are renamed first, then removed, then set.
    #[arg(long, value_name = "TAG=NAME")]
    rename: Vec<TagRename>,
    /// Remove a tag.
    #[arg(long, value_name = "TAG", value_parser = read_tag_name)]
    remove: Vec<String>,
    /// Give the one game that is chosen the text of the one game of a PGN file: its tags, moves, comments and variations.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rename", "remove"])]
    text: Option<PathBuf>,
    /// Delete the games.
    #[arg(long, conflicts_with_all = ["set", "rename", "remove", "text", "restore"])]
    delete: bool,
    /// Restore games that an edit of the list deletes.
    #[arg(long, conflicts_with_all = ["set", "rename", "remove", "text"])]
    restore: bool,
}

/// `TAG=VALUE`.
#[derive(Clone, Debug)]
struct TagValue {
    name: String,
    value: String,
}

/// `TAG=NAME`.
#[derive(Clone, Debug)]
struct TagRename {
    name: String,
    to: String,
}

/// The name of a tag that may be changed.
fn read_tag_name(name: &str) -> Result<String, String> {
    check_tag_name(name).map(|()| name.into())
}

impl FromStr for TagValue {
    type Err = String;

    fn from_str(text: &str) -> Result<TagValue, String> {
        let (name, value) = text.split_once('=').ok_or("write the tag and its value: Event=Hastings")?;
        let name = read_tag_name(name)?;
        check_tag_value(&name, value)?;
        Ok(TagValue { name, value: value.into() })
    }
}

impl FromStr for TagRename {
    type Err = String;

    fn from_str(text: &str) -> Result<TagRename, String> {
        let (name, to) = text.split_once('=').ok_or("write the tag and its new name: WhiteTeam=TeamWhite")?;
        Ok(TagRename { name: read_tag_name(name)?, to: read_tag_name(to)? })
    }
}

impl ChangeArguments {
    /// The changes, in the order in which they are made.
    ///
    /// # Errors
    ///
    /// The file of a text cannot be read, or is not one game.
    pub(super) fn changes(&self) -> Result<Vec<GameChange>> {
        let text = self.text.as_deref().map(read_game).transpose()?.map(GameChange::Text);
        let set = |TagValue { name, value }: &TagValue| GameChange::Set { name: name.clone(), value: value.clone() };
        let rename = |TagRename { name, to }: &TagRename| GameChange::Rename { name: name.clone(), to: to.clone() };
        let mut changes: Vec<GameChange> = text.into_iter().collect();
        changes.extend(self.rename.iter().map(rename));
        changes.extend(self.remove.iter().map(|name| GameChange::Remove { name: name.clone() }));
        changes.extend(self.set.iter().map(set));
        changes.extend(self.delete.then_some(GameChange::Delete));
        changes.extend(self.restore.then_some(GameChange::Restore));
        Ok(changes)
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let is_changed = self.delete || self.restore || self.text.is_some();
        !is_changed && self.set.is_empty() && self.rename.is_empty() && self.remove.is_empty()
    }

    /// The file of the text.
    pub(super) fn text_file(&self) -> Option<&Path> {
        self.text.as_deref()
    }
}

/// The text of the one game of a file, without the blanks around it.
fn read_game(path: &Path) -> Result<String> {
    let text = read_text(path, MAX_TEXT_BYTES, "the game cannot be read", "the text of a game has at most 64 MiB")?;
    check_game_text(&text).map_err(|what| CliFailure::unsuitable(path, what))?;
    Ok(text.trim().to_owned())
}
