//! Takes corpora apart and puts them together by FORMAT.md, without the code under test. Tests use this to damage corpora
//! where no checksum detects it, and to make corpora as older programs did.

use xxhash_rust::xxh3::xxh3_64;

/// The parts of a corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorpusParts {
    /// The id of its header.
    pub id: u64,
    /// Its shards.
    pub shards: Vec<TestShard>,
}

/// The parts of a shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestShard {
    /// The number of games in its header.
    pub games: u32,
    /// The number of plies in its header.
    pub plies: u64,
    /// Its sections, in order.
    pub sections: Vec<TestSection>,
}

/// A section of a shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestSection {
    /// Its kind.
    pub kind: u32,
    /// Its flags.
    pub flags: u32,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Kinds of the sections that the first version did not write.
pub const LATER: [u32; 6] = [9, 10, 11, 12, 13, 15];

/// Kinds of the sections that an upgrade reads from the texts: annotations, with what they reach, and header texts.
pub const OF_TEXTS: [u32; 4] = [17, 18, 20, 19];

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl CorpusParts {
    /// Splits a sound corpus into its parts.
    pub fn of(corpus: &[u8]) -> CorpusParts {
        let end = u64_at(corpus, 16) as usize;
        let (mut shards, mut at) = (Vec::new(), 64);
        while at < end {
            let shard = &corpus[at..at + u64_at(corpus, at + 16) as usize];
            let entries = (0..u32_at(shard, 12) as usize).map(|nth| 64 + nth * 32);
            let section = |entry: usize| {
                let (offset, length) = (u64_at(shard, entry + 8) as usize, u64_at(shard, entry + 16) as usize);
                let bytes = shard[offset..offset + length].to_vec();
                TestSection { kind: u32_at(shard, entry), flags: u32_at(shard, entry + 4), bytes }
            };
            let sections = entries.map(section).collect();
            shards.push(TestShard { games: u32_at(shard, 32), plies: u64_at(shard, 40), sections });
            at += shard.len();
        }
        CorpusParts { id: u64_at(corpus, 40), shards }
    }

    /// The corpus of these parts, with right checksums.
    pub fn bytes(&self) -> Vec<u8> {
        let shards: Vec<u8> = self.shards.iter().flat_map(TestShard::bytes).collect();
        let mut corpus = b"plyfold\0".to_vec();
        corpus.extend_from_slice(&1u32.to_le_bytes());
        corpus.extend_from_slice(&(self.shards.len() as u32).to_le_bytes());
        let games = self.shards.iter().map(|shard| u64::from(shard.games)).sum();
        // A forged shard may claim any number of plies, so the sum must not overflow.
        let plies = self.shards.iter().map(|shard| shard.plies).fold(0, u64::wrapping_add);
        for number in [64 + shards.len() as u64, games, plies, self.id, 0] {
            corpus.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&corpus);
        corpus.extend_from_slice(&checksum.to_le_bytes());
        corpus.extend_from_slice(&shards);
        corpus
    }

    /// The same corpus as the first version would have written it.
    #[must_use]
    pub fn of_old(mut self) -> CorpusParts {
        for shard in &mut self.shards {
            shard.sections.retain(|section| !LATER.contains(&section.kind));
        }
        self
    }
}

impl TestShard {
    /// The content of the section of this kind.
    pub fn section(&mut self, kind: u32) -> &mut Vec<u8> {
        let section = self.sections.iter_mut().find(|section| section.kind == kind);
        &mut section.expect("a section of the shard").bytes
    }

    /// The shard of these parts, with right checksums.
    pub fn bytes(&self) -> Vec<u8> {
        let (mut directory, mut content) = (Vec::new(), Vec::new());
        let begin = 64 + self.sections.len() * 32;
        let mut scan_length = 0;
        for TestSection { kind, flags, bytes } in &self.sections {
            content.resize(content.len().next_multiple_of(8), 0);
            let offset = (begin + content.len()) as u64;
            if *kind == 16 {
                scan_length = offset;
            }
            directory.extend_from_slice(&kind.to_le_bytes());
            directory.extend_from_slice(&flags.to_le_bytes());
            for number in [offset, bytes.len() as u64, xxh3_64(bytes)] {
                directory.extend_from_slice(&number.to_le_bytes());
            }
            content.extend_from_slice(bytes);
        }
        content.resize(content.len().next_multiple_of(8), 0);
        let mut shard = b"plyshard".to_vec();
        shard.extend_from_slice(&1u32.to_le_bytes());
        shard.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        shard.extend_from_slice(&((begin + content.len()) as u64).to_le_bytes());
        shard.extend_from_slice(&scan_length.to_le_bytes());
        shard.extend_from_slice(&u64::from(self.games).to_le_bytes());
        shard.extend_from_slice(&self.plies.to_le_bytes());
        shard.extend_from_slice(&[0; 8]);
        let checksum = xxh3_64(&[&shard[..], &directory].concat());
        shard.extend_from_slice(&checksum.to_le_bytes());
        [shard, directory, content].concat()
    }
}
