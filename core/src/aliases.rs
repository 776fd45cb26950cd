//! Names that are other names of players, events and sites, from a file that its user has confirmed.
//!
//! A line has a kind, an alias and the name that it stands for, with tabs between them: `player<TAB>Karpow, A<TAB>Karpov, Anatoly`. Lines that
//! begin with `#` say nothing. An alias is a whole name, and only its case, accents and signs make no difference.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use plyfold_pgn::TagEdit;
use plyfold_reduce::shown_names::{NamedThing, ShownNames};
use plyfold_scan::headers::{NameField, NamePattern, folded_name};
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

    /// Lets conditions on a name hold for its aliases, too.
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
            let lines = self.lines.iter().filter(|line| line.kind == kind && pattern.matches(&line.name));
            lines.map(|line| line.alias.clone()).collect()
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
