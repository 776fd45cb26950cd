//! The account of an import: what was refused, kept in part or not understood, and where.

use std::io::{self, Write};
use std::path::Path;

use plyfold_core::pgn::{GameNote, NoteKind, PgnImportReport, RejectedGame};
use plyfold_files::{PrintablePath, escape_controls};
use plyfold_terminal::table::grouped;
use serde::Serialize;

/// A line of the ledger.
#[derive(Serialize)]
pub struct LedgerEntry<'a> {
    /// `refused`; `in_part`, if the moves before are kept; or the kind of a note.
    kind: &'static str,
    file: &'a str,
    /// In the decompressed file: the offset of the faulty move, of what was not understood, or of the game.
    byte: u64,
    /// The number of the game in its file, from 1.
    game: u64,
    /// From 1; none if no move is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<u32>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<&'a str>,
}

impl<'a> LedgerEntry<'a> {
    fn of_fault(file: &'a str, fault: &'a RejectedGame) -> LedgerEntry<'a> {
        LedgerEntry {
            kind: if fault.kept_in_part { "in_part" } else { "refused" },
            file,
            byte: fault.offset,
            game: fault.game,
            ply: (fault.ply > 0).then_some(fault.ply),
            reason: fault.reason.to_string(),
            white: Some(&fault.white),
            black: Some(&fault.black),
        }
    }

    fn of_note(file: &'a str, note: &GameNote) -> LedgerEntry<'a> {
        let GameNote { kind, game, offset: byte } = *note;
        let reason = kind.sentence().into();
        LedgerEntry { kind: kind.name(), file, byte, game, ply: None, reason, white: None, black: None }
    }

    /// All of a report on a file, faults first.
    pub fn all(file: &'a str, report: &'a PgnImportReport) -> impl Iterator<Item = LedgerEntry<'a>> {
        let faults = report.rejections.iter().map(move |fault| LedgerEntry::of_fault(file, fault));
        faults.chain(report.notes.iter().map(move |note| LedgerEntry::of_note(file, note)))
    }
}

/// How many games have a note of a kind, and the first of them.
#[derive(Serialize)]
pub struct NoteCount<'a> {
    kind: &'static str,
    games: u64,
    meaning: &'static str,
    file: &'a str,
    game: u64,
    byte: u64,
}

/// The part of an account that is shown.
#[derive(Serialize)]
pub struct ImportAccount<'a> {
    /// The first games that were refused or kept in part.
    refusals: Vec<LedgerEntry<'a>>,
    /// What else was not understood.
    notes: Vec<NoteCount<'a>>,
    /// Games without moves, and games without names, if there are many of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    alarm: Option<[u64; 2]>,
}

impl<'a> ImportAccount<'a> {
    /// How many refused games are listed; the others are only counted.
    const MAX_SHOWN: usize = 10;

    /// Makes the account of files with their reports.
    pub fn new(reports: &'a [(String, PgnImportReport)]) -> ImportAccount<'a> {
        let faults = reports
            .iter()
            .flat_map(|(file, report)| report.rejections.iter().map(move |fault| LedgerEntry::of_fault(file, fault)));
        let note = |(nth, &kind): (usize, &NoteKind)| {
            let games = reports.iter().map(|(_, report)| report.noted[nth]).sum();
            let notes = reports.iter().flat_map(|(file, report)| report.notes.iter().map(move |note| (file, note)));
            let (file, &GameNote { game, offset: byte, .. }) = notes.into_iter().find(|(_, note)| note.kind == kind)?;
            Some(NoteCount { kind: kind.name(), games, meaning: kind.sentence(), file, game, byte })
        };
        let sum = |of: fn(&PgnImportReport) -> u64| reports.iter().map(|(_, report)| of(report)).sum::<u64>();
        let apart = [sum(|report| report.without_moves), sum(|report| report.without_names)];
        // One game in a hundred.
        let is_alarming = apart.iter().all(|&games| games > 0 && games >= sum(|report| report.imported) / 100);
        ImportAccount {
            alarm: is_alarming.then_some(apart),
            refusals: faults.take(ImportAccount::MAX_SHOWN).collect(),
            notes: NoteKind::ALL.iter().enumerate().filter_map(note).collect(),
        }
    }

    /// Returns whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.refusals.is_empty() && self.notes.is_empty()
    }

    /// Writes the first of so many games that were refused or kept in part, for people.
    pub fn write_refusals(&self, out: &mut dyn Write, all: u64) -> io::Result<()> {
        for LedgerEntry { file, byte, game, ply, reason, kind, .. } in &self.refusals {
            let ply = ply.map_or(String::new(), |ply| format!(", ply {ply}"));
            let kept = if *kind == "in_part" { "; the moves before are kept" } else { "" };
            let file = PrintablePath(Path::new(file));
            writeln!(out, "{file}: game {game} at byte {byte}{ply}: {}{kept}", escape_controls(reason))?;
        }
        match all - self.refusals.len() as u64 {
            0 => Ok(()),
            more => writeln!(out, "and {} more (--ledger FILE lists them)", grouped(more)),
        }
    }

    /// Writes what else was not understood, for people.
    pub fn write_notes(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some([moveless, nameless]) = self.alarm.map(|games| games.map(grouped)) {
            writeln!(
                out,
                "Of the games, {moveless} have no moves and {nameless} have no names: were tags and moves separated?"
            )?;
        }
        for NoteCount { games, meaning, file, game, byte, .. } in &self.notes {
            let count = if *games == 1 { "1 game".to_owned() } else { format!("{} games", grouped(*games)) };
            let file = PrintablePath(Path::new(file));
            writeln!(out, "Of {count}: {meaning} (first in {file}, game {game} at byte {byte}).")?;
        }
        Ok(())
    }
}
