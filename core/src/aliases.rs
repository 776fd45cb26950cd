//! Names that are other names of players, events and sites, from a file that its user has confirmed.
//!
//! A line has a kind, an alias and the name that it stands for, with tabs between them: `player<TAB>Karpow, A<TAB>Karpov, Anatoly`. Lines that
//! begin with `#` say nothing. An alias is a whole name, and only its case, accents and signs make no difference.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt::Write;

use plyfold_pgn::{GameTag, TagEdit};
use plyfold_reduce::shown_names::{NamedThing, ShownNames};
use plyfold_reduce::sorted::sorted;
use plyfold_scan::game::GameSpan;
use plyfold_scan::headers::{CountedName, NameCount, NameField, NameGroup, NamePattern, folded_name};
use plyfold_scan::scan::Query;

/// What an alias is a name of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AliasKind {
    /// A player.
    Player,
    /// An event.
    Event,
    /// A site.
    Site,
}

impl AliasKind {
    /// All kinds, with their words.
    pub const NAMED: [(&'static str, AliasKind); 3] =
        [("player", AliasKind::Player), ("event", AliasKind::Event), ("site", AliasKind::Site)];

    /// Its word.
    pub fn name(self) -> &'static str {
        AliasKind::NAMED.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Its names, as they are counted.
    pub fn counted(self) -> CountedName {
        match self {
            AliasKind::Player => CountedName::Player,
            AliasKind::Event => CountedName::Event,
            AliasKind::Site => CountedName::Site,
        }
    }

    /// The kind of names that are counted so; none of those that have no aliases.
    pub fn of_counted(counted: CountedName) -> Option<AliasKind> {
        match counted {
            CountedName::Player | CountedName::White | CountedName::Black => Some(AliasKind::Player),
            CountedName::Event => Some(AliasKind::Event),
            CountedName::Site => Some(AliasKind::Site),
            CountedName::Eco | CountedName::Opening => None,
        }
    }
}

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// What it is a name of.
    pub kind: AliasKind,
    /// The other name.
    pub alias: String,
    /// The name that it stands for.
    pub name: String,
}

/// Aliases, each of which stands for one name.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    lines: Vec<Alias>,
    /// By kind and folded alias, the place of the line.
    places: BTreeMap<(AliasKind, String), usize>,
}

impl Aliases {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// A line is none; an alias stands for two names, or for a name that is an alias itself. The message says which line.
    pub fn parse(text: &str) -> Result<Aliases, String> {
        let mut aliases = Aliases::default();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let at = |what: &str| format!("line {number}: {what}");
            let parts: Vec<&str> = line.split('\t').map(str::trim).collect();
            let [kind, alias, name] = parts[..] else {
                return Err(at("write a kind, an alias and a name with tabs between them"));
            };
            let Some(&(_, kind)) = AliasKind::NAMED.iter().find(|(word, _)| *word == kind) else {
                return Err(at(&format!("`{kind}` is no kind: write player, event or site")));
            };
            if folded_name(alias).is_empty() || folded_name(name).is_empty() {
                return Err(at("a name has no letters"));
            }
            aliases.add(Alias { kind, alias: alias.into(), name: name.into() }).map_err(|what| at(&what))?;
        }
        aliases.check_chains()?;
        Ok(aliases)
    }

    /// Adds a line.
    ///
    /// # Errors
    ///
    /// The alias stands for another name already.
    pub fn add(&mut self, line: Alias) -> Result<(), String> {
        let key = (line.kind, folded_name(&line.alias));
        match self.places.get(&key) {
            Some(&at) if self.lines[at].name != line.name => {
                Err(format!("\"{}\" already stands for \"{}\"", line.alias, self.lines[at].name))
            }
            // Only signs differ, which two lines may both name.
            Some(&at) if self.lines[at].alias == line.alias => Ok(()),
            _ => {
                self.places.entry(key).or_insert(self.lines.len());
                self.lines.push(line);
                Ok(())
            }
        }
    }

    fn check_chains(&self) -> Result<(), String> {
        let chained = |line: &&Alias| self.name_of(line.kind, &line.name).is_some_and(|name| name != line.name);
        match self.lines.iter().find(chained) {
            None => Ok(()),
            Some(Alias { alias, name, .. }) => {
                Err(format!("\"{alias}\" stands for \"{name}\", which is an alias itself: write the last name"))
            }
        }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines, in order.
    pub fn lines(&self) -> &[Alias] {
        &self.lines
    }

    /// The name that a name stands for; none if it stands for itself.
    pub fn name_of(&self, kind: AliasKind, name: &str) -> Option<&str> {
        let place = self.places.get(&(kind, folded_name(name)))?;
        Some(&*self.lines[*place].name).filter(|other| *other != name)
    }

    /// The changes of the tags of a game with these names of White, Black, the event and the site.
    pub fn tag_edits(&self, [white, black, event, site]: [&str; 4]) -> Vec<TagEdit<'_>> {
        let names = [
            ("White", AliasKind::Player, white),
            ("Black", AliasKind::Player, black),
            ("Event", AliasKind::Event, event),
            ("Site", AliasKind::Site, site),
        ];
        let edit = |(tag, kind, name)| Some(TagEdit::Set { name: tag, value: self.name_of(kind, name)? });
        names.into_iter().filter_map(edit).collect()
    }

    /// The changes of a game with these tags; of a tag that is given twice, the later value counts.
    pub fn edits_of_tags(&self, tags: &[GameTag<'_>]) -> Vec<TagEdit<'_>> {
        let value =
            |name: &str| tags.iter().rfind(|tag| tag.name.eq_ignore_ascii_case(name)).map_or("", |tag| &*tag.value);
        self.tag_edits(["White", "Black", "Event", "Site"].map(value))
    }

    /// The pattern, which also matches all names that stand for one with a name that it matches.
    pub fn widened(&self, kind: AliasKind, pattern: NamePattern) -> NamePattern {
        let others = self.others(kind, &pattern);
        pattern.or_names(others.iter().map(String::as_str))
    }

    /// All names that stand for one with a name that a pattern matches.
    fn others(&self, kind: AliasKind, pattern: &NamePattern) -> Vec<String> {
        let of_kind = || self.lines.iter().filter(|line| line.kind == kind);
        let is_meant = |line: &&Alias| pattern.matches(&line.name) || pattern.matches(&line.alias);
        let meant: Vec<&str> = of_kind().filter(is_meant).map(|line| &*line.name).collect();
        let mut meant = sorted(meant, |one, other| one.cmp(other));
        meant.dedup();
        let aliases = of_kind().filter(|line| meant.binary_search(&&*line.name).is_ok()).map(|line| &*line.alias);
        aliases.chain(meant.iter().copied()).map(String::from).collect()
    }

    /// The names that are shown for those that were `found`, each once and with the games of all its names, those of most games first.
    /// `all` counts all names of the corpus. Where both players of a game are counted, `of_both` are the games: one whose players are two names
    /// of one counts once.
    pub fn shown_counts(
        &self,
        kind: AliasKind,
        found: Vec<NameCount>,
        all: impl FnOnce() -> Vec<NameCount>,
        of_both: &[GameSpan<'_>],
    ) -> Vec<NameCount> {
        if self.is_empty() {
            return found;
        }
        let shown = |name: &str| String::from(self.name_of(kind, name).unwrap_or(name));
        let names = found.iter().map(|one| NameCount { name: shown(&one.name), games: 0 }).collect();
        let mut counts = sorted(names, |one: &NameCount, other| one.name.cmp(&other.name));
        counts.dedup();
        for one in all() {
            let name = shown(&one.name);
            if let Ok(at) = counts.binary_search_by(|known| known.name.cmp(&name)) {
                counts[at].games += one.games;
            }
        }
        for (name, games) in self.games_of_one_player(of_both) {
            if let Ok(at) = counts.binary_search_by(|known| known.name.as_str().cmp(name)) {
                counts[at].games -= games;
            }
        }
        sorted(counts, |one, other| (Reverse(one.games), &one.name).cmp(&(Reverse(other.games), &other.name)))
    }

    /// How many games have two names of one player, by the name that is shown for both.
    fn games_of_one_player(&self, spans: &[GameSpan<'_>]) -> Vec<(&str, u64)> {
        let players = || self.lines.iter().filter(|line| line.kind == AliasKind::Player);
        let mut names: Vec<&str> = sorted(players().map(|line| &*line.name).collect(), |one, other| one.cmp(other));
        names.dedup();
        let mut games = alloc::vec![0; names.len()];
        for span in spans.iter().filter(|_| !names.is_empty()) {
            let place_of = |name: &str| {
                let shown = self.name_of(AliasKind::Player, name).unwrap_or(name);
                names.binary_search(&shown).ok()
            };
            let places: Vec<Option<usize>> = span.names().players.iter().map(place_of).collect();
            for record in span.records().iter().filter(|record| record.white != record.black) {
                let place = |player: u32| places.get(player as usize).copied().flatten();
                if let Some(at) = place(record.white).filter(|_| place(record.white) == place(record.black)) {
                    games[at] += 1;
                }
            }
        }
        names.into_iter().zip(games).collect()
    }

    /// The group without the names that stand for one already, under the name that is shown for it, with the games of its names that are
    /// joined; none if no other name is left. Several groups may come to have one name.
    pub fn new_names(&self, kind: AliasKind, group: NameGroup) -> Option<NameGroup> {
        let NameGroup { mut name, mut aliases } = group;
        if let Some(shown) = self.name_of(kind, &name.name) {
            name.name = shown.into();
        }
        aliases.retain(|alias| {
            let shown = self.name_of(kind, &alias.name.name);
            let is_joined = shown.unwrap_or(&alias.name.name) == name.name;
            name.games += if is_joined { alias.name.games } else { 0 };
            shown.is_none() && !is_joined
        });
        (!aliases.is_empty()).then_some(NameGroup { name, aliases })
    }

    /// Lets conditions on a name hold for all names that stand for one with it.
    pub fn bind(&self, query: &mut Query) {
        if self.is_empty() {
            return;
        }
        query.bind_names(&|field: NameField, pattern: &NamePattern| {
            let kind = match field {
                NameField::White | NameField::Black => AliasKind::Player,
                NameField::Event => AliasKind::Event,
                NameField::Site => AliasKind::Site,
                NameField::Source | NameField::Text(_) => return Vec::new(),
            };
            self.others(kind, pattern)
        });
    }

    /// The aliases of players and events for outputs, which show the names that they stand for.
    pub fn shown_names(&self) -> ShownNames {
        ShownNames::new(self.lines.iter().filter_map(|Alias { kind, alias, name }| {
            let of = match kind {
                AliasKind::Player => NamedThing::Player,
                AliasKind::Event => NamedThing::Event,
                AliasKind::Site => return None,
            };
            Some((of, alias.as_str(), name.as_str()))
        }))
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for Alias { kind, alias, name } in &self.lines {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{}\t{alias}\t{name}", kind.name());
        }
        text
    }
}
