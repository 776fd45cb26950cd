//! Writes sets of games as files: any file, or one with a name (`@name`) beside the corpus. [`plyfold_library`] reads them.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use plyfold_core::pmote::header::{CorpusStamp, HEADER_BYTES, HeaderBuilder};
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_files::{OutputPlan, OverwriteRule};
pub use plyfold_library::{MappedSetFile, corpus_stamp, set_names, set_path, sets_folder};
use plyfold_terminal::partial_output::PartialOutput;

use crate::collections::is_definition;
use crate::failure::{CliFailure, Result};

/// Returns why a file is no set of games; only sets are replaced without `--force`.
pub fn why_no_set(path: &Path) -> Option<&'static str> {
    let is_set = MappedSetFile::open(path).is_ok_and(|file| file.is_set());
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
