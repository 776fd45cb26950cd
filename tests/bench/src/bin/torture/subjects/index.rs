//! Position indices of one segment and of two, each with its corpus.

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::{self, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::index::build::build_index;
use plyfold_core::index::layout::{IndexCheck, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES, covers};
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Subject, SubjectAnswers, corpus, hash, shuffled};
use crate::random;

struct Indexed {
    name: &'static str,
    file: &'static str,
    corpus: Aligned,
    bytes: Vec<u8>,
    /// Positions to probe: frequent ones, rare ones, and one that no game has.
    hashes: Vec<u64>,
}

/// An index of one segment, and one that was extended.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    // Many copies of the same few games make positions frequent; other games bring in all other kinds.
    let frequent = b"[Result \"1-0\"]\n\n1. e4 d5 2. exd5 Qxd5 1-0\n\n".repeat(40);
    let rare = [corpus::PGN, corpus::CHESS960].join(&b"\n\n"[..]);
    let bytes = corpus::of_pgn([frequent, rare].concat(), "games.pgn");
    [("an index", "one.index", MAX_SEGMENT_PLIES), ("an index of several segments", "segments.index", 100)]
        .into_iter()
        .map(move |(name, file, most)| Box::new(indexed(name, file, &bytes, most)) as Box<dyn Subject>)
}

fn indexed(name: &'static str, file: &'static str, bytes: &[u8], most_plies: u64) -> Indexed {
    let aligned = Aligned::new(bytes);
    let (index, hashes) = {
        let corpus = CorpusReader::open(aligned.bytes(), file::CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        let plan = IndexPlan::new(corpus.header.id, &spans, None, most_plies).expect("a new one");
        let mut index = vec![0; IndexFileHeader::BYTES];
        let header = build_index(&plan, None, &mut |_| true, &mut |piece| {
            index.extend_from_slice(piece);
            Ok::<(), ()>(())
        });
        index[..IndexFileHeader::BYTES].copy_from_slice(&header.expect("nobody cancels").to_bytes());
        let mut hashes = vec![Board::initial().hash, 0x1234_5678_9abc_def0];
        for game in spans.iter().flat_map(|span| span.games()).take(60) {
            let mut board = game.start_board();
            for &mv in game.moves.iter().take(6) {
                board.make::<FullState>(mv);
                if !hashes.contains(&board.hash) && hashes.len() < 40 {
                    hashes.push(board.hash);
                }
            }
        }
        (index, hashes)
    };
    Indexed { name, file, corpus: aligned, bytes: index, hashes }
}

impl Subject for Indexed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn file(&self) -> &'static str {
        self.file
    }

    fn sound(&self) -> &[u8] {
        &self.bytes
    }

    fn borders(&self) -> Vec<usize> {
        let mut borders = vec![8, 64];
        let mut segment = IndexFileHeader::BYTES;
        while segment + 112 <= self.bytes.len() {
            let lengths: Vec<usize> = (0..6).map(|nth| number(&self.bytes, segment + 64 + nth * 8)).collect();
            let sums: usize = lengths.iter().map(|length| length.div_ceil(4096)).sum();
            let mut at = segment + 112 + sums * 8;
            borders.extend([segment, segment + 64, segment + 112, at]);
            for length in lengths {
                borders.push(at + length);
                at += length.next_multiple_of(8);
                borders.push(at);
            }
            segment += number(&self.bytes, segment + 24);
        }
        borders
    }

    fn ask(&self, bytes: &[u8]) -> SubjectAnswers {
        let corpus = CorpusReader::open(self.corpus.bytes(), file::CorpusCheck::WithoutTexts).expect("a corpus");
        let (spans, aligned) = (corpus_spans(&corpus), Aligned::new(bytes));
        let layout = match IndexLayout::check(aligned.bytes(), IndexCheck::Headers) {
            Ok(layout) => layout,
            Err(error) => return vec![Err(error.to_string())],
        };
        let index = layout.index(aligned.bytes());
        if let Err(error) = covers(&index, corpus.header.id, &spans) {
            return vec![Err(error.to_string())];
        }
        let mut answers: SubjectAnswers = self
            .hashes
            .iter()
            .map(|&hash_of| {
                let found = index.look_up(&spans, hash_of).map_err(|error| error.to_string())?;
                let list: Vec<GameId> = found.game_ids().map_err(|error| error.to_string())?.take(10_000).collect();
                Ok(hash((
                    found.results,
                    found.started_games,
                    found.reached_games,
                    found.occurrences,
                    &found.next_moves,
                    list,
                )))
            })
            .collect();
        let whole = IndexLayout::check(aligned.bytes(), IndexCheck::AllBytes).map(|layout| hash(layout.header));
        answers.push(whole.map_err(|error| error.to_string()));
        answers
    }

    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let borders = self.borders();
        for _ in 0..random.random_range(1..4) {
            let from = borders[random.random_range(0..borders.len())].min(bytes.len() - 1);
            let to = (from + random.random_range(1..64)).min(bytes.len());
            random::overwrite(random, &mut bytes[from..to]);
        }
        seal(&mut bytes);
        bytes
    }

    /// Whatever the index lists, the games exist and are in order.
    fn law(&self, bytes: &[u8]) -> Result<(), String> {
        let corpus = CorpusReader::open(self.corpus.bytes(), file::CorpusCheck::WithoutTexts).expect("a corpus");
        let (spans, aligned) = (corpus_spans(&corpus), Aligned::new(bytes));
        let Ok(layout) = IndexLayout::check(aligned.bytes(), IndexCheck::Headers) else { return Ok(()) };
        let index = layout.index(aligned.bytes());
        for &hash in &self.hashes {
            let Ok(found) = index.look_up(&spans, hash) else { continue };
            let Ok(list) = found.game_ids() else { continue };
            let list: Vec<GameId> = list.take(10_000).collect();
            if !list.is_sorted_by(|one, other| one < other)
                || list.iter().any(|id| u64::from(id.0) >= corpus.header.games)
            {
                return Err(format!("games that there are not, or not in order: {list:?}"));
            }
        }
        Ok(())
    }

    fn rearranged(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = shuffled(random, &self.bytes, &self.borders());
        seal(&mut bytes);
        bytes
    }
}

fn number(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes) as usize
}

/// Repairs every checksum that can be found by the lengths.
fn seal(bytes: &mut [u8]) {
    let mut segment = IndexFileHeader::BYTES;
    while segment + 112 <= bytes.len() {
        let lengths: Vec<usize> = (0..6).map(|nth| number(bytes, segment + 64 + nth * 8)).collect();
        let sums: usize = lengths.iter().map(|length| length.div_ceil(4096)).fold(0, usize::saturating_add);
        let Some(begin) = sums.checked_mul(8).and_then(|sums| sums.checked_add(segment + 112)) else { break };
        if begin > bytes.len() {
            break;
        }
        let (mut sum, mut at) = (segment + 112, begin);
        for length in lengths {
            let Some(section) = bytes.get(at..at.saturating_add(length)) else { break };
            for checksum in section.chunks(4096).map(xxh3_64).collect::<Vec<_>>() {
                bytes[sum..sum + 8].copy_from_slice(&checksum.to_le_bytes());
                sum += 8;
            }
            at += length.next_multiple_of(8);
        }
        let mut checksum = Xxh3::new();
        checksum.update(&bytes[segment..segment + 56]);
        checksum.update(&bytes[segment + 64..begin]);
        bytes[segment + 56..segment + 64].copy_from_slice(&checksum.digest().to_le_bytes());
        let length = number(bytes, segment + 24);
        if length == 0 || length > bytes.len() {
            break;
        }
        segment += length;
    }
    if bytes.len() >= 64 {
        let checksum = xxh3_64(&bytes[..56]).to_le_bytes();
        bytes[56..64].copy_from_slice(&checksum);
    }
}
