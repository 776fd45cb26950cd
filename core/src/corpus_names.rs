//! The names of a corpus for the reader of phrases, which knows no games.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use plyfold_query::phrases::{KnownNames, NameKind};
use plyfold_scan::game::GameSpan;
use plyfold_scan::headers::{CountedName, NameCount, OpeningNames, count_names};

/// The names of a corpus with their numbers of games, those of most games first; each list is made when it is first asked.
pub struct CorpusNames<'c> {
    spans: &'c [GameSpan<'c>],
    openings: &'c OpeningNames,
    lists: [OnceCell<Vec<(String, NameCount)>>; 3],
    own: &'c str,
}

impl<'c> CorpusNames<'c> {
    /// The names of these games, and those of all openings.
    pub fn new(spans: &'c [GameSpan<'c>], openings: &'c OpeningNames) -> CorpusNames<'c> {
        CorpusNames { spans, openings, lists: Default::default(), own: "" }
    }

    /// The same names, of which one is that of the user; an empty text if nobody said so.
    #[must_use]
    pub fn of_user(self, own: &'c str) -> CorpusNames<'c> {
        CorpusNames { own, ..self }
    }

    /// The names of a kind, each also as it is compared.
    fn list(&self, kind: NameKind) -> &[(String, NameCount)] {
        let counted = match kind {
            NameKind::Player => CountedName::Player,
            NameKind::Event => CountedName::Event,
            NameKind::Opening => CountedName::Opening,
        };
        self.lists[kind as usize].get_or_init(|| {
            let mut names = count_names(self.spans, self.openings, counted, "", usize::MAX);
            if kind == NameKind::Opening {
                self.add_other_openings(&mut names);
            }
            names.into_iter().map(|one| (kind.folded(&one.name), one)).collect()
        })
    }

    /// Openings that no game has are openings, too.
    fn add_other_openings(&self, names: &mut Vec<NameCount>) {
        let mut known: Vec<String> = Vec::new();
        let mut is_new = |name: &str| {
            let place = known.binary_search_by(|known| known.as_str().cmp(name));
            place.map_err(|at| known.insert(at, name.into())).is_err()
        };
        names.iter().for_each(|one| _ = is_new(&one.name));
        let others = self.openings.iter().filter(|(_, name)| is_new(name));
        names.extend(others.map(|(_, name)| NameCount { name: name.into(), games: 0 }));
    }
}

impl KnownNames for CorpusNames<'_> {
    fn find(&self, kind: NameKind, words: &str) -> Vec<NameCount> {
        let folded = kind.folded(words);
        let words: Vec<&str> = folded.split(' ').collect();
        let found = self.list(kind).iter().filter(|(folded, _)| words.iter().all(|word| folded.contains(word)));
        found.map(|(_, one)| one.clone()).collect()
    }

    fn own_name(&self) -> Option<&str> {
        (!self.own.is_empty()).then_some(self.own)
    }
}
