//! Building: all positions of a segment, sorted by hash, become pairs and summaries.

use alloc::vec::Vec;

use thiserror::Error;

use super::error::IndexError;
use super::gather::{Part, Standing, gather, part_bits};
use super::layout::{FileHeader, NextEntry, Parts, SECTIONS, Section, Summary};
use super::list;
use super::pairs::Shape;
use super::plan::{Plan, fingerprint};
use super::probe::Index;
use crate::game::{Game, Span};

/// Games of a segment that may have a position before it gets a summary; up to so many are replayed to answer.
pub const FEW: usize = 32;

/// In how many rounds, about, the parts of a segment are encoded: after each it is told how far it is.
const ROUNDS: usize = 32;

/// Why a building came to no end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Stopped<E> {
    /// Who was told of the advance ended it.
    #[error("the indexing was cancelled")]
    Cancelled,
    /// A segment that should have stayed is damaged.
    #[error(transparent)]
    Old(#[from] IndexError),
    /// The bytes could not be put where they belong.
    #[error("the index cannot be written")]
    Sink(E),
}

/// Makes the index of a plan. `sink` gets its bytes in order, from byte 64 on; the header returned belongs before them.
///
/// `old` is the index that the plan goes on from. `tell` hears, on this thread, how many plies more are done, and ends the work if
/// it returns false; every ply of the plan counts twice, when it is replayed and when it is sorted. Uses all threads of the current rayon pool (feature `rayon`); the bytes do not
/// depend on how many there are. Memory: about 19 bytes a ply of the largest segment.
///
/// # Errors
///
/// [`Stopped`]; what went to `sink` is then of no use.
pub fn build<E>(
    plan: &Plan<'_>,
    old: Option<&Index<'_>>,
    tell: &mut dyn FnMut(u64) -> bool,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<FileHeader, Stopped<E>> {
    let mut header = FileHeader::empty(plan.corpus);
    for segment in old.iter().flat_map(|old| old.segments()).take(plan.kept) {
        segment.check_whole()?;
        sink(segment.whole()).map_err(Stopped::Sink)?;
        header.append(&segment.header);
    }
    for batches in &plan.new {
        let parts = segment(batches, header.games as u32, tell).ok_or(Stopped::Cancelled)?;
        header.append(&parts.write(sink).map_err(Stopped::Sink)?);
    }
    Ok(header)
}

/// The segment of these games; none if `tell` has ended it.
fn segment(batches: &[Span<'_>], first_game: u32, tell: &mut dyn FnMut(u64) -> bool) -> Option<Parts> {
    let games: Vec<Game<'_>> = batches.iter().flat_map(Span::games).collect();
    let plies: u64 = games.iter().map(|game| game.moves.len() as u64).sum();
    let positions = plies + games.len() as u64;
    let shape = Shape::new(positions, games.len() as u32);
    let part_bits = part_bits(shape.bucket_bits);
    let mut gathered = gather(&games, positions, part_bits, tell)?.into_iter();
    let mut encoded: Vec<Encoded> = Vec::new();
    let round = (gathered.len() / ROUNDS).max(1);
    while gathered.len() > 0 {
        // A part is let go of once it is encoded.
        let parts: Vec<Part> = gathered.by_ref().take(round).collect();
        let encode = |part: Part| Encoded::of(part, shape, part_bits);
        #[cfg(feature = "rayon")]
        let new: Vec<Encoded> = {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            parts.into_par_iter().map(encode).collect()
        };
        #[cfg(not(feature = "rayon"))]
        let new: Vec<Encoded> = parts.into_iter().map(encode).collect();
        let done = new.iter().map(|part| part.plies).sum();
        encoded.extend(new);
        if !tell(done) {
            return None;
        }
    }
    let sections = joined(encoded, shape);
    let fingerprint = fingerprint(batches);
    Some(Parts { first_game, games: games.len() as u32, plies, fingerprint, shape, sections })
}

/// A part of a segment's positions, encoded; what points somewhere counts from the part's beginning.
struct Encoded {
    shape: Shape,
    /// Positions after a ply.
    plies: u64,
    /// The first bucket of the part.
    first_bucket: usize,
    hashes: Vec<u64>,
    summaries: Vec<Summary>,
    next: Vec<NextEntry>,
    lists: Vec<u8>,
    /// How many pairs each bucket has.
    buckets: Vec<u32>,
    pairs: Vec<u8>,
}

impl Encoded {
    fn of(part: Part, shape: Shape, part_bits: u32) -> Encoded {
        let buckets = shape.buckets() >> part_bits;
        let first_bucket = part.number * buckets;
        let standings = part.sorted(part_bits);
        let mut encoded = Encoded {
            shape,
            plies: standings.iter().filter(|standing| standing.ply() > 0).count() as u64,
            first_bucket,
            hashes: Vec::new(),
            summaries: Vec::new(),
            next: Vec::new(),
            lists: Vec::new(),
            buckets: alloc::vec![0; buckets],
            pairs: Vec::with_capacity(standings.len() * shape.bytes as usize),
        };
        standings.chunk_by(|one, other| one.hash() == other.hash()).for_each(|group| encoded.push(group));
        encoded.pairs.shrink_to_fit();
        encoded
    }

    /// Adds a position: where it stands, by game and ply.
    fn push(&mut self, group: &[Standing]) {
        let hash = group[0].hash();
        let mut by_game = group.chunk_by(|one, other| one.game() == other.game());
        if group.len() > FEW && by_game.clone().count() > FEW {
            return self.summarise(group);
        }
        let count = by_game.by_ref().map(|of_game| self.shape.push(&mut self.pairs, hash, of_game[0].game())).count();
        self.buckets[self.shape.bucket(hash) - self.first_bucket] += count as u32;
    }

    fn summarise(&mut self, group: &[Standing]) {
        let (first_next, first_list) = (self.next.len(), self.lists.len());
        let mut summary = Summary { next: first_next as u32, list: first_list as u32, ..Summary::default() };
        for of_game in group.chunk_by(|one, other| one.game() == other.game()) {
            let result = of_game[0].result();
            summary.results[result] += 1;
            let begins = of_game[0].ply() == 0;
            let occurrences = of_game.len() as u32 - u32::from(begins);
            summary.begun += u32::from(begins);
            summary.reached += u32::from(occurrences > 0);
            summary.occurrences += occurrences;
            for (nth, standing) in of_game.iter().enumerate() {
                let Some(mv) = standing.next() else { continue };
                // Once a game, however often it plays it here.
                if of_game[..nth].iter().any(|before| before.next() == Some(mv)) {
                    continue;
                }
                let known = self.next[first_next..].iter_mut().find(|entry| entry.mv == mv);
                match known {
                    Some(entry) => entry.results[result] += 1,
                    None => {
                        let mut results = [0; 4];
                        results[result] = 1;
                        self.next.push(NextEntry { mv, zero: 0, results });
                    }
                }
            }
        }
        self.next[first_next..].sort_unstable_by_key(|entry| entry.mv.bits());
        let numbers = group.chunk_by(|one, other| one.game() == other.game()).map(|of_game| of_game[0].game());
        list::push(&mut self.lists, numbers);
        summary.next_count = (self.next.len() - first_next) as u32;
        summary.list_bytes = (self.lists.len() - first_list) as u32;
        self.hashes.push(group[0].hash());
        self.summaries.push(summary);
    }
}

/// The sections of a segment, from its parts in order.
fn joined(parts: Vec<Encoded>, shape: Shape) -> [Vec<u8>; SECTIONS] {
    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    let bytes = |of: fn(&Encoded) -> usize| parts.iter().map(of).sum::<usize>();
    let room = [
        bytes(|part| part.hashes.len() * size_of::<u64>()),
        bytes(|part| part.summaries.len() * size_of::<Summary>()),
        bytes(|part| part.next.len() * size_of::<NextEntry>()),
        bytes(|part| part.lists.len()),
        (shape.buckets() + 1) * size_of::<u32>(),
        bytes(|part| part.pairs.len()),
    ];
    sections.iter_mut().zip(room).for_each(|(section, room)| section.reserve_exact(room));
    let mut pairs = 0u32;
    for mut part in parts {
        let next = sections[Section::Next as usize].len() / size_of::<NextEntry>();
        let lists = sections[Section::Lists as usize].len();
        for summary in &mut part.summaries {
            summary.next += next as u32;
            summary.list += lists as u32;
        }
        for bucket in part.buckets {
            sections[Section::Buckets as usize].extend_from_slice(&pairs.to_le_bytes());
            pairs += bucket;
        }
        sections[Section::Hashes as usize].extend_from_slice(bytemuck::cast_slice(&part.hashes));
        sections[Section::Summaries as usize].extend_from_slice(bytemuck::cast_slice(&part.summaries));
        sections[Section::Next as usize].extend_from_slice(bytemuck::cast_slice(&part.next));
        sections[Section::Lists as usize].extend_from_slice(&part.lists);
        sections[Section::Pairs as usize].extend_from_slice(&part.pairs);
    }
    sections[Section::Buckets as usize].extend_from_slice(&pairs.to_le_bytes());
    sections
}
