//! Any bytes as a position index: opening gives an error, or an index that can be probed, never a panic.
//!
//! Random bytes seldom pass a checksum. So the input overwrites a few bytes of a sound index, and the target repairs the
//! checksums: only the checks of consistency can then catch the damage.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::game::corpus_spans;
use plyfold_core::index::build::build_index;
use plyfold_core::index::fen::board_from_fen;
use plyfold_core::index::layout::{IndexCheck, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES, covers};
use plyfold_core::pgn::pack_shard;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

struct Sound {
    corpus: AlignedBytes,
    index: Vec<u8>,
}

/// An index of two segments, with enough games for frequent positions.
static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let mut header = CorpusFileHeader::empty();
    let mut body = vec![0; CorpusFileHeader::BYTES];
    for result in ["1-0", "*"] {
        let pgn = format!("1. e4 d5 2. exd5 Qxd5 {result}\n\n").repeat(40)
            + "[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. a8=Q+ Kd7 2. O-O *\n";
        let (shard, _) = pack_shard(pgn.as_bytes(), 0);
        header.append(&shard).expect("a shard");
        body.extend_from_slice(&shard);
    }
    body[..CorpusFileHeader::BYTES].copy_from_slice(&header.to_bytes());
    let body = AlignedBytes::copy_of(&body);
    let corpus = CorpusReader::open(body.as_ref(), CorpusCheck::EveryByte).expect("a corpus");
    let plan = IndexPlan::new(header.id, &corpus_spans(&corpus), None, MAX_SEGMENT_PLIES.min(200)).expect("a new one");
    let mut index = vec![0; IndexFileHeader::BYTES];
    let header = build_index(&plan, None, &mut |_| true, &mut |piece| {
        index.extend_from_slice(piece);
        Ok::<(), ()>(())
    });
    index[..IndexFileHeader::BYTES].copy_from_slice(&header.expect("nobody cancels").to_bytes());
    drop(plan);
    drop(corpus);
    Sound { corpus: body, index }
});

fn number(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes) as usize
}

/// Repairs every checksum that can be found by the lengths.
fn seal(bytes: &mut [u8]) {
    let mut segment = IndexFileHeader::BYTES;
    while segment + 112 <= bytes.len() {
        let lengths: Vec<usize> = (0..6).map(|nth| number(bytes, segment + 64 + nth * 8)).collect();
        let sums: usize = lengths.iter().map(|length| length.div_ceil(4096)).fold(0, usize::saturating_add);
        let Some(begin) = sums.checked_mul(8).and_then(|sums| sums.checked_add(segment + 112)) else { return };
        if begin > bytes.len() {
            return;
        }
        let (mut sum, mut at) = (segment + 112, begin);
        for length in lengths {
            let Some(section) = bytes.get(at..at.saturating_add(length)) else { return };
            let checksums: Vec<u64> = section.chunks(4096).map(xxh3_64).collect();
            for checksum in checksums {
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

fuzz_target!(|input: &[u8]| {
    let is_patched = input.first().is_some_and(|byte| byte & 1 == 0);
    let mut bytes = if is_patched { SOUND.index.clone() } else { input.to_vec() };
    for patch in input.chunks_exact(3).filter(|_| is_patched) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % bytes.len();
        bytes[at] = patch[2];
    }
    if input.first().is_some_and(|byte| byte & 2 == 0) {
        seal(&mut bytes);
    }
    let bytes = AlignedBytes::copy_of(&bytes);
    let bytes = bytes.as_ref();
    let corpus = CorpusReader::open(SOUND.corpus.as_ref(), CorpusCheck::WithoutTexts).expect("a corpus");
    let spans = corpus_spans(&corpus);
    for check in [IndexCheck::Headers, IndexCheck::AllBytes] {
        let Ok(layout) = IndexLayout::check(bytes, check) else { continue };
        let index = layout.index(bytes);
        let _ = covers(&index, corpus.header.id, &spans);
        let _ = IndexPlan::new(corpus.header.id, &spans, Some(&index), MAX_SEGMENT_PLIES);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
            "4k3/P7/8/8/8/8/8/4K2R w K -",
            "4k3/8/8/8/8/8/8/4K3 w - -",
        ] {
            let Ok(found) = index.look_up(&spans, board_from_fen(fen).expect("a FEN").hash) else { continue };
            if let Ok(ids) = found.game_ids() {
                assert!(ids.take(1000).is_sorted_by(|one, other| one < other));
            }
        }
    }
});
