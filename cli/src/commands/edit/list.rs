//! The edits that are kept beside a corpus: they are added, listed and undone.

use std::path::Path;

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::edit_list::{EditList, EditsByGame, GameEdit};
use plyfold_files::PrintablePath;
use plyfold_terminal::output;
use plyfold_terminal::table::grouped;
use serde::Serialize;

use super::Arguments;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::MappedCorpus;
use crate::pending_edits::{change_edits, edits_path, read_edits};

/// The result of adding or undoing edits, and the object in JSON.
#[derive(Serialize)]
struct ListReport {
    list: String,
    /// Edits in it now.
    edits: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<usize>,
}

/// An edit of the list.
#[derive(Serialize)]
struct ListedEdit {
    number: usize,
    games: String,
    changes: Vec<String>,
}

/// The id and the number of games of the one corpus at `path`, beside which edits are kept.
pub(super) fn corpus_of_list(path: &Path) -> Result<(u64, u32)> {
    if path.is_dir() || plyfold_library::is_pattern(path) {
        return Err(CliFailure::unsuitable(path, "means several corpora, and edits belong to one: name it"));
    }
    let opened = MappedCorpus::open_one(path)?;
    let header = opened.corpus(CorpusCheck::WhenUsed)?.header;
    // A corpus numbers its games in 32 bits.
    Ok((header.id, header.games as u32))
}

/// Adds an edit of so many games.
pub(super) fn add(arguments: &Arguments, edit: GameEdit, selected: u64) -> Result<()> {
    let path = &arguments.library.path;
    let (id, games) = corpus_of_list(path)?;
    let edits = change_edits(path, id, |list| {
        list.push(edit);
        // A list that cannot be folded in is not written.
        EditsByGame::new(list, games).map_err(CliFailure::corpus(&edits_path(path)))?;
        Ok(list.edits().len())
    })?;
    write(arguments, &ListReport { list: name(path), edits, selected: Some(selected), undone: None })
}

/// Takes the last edits away.
pub(super) fn undo(arguments: &Arguments, count: usize) -> Result<()> {
    let path = &arguments.library.path;
    let (id, _) = corpus_of_list(path)?;
    let nothing = || CliFailure::Other(format!("{} has no edits to undo", PrintablePath(path)));
    if read_edits(path, id)?.is_none_or(|list| list.edits().len() == 0) {
        return Err(nothing());
    }
    let (undone, edits) = change_edits(path, id, |list| Ok((list.undo(count), list.edits().len())))?;
    write(arguments, &ListReport { list: name(path), edits, selected: None, undone: Some(undone) })
}

/// Prints the edits.
pub(super) fn list(arguments: &Arguments) -> Result<()> {
    let path = &arguments.library.path;
    let (id, _) = corpus_of_list(path)?;
    let list = read_edits(path, id)?.unwrap_or_else(|| EditList::new(id));
    let listed = |(number, edit): (usize, &GameEdit)| ListedEdit {
        number,
        games: edit.games.to_string(),
        changes: edit.changes.iter().map(ToString::to_string).collect(),
    };
    let edits: Vec<ListedEdit> = (1..).zip(list.edits()).map(listed).collect();
    output::report(arguments.run.format, &edits, |out| {
        for ListedEdit { number, games, changes } in &edits {
            let text = plyfold_files::escape_controls(&format!("{games}: {}", changes.join("; ")));
            // A long list or text is cut; JSON and the file have all of it.
            let cut: String = text.chars().take(120).collect();
            let dots = if cut.len() < text.len() { "…" } else { "" };
            writeln!(out, "{number:>4}  {cut}{dots}")?;
        }
        Ok(())
    })
}

fn name(path: &Path) -> String {
    edits_path(path).display().to_string()
}

fn write(arguments: &Arguments, report: &ListReport) -> Result<()> {
    output::report(arguments.run.format, report, |out| {
        writeln!(out, "{}", PrintablePath(Path::new(&report.list)))?;
        let undone = report.undone.map(|undone| undone as u64);
        let rows = [("selected", report.selected), ("undone", undone), ("edits", Some(report.edits as u64))];
        for (name, number) in rows.into_iter().filter_map(|(name, number)| Some((name, number?))) {
            writeln!(out, "  {name:<9} {:>13}", grouped(number))?;
        }
        Ok(())
    })
}
