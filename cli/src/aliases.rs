//! Names that are other names of players, events and sites, from a file that its user has confirmed.
//!
//! A line has a kind, an alias and the name that it stands for, with tabs between them: `player<TAB>Karpow, A<TAB>Karpov, Anatoly`. Lines that
//! begin with `#` say nothing. An alias is a whole name, and only its case, accents and signs make no difference.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use plyfold_core::headers::{NameField, NamePattern, folded_name};
use plyfold_core::pgn::TagEdit;
use plyfold_core::scan::Query;
use plyfold_files::OutputPlan;

use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::query_argument::read_text;

/// The file of aliases of a command.
#[derive(clap::Args)]
pub struct AliasArgument {
    /// Take names for others: a file with lines `player<TAB>alias<TAB>name` (or event, site), as `plyfold names --confirm` writes it.
    #[arg(long, value_name = "FILE")]
    pub aliases: Option<PathBuf>,
}

impl AliasArgument {
    /// Declares the file.
    pub fn declare_inputs(&self, outputs: &mut OutputPlan) {
        if let Some(path) = &self.aliases {
            outputs.reads("the file of aliases", path);
        }
    }

    /// Reads the file; there are no aliases without one.
    ///
    /// # Errors
    ///
    /// Those of [`Aliases::read`].
    pub fn read(&self) -> Result<Aliases> {
        self.aliases.as_deref().map_or_else(|| Ok(Aliases::default()), Aliases::read)
    }
}

/// What an alias is a name of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AliasKind {
    Player,
    Event,
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
    pub kind: AliasKind,
    pub alias: String,
    pub name: String,
}

/// Aliases, each of which stands for one name.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    lines: Vec<Alias>,
    /// By kind and folded alias, the place of the line.
    places: HashMap<(AliasKind, String), usize>,
}

/// The largest file that is read.
const MAX_BYTES: u64 = 256 << 20;

impl Aliases {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read; a line is none; an alias stands for two names, or for a name that is an alias itself.
    pub fn read(path: &Path) -> Result<Aliases> {
        let text = read_text(path, MAX_BYTES, "the aliases cannot be read", "a file of aliases has at most 256 MiB")?;
        Aliases::parse(&text).map_err(|what| CliFailure::unsuitable(path, what))
    }

    fn parse(text: &str) -> Result<Aliases, String> {
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

    /// The changes of a game's tags, with the names that the tags get.
    pub fn tag_edits<'a>(&'a self, row: &GameRow<'_>) -> Vec<TagEdit<'a>> {
        let names = [
            ("White", AliasKind::Player, row.white),
            ("Black", AliasKind::Player, row.black),
            ("Event", AliasKind::Event, row.event),
            ("Site", AliasKind::Site, row.site),
        ];
        let edit = |(tag, kind, name)| Some(TagEdit::Set { name: tag, value: self.name_of(kind, name)? });
        names.into_iter().filter_map(edit).collect()
    }

    /// Gives a game in a list the names for which aliases stand.
    pub fn rename<'a>(&'a self, row: &mut GameRow<'a>) {
        row.white = self.name_of(AliasKind::Player, row.white).unwrap_or(row.white);
        row.black = self.name_of(AliasKind::Player, row.black).unwrap_or(row.black);
        row.event = self.name_of(AliasKind::Event, row.event).unwrap_or(row.event);
        row.site = self.name_of(AliasKind::Site, row.site).unwrap_or(row.site);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        const LINES: &str = "player\tKarpow, A\tKarpov, Anatoly\nevent\tWch\tWorld Championship\n";
        let aliases = Aliases::parse(&format!("# so\n\n{LINES}")).expect("a file");
        assert_eq!(aliases.to_text(), LINES);
        assert_eq!(aliases.name_of(AliasKind::Player, "KARPOW,A."), Some("Karpov, Anatoly"));
        assert_eq!(aliases.name_of(AliasKind::Player, "Karpov, Anatoly"), None);
        assert_eq!(aliases.name_of(AliasKind::Site, "Wch"), None);
    }

    #[test]
    fn mistakes_say_their_line() {
        for (text, says) in [
            ("player\tA", "line 1: write a kind"),
            ("\n\nplayer A B", "line 3: write a kind"),
            ("town\tA\tB", "line 1: `town` is no kind"),
            ("player\t?\tB", "line 1: a name has no letters"),
            ("player\tA\tB\nplayer\ta.\tC", "line 2: \"a.\" already stands for \"B\""),
            ("player\tA\tB\nplayer\tB\tC", "\"A\" stands for \"B\", which is an alias itself"),
        ] {
            let error = Aliases::parse(text).expect_err(text);
            assert!(error.starts_with(says), "{error}");
        }
    }
}
