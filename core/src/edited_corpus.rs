//! Makes the edits of a list in an open corpus, in memory alone: its headers, moves, openings and texts are then those of the edited games, so
//! everything that reads the corpus sees them. The file stays as it is.
//!
//! Only the shards of games that change are packed anew, some thousand games each. A game that an edit deletes stays, so that all games keep
//! their numbers: [`kept_spans`] and the `within` of a search leave it out.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_corpus::OpeningTable;
use plyfold_corpus::build::ShardBuilder;
use plyfold_corpus::file::{GameLocation, GameTexts, OpenCorpus};
use plyfold_corpus::shard::Shard;
use plyfold_corpus::storage::CorpusStorage;
use plyfold_pgn::{PgnEntry, read_games};
use plyfold_reduce::game_set::GameSet;
use plyfold_scan::game::{GameId, GameSpan};

use crate::edit_list::EditsByGame;

/// Why edits cannot be made in an open corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EditFailure<E> {
    /// The corpus cannot be read.
    Corpus(E),
    /// A game cannot be edited so.
    Game {
        /// The number of the game, from 1.
        number: u64,
        /// Why, in one clause.
        why: String,
    },
}

impl<E> From<E> for EditFailure<E> {
    fn from(error: E) -> EditFailure<E> {
        EditFailure::Corpus(error)
    }
}

/// Makes edits in the games of a corpus, in which those of `before` have been made; with [`EditsByGame::default`] in the place of one of
/// them, the games are, or become, as they were imported. The openings of other moves are found in the table.
///
/// Cost: for each shard with a game that changes, a replay of its games, and the text of each of its edited games is read. Memory: that of
/// a shard.
///
/// # Errors
///
/// The edited text of a game does not read as a game; the corpus is as before. It cannot be read; the edits of `before` may then be lost.
pub fn make_edits<S: CorpusStorage>(
    corpus: &mut OpenCorpus<S, S::Bytes>,
    before: &EditsByGame,
    edits: &Arc<EditsByGame>,
    openings: Option<&Arc<OpeningTable>>,
) -> Result<(), EditFailure<S::Error>> {
    let shard_of = |id: GameId| corpus.locate(id.0).map(|GameLocation { shard, game }| (shard, GameId(id.0 - game)));
    let mut shards: Vec<(u32, GameId)> = edits.changed_since(before).iter().filter_map(shard_of).collect();
    shards.dedup();
    for (done, &shard) in shards.iter().enumerate() {
        if let Err(failure) = repack(corpus, shard, edits, openings) {
            shards[..done].iter().try_for_each(|&shard| repack(corpus, shard, before, openings))?;
            return Err(failure);
        }
    }
    let edits = Arc::clone(edits);
    let change = move |id: u32, text: &[u8]| match edits.of(GameId(id), Cow::Borrowed(text)) {
        Cow::Owned(changed) => Some(changed),
        Cow::Borrowed(_) => None,
    };
    corpus.change_texts(Arc::new(change));
    Ok(())
}

/// Makes edits in the games of one shard, which begins with this game, and no others.
fn repack<S: CorpusStorage>(
    corpus: &mut OpenCorpus<S, S::Bytes>,
    (index, first_game): (u32, GameId),
    edits: &EditsByGame,
    openings: Option<&Arc<OpeningTable>>,
) -> Result<(), EditFailure<S::Error>> {
    let mut texts = corpus.imported_texts();
    let shard = corpus.repack_shard(index, |shard| pack((shard, first_game), &mut texts, edits, openings))?;
    if let Some(shard) = shard {
        corpus.replace_shard(shard);
    }
    Ok(())
}

/// Packs the games of a shard with their edits, without texts; nothing if none of them is edited.
fn pack<S: CorpusStorage>(
    (shard, first_game): (&Shard<'_>, GameId),
    texts: &mut GameTexts<'_, S>,
    edits: &EditsByGame,
    openings: Option<&Arc<OpeningTable>>,
) -> Result<Option<Vec<u8>>, EditFailure<S::Error>> {
    let ids = (0..shard.records.len() as u32).map(|game| (game, GameId(first_game.0 + game)));
    if !ids.clone().any(|(_, id)| edits.changed().contains(id)) {
        return Ok(None);
    }
    let builder = ShardBuilder::new();
    let mut builder = match openings {
        Some(table) => builder.with_openings(Arc::clone(table)),
        None => builder,
    };
    for (game, id) in ids {
        let packed = match edits.changed().contains(id) {
            true => {
                let text = edits.of(id, Cow::Borrowed(texts.get(id.0)?));
                let edited = EditedGame { text: &text, has_other_moves: edits.replaces_moves(id), keeps_text: false };
                edited.push_to(&mut builder, (shard, game))
            }
            false => builder.copy_game(shard, game, &[]).map_err(|error| error.to_string()),
        };
        packed.map_err(|why| EditFailure::Game { number: id.number(), why })?;
    }
    Ok(Some(builder.into_bytes()))
}

/// A game with a changed text, which is read anew.
#[derive(Clone, Copy, Debug)]
pub struct EditedGame<'t> {
    /// The text.
    pub text: &'t [u8],
    /// Whether its moves may be others than before.
    pub has_other_moves: bool,
    /// Whether the text is kept.
    pub keeps_text: bool,
}

impl EditedGame<'_> {
    /// Adds it to a shard in the place of a game of another shard, by its index there.
    ///
    /// # Errors
    ///
    /// The text has other moves than the game; the game is too large. The message says which.
    pub fn push_to(&self, builder: &mut ShardBuilder, (shard, game): (&Shard<'_>, u32)) -> Result<(), String> {
        let EditedGame { text, has_other_moves, keeps_text } = *self;
        let expected = shard.records.get(game as usize).map_or(&[][..], |record| shard.moves_of(record));
        let mut done = None;
        read_games(text, 0, &mut |entry| {
            if let (None, PgnEntry::Game { header, start, moves, annotations, .. }) = (&done, entry)
                && (has_other_moves || moves == expected)
            {
                let text: &[u8] = if keeps_text { text } else { &[] };
                let pushed = builder.push_changed_game((shard, game), &header, (start.as_ref(), moves), text);
                if pushed.is_ok() {
                    builder.annotate_last_game(annotations);
                }
                done = Some(pushed.map_err(|error| error.to_string()));
            }
        });
        done.unwrap_or_else(|| Err("its changed text does not read as its moves".into()))
    }
}

/// The same games without those of a set, as spans of neighbours.
pub fn kept_spans<'a>(spans: Vec<GameSpan<'a>>, without: &GameSet) -> Vec<GameSpan<'a>> {
    let mut left_out = without.iter().peekable();
    if left_out.peek().is_none() {
        return spans;
    }
    let mut kept = Vec::new();
    for span in spans {
        let mut from = 0;
        while let Some(game) = left_out.next_if(|game| span.index_of(*game).is_some()) {
            let at = game.0 - span.first_game.0;
            kept.push(span.slice(from, at));
            from = at + 1;
        }
        kept.push(span.slice(from, span.len()));
    }
    kept.retain(|span| !span.is_empty());
    kept
}
