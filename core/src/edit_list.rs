//! Edits of the games of a corpus that are kept beside it, until they are folded into another corpus.
//!
//! It is a text, so that a hand can read and mend it. The first line names its version and the corpus to which it belongs; each other line is one
//! edit: the numbers of games and the changes that are made in each of them, with tabs between them. Lines that begin with `#` say nothing.
//!
//! ```text
//! plyfold edits 1<TAB>corpus 00c0ffee00c0ffee
//! 1,5-9<TAB>set Event=Hoogovens<TAB>remove Annotator
//! 17<TAB>text [White "Anna"]\n\n1. e4 *
//! 3<TAB>delete
//! ```
//!
//! In a change, `\n`, `\r`, `\t` and `\\` stand for a line end, a carriage return, a tab and a backslash.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::ops::Range;

use plyfold_corpus::error::CorpusError;
use plyfold_pgn::{PgnEntry, TagEdit, edit_tags, is_tag_name, read_games};
use plyfold_reduce::game_set::GameSet;
use plyfold_reduce::sorted::sorted;
use plyfold_scan::game::GameId;

use crate::game_numbers::GameNumberRanges;

/// How the first line begins.
const MAGIC: &str = "plyfold edits 1\tcorpus ";
/// Tags without which the moves are others.
const TAGS_OF_THE_MOVES: [&str; 3] = ["fen", "setup", "variant"];

/// A change of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameChange {
    /// A tag gets a value, or is added.
    Set {
        /// The name of the tag.
        name: String,
        /// Its value.
        value: String,
    },
    /// A tag gets another name.
    Rename {
        /// The name of the tag.
        name: String,
        /// Its new name.
        to: String,
    },
    /// A tag is removed.
    Remove {
        /// The name of the tag.
        name: String,
    },
    /// The game gets another text, with its tags and moves.
    Text(String),
    /// The game is left out.
    Delete,
    /// The game is left out no more.
    Restore,
}

/// An edit: what is changed in some games, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEdit {
    /// The games.
    pub games: GameNumberRanges,
    /// The changes of each of them.
    pub changes: Vec<GameChange>,
}

/// The edits of a corpus, in the order in which they are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditList {
    corpus: u64,
    /// As it is written.
    text: String,
    /// Each with its line in the text, with the line end.
    edits: Vec<(Range<usize>, GameEdit)>,
}

/// The name of a tag that may be changed.
///
/// # Errors
///
/// It is no name, or the moves depend on the tag. The message says so.
pub fn check_tag_name(name: &str) -> Result<(), String> {
    if !is_tag_name(name) {
        return Err(format!("`{name}` is no name of a tag: it has letters, digits and _ alone"));
    }
    match TAGS_OF_THE_MOVES.contains(&&*name.to_lowercase()) {
        true => Err(format!("the tag {name} says what the moves mean, so it cannot be changed")),
        false => Ok(()),
    }
}

/// Checks the value of a tag.
///
/// # Errors
///
/// It is no result, for the tag Result. The message says so.
pub fn check_tag_value(name: &str, value: &str) -> Result<(), String> {
    match name.eq_ignore_ascii_case("Result") && !["1-0", "0-1", "1/2-1/2", "*"].contains(&value) {
        true => Err(format!("`{value}` is no result: write 1-0, 0-1, 1/2-1/2 or *")),
        false => Ok(()),
    }
}

/// Checks that a text is one game that can be read to its end.
///
/// # Errors
///
/// It is not. The message says why.
pub fn check_game_text(text: &str) -> Result<(), String> {
    let mut games = Vec::new();
    read_games(text.as_bytes(), 0, &mut |entry| {
        games.push(match entry {
            PgnEntry::Game { fault: None, .. } => Ok(()),
            PgnEntry::Game { fault: Some(rejected), .. } => Err(rejected.to_string()),
            PgnEntry::Rejected(rejected) => Err(rejected.to_string()),
            _ => Err("the text is no game".into()),
        });
    });
    match &mut games[..] {
        [game] => core::mem::replace(game, Ok(())),
        [] => Err("the text has no game".into()),
        _ => Err(format!("the text has {} games, and not one", games.len())),
    }
}

impl GameChange {
    /// Reads a change as it is written in a list.
    fn read(field: &str) -> Result<GameChange, String> {
        let (word, rest) = field.split_once(' ').unwrap_or((field, ""));
        let rest = unescape(rest)?;
        let two = |what: &str| rest.split_once('=').ok_or_else(|| format!("write {what}"));
        Ok(match word {
            "set" => {
                let (name, value) = two("the tag and its value: set Event=Hastings")?;
                check_tag_name(name)?;
                check_tag_value(name, value)?;
                GameChange::Set { name: name.into(), value: value.into() }
            }
            "rename" => {
                let (name, to) = two("the tag and its new name: rename WhiteTeam=TeamWhite")?;
                check_tag_name(name)?;
                check_tag_name(to)?;
                GameChange::Rename { name: name.into(), to: to.into() }
            }
            "remove" => {
                check_tag_name(&rest)?;
                GameChange::Remove { name: rest.into_owned() }
            }
            "text" => GameChange::Text(rest.into_owned()),
            "delete" if rest.is_empty() => GameChange::Delete,
            "restore" if rest.is_empty() => GameChange::Restore,
            _ => return Err(format!("`{word}` is no change: write set, rename, remove, text, delete or restore")),
        })
    }

    /// Returns whether the text of the game is another one then.
    fn changes_text(&self) -> bool {
        !matches!(self, GameChange::Delete | GameChange::Restore)
    }

    /// The change of the tags, if it is one.
    fn tag_edit(&self) -> Option<TagEdit<'_>> {
        match self {
            GameChange::Set { name, value } => Some(TagEdit::Set { name, value }),
            GameChange::Rename { name, to } => Some(TagEdit::Rename { name, to }),
            GameChange::Remove { name } => Some(TagEdit::Remove { name }),
            GameChange::Text(_) | GameChange::Delete | GameChange::Restore => None,
        }
    }
}

/// Writes the change as it is read.
impl fmt::Display for GameChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameChange::Set { name, value } => write!(f, "set {name}={}", escape(value)),
            GameChange::Rename { name, to } => write!(f, "rename {name}={to}"),
            GameChange::Remove { name } => write!(f, "remove {name}"),
            GameChange::Text(text) => write!(f, "text {}", escape(text)),
            GameChange::Delete => f.write_str("delete"),
            GameChange::Restore => f.write_str("restore"),
        }
    }
}

/// Writes the edit as its line, without the line end.
impl fmt::Display for GameEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.games)?;
        self.changes.iter().try_for_each(|change| write!(f, "\t{change}"))
    }
}

impl GameEdit {
    fn read(line: &str) -> Result<GameEdit, String> {
        let mut fields = line.split('\t');
        let games = fields.next().unwrap_or_default().parse()?;
        let changes = fields.map(GameChange::read).collect::<Result<Vec<_>, _>>()?;
        match changes.is_empty() {
            true => Err("write the games, a tab and a change".into()),
            false => Ok(GameEdit { games, changes }),
        }
    }
}

impl EditList {
    /// An empty list of the corpus with this id.
    pub fn new(corpus: u64) -> EditList {
        EditList { corpus, text: format!("{MAGIC}{corpus:016x}\n"), edits: Vec::new() }
    }

    /// Reads a list. Time grows in proportion to its bytes. The texts that games get are taken as they are: [`check_texts`](EditList::check_texts)
    /// reads them.
    ///
    /// # Errors
    ///
    /// The text is something else, or a line has a mistake. The message says which line.
    pub fn parse(text: &str) -> Result<EditList, String> {
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        let id = first.trim_end().strip_prefix(MAGIC).filter(|id| id.len() == 16);
        let Some(corpus) = id.and_then(|id| u64::from_str_radix(id, 16).ok()) else {
            return Err(format!("line 1: write `{}` and the id of the corpus", MAGIC.trim_end()));
        };
        let (mut edits, mut at) = (Vec::new(), first.len());
        for (number, whole) in (2..).zip(lines) {
            let place = at..at + whole.len();
            at = place.end;
            let line = whole.trim_end_matches(['\n', '\r']);
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            edits.push((place, GameEdit::read(line).map_err(|what| format!("line {number}: {what}"))?));
        }
        Ok(EditList { corpus, text: text.to_owned(), edits })
    }

    /// Checks that each text that a game gets is one game that can be read to its end. Whoever writes no texts need not link the reader of games.
    ///
    /// # Errors
    ///
    /// One is not. The message says in which line.
    pub fn check_texts(&self) -> Result<(), String> {
        for (place, edit) in &self.edits {
            for change in &edit.changes {
                let GameChange::Text(text) = change else { continue };
                let line = 1 + self.text[..place.start].matches('\n').count();
                check_game_text(text).map_err(|what| format!("line {line}: {what}"))?;
            }
        }
        Ok(())
    }

    /// The id of the corpus to which it belongs.
    pub fn corpus(&self) -> u64 {
        self.corpus
    }

    /// The edits.
    pub fn edits(&self) -> impl ExactSizeIterator<Item = &GameEdit> {
        self.edits.iter().map(|(_, edit)| edit)
    }

    /// Its text, with the lines that say nothing.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds an edit.
    pub fn push(&mut self, edit: GameEdit) {
        if !self.text.ends_with('\n') {
            // The line end belongs to the edit that a hand has left without it.
            let end = self.text.len();
            self.text.push('\n');
            if let Some((place, _)) = self.edits.last_mut().filter(|(place, _)| place.end == end) {
                place.end += 1;
            }
        }
        let begin = self.text.len();
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "{edit}");
        self.edits.push((begin..self.text.len(), edit));
    }

    /// Takes the last `count` edits away, and returns how many there were.
    pub fn undo(&mut self, count: usize) -> usize {
        let kept = self.edits.len().saturating_sub(count);
        let undone = self.edits.split_off(kept);
        let (mut text, mut done) = (String::with_capacity(self.text.len()), 0);
        for (place, _) in &undone {
            text.push_str(&self.text[done..place.start]);
            done = place.end;
        }
        text.push_str(&self.text[done..]);
        self.text = text;
        undone.len()
    }
}

/// What becomes of each game by a list.
#[derive(Clone, Debug, Default)]
pub struct EditsByGame {
    edits: Vec<GameEdit>,
    /// The edits of few games, as game and edit, sorted.
    narrow: Vec<(u32, u32)>,
    /// Those of many games, of which a set is smaller than a list.
    wide: Vec<(u32, GameSet)>,
    changed: GameSet,
    deleted: GameSet,
}

impl EditsByGame {
    /// The edits of a list in a corpus of `games` games.
    ///
    /// # Errors
    ///
    /// An edit names a game that there is not.
    pub fn new(list: &EditList, games: u32) -> Result<EditsByGame, CorpusError> {
        /// A set has a bit for each game, and the list of an edit eight bytes.
        const BITS_OF_ENTRY: u64 = 64;
        let none = GameSet::empty(games);
        let mut by_game = EditsByGame { changed: none.clone(), deleted: none, ..EditsByGame::default() };
        for (nth, edit) in (0..).zip(list.edits()) {
            let set = edit.games.set(games)?;
            for change in &edit.changes {
                match change {
                    GameChange::Delete => by_game.deleted.or(&set),
                    GameChange::Restore => by_game.deleted.sub(&set),
                    _ => by_game.changed.or(&set),
                }
            }
            by_game.edits.push(edit.clone());
            match set.count() > u64::from(games) / BITS_OF_ENTRY {
                true => by_game.wide.push((nth, set)),
                false => by_game.narrow.extend(set.iter().map(|game| (game.0, nth))),
            }
        }
        by_game.narrow = sorted(by_game.narrow, Ord::cmp);
        Ok(by_game)
    }

    /// Returns whether every game that is not left out stays as it is.
    pub fn keeps_texts(&self) -> bool {
        !self.edits.iter().flat_map(|edit| &edit.changes).any(GameChange::changes_text)
    }

    /// The games that get other tags or another text.
    pub fn changed(&self) -> &GameSet {
        &self.changed
    }

    /// The games that get other tags or another text than by the edits of `before`.
    pub fn changed_since(&self, before: &EditsByGame) -> GameSet {
        let same = self.edits.iter().zip(&before.edits).take_while(|(one, other)| one == other).count();
        let mut changed = GameSet::empty(self.deleted.games());
        for EditsByGame { edits, narrow, wide, .. } in [self, before] {
            let is_other =
                |nth: u32| nth as usize >= same && edits[nth as usize].changes.iter().any(GameChange::changes_text);
            narrow.iter().filter(|(_, nth)| is_other(*nth)).for_each(|&(game, _)| changed.insert(GameId(game)));
            wide.iter().filter(|(nth, _)| is_other(*nth)).for_each(|(_, set)| changed.or(set));
        }
        changed
    }

    /// The games that are left out.
    pub fn deleted(&self) -> &GameSet {
        &self.deleted
    }

    /// Returns whether a game gets other moves.
    pub fn replaces_moves(&self, game: GameId) -> bool {
        self.changes(game).any(|change| matches!(change, GameChange::Text(_)))
    }

    /// Returns whether any game gets other moves.
    pub fn replaces_any_moves(&self) -> bool {
        self.edits.iter().flat_map(|edit| &edit.changes).any(|change| matches!(change, GameChange::Text(_)))
    }

    /// The changes of a game, in order.
    fn changes(&self, game: GameId) -> impl Iterator<Item = &GameChange> {
        let begin = self.narrow.partition_point(|&(other, _)| other < game.0);
        let narrow = self.narrow[begin..].iter().take_while(move |&&(other, _)| other == game.0).map(|&(_, nth)| nth);
        let wide = self.wide.iter().filter(move |(_, set)| set.contains(game)).map(|&(nth, _)| nth);
        let mut edits: Vec<u32> = narrow.chain(wide).collect();
        edits.sort_unstable();
        edits.into_iter().flat_map(move |nth| &self.edits[nth as usize].changes)
    }

    /// The text of a game as the edits make it of `text`; borrowed if they change nothing.
    pub fn of<'t>(&self, game: GameId, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        let mut edited = text;
        for change in self.changes(game) {
            if let GameChange::Text(other) = change {
                edited = Cow::Owned(other.as_bytes().to_vec());
            }
            let Some(edit) = change.tag_edit() else { continue };
            let next = match edit_tags(&edited, &[edit]) {
                Cow::Owned(next) => Some(next),
                Cow::Borrowed(_) => None,
            };
            edited = next.map_or(edited, Cow::Owned);
        }
        edited
    }
}

/// The text as it stands in a field.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\\' => escaped.push_str("\\\\"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// The text that [`escape`] has written so.
fn unescape(text: &str) -> Result<Cow<'_, str>, String> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match (letter, letter == '\\') {
            (_, false) => letter,
            _ => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('\\') => '\\',
                other => {
                    let other = other.map(|letter| letter.to_string()).unwrap_or_default();
                    return Err(format!("`\\{other}` stands for nothing: write \\n, \\r, \\t or \\\\"));
                }
            },
        });
    }
    Ok(Cow::Owned(plain))
}
