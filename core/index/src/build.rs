//! Builds an index: all positions of a segment, sorted by hash, become pairs and summaries.

use alloc::vec::Vec;

use plyfold_scan::game::{Game, GameSpan};
use thiserror::Error;

use super::error::IndexError;
use super::gather::{HashPartition, IndexedPosition, gather_positions, partition_bits};
use super::id_list;
use super::layout::{IndexFileHeader, IndexSection, NextMoveEntry, PositionSummary, SECTIONS, SegmentData};
use super::pairs::PairLayout;
use super::plan::{IndexPlan, fingerprint};
use super::probe::IndexReader;

/// The most games of a segment that can have a position without a summary. A probe replays at most about this many games of a
/// segment.
pub const MAX_PAIRED_GAMES: usize = 32;

/// The approximate number of rounds in which the parts of a segment are encoded; progress is reported after each.
const ENCODING_ROUNDS: usize = 32;

/// Why an index was not built.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum BuildError<E> {
    /// The caller stopped the work in its progress callback.
    #[error("the indexing was cancelled")]
    Cancelled,
    /// A segment that the plan keeps is damaged.
    #[error(transparent)]
    OldIndex(#[from] IndexError),
    /// The bytes could not be written.
    #[error("the index cannot be written")]
    Sink(E),
}

/// Makes the index of a plan. `sink` gets its bytes in order, from byte 64 on; the returned header belongs before them.
///
/// `old` is the index that the plan continues. `progress` is called on this thread with the number of plies that were done since
/// the last call, and stops the work by returning false; every ply of the plan counts twice, when it is replayed and when it is
/// sorted. Uses all threads of the current rayon pool (feature `rayon`); the bytes do not depend on their number. Memory: about
/// 19 bytes per ply of the largest segment.
///
/// # Errors
///
/// [`BuildError`]; the bytes that `sink` already got are then useless.
pub fn build_index<E>(
    plan: &IndexPlan<'_>,
    old: Option<&IndexReader<'_>>,
    progress: &mut dyn FnMut(u64) -> bool,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<IndexFileHeader, BuildError<E>> {
    let mut header = IndexFileHeader::empty(plan.corpus);
    for segment in old.iter().flat_map(|old| old.segments()).take(plan.kept_segments) {
        segment.check()?;
        sink(segment.all_bytes()).map_err(BuildError::Sink)?;
        header.append(&segment.header);
    }
    for batches in &plan.new_segments {
        let parts = build_segment(batches, header.games as u32, progress).ok_or(BuildError::Cancelled)?;
        header.append(&parts.write(sink).map_err(BuildError::Sink)?);
    }
    Ok(header)
}

/// Builds the segment of the games of `batches`; none if `progress` stopped the work.
fn build_segment(
    batches: &[GameSpan<'_>],
    first_game: u32,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Option<SegmentData> {
    let games: Vec<Game<'_>> = batches.iter().flat_map(GameSpan::games).collect();
    let plies: u64 = games.iter().map(|game| game.moves.len() as u64).sum();
    let positions = plies + games.len() as u64;
    let shape = PairLayout::new(positions, games.len() as u32);
    let part_bits = partition_bits(shape.bucket_bits);
    let mut gathered = gather_positions(&games, positions, part_bits, progress)?.into_iter();
    let mut encoded: Vec<EncodedPartition> = Vec::new();
    let round = (gathered.len() / ENCODING_ROUNDS).max(1);
    while gathered.len() > 0 {
        // The memory of a part is freed once the part is encoded.
        let parts: Vec<HashPartition> = gathered.by_ref().take(round).collect();
        let encode = |part: HashPartition| EncodedPartition::encode(part, shape, part_bits);
        #[cfg(feature = "rayon")]
        let new: Vec<EncodedPartition> = {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            parts.into_par_iter().map(encode).collect()
        };
        #[cfg(not(feature = "rayon"))]
        let new: Vec<EncodedPartition> = parts.into_iter().map(encode).collect();
        let done = new.iter().map(|part| part.plies).sum();
        encoded.extend(new);
        if !progress(done) {
            return None;
        }
    }
    let sections = join_sections(encoded, shape);
    let fingerprint = fingerprint(batches);
    Some(SegmentData { first_game, games: games.len() as u32, plies, fingerprint, shape, sections })
}

/// A part of a segment's positions, encoded; offsets count from the beginning of the part.
struct EncodedPartition {
    shape: PairLayout,
    /// Positions after a ply.
    plies: u64,
    /// The first bucket of the part.
    first_bucket: usize,
    hashes: Vec<u64>,
    summaries: Vec<PositionSummary>,
    next: Vec<NextMoveEntry>,
    lists: Vec<u8>,
    /// How many pairs each bucket has.
    buckets: Vec<u32>,
    pairs: Vec<u8>,
}

impl EncodedPartition {
    fn encode(part: HashPartition, shape: PairLayout, part_bits: u32) -> EncodedPartition {
        let buckets = shape.buckets() >> part_bits;
        let first_bucket = part.number * buckets;
        let positions = part.sorted(part_bits);
        let mut encoded = EncodedPartition {
            shape,
            plies: positions.iter().filter(|standing| standing.ply() > 0).count() as u64,
            first_bucket,
            hashes: Vec::new(),
            summaries: Vec::new(),
            next: Vec::new(),
            lists: Vec::new(),
            buckets: alloc::vec![0; buckets],
            pairs: Vec::with_capacity(positions.len() * shape.bytes as usize),
        };
        positions.chunk_by(|one, other| one.hash() == other.hash()).for_each(|group| encoded.push(group));
        encoded.pairs.shrink_to_fit();
        encoded
    }

    /// Adds a position with its occurrences, by game and ply.
    fn push(&mut self, group: &[IndexedPosition]) {
        let hash = group[0].hash();
        let mut by_game = group.chunk_by(|one, other| one.game() == other.game());
        if group.len() > MAX_PAIRED_GAMES && by_game.clone().count() > MAX_PAIRED_GAMES {
            return self.push_summary(group);
        }
        let count = by_game.by_ref().map(|of_game| self.shape.push(&mut self.pairs, hash, of_game[0].game())).count();
        self.buckets[self.shape.bucket(hash) - self.first_bucket] += count as u32;
    }

    fn push_summary(&mut self, group: &[IndexedPosition]) {
        let (first_next, first_list) = (self.next.len(), self.lists.len());
        let mut summary = PositionSummary {
            first_next: first_next as u32,
            list_start: first_list as u32,
            ..PositionSummary::default()
        };
        for of_game in group.chunk_by(|one, other| one.game() == other.game()) {
            let result = of_game[0].result();
            summary.results[result] += 1;
            let begins = of_game[0].ply() == 0;
            let occurrences = of_game.len() as u32 - u32::from(begins);
            summary.started_games += u32::from(begins);
            summary.reached_games += u32::from(occurrences > 0);
            summary.occurrences += occurrences;
            for (index, standing) in of_game.iter().enumerate() {
                let Some(mv) = standing.next_move() else { continue };
                // Each game counts once, however often it plays the move here.
                if of_game[..index].iter().any(|before| before.next_move() == Some(mv)) {
                    continue;
                }
                let known = self.next[first_next..].iter_mut().find(|entry| entry.mv == mv);
                match known {
                    Some(entry) => entry.results[result] += 1,
                    None => {
                        let mut results = [0; 4];
                        results[result] = 1;
                        self.next.push(NextMoveEntry { mv, zero: 0, results });
                    }
                }
            }
        }
        self.next[first_next..].sort_unstable_by_key(|entry| entry.mv.bits());
        let numbers = group.chunk_by(|one, other| one.game() == other.game()).map(|of_game| of_game[0].game());
        id_list::append_game_ids(&mut self.lists, numbers);
        summary.next_count = (self.next.len() - first_next) as u32;
        summary.list_bytes = (self.lists.len() - first_list) as u32;
        self.hashes.push(group[0].hash());
        self.summaries.push(summary);
    }
}

/// The sections of a segment, from its parts in order.
fn join_sections(parts: Vec<EncodedPartition>, shape: PairLayout) -> [Vec<u8>; SECTIONS] {
    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    let bytes = |of: fn(&EncodedPartition) -> usize| parts.iter().map(of).sum::<usize>();
    let room = [
        bytes(|part| part.hashes.len() * size_of::<u64>()),
        bytes(|part| part.summaries.len() * size_of::<PositionSummary>()),
        bytes(|part| part.next.len() * size_of::<NextMoveEntry>()),
        bytes(|part| part.lists.len()),
        (shape.buckets() + 1) * size_of::<u32>(),
        bytes(|part| part.pairs.len()),
    ];
    sections.iter_mut().zip(room).for_each(|(section, room)| section.reserve_exact(room));
    let mut pairs = 0u32;
    for mut part in parts {
        let next = sections[IndexSection::Next as usize].len() / size_of::<NextMoveEntry>();
        let lists = sections[IndexSection::Lists as usize].len();
        for summary in &mut part.summaries {
            summary.first_next += next as u32;
            summary.list_start += lists as u32;
        }
        for bucket in part.buckets {
            sections[IndexSection::Buckets as usize].extend_from_slice(&pairs.to_le_bytes());
            pairs += bucket;
        }
        sections[IndexSection::Hashes as usize].extend_from_slice(bytemuck::cast_slice(&part.hashes));
        sections[IndexSection::Summaries as usize].extend_from_slice(bytemuck::cast_slice(&part.summaries));
        sections[IndexSection::Next as usize].extend_from_slice(bytemuck::cast_slice(&part.next));
        sections[IndexSection::Lists as usize].extend_from_slice(&part.lists);
        sections[IndexSection::Pairs as usize].extend_from_slice(&part.pairs);
    }
    sections[IndexSection::Buckets as usize].extend_from_slice(&pairs.to_le_bytes());
    sections
}
