//! Sets of games as files: any file, or one with a name (`@name`) in a folder beside the corpus, `games.sets/name.bm` for
//! `games.plyfold`.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::Corpus;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::games::Stored;
use plyfold_core::pmote::header::{BYTES, Kind, Of, Seal};
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::sets::{Expression, SetError};
use plyfold_files::{Existing, Outputs, Shown, open};

use crate::collections;
use crate::failure::{Failure, Result};
use crate::map::Map;
use crate::unfinished::Unfinished;

/// Most names that are told where one is unknown.
const TOLD: usize = 8;

/// What sets of a corpus are of.
pub fn of(corpus: &Corpus<'_>) -> Of {
    // A corpus numbers its games in 32 bits.
    Of { corpus: corpus.header.id, games: corpus.header.games as u32 }
}

/// Where the named sets of the corpus at `corpus` lie.
pub fn folder_of(corpus: &Path) -> PathBuf {
    corpus.with_extension("sets")
}

/// The names of the sets of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn names(corpus: &Path) -> Result<Vec<String>> {
    let folder = folder_of(corpus);
    let cannot = || Failure::file(&folder, "cannot be read");
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
pub fn place(corpus: &Path, set: &str) -> Result<PathBuf> {
    match set.strip_prefix('@') {
        None => Ok(set.into()),
        Some(name) if is_name(name) => Ok(folder_of(corpus).join(format!("{name}.bm"))),
        Some(_) => {
            let message =
                format!("`{set}` is no name of a set: letters, digits and `_`, `.`, `-` make one, as in @my-games");
            Err(Failure::Usage(message))
        }
    }
}

/// A set file that is mapped but not yet checked.
pub struct SetFile {
    path: PathBuf,
    map: Map,
}

impl SetFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It is missing, no file, or empty.
    pub fn at(path: &Path) -> Result<SetFile> {
        let file = open(path).map_err(Failure::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(Failure::file(path, "cannot be opened"))?;
        if !found.is_file() || found.len() == 0 {
            let what = if found.is_file() { "is empty (0 bytes)" } else { "is not a regular file" };
            return Err(Failure::NotThat(path.into(), format!("{what}, so no set of games")));
        }
        let map = Map::of(&file).map_err(Failure::file(path, "cannot be mapped into memory"))?;
        Ok(SetFile { path: path.into(), map })
    }

    /// Checks the bytes and reads them as a set of games, of whatever corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn of_any(&self) -> Result<Stored<'_>> {
        Stored::open(self.map.bytes()).map_err(self.failed())
    }

    /// The same of this corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged, or of another corpus.
    pub fn stored(&self, of: Of) -> Result<Stored<'_>> {
        let stored = self.of_any()?;
        stored.of.is(of).map_err(self.failed())?;
        Ok(stored)
    }

    fn failed(&self) -> impl Fn(PmoteError) -> Failure {
        |source| Failure::Pmote { path: self.path.clone(), source }
    }
}

/// An expression over sets of a corpus, its files open.
pub struct Asked {
    expression: Expression,
    files: Vec<SetFile>,
    of: Of,
}

impl Asked {
    /// Reads an expression, and opens the sets that it names; collections are brought up to date.
    ///
    /// # Errors
    ///
    /// A mistake in it, with its place; sets that cannot be opened; those of [`collections::update`].
    pub fn new(path: &Path, corpus: &Corpus<'_>, text: &str) -> Result<Asked> {
        let wrong = |error: SetError| Failure::Expression(error, text.to_owned());
        let expression = Expression::parse(text).map_err(wrong)?;
        let mut files = Vec::new();
        for name in expression.names() {
            let place = place(path, &name.text)?;
            if name.text.starts_with('@') && !place.exists() {
                return Err(wrong(SetError::at(unknown(path, &name.text)?, name.from, name.to)));
            }
            if let Some(name) = name.text.strip_prefix('@') {
                collections::update(path, corpus, name, false)?;
            }
            files.push(SetFile::at(&place)?);
        }
        Ok(Asked { expression, files, of: of(corpus) })
    }

    /// Hands the words of the set to `sink`, and returns how many games are in it.
    ///
    /// # Errors
    ///
    /// A set that is damaged or of another corpus; those of the sink.
    pub fn stream(&self, sink: impl FnMut(&[u64]) -> io::Result<()>) -> Result<u64> {
        let stored: Vec<Stored<'_>> = self.files.iter().map(|file| file.stored(self.of)).collect::<Result<_>>()?;
        let words: Vec<&[u64]> = stored.iter().map(|stored| &*stored.words).collect();
        self.expression.stream(self.of.games, &words, sink).map_err(Failure::Output)
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
fn unknown(corpus: &Path, name: &str) -> Result<String> {
    let names = names(corpus)?;
    let told: Vec<String> = names.iter().take(TOLD).map(|name| format!("@{name}")).collect();
    let more = if names.len() > TOLD { " and others" } else { "" };
    let folder = folder_of(corpus);
    Ok(match told.is_empty() {
        true => format!("there is no set {name}: {} has none (--save-games makes one)", Shown(&folder)),
        false => format!("there is no set {name}: {} has {}{more}", Shown(&folder), told.join(", ")),
    })
}

/// The set of a command line: a file, a name, or an expression of these.
///
/// # Errors
///
/// A mistake in it; a set that cannot be read, or is of another corpus.
pub fn given(path: &Path, corpus: &Corpus<'_>, text: &str) -> Result<GameSet> {
    if !text.starts_with('@') && Path::new(text).exists() {
        return Ok(SetFile::at(Path::new(text))?.stored(of(corpus))?.into_set());
    }
    Asked::new(path, corpus, text)?.set()
}

/// The sets that an expression names: named ones with their `@`, and files.
///
/// # Errors
///
/// A mistake in it, with its place.
pub fn names_of(text: &str) -> Result<Vec<String>> {
    let expression = Expression::parse(text).map_err(|error| Failure::Expression(error, text.to_owned()))?;
    Ok(expression.names().iter().map(|name| name.text.clone()).collect())
}

/// Tells the check of `outputs` which files a command reads for the set that [`given`] finds by `text`.
pub fn read_by(outputs: &mut Outputs, path: &Path, text: &str) {
    if !text.starts_with('@') && Path::new(text).exists() {
        return outputs.reads("the set", text);
    }
    // What is wrong with the expression is told when it is read.
    for name in names_of(text).unwrap_or_default() {
        match (place(path, &name), name.starts_with('@')) {
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
/// Those of [`place`].
pub fn written_as(
    outputs: &mut Outputs,
    role: impl Into<String>,
    path: &Path,
    set: &str,
    existing: Existing,
) -> Result<()> {
    let existing = if set.starts_with('@') { Existing::Updated } else { existing };
    outputs.writes(role, place(path, set)?, existing);
    Ok(())
}

/// The set of this name, without the `@`.
///
/// # Errors
///
/// No such set; one that cannot be read, or is of another corpus.
pub fn named(path: &Path, corpus: &Corpus<'_>, name: &str) -> Result<GameSet> {
    Asked::new(path, corpus, &format!("@{name}"))?.set()
}

/// Writes a set to `place`, which appears when it is whole. Unless it `replaces` what is there, nothing may be there. `words` hands its words on, piece by piece, and says how many games are in it.
/// Where a collection had that name there is none any more, only the set.
///
/// # Errors
///
/// Those of `words`, and whatever keeps the file from being written.
pub fn write(
    place: &Path,
    replaces: bool,
    of: Of,
    words: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> Result<u64>,
) -> Result<u64> {
    let count = begin(place, replaces, of, words)?;
    let definition = place.with_extension("json");
    if in_folder(place) && definition.exists() {
        fs::remove_file(&definition).map_err(Failure::file(&definition, "cannot be removed"))?;
    }
    Ok(count)
}

/// Writes a set over that of a collection, which stays one. Returns how many games are in it.
///
/// # Errors
///
/// Whatever keeps the file from being written.
pub fn rewrite(place: &Path, of: Of, set: &GameSet) -> Result<u64> {
    begin(place, true, of, |sink| Ok(sink(set.words()).map(|()| set.count())?))
}

/// Whether a set lies where those with names do.
fn in_folder(place: &Path) -> bool {
    place.parent().is_some_and(|folder| folder.extension().is_some_and(|ending| ending == "sets"))
}

fn begin(
    place: &Path,
    replaces: bool,
    of: Of,
    words: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> Result<u64>,
) -> Result<u64> {
    if let Some(folder) = place.parent().filter(|_| in_folder(place)) {
        fs::create_dir_all(folder).map_err(Failure::file(folder, "cannot be made"))?;
    }
    let cannot = |error| Failure::file(place, "cannot be written")(error);
    let mut file = BufWriter::with_capacity(1 << 20, Unfinished::begin(place, replaces)?);
    file.write_all(&[0; BYTES]).map_err(cannot)?;
    let mut seal = Seal::new(Kind::Games, of);
    let count = words(&mut |words| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        seal.update(&bytes);
        file.write_all(&bytes)
    });
    let count = count.map_err(|failure| match failure {
        Failure::Output(error) => cannot(error),
        failure => failure,
    })?;
    let mut file = file.into_inner().map_err(|error| cannot(error.into_error()))?;
    let done = file.seek(0).and_then(|()| file.write_all(&seal.finish())).and_then(|()| file.finish());
    done.map_err(cannot)?;
    Ok(count)
}
