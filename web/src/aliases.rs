//! The names that stand for others in the open corpus, as its user has confirmed them, and names that are probably one.
//!
//! Their list is the text that the command line takes as `--aliases`; the page stores it.

use std::borrow::Cow;

use plyfold_core::aliases::{Alias, AliasKind, Aliases};
use plyfold_core::fide_ids::FideIds;
use plyfold_core::headers::{NameGroup, OpeningNames, similar_names};
use plyfold_core::pgn::{edit_tags, read_tags};
use plyfold_core::reduce::shown_names::ShownNames;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cancel;
use crate::corpus::{Corpus, ROW_PARTS};
use crate::error::JsFailure;
use crate::game_rows::GameRow;
use crate::plain::{Js, List, plain_object, to_js};

/// The names that stand for others, for questions and for what they answer.
#[derive(Default)]
pub(crate) struct ConfirmedNames {
    pub(crate) list: Aliases,
    /// The same for outputs.
    pub(crate) shown: ShownNames,
}

/// A name that stands for another.
#[derive(Tsify)]
pub struct ConfirmedName {
    /// What it is a name of.
    #[tsify(type = "'player' | 'event' | 'site'")]
    pub kind: &'static str,
    /// The name as games have it.
    pub alias: String,
    /// The name that it stands for.
    pub name: String,
}
plain_object!(ConfirmedName { kind, alias, name });

/// All names that stand for others.
#[derive(Tsify)]
pub struct ConfirmedList {
    /// The text of their list.
    pub text: String,
    /// The names, in the order in which they were confirmed.
    pub names: List<ConfirmedName>,
}
plain_object!(ConfirmedList { text, names });

/// A name that is probably another one.
#[derive(Tsify)]
pub struct SimilarName {
    /// As games have it.
    pub name: String,
    /// Number of games.
    pub games: f64,
    /// Why it may be the other one.
    #[tsify(type = "'spelling' | 'shorter' | 'order' | 'signs' | 'fide_id'")]
    pub why: &'static str,
    /// Whether two such names are hardly ever two.
    pub is_sure: bool,
}
plain_object!(SimilarName { name, games, why, is_sure });

/// Names that are probably one.
#[derive(Tsify)]
pub struct SimilarGroup {
    /// The one that is written most fully.
    pub name: String,
    /// Number of its games.
    pub games: f64,
    /// The others, those of most games first.
    pub others: List<SimilarName>,
}
plain_object!(SimilarGroup { name, games, others });

/// A name that may be one of several.
#[derive(Tsify)]
pub struct UnclearName {
    /// As games have it.
    pub name: String,
    /// Number of games.
    pub games: f64,
    /// Which it may be, those of most games first.
    pub may_be: List<String>,
}
plain_object!(UnclearName { name, games, may_be });

/// Names that may stand for others.
#[derive(Tsify)]
pub struct SimilarNames {
    /// Names that are probably one, the groups of most games first.
    pub groups: List<SimilarGroup>,
    /// Names that are in no group, those of most games first.
    pub unclear: List<UnclearName>,
}
plain_object!(SimilarNames { groups, unclear });

#[wasm_bindgen]
impl Corpus {
    /// Takes the names of a list, and no others; none of an empty text.
    ///
    /// # Errors
    ///
    /// A line of the text is none, or says something else than another; the names are as before.
    #[wasm_bindgen(js_name = takeAliases)]
    pub fn take_aliases(&mut self, text: &str) -> Result<(), JsFailure> {
        let list = Aliases::parse(text).map_err(|message| JsFailure::new("bad-input", message))?;
        let shown = list.shown_names();
        self.names = ConfirmedNames { list, shown };
        Ok(())
    }

    /// Lists the names that stand for others.
    #[must_use]
    pub fn aliases(&self) -> Js<ConfirmedList> {
        let list = &self.names.list;
        let plain = |Alias { kind, alias, name }: &Alias| ConfirmedName {
            kind: kind.name(),
            alias: alias.clone(),
            name: name.clone(),
        };
        to_js(ConfirmedList { text: list.to_text(), names: list.lines().iter().map(plain).collect() })
    }

    /// Finds names of a kind (`player`, `event` or `site`) that are probably one, or may be one of several, and do not stand for one yet.
    ///
    /// # Errors
    ///
    /// There is no such kind; the corpus is damaged; the storage cannot be read; the request was cancelled.
    #[wasm_bindgen(js_name = similarNames)]
    pub fn similar_names(&self, kind: &str) -> Result<Js<SimilarNames>, JsFailure> {
        let Some(&(_, kind)) = AliasKind::NAMED.iter().find(|(name, _)| *name == kind) else {
            return Err(JsFailure::new("bad-input", format!("there are no names of the kind {kind}")));
        };
        let numbers = if kind == AliasKind::Player { self.fide_ids()? } else { FideIds::default() };
        let found =
            similar_names(&self.kept_spans(ROW_PARTS)?, &OpeningNames::default(), kind.counted(), numbers.of_names());
        let plain = |NameGroup { name, aliases }: NameGroup| {
            let others = aliases.into_iter().map(|alias| SimilarName {
                name: alias.name.name,
                games: alias.name.games as f64,
                why: alias.why.name(),
                is_sure: alias.why.is_sure(),
            });
            SimilarGroup { name: name.name, games: name.games as f64, others: others.collect() }
        };
        let known = &self.names.list;
        let new = found.groups.into_iter().filter_map(|group| known.new_names(kind, group));
        let unclear = found.unclear.into_iter().filter(|one| known.name_of(kind, &one.name.name).is_none());
        let unclear = unclear.map(|one| UnclearName {
            name: one.name.name,
            games: one.name.games as f64,
            may_be: one.may_be.into_iter().map(|name| name.name).collect(),
        });
        Ok(to_js(SimilarNames { groups: new.map(plain).collect(), unclear: unclear.collect() }))
    }
}

impl Corpus {
    /// The numbers of players at FIDE, which the texts of games say.
    fn fide_ids(&self) -> Result<FideIds, JsFailure> {
        /// Games between two looks at whether the request was cancelled.
        const BATCH: u32 = 1024;
        self.check_all()?;
        let (mut ids, mut texts) = (FideIds::default(), self.opened.texts());
        for id in 0..self.opened.header.games as u32 {
            if id % BATCH == 0 && cancel::is_cancelled() {
                return Err(JsFailure::cancelled());
            }
            ids.add_game(texts.get(id)?);
        }
        Ok(ids)
    }
}

impl ConfirmedNames {
    /// The name that is shown for a name.
    pub(crate) fn shown<'n>(&'n self, kind: AliasKind, name: &'n str) -> &'n str {
        self.list.name_of(kind, name).unwrap_or(name)
    }

    /// The row with the names that are shown.
    pub(crate) fn of_row(&self, mut row: GameRow) -> GameRow {
        if self.list.is_empty() {
            return row;
        }
        for (kind, name) in [
            (AliasKind::Player, &mut row.white),
            (AliasKind::Player, &mut row.black),
            (AliasKind::Event, &mut row.event),
            (AliasKind::Site, &mut row.site),
        ] {
            if let Some(shown) = self.list.name_of(kind, name).map(str::to_owned) {
                *name = shown;
            }
        }
        row
    }

    /// The text of a game with the names that are shown.
    pub(crate) fn of_text<'t>(&self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        if self.list.is_empty() {
            return text;
        }
        let changed = match edit_tags(&text, &self.list.edits_of_tags(&read_tags(&text))) {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        changed.map_or(text, Cow::Owned)
    }
}
