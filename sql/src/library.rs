//! A library: corpora whose games are numbered through, as their shards.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plyfold_core::corpus::file::{CorpusCheck, OpenCorpus};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::{Game, GameId, GameSpan};
use plyfold_core::scan::fold::ScanObserver;
use plyfold_files::PrintablePath;
use plyfold_library::{LibraryError, MappedBytes, MappedFile, corpus_files};

/// An open library.
pub struct Library {
    address: String,
    members: Vec<Member>,
    shards: Vec<ShardPlace>,
    games: u32,
    /// How far scans of it have come.
    pub progress: ScanProgress,
}

/// A corpus of a library.
struct Member {
    name: String,
    first_game: u32,
    corpus: OpenCorpus<MappedFile, MappedBytes>,
}

/// Where a shard lies.
#[derive(Clone, Copy)]
struct ShardPlace {
    member: u32,
    index: u32,
    first_game: GameId,
    games: u32,
    plies: u64,
}

/// The games that scans have passed, for a progress bar.
#[derive(Default)]
pub struct ScanProgress(AtomicU64);

impl ScanProgress {
    /// How many games all scans have passed since the library was opened.
    pub fn games(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ScanObserver for ScanProgress {
    fn advance(&self, games: u32) -> bool {
        self.0.fetch_add(games.into(), Ordering::Relaxed);
        true
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "library {}", self.address)
    }
}

impl Library {
    /// Opens the corpora that an address means: a file, a folder or a pattern.
    ///
    /// # Errors
    ///
    /// A file is missing, damaged or no corpus; a pattern matches nothing; there are more games than numbers.
    pub fn open(address: &str) -> Result<Library, LibraryError> {
        let path = Path::new(address);
        let (mut members, mut shards, mut games) = (Vec::new(), Vec::new(), 0u64);
        for file in corpus_files(path)? {
            let corpus = MappedFile::open(file.clone())?.into_corpus(CorpusCheck::WithoutTexts)?;
            let mut first_game = games;
            for (index, shard) in corpus.shards().enumerate() {
                shards.push(ShardPlace {
                    member: members.len() as u32,
                    index: index as u32,
                    first_game: GameId(first_game as u32),
                    games: shard.records.len() as u32,
                    plies: shard.moves.len() as u64,
                });
                first_game += shard.records.len() as u64;
            }
            members.push(Member { name: PrintablePath(&file).to_string(), first_game: games as u32, corpus });
            games = first_game;
            if games > u64::from(u32::MAX) {
                let what = "the corpora have more games together than numbers: open fewer of them";
                return Err(LibraryError::Unsuitable(path.into(), what.into()));
            }
        }
        let progress = ScanProgress::default();
        Ok(Library { address: address.into(), members, shards, games: games as u32, progress })
    }

    /// The address by which it was opened.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What makes it the same library on another machine.
    #[cfg(feature = "cluster")]
    pub(crate) fn identity(&self) -> crate::cluster::LibraryIdentity {
        let headers = self.members.iter().map(|member| member.corpus.header);
        crate::cluster::LibraryIdentity::of_corpora(headers)
    }

    /// How many games it has.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.games
    }

    /// How many shards it has.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// A shard; none if there is no such shard.
    pub(crate) fn shard(&self, nth: usize) -> Option<(Shard<'_>, GameSpan<'_>)> {
        let place = self.shards.get(nth)?;
        let shard = self.members[place.member as usize].corpus.shard(place.index);
        let span = GameSpan::from_shard(&shard, nth as u32, place.first_game);
        Some((shard, span))
    }

    /// The games of all shards.
    pub(crate) fn spans(&self) -> Vec<GameSpan<'_>> {
        self.spans_of(0..self.shards.len())
    }

    /// The games of some shards.
    pub(crate) fn spans_of(&self, shards: std::ops::Range<usize>) -> Vec<GameSpan<'_>> {
        shards.filter_map(|nth| self.shard(nth)).map(|(_, span)| span).collect()
    }

    /// The name of the corpus that has a shard, and the number of the shard's first game there, from 1.
    pub(crate) fn file_of_shard(&self, nth: usize) -> (&str, i64) {
        let place = &self.shards[nth];
        let member = &self.members[place.member as usize];
        (&member.name, i64::from(place.first_game.0 - member.first_game) + 1)
    }

    /// The game with this number, from 1.
    pub(crate) fn game(&self, number: i64) -> Option<Game<'_>> {
        let id = u32::try_from(number.checked_sub(1)?).ok()?;
        let nth = self.shards.partition_point(|place| place.first_game.0 <= id).checked_sub(1)?;
        let (_, span) = self.shard(nth)?;
        Some(span.game(span.index_of(GameId(id))?))
    }

    /// Cuts the shards into consecutive ranges with about as many plies each, at most so many.
    pub(crate) fn partitions(&self, most: usize) -> Vec<std::ops::Range<usize>> {
        let weight = |place: &ShardPlace| place.plies + u64::from(place.games);
        let total: u64 = self.shards.iter().map(weight).sum();
        let (mut ranges, mut from, mut sum) = (Vec::new(), 0, 0);
        for (nth, place) in self.shards.iter().enumerate() {
            sum += weight(place);
            if sum * most as u64 >= total * (ranges.len() as u64 + 1) {
                ranges.push(from..nth + 1);
                from = nth + 1;
            }
        }
        if from < self.shards.len() || ranges.is_empty() {
            ranges.push(from..self.shards.len());
        }
        ranges
    }
}

/// A library that is shared by the tables and functions of a session.
pub(crate) type SharedLibrary = Arc<Library>;
