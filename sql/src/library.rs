//! A library: corpora whose games are numbered through, as their shards.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::joined::joined_id;
use plyfold_core::game::GameId;
use plyfold_core::pgn::LineTree;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::scan::fold::ScanObserver;
use plyfold_library::LibraryError;

use crate::error::SqlFailure;
use crate::mapped_corpus::MappedCorpus;
use crate::remote::{self, RemoteCorpus, is_address};
use crate::saved_names::{NameFailure, SavedNames};
use crate::session_work::SessionWork;

/// An open library.
pub struct Library {
    address: String,
    members: Vec<Member>,
    shards: Vec<ShardPlace>,
    games: u32,
    /// How far scans of it have come.
    pub progress: ScanProgress,
    work: Arc<SessionWork>,
    saved: SavedNames,
}

/// Corpora on object storage that are opened at the same time.
const CORPORA_AT_ONCE: usize = 16;

/// A corpus of a library.
struct Member {
    name: String,
    first_game: u32,
    corpus: MemberCorpus,
}

/// Where a corpus is.
pub(crate) enum MemberCorpus {
    Mapped(MappedCorpus),
    Remote(RemoteCorpus),
}

impl MemberCorpus {
    fn name(&self) -> String {
        match self {
            MemberCorpus::Mapped(corpus) => corpus.name(),
            MemberCorpus::Remote(corpus) => corpus.address().to_owned(),
        }
    }

    fn header(&self) -> CorpusFileHeader {
        match self {
            MemberCorpus::Mapped(corpus) => *corpus.header(),
            MemberCorpus::Remote(corpus) => *corpus.header(),
        }
    }

    /// The numbers of games and plies of each shard.
    fn shard_sizes(&self) -> Vec<(u32, u64)> {
        match self {
            MemberCorpus::Mapped(corpus) => corpus.shard_sizes().collect(),
            MemberCorpus::Remote(corpus) => corpus.shard_sizes().collect(),
        }
    }
}

/// Corpora that have been opened, each by itself.
type OpenedCorpora = Vec<Result<MemberCorpus, SqlFailure>>;

fn mapped_corpora(path: &str, checks_all: bool) -> Result<OpenedCorpora, SqlFailure> {
    let opened = MappedCorpus::open_all(path, checks_all)?.into_iter();
    Ok(opened.map(|corpus| corpus.map(MemberCorpus::Mapped)).collect())
}

fn remote_corpora(address: &str, work: &Arc<SessionWork>) -> Result<OpenedCorpora, SqlFailure> {
    let (address, work) = (address.to_owned(), work.clone());
    remote::wait(async move {
        let places = remote::corpora_at(&address).await?;
        let opened = places.into_iter().map(|place| RemoteCorpus::open(place, work.clone()));
        let opened = futures::stream::iter(opened).buffered(CORPORA_AT_ONCE);
        Ok(opened.map(|corpus| Ok(MemberCorpus::Remote(corpus?))).collect().await)
    })
}

/// Where a shard lies.
#[derive(Clone, Copy)]
pub(crate) struct ShardPlace {
    member: usize,
    /// The number of the shard in its corpus.
    pub index: usize,
    pub first_game: GameId,
    pub games: u32,
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
    /// Opens the corpora that an address means: a file, a folder or a pattern, or addresses of object storage.
    ///
    /// # Errors
    ///
    /// A file is missing, damaged or no corpus; a pattern matches nothing; there are more games than numbers.
    pub fn open(address: &str) -> Result<Library, SqlFailure> {
        Library::open_within(address, Arc::default(), false)
    }

    /// As [`open`](Library::open), and counts what is read. If `skips_damaged`, files that are damaged or no corpora are left out.
    pub(crate) fn open_within(
        address: &str,
        work: Arc<SessionWork>,
        skips_damaged: bool,
    ) -> Result<Library, SqlFailure> {
        let opened = if is_address(address) {
            remote_corpora(address, &work)?
        } else {
            // What is left out has to be known before the games are numbered.
            mapped_corpora(address, skips_damaged)?
        };
        let (mut members, mut shards, mut games) = (Vec::new(), Vec::new(), 0u64);
        for corpus in opened {
            let corpus = match corpus {
                Ok(corpus) => corpus,
                Err(failure) if skips_damaged && failure.is_damage() => {
                    work.leave_out(failure.to_string());
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let mut first_game = games;
            for (index, (games, plies)) in corpus.shard_sizes().into_iter().enumerate() {
                let member = members.len();
                shards.push(ShardPlace { member, index, first_game: GameId(first_game as u32), games, plies });
                first_game += u64::from(games);
            }
            members.push(Member { name: corpus.name(), first_game: games as u32, corpus });
            games = first_game;
            if games > u64::from(u32::MAX) {
                let what = "the corpora have more games together than numbers: open fewer of them";
                return Err(LibraryError::Unsuitable(address.into(), what.into()).into());
            }
        }
        if members.is_empty() {
            return Err(LibraryError::Unsuitable(address.into(), "has no corpus that can be read".into()).into());
        }
        let progress = ScanProgress::default();
        let saved = SavedNames::default();
        Ok(Library { address: address.into(), members, shards, games: games as u32, progress, work, saved })
    }

    /// What the libraries of the session have read, and what was left out.
    #[must_use]
    pub fn work(&self) -> &Arc<SessionWork> {
        &self.work
    }

    /// The address by which it was opened.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What makes it the same library on another machine.
    #[cfg(feature = "cluster")]
    pub(crate) fn identity(&self) -> crate::cluster::LibraryIdentity {
        crate::cluster::LibraryIdentity::of_corpora(self.members.iter().map(|member| member.corpus.header()))
    }

    /// The games of a named set beside it, without the `@`.
    pub(crate) fn named_set(&self, name: &str) -> Result<Arc<[u64]>, NameFailure> {
        let headers: Vec<CorpusFileHeader> = self.members.iter().map(|member| member.corpus.header()).collect();
        self.saved.set(&self.address, name, CorpusStamp { corpus: joined_id(&headers), games: self.games })
    }

    /// The lines of this name beside it, without the `@`.
    pub(crate) fn named_lines(&self, name: &str) -> Result<Arc<LineTree>, NameFailure> {
        self.saved.lines(&self.address, name)
    }

    /// Refuses named sets and lines, since it is read for a cluster.
    #[cfg(feature = "cluster")]
    pub(crate) fn refuse_saved_names(&self) {
        self.saved.refuse();
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

    /// How many plies it has.
    #[must_use]
    pub fn plies(&self) -> u64 {
        self.shards.iter().map(|place| place.plies).sum()
    }

    /// Where a shard lies.
    pub(crate) fn place(&self, nth: usize) -> ShardPlace {
        self.shards[nth]
    }

    /// The corpus of a shard.
    pub(crate) fn corpus_of(&self, nth: usize) -> &MemberCorpus {
        &self.members[self.shards[nth].member].corpus
    }

    /// The number of the first game of the corpus of a shard.
    pub(crate) fn first_game_of_corpus(&self, nth: usize) -> u32 {
        self.members[self.shards[nth].member].first_game
    }

    /// The name of the corpus that has a shard, and the number of the shard's first game there, from 1.
    pub(crate) fn file_of_shard(&self, nth: usize) -> (&str, i64) {
        let place = &self.shards[nth];
        let member = &self.members[place.member];
        (&member.name, i64::from(place.first_game.0 - member.first_game) + 1)
    }

    /// The shard of the game with this number, from 1.
    pub(crate) fn shard_of_game(&self, number: i64) -> Option<usize> {
        let id = u32::try_from(number.checked_sub(1)?).ok().filter(|&id| id < self.games)?;
        self.shards.partition_point(|place| place.first_game.0 <= id).checked_sub(1)
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
