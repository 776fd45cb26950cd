//! Sets of games as files: any file, or one with a name (`@name`) in a folder beside the corpus, `games.sets/name.bm`
//! for `games.plyfold`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::game_set::StoredGameSet;
use plyfold_core::pmote::header::{CorpusStamp, HEADER_BYTES, HeaderBuilder};
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_files::{OutputPlan, OverwriteRule, open};
use plyfold_library::FileMap;
use plyfold_terminal::partial_output::PartialOutput;

use crate::collections::is_definition;
use crate::companions::companion;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus;

/// Identifies the corpus to which sets belong.
pub fn corpus_stamp(corpus: &JoinedCorpus<'_>) -> CorpusStamp {
    // A corpus numbers its games in 32 bits.
    CorpusStamp { corpus: corpus.header.id, games: corpus.header.games as u32 }
}

/// The folder of the named sets of the corpus at `corpus`.
pub fn sets_folder(corpus: &Path) -> PathBuf {
    companion(corpus, "sets")
}

/// The names of the sets of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// The folder cannot be read.
pub fn set_names(corpus: &Path) -> Result<Vec<String>> {
    names_of_kept_files(corpus, ".bm")
}

/// The names of the files with this ending beside the sets of a corpus, sorted, without the ending.
///
/// # Errors
///
/// The folder cannot be read.
pub fn names_of_kept_files(corpus: &Path, ending: &str) -> Result<Vec<String>> {
    let folder = sets_folder(corpus);
    let cannot = || CliFailure::file(&folder, "cannot be read");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(cannot())?.file_name();
        names.extend(
            name.to_str().and_then(|name| name.strip_suffix(ending)).filter(|name| is_name(name)).map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

fn is_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with(['.', '-']) && name.chars().all(sound)
}

/// The path of a set: `@name` means a file beside the corpus, anything else is a path.
///
/// # Errors
///
/// The name has a character that is not allowed.
pub fn set_path(corpus: &Path, set: &str) -> Result<PathBuf> {
    match set.strip_prefix('@') {
        None => Ok(set.into()),
        Some(_) if mapped_corpus::is_pattern(corpus) => {
            let what = "is a pattern, which has no place for named sets: name the folder of the corpora, or a file for the set";
            Err(CliFailure::unsuitable(corpus, what))
        }
        Some(name) if is_name(name) => Ok(sets_folder(corpus).join(format!("{name}.bm"))),
        Some(_) => {
            let message =
                format!("`{set}` is not the name of a set: use letters, digits, `_`, `.` and `-`, as in @my-games");
            Err(CliFailure::Usage(message))
        }
    }
}

/// A set file that is mapped but not yet checked.
pub struct MappedSetFile {
    path: PathBuf,
    map: FileMap,
}

impl MappedSetFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It is missing, no regular file, or empty.
    pub fn open(path: &Path) -> Result<MappedSetFile> {
        let file = open(path).map_err(CliFailure::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(CliFailure::file(path, "cannot be opened"))?;
        if !found.is_file() || found.len() == 0 {
            let what = if found.is_file() { "is empty (0 bytes)" } else { "is not a regular file" };
            return Err(CliFailure::unsuitable(path, format!("{what}, so it is not a set of games")));
        }
        let map = FileMap::of_file(&file).map_err(CliFailure::file(path, "cannot be mapped into memory"))?;
        Ok(MappedSetFile { path: path.into(), map })
    }

    /// Checks the bytes and reads them as a set of games of any corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn read_unbound(&self) -> Result<StoredGameSet<'_>> {
        StoredGameSet::open(self.map.bytes()).map_err(self.map_error())
    }

    /// The same, for a set of this corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged, or belongs to another corpus.
    pub fn read(&self, of: CorpusStamp) -> Result<StoredGameSet<'_>> {
        let stored = self.read_unbound()?;
        stored.stamp.check_matches(of).map_err(self.map_error())?;
        Ok(stored)
    }

    fn map_error(&self) -> impl Fn(PmoteError) -> CliFailure {
        |source| CliFailure::unsuitable(&self.path, source.to_string())
    }
}

/// Returns why a file is no set of games; only sets are replaced without `--force`.
pub fn why_no_set(path: &Path) -> Option<&'static str> {
    let is_set = MappedSetFile::open(path).is_ok_and(|file| file.map.bytes().starts_with(&PmoteKind::Games.magic()));
    (!is_set).then_some("is not a set of games")
}

/// Checks that the set at `path` may be replaced or removed: nothing is there, or a set.
///
/// # Errors
///
/// It is another file, which would be lost.
pub fn check_replaceable(path: &Path) -> Result<()> {
    let is_there = fs::symlink_metadata(path).is_ok();
    match why_no_set(path).filter(|_| is_there) {
        Some(why) => Err(CliFailure::unsuitable(path, format!("{why}, so it stays: move it, or choose another name"))),
        None => Ok(()),
    }
}

/// Declares that a command writes a set under this name. A named set is updated; for any other file, `existing` decides.
///
/// # Errors
///
/// Those of [`set_path`].
pub fn declare_output(
    outputs: &mut OutputPlan,
    role: impl Into<String>,
    path: &Path,
    set: &str,
    existing: OverwriteRule,
) -> Result<()> {
    let file = set_path(path, set)?;
    let definition = file.with_extension("json");
    if is_in_sets_folder(&file) && is_definition(&definition) {
        outputs.writes("the definition of the collection", definition, OverwriteRule::Update);
    }
    match set.starts_with('@') {
        true => outputs.updates(role, file, why_no_set),
        false => outputs.writes(role, file, existing),
    }
    Ok(())
}

/// Writes a set to `path`, where it appears when it is complete. Unless `replaces`, no file may have that name. `words`
/// passes the set on in pieces and returns how many games it has. If a collection had the name, its definition is
/// removed; any other file of that name stays.
///
/// # Errors
///
/// Those of `words`, and those of writing the file.
pub fn write_set(
    path: &Path,
    replaces: bool,
    stamp: CorpusStamp,
    words: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> Result<u64>,
) -> Result<u64> {
    let count = write_set_file(path, replaces, stamp, words)?;
    let definition = path.with_extension("json");
    if is_in_sets_folder(path) && is_definition(&definition) {
        fs::remove_file(&definition).map_err(CliFailure::file(&definition, "cannot be removed"))?;
    }
    Ok(count)
}

/// Writes the set of a collection again, which stays a collection. Returns how many games it has.
///
/// # Errors
///
/// The file cannot be written, or is not a set.
pub fn rewrite_collection_set(path: &Path, stamp: CorpusStamp, set: &GameSet) -> Result<u64> {
    check_replaceable(path)?;
    write_set_file(path, true, stamp, |sink| Ok(sink(set.words()).map(|()| set.count())?))
}

/// Whether the path is that of a named set.
fn is_in_sets_folder(path: &Path) -> bool {
    path.parent()
        .and_then(Path::file_name)
        .and_then(OsStr::to_str)
        .is_some_and(|folder| [".sets", ".sets-of-file"].iter().any(|ending| folder.ends_with(ending)))
}

fn write_set_file(
    path: &Path,
    replaces: bool,
    stamp: CorpusStamp,
    words: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> Result<u64>,
) -> Result<u64> {
    if let Some(folder) = path.parent().filter(|_| is_in_sets_folder(path)) {
        fs::create_dir_all(folder).map_err(CliFailure::file(folder, "cannot be made"))?;
    }
    let cannot = |error| CliFailure::file(path, "cannot be written")(error);
    let mut file = BufWriter::with_capacity(1 << 20, PartialOutput::begin(path, replaces)?);
    file.write_all(&[0; HEADER_BYTES]).map_err(cannot)?;
    let mut seal = HeaderBuilder::new(PmoteKind::Games, stamp);
    let count = words(&mut |words| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        seal.update(&bytes);
        file.write_all(&bytes)
    });
    let count = count.map_err(|failure| match failure {
        CliFailure::Output(error) => cannot(error),
        failure => failure,
    })?;
    let mut file = file.into_inner().map_err(|error| cannot(error.into_error()))?;
    let done = file.seek_to(0).and_then(|()| file.write_all(&seal.finish())).and_then(|()| file.finish());
    done.map_err(cannot)?;
    Ok(count)
}
