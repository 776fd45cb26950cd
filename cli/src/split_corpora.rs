//! Imports games into a library: numbered corpora of the same number of games, and a journal.
//!
//! Each corpus gets its name when it is complete. Before that, the journal says which part of which input the corpora have,
//! so that the same command goes on after a kill: it skips that part of the text without reading its games. The journal is
//! removed when the user has been told what was imported.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::buffer::CorpusBuffer;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader, OpenCorpus};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::moves::Move;
use plyfold_files::{PrintablePath, open};
use plyfold_input::import::ImportProgress;
use plyfold_terminal::{output, write_note};
use serde::{Deserialize, Serialize};

use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::MappedCorpus;
use crate::shard_copies;

/// Files have three digits, so that their names sort as their numbers do.
const MAX_CORPORA: usize = 999;
const CORPUS_ENDING: &str = ".plyfold";
const JOURNAL_ENDING: &str = "plyfold-import.json";
/// More bytes than the journal of the most corpora has.
const MAX_JOURNAL_BYTES: u64 = 64 << 20;

/// The names of the files of a library: `OUT-001.plyfold` for `OUT.plyfold`, and `OUT/001.plyfold` for a folder.
pub struct SplitNames {
    folder: PathBuf,
    /// `OUT-`, or nothing in a folder of the library.
    prefix: OsString,
    journal: PathBuf,
}

impl SplitNames {
    /// The names for `-o OUTPUT`, which is a folder if it is one or ends with a slash.
    pub fn of(output: &Path) -> SplitNames {
        let ends_with_slash = output.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| byte == b'/');
        match output.file_name().filter(|_| !ends_with_slash && !output.is_dir()) {
            Some(name) => {
                let is_corpus = output.extension().is_some_and(|ending| ending == &CORPUS_ENDING[1..]);
                let stem = if is_corpus { output.file_stem().unwrap_or(name) } else { name };
                let folder = output.parent().unwrap_or(Path::new("")).to_path_buf();
                let joined = |end: &str| {
                    let mut name = stem.to_owned();
                    name.push(end);
                    name
                };
                let journal = folder.join(joined(&format!(".{JOURNAL_ENDING}")));
                SplitNames { folder, prefix: joined("-"), journal }
            }
            None => SplitNames {
                folder: output.to_path_buf(),
                prefix: OsString::new(),
                journal: output.join(JOURNAL_ENDING),
            },
        }
    }

    /// The corpus with this number, from 1.
    fn corpus(&self, number: usize) -> PathBuf {
        let mut name = self.prefix.clone();
        name.push(format!("{number:03}{CORPUS_ENDING}"));
        self.folder.join(name)
    }

    /// The journal, which is there until the import has ended.
    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// The corpora with such names that exist, in order.
    pub fn existing(&self) -> Vec<PathBuf> {
        (1..=MAX_CORPORA).map(|number| self.corpus(number)).filter(|path| path.exists()).collect()
    }
}

/// What the user wants to import, and how; it is the same when an import goes on.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitRequest {
    pub inputs: Vec<String>,
    pub games_per_corpus: u64,
    pub keeps_texts: bool,
    #[serde(default)]
    pub is_strict: bool,
}

#[derive(Serialize, Deserialize)]
struct Journal {
    #[serde(flatten)]
    request: SplitRequest,
    /// Whether the corpora replace those of an earlier import.
    replaces: bool,
    corpora: Vec<JournalEntry>,
}

/// A complete corpus.
#[derive(Serialize, Deserialize)]
struct JournalEntry {
    id: u64,
    games: u64,
    plies: u64,
    bytes: u64,
    place: ImportPlace,
}

/// The place of the import after the last game of a corpus.
#[derive(Clone, Default, Serialize, Deserialize)]
struct ImportPlace {
    /// The inputs that were read whole.
    read_inputs: Vec<InputState>,
    /// The input that is being read, before the chunk that has the last game of the corpus.
    input: InputState,
    /// Games of that chunk, up to the last one of the corpus.
    games_of_chunk: u32,
}

/// The part of an input that was read.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct InputState {
    bytes: u64,
    imported: u64,
    #[serde(default)]
    in_part: u64,
    refused: u64,
    plies: u64,
}

impl InputState {
    fn of(progress: &ImportProgress) -> InputState {
        let &ImportProgress { bytes, games: imported, in_part, refused, plies, .. } = progress;
        InputState { bytes, imported, in_part, refused, plies }
    }

    fn progress(self) -> ImportProgress {
        let InputState { bytes, imported: games, in_part, refused, plies } = self;
        ImportProgress { bytes_in: 0, bytes, games, in_part, refused, plies }
    }
}

/// Corpora, and what they have together.
#[derive(Clone, Copy, Default)]
pub struct CorpusTotals {
    pub corpora: usize,
    pub games: u64,
    pub plies: u64,
    pub bytes: u64,
}

/// The journal of an import that is complete. As long as it is there, the same command ends the import again and tells of it.
pub struct ImportJournal(PathBuf);

impl ImportJournal {
    /// Removes it: the user has been told.
    ///
    /// # Errors
    ///
    /// The system refuses it.
    pub fn remove(self) -> Result<()> {
        remove_file(&self.0)
    }
}

/// The library that is being written.
pub struct SplitCorpora {
    names: SplitNames,
    journal: Journal,
    /// Corpora of an earlier run of the same import.
    kept: CorpusTotals,
    /// The corpus that is being written, and the place of its last game.
    current: Option<(AppendableCorpus, ImportPlace)>,
    read_inputs: Vec<InputState>,
    /// Where to go on with the next input.
    input: InputState,
    /// Games from there on that complete corpora have already.
    stored_games: u32,
}

impl SplitCorpora {
    /// Begins the library, or goes on with one whose import was interrupted. With `replaces` it is begun anew.
    ///
    /// # Errors
    ///
    /// There are corpora with such names that this import has not written.
    pub fn begin(names: SplitNames, request: SplitRequest, replaces: bool) -> Result<SplitCorpora> {
        if !names.folder.as_os_str().is_empty() && names.prefix.is_empty() {
            fs::create_dir_all(&names.folder).map_err(CliFailure::file(&names.folder, "cannot be made"))?;
        }
        let found = Journal::read(&names.journal)?;
        let journal = match replaces {
            true => None,
            false => found.map(|journal| journal.check(&names, &request)).transpose()?,
        };
        let is_resumed = journal.is_some();
        let journal = journal.unwrap_or(Journal { request, replaces, corpora: Vec::new() });
        if !journal.replaces
            && let Some(other) = names.existing().get(journal.corpora.len())
        {
            let path = PrintablePath(other);
            let what = format!("{path} exists already: choose another name for -o, or replace it with --force");
            return Err(CliFailure::Usage(what));
        }
        if !is_resumed {
            remove_file(&names.journal)?;
        }
        let ImportPlace { read_inputs, input, games_of_chunk: stored_games } =
            journal.corpora.last().map_or_else(Default::default, |last| last.place.clone());
        let kept = journal.totals();
        Ok(SplitCorpora { names, journal, kept, current: None, read_inputs, input, stored_games })
    }

    /// Returns the totals of what an earlier run of the same import has written.
    pub fn kept(&self) -> CorpusTotals {
        self.kept
    }

    /// Returns where to begin with the input with this index, and whether it has been read whole.
    pub fn begin_of(&self, input: usize) -> (ImportProgress, bool) {
        self.read_inputs.get(input).map_or((self.input.progress(), false), |state| (state.progress(), true))
    }

    /// Notes that the input that was being read has ended.
    ///
    /// # Errors
    ///
    /// It has fewer games than the run before has read of it.
    pub fn end_input(&mut self, progress: &ImportProgress) -> Result<()> {
        self.read_inputs.push(InputState::of(progress));
        self.input = InputState::default();
        if self.stored_games > 0 { Err(self.other_input()) } else { Ok(()) }
    }

    /// Adds the games of a shard; `before` is what was read of the input before it.
    ///
    /// # Errors
    ///
    /// The disk is full; there are too many corpora; the input is not the one of the run before.
    pub fn push(&mut self, shard: &[u8], before: &ImportProgress) -> Result<()> {
        let path = self.names.corpus(self.journal.corpora.len() + 1);
        let games = ShardLayout::read_header(shard).map_err(CliFailure::corpus(&path))?.games;
        let mut from = self.stored_games.min(games);
        self.stored_games -= from;
        let games_per_corpus = self.journal.request.games_per_corpus;
        let room = |corpus: &AppendableCorpus| games_per_corpus - corpus.header().games;
        // Most shards go whole into one corpus; only the others are opened.
        let is_cut = u64::from(games) > self.current.as_ref().map_or(games_per_corpus, |(corpus, _)| room(corpus));
        let mut buffer = CorpusBuffer::new();
        if from > 0 || is_cut {
            buffer.append(shard).map_err(CliFailure::corpus(&path))?;
        }
        let chunk = buffer.reader(CorpusCheck::WithoutTexts).map_err(CliFailure::corpus(&path))?;
        if from > 0 && self.stored_games == 0 {
            self.check_continuation(&chunk, from - 1)?;
        }
        while from < games {
            let mut corpus = match self.current.take() {
                Some((corpus, _)) => corpus,
                None => self.next_corpus()?,
            };
            let to = from.saturating_add(u32::try_from(room(&corpus)).unwrap_or(u32::MAX)).min(games);
            match (from, to) == (0, games) {
                true => corpus.push(shard)?,
                false => corpus.push(&shard_copies::copy_games(&chunk, &path, from..to)?)?,
            }
            from = to;
            let (read_inputs, input) = (self.read_inputs.clone(), InputState::of(before));
            let is_full = room(&corpus) == 0;
            let written = (corpus, ImportPlace { read_inputs, input, games_of_chunk: to });
            match is_full {
                true => self.complete(written)?,
                false => self.current = Some(written),
            }
        }
        Ok(())
    }

    /// Completes the last corpus. Returns what the library has, and the journal, to be removed.
    ///
    /// # Errors
    ///
    /// The system refuses it.
    pub fn finish(mut self) -> Result<(CorpusTotals, ImportJournal)> {
        if let Some(corpus) = self.current.take() {
            self.complete(corpus)?;
        }
        let corpora = self.journal.corpora.len();
        for other in self.names.existing().iter().skip(corpora) {
            write_note(&format!("{} is of an earlier import: remove it", PrintablePath(other)));
        }
        Ok((self.journal.totals(), ImportJournal(self.names.journal)))
    }

    fn next_corpus(&self) -> Result<AppendableCorpus> {
        let number = self.journal.corpora.len() + 1;
        if number > MAX_CORPORA {
            let what = format!("--split makes at most {MAX_CORPORA} corpora: choose a larger number of games");
            return Err(CliFailure::Usage(what));
        }
        AppendableCorpus::new(&self.names.corpus(number), self.journal.replaces)
    }

    /// Completes a corpus. The journal is written first: a corpus without an entry would be taken for that of another import, while
    /// an entry without a corpus is removed.
    fn complete(&mut self, (corpus, place): (AppendableCorpus, ImportPlace)) -> Result<()> {
        let header = corpus.header();
        self.journal.corpora.push(JournalEntry {
            id: header.id,
            games: header.games,
            plies: header.plies,
            bytes: header.length,
            place,
        });
        self.journal.write(&self.names.journal)?;
        corpus.finish().map(drop)
    }

    /// Checks that the last game of the last corpus is this one of the chunk.
    fn check_continuation(&self, chunk: &CorpusReader<'_>, game: u32) -> Result<()> {
        let path = self.names.corpus(self.journal.corpora.len());
        let opened = MappedCorpus::open_one(&path)?;
        let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
        let last = (corpus.header.games as u32).checked_sub(1).and_then(|last| players_and_moves(&corpus, last));
        match last.is_some() && last == players_and_moves(chunk, game) {
            true => Ok(()),
            false => Err(self.other_input()),
        }
    }

    fn other_input(&self) -> CliFailure {
        let path = PrintablePath(&self.names.journal);
        let what = format!("the input is not the one of the import that {path} describes: --force begins anew");
        CliFailure::Other(what)
    }
}

/// The players and the moves of a game, which are the same in every shard.
fn players_and_moves<S, B: AsRef<[u8]>>(corpus: &OpenCorpus<S, B>, id: u32) -> Option<(String, String, Vec<Move>)> {
    let (shard, game) = corpus.find_game(id)?;
    let record = shard.records.get(game as usize)?;
    let player = |name: u32| shard.players.get(name).to_owned();
    Some((player(record.white), player(record.black), shard.moves_of(record).to_vec()))
}

impl Journal {
    /// The journal of an interrupted import; none if there is no file of its name.
    ///
    /// # Errors
    ///
    /// The file is something else, which is not replaced.
    fn read(path: &Path) -> Result<Option<Journal>> {
        let cannot = || CliFailure::file(path, "cannot be read");
        let file = match open(path) {
            // A link to nothing would be replaced.
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
            file => file.map_err(cannot())?,
        };
        let mut bytes = Vec::new();
        file.take(MAX_JOURNAL_BYTES).read_to_end(&mut bytes).map_err(cannot())?;
        let what = "is no journal of an import: move it, or choose another name for -o";
        serde_json::from_slice(&bytes).map(Some).map_err(|_| CliFailure::unsuitable(path, what))
    }

    /// The journal without entries whose corpus did not get its name any more.
    ///
    /// # Errors
    ///
    /// It is that of another import, or a corpus is missing.
    fn check(mut self, names: &SplitNames, request: &SplitRequest) -> Result<Journal> {
        let unsuitable = |what: &str| CliFailure::unsuitable(&names.journal, format!("{what}: --force begins anew"));
        if self.request != *request {
            return Err(unsuitable("is the journal of an import of other files or with other options"));
        }
        // An earlier corpus may have the name of one that is to replace it.
        let at = |nth: usize| names.corpus(nth + 1);
        let named = self.corpora.iter().enumerate().rposition(|(nth, entry)| entry.is_at(&at(nth)));
        self.corpora.truncate(named.map_or(0, |last| last + 1));
        match self.corpora.iter().enumerate().find(|(nth, entry)| !entry.is_at(&at(*nth))) {
            Some((nth, _)) => Err(unsuitable(&format!("lists {}, which is not there", PrintablePath(&at(nth))))),
            None => Ok(self),
        }
    }

    fn write(&self, path: &Path) -> Result<()> {
        output::write(Some(path), true, |out| Ok(serde_json::to_writer(out, self)?))
    }

    fn totals(&self) -> CorpusTotals {
        let mut totals = CorpusTotals::default();
        for JournalEntry { games, plies, bytes, .. } in &self.corpora {
            totals.corpora += 1;
            totals.games += games;
            totals.plies += plies;
            totals.bytes += bytes;
        }
        totals
    }
}

impl JournalEntry {
    /// Whether this corpus has its name.
    fn is_at(&self, path: &Path) -> bool {
        let mut head = [0; CorpusFileHeader::BYTES];
        let read = open(path).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && CorpusFileHeader::read(&head).is_ok_and(|header| header.id == self.id)
    }
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(CliFailure::file(path, "cannot be removed")(error)),
        _ => Ok(()),
    }
}
