//! Sets of games as files: any file, or one with a name (`@name`) in a folder beside the corpus, `games.sets/name.bm` for
//! `games.plyfold`.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::CorpusReader;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::game_set::StoredGameSet;
use plyfold_core::pmote::header::{CorpusStamp, HEADER_BYTES, HeaderBuilder, PmoteKind};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::set_expression::{SetError, SetExpression};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath, open};

use crate::collections;
use crate::failure::{CliFailure, Result};
use crate::map::FileMap;
use crate::partial_output::PartialOutput;

/// Most names that are told where one is unknown.
const MAX_LISTED_NAMES: usize = 8;

/// What sets of a corpus are of.
pub fn corpus_stamp(corpus: &CorpusReader<'_>) -> CorpusStamp {
    // A corpus numbers its games in 32 bits.
    CorpusStamp { corpus: corpus.header.id, games: corpus.header.games as u32 }
}

/// Where the named sets of the corpus at `corpus` lie.
pub fn sets_folder(corpus: &Path) -> PathBuf {
    corpus.with_extension("sets")
}

/// The names of the sets of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn set_names(corpus: &Path) -> Result<Vec<String>> {
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
            name.to_str().and_then(|name| name.strip_suffix(".bm")).filter(|name| is_name(name)).map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

fn is_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with(['.', '-']) && name.chars().all(sound)
}

/// Where a set lies: `@name` beside the corpus, anything else where it says.
///
/// # Errors
///
/// A name with characters that a name has not.
pub fn set_path(corpus: &Path, set: &str) -> Result<PathBuf> {
    match set.strip_prefix('@') {
        None => Ok(set.into()),
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
    /// It is missing, no file, or empty.
    pub fn open(path: &Path) -> Result<MappedSetFile> {
        let file = open(path).map_err(CliFailure::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(CliFailure::file(path, "cannot be opened"))?;
        if !found.is_file() || found.len() == 0 {
            let what = if found.is_file() { "is empty (0 bytes)" } else { "is not a regular file" };
            return Err(CliFailure::UnsuitableFile(path.into(), format!("{what}, so it is not a set of games")));
        }
        let map = FileMap::of_file(&file).map_err(CliFailure::file(path, "cannot be mapped into memory"))?;
        Ok(MappedSetFile { path: path.into(), map })
    }

    /// Checks the bytes and reads them as a set of games, of whatever corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn read_unbound(&self) -> Result<StoredGameSet<'_>> {
        StoredGameSet::open(self.map.bytes()).map_err(self.map_error())
    }

    /// The same of this corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged, or of another corpus.
    pub fn read(&self, of: CorpusStamp) -> Result<StoredGameSet<'_>> {
        let stored = self.read_unbound()?;
        stored.stamp.check_matches(of).map_err(self.map_error())?;
        Ok(stored)
    }

    fn map_error(&self) -> impl Fn(PmoteError) -> CliFailure {
        |source| CliFailure::Pmote { path: self.path.clone(), source }
    }
}

/// An expression over sets of a corpus, its files open.
pub struct SetExpressionSource {
    expression: SetExpression,
    files: Vec<MappedSetFile>,
    of: CorpusStamp,
}

impl SetExpressionSource {
    /// Reads an expression, and opens the sets that it names; collections are brought up to date.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place; sets that cannot be opened; those of [`collections::update_collection`].
    pub fn open(path: &Path, corpus: &CorpusReader<'_>, text: &str) -> Result<SetExpressionSource> {
        let wrong = |error: SetError| CliFailure::Expression(error, text.to_owned());
        let expression = SetExpression::parse(text).map_err(wrong)?;
        let mut files = Vec::new();
        for name in expression.names() {
            let place = set_path(path, &name.text)?;
            if name.text.starts_with('@') && !place.exists() {
                return Err(wrong(SetError::at(unknown_set_message(path, &name.text)?, name.from, name.to)));
            }
            if let Some(name) = name.text.strip_prefix('@') {
                collections::update_collection(path, corpus, name, false)?;
            }
            files.push(MappedSetFile::open(&place)?);
        }
        Ok(SetExpressionSource { expression, files, of: corpus_stamp(corpus) })
    }

    /// Hands the words of the set to `sink`, and returns how many games are in it.
    ///
    /// # Errors
    ///
    /// A set that is damaged or of another corpus; those of the sink.
    pub fn stream(&self, sink: impl FnMut(&[u64]) -> io::Result<()>) -> Result<u64> {
        let stored: Vec<StoredGameSet<'_>> = self.files.iter().map(|file| file.read(self.of)).collect::<Result<_>>()?;
        let words: Vec<&[u64]> = stored.iter().map(|stored| &*stored.words).collect();
        self.expression.stream(self.of.games, &words, sink).map_err(CliFailure::Output)
    }

    /// The set, in memory.
    ///
    /// # Errors
    ///
    /// A set that is damaged or of another corpus.
    pub fn set(&self) -> Result<GameSet> {
        let mut all = Vec::with_capacity(self.of.games.div_ceil(64) as usize);
        self.stream(|words| {
            all.extend_from_slice(words);
            Ok(())
        })?;
        // As many words as there must be.
        Ok(GameSet::from_words(self.of.games, all).unwrap_or_default())
    }
}

/// That there is no such set, and which there are.
fn unknown_set_message(corpus: &Path, name: &str) -> Result<String> {
    let names = set_names(corpus)?;
    let listed: Vec<String> = names.iter().take(MAX_LISTED_NAMES).map(|name| format!("@{name}")).collect();
    let more = if names.len() > MAX_LISTED_NAMES { " and others" } else { "" };
    let folder = sets_folder(corpus);
    Ok(match listed.is_empty() {
        true => format!("there is no set {name}: {} has none (--save-games makes one)", PrintablePath(&folder)),
        false => format!("there is no set {name}: {} has {}{more}", PrintablePath(&folder), listed.join(", ")),
    })
}

/// The set of a command line: a file, a name, or an expression of these.
///
/// # Errors
///
/// A mistake in it; a set that cannot be read, or is of another corpus.
pub fn set_from_argument(path: &Path, corpus: &CorpusReader<'_>, text: &str) -> Result<GameSet> {
    if !text.starts_with('@') && Path::new(text).exists() {
        return Ok(MappedSetFile::open(Path::new(text))?.read(corpus_stamp(corpus))?.into_game_set());
    }
    SetExpressionSource::open(path, corpus, text)?.set()
}

/// The sets that an expression names: named ones with their `@`, and files.
///
/// # Errors
///
/// A mistake in it, with its place.
pub fn names_in_expression(text: &str) -> Result<Vec<String>> {
    let expression = SetExpression::parse(text).map_err(|error| CliFailure::Expression(error, text.to_owned()))?;
    Ok(expression.names().iter().map(|name| name.text.clone()).collect())
}

/// Tells the check of `outputs` which files a command reads for the set that [`set_from_argument`] finds by `text`.
pub fn declare_inputs(outputs: &mut OutputPlan, path: &Path, text: &str) {
    if !text.starts_with('@') && Path::new(text).exists() {
        return outputs.reads("the set", text);
    }
    // What is wrong with the expression is told when it is read.
    for name in names_in_expression(text).unwrap_or_default() {
        match (set_path(path, &name), name.starts_with('@')) {
            (Ok(place), true) => outputs.reads_own("the set", place),
            (Ok(place), false) => outputs.reads("the set", place),
            (Err(_), _) => {}
        }
    }
}

/// Tells the check of `outputs` that a command writes a set under this name. What has a name beside the corpus is brought up
/// to date; any other file is replaced as `existing` says.
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
    let existing = if set.starts_with('@') { OverwriteRule::Update } else { existing };
    outputs.writes(role, set_path(path, set)?, existing);
    Ok(())
}

/// The set of this name, without the `@`.
///
/// # Errors
///
/// No such set; one that cannot be read, or is of another corpus.
pub fn named_set(path: &Path, corpus: &CorpusReader<'_>, name: &str) -> Result<GameSet> {
    SetExpressionSource::open(path, corpus, &format!("@{name}"))?.set()
}

/// Writes a set to `place`, which appears when it is whole. Unless it `replaces` what is there, nothing may be there. `words` hands its words on, piece by piece, and says how many games are in it.
/// Where a collection had that name there is none any more, only the set.
///
/// # Errors
///
/// Those of `words`, and whatever keeps the file from being written.
pub fn write_set(
    path: &Path,
    replaces: bool,
    stamp: CorpusStamp,
    words: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> Result<u64>,
) -> Result<u64> {
    let count = write_set_file(path, replaces, stamp, words)?;
    let definition = path.with_extension("json");
    if is_in_sets_folder(path) && definition.exists() {
        fs::remove_file(&definition).map_err(CliFailure::file(&definition, "cannot be removed"))?;
    }
    Ok(count)
}

/// Writes a set over that of a collection, which stays one. Returns how many games are in it.
///
/// # Errors
///
/// Whatever keeps the file from being written.
pub fn rewrite_collection_set(path: &Path, stamp: CorpusStamp, set: &GameSet) -> Result<u64> {
    write_set_file(path, true, stamp, |sink| Ok(sink(set.words()).map(|()| set.count())?))
}

/// Whether a set lies where those with names do.
fn is_in_sets_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.extension().is_some_and(|ending| ending == "sets"))
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
