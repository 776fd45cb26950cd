//! Syzygy tables: who wins with and without the fifty-move rule (`NAME.rtbw`), and how far the next capture or pawn move is
//! (`NAME.rtbz`). The library shakmaty-syzygy reads them.
//!
//! A table that is missing makes a position unknown. A file that is damaged is an error that names it; the other files stay in
//! use. Syzygy files have a checksum of the whole file, which a probe does not read, so a file with a wrong bit may give wrong values.

mod files;
mod header;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plyfold_tables::material::TableMaterial;
use shakmaty::{Chess, Move, Position};
pub use shakmaty_syzygy::{AmbiguousWdl, Dtz, MaybeRounded, Wdl as Wdl50};
use shakmaty_syzygy::{Metric, ProbeError, SyzygyError};

use crate::Error;
use files::BoundedFiles;

/// The most men of a Syzygy table, kings included.
pub const MAX_SYZYGY_MEN: usize = 7;

/// The Syzygy tables of some folders. They are opened when they are first needed, and shared by any number of threads.
pub struct SyzygyTables {
    tables: shakmaty_syzygy::Tablebase<Chess>,
    /// The file of each table by its name, stronger side first.
    paths: HashMap<(Metric, String), PathBuf>,
}

impl fmt::Debug for SyzygyTables {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SyzygyTables").field("files", &self.paths.len()).finish_non_exhaustive()
    }
}

impl SyzygyTables {
    /// The tables of these folders. If several have a table, the first one counts. At most `bytes` bytes of files are kept in
    /// memory; beside them an open table takes up to some 100 KiB.
    ///
    /// What cannot be used is added to `left_out`: a folder that cannot be read or has no tables, a file whose size is not that of a
    /// table, and tables of which only one of the two files is there.
    #[must_use]
    pub fn open(folders: &[PathBuf], bytes: usize, left_out: &mut Vec<Error>) -> SyzygyTables {
        let tables = shakmaty_syzygy::Tablebase::with_filesystem(Arc::new(BoundedFiles::new(bytes)));
        let mut opened = SyzygyTables { tables, paths: HashMap::new() };
        for folder in folders {
            match fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect()) {
                Ok(paths) => opened.add_folder(folder, paths, left_out),
                Err(source) => left_out.push(Error::file(folder, "the folder of Syzygy tables cannot be read", source)),
            }
        }
        opened.report_halves(left_out);
        opened
    }

    fn add_folder(&mut self, folder: &Path, mut paths: Vec<PathBuf>, left_out: &mut Vec<Error>) {
        paths.sort();
        let (files, mut has_tables) = (paths.len(), false);
        for path in paths {
            let Some((metric, name)) = table_of_path(&path) else { continue };
            has_tables = true;
            if self.paths.contains_key(&(metric, name.clone())) {
                continue;
            }
            match self.tables.add_file(&path) {
                Ok(()) => drop(self.paths.insert((metric, name), path)),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => left_out
                    .push(damaged(&path, "its size is not that of a Syzygy table, so it is cut off or something else")),
                Err(source) => left_out.push(Error::File { path, doing: "cannot be read", source }),
            }
        }
        if !has_tables {
            let what =
                format!("has no Syzygy tables among its {files} files; they are named like KRvK.rtbw and KRvK.rtbz");
            left_out.push(Error::damaged(folder, what));
        }
    }

    /// Reports tables of which one file is missing: the first one by its path, the others by their number.
    fn report_halves(&self, left_out: &mut Vec<Error>) {
        let halves = [
            (Metric::Wdl, Metric::Dtz, "rtbz", "the distance to the next capture or pawn move is not known for"),
            (Metric::Dtz, Metric::Wdl, "rtbw", "without it nothing is known of"),
        ];
        for (there, missing, extension, effect) in halves {
            let has_both = |name: &String| self.paths.contains_key(&(missing, name.clone()));
            let mut alone: Vec<&(Metric, String)> =
                self.paths.keys().filter(|(metric, name)| *metric == there && !has_both(name)).collect();
            alone.sort_by_key(|(_, name)| name);
            let Some(first) = alone.first() else { continue };
            let others = match alone.len() - 1 {
                0 => String::new(),
                1 => " and 1 other table, which lacks it too".to_owned(),
                others => format!(" and {others} other tables, which lack it too"),
            };
            let what = format!("is missing or left out; {effect} {}{others}", first.1);
            left_out.push(Error::damaged(&self.paths[*first].with_extension(extension), what));
        }
    }

    /// Returns whether there is no table at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns the outcome for the side to move, if the position arose by a capture or a pawn move; `None` if a table that is
    /// needed is not there.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn wdl(&self, position: &Chess) -> Result<Option<Wdl50>, Error> {
        self.ask(position, |tables| tables.probe_wdl_after_zeroing(position))
    }

    /// Returns in how many plies the winner forces a capture or a pawn move that keeps the result; `None` if a table that is needed
    /// is not there.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn dtz(&self, position: &Chess) -> Result<Option<MaybeRounded<Dtz>>, Error> {
        self.ask(position, |tables| tables.probe_dtz(position))
    }

    /// The move that these tables recommend and the distance after it; `None` if there is no move, or a table that is needed is not
    /// there.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn best_move(&self, position: &Chess) -> Result<Option<(Move, MaybeRounded<Dtz>)>, Error> {
        self.ask(position, |tables| tables.best_move(position)).map(Option::flatten)
    }

    /// Asks the library. It has no panics on purpose, but does arithmetic with what it reads, which in a build that checks for
    /// overflow panics on damaged files.
    fn ask<T>(
        &self,
        position: &Chess,
        question: impl FnOnce(&shakmaty_syzygy::Tablebase<Chess>) -> Result<T, SyzygyError>,
    ) -> Result<Option<T>, Error> {
        match catch_unwind(AssertUnwindSafe(|| question(&self.tables))) {
            Ok(Ok(answer)) => Ok(Some(answer)),
            Ok(Err(SyzygyError::Castling | SyzygyError::TooManyPieces | SyzygyError::MissingTable { .. })) => Ok(None),
            Ok(Err(SyzygyError::ProbeFailed { metric, material, error })) => {
                Err(self.probe_error(metric, &material.to_string(), *error))
            }
            Err(_) => {
                let name = TableMaterial::of_board(position.board()).canonical().to_string();
                let path = self.paths.get(&(Metric::Wdl, name.clone())).cloned().unwrap_or_else(|| name.into());
                Err(damaged(&path, "it, the file of distances beside it or a table after a capture is damaged"))
            }
        }
    }

    fn probe_error(&self, metric: Metric, name: &str, error: ProbeError) -> Error {
        let path = self.paths.get(&(metric, name.to_owned())).cloned().unwrap_or_else(|| name.into());
        match error {
            ProbeError::Read { error } if error.kind() == io::ErrorKind::InvalidData => damaged(&path, "is damaged"),
            ProbeError::Read { error: source } => Error::File { path, doing: "cannot be read", source },
            ProbeError::Magic { .. } => damaged(&path, "does not begin like a Syzygy table"),
            ProbeError::CorruptedTable { .. } => damaged(&path, "is damaged"),
        }
    }
}

fn damaged(path: &Path, what: &str) -> Error {
    Error::damaged(path, format!("{what}; download it again"))
}

/// The kind and the name of a table's file, if it is one.
fn table_of_path(path: &Path) -> Option<(Metric, String)> {
    let metric = match path.extension()?.to_str()? {
        "rtbw" => Metric::Wdl,
        "rtbz" => Metric::Dtz,
        _ => return None,
    };
    let name = path.file_stem().and_then(OsStr::to_str)?;
    let (white, black) = name.split_once('v')?;
    let is_side = |side: &str| {
        let pieces = side.strip_prefix('K')?;
        let places: Option<Vec<usize>> = pieces.chars().map(|letter| "QRBNP".find(letter)).collect();
        places.filter(|places| places.is_sorted())
    };
    let men = is_side(white)?.len() + is_side(black)?.len() + 2;
    (men <= MAX_SYZYGY_MEN).then(|| (metric, name.to_owned()))
}
