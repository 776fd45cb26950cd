//! Opens a corpus that is copied part by part as one that is mapped.

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader, OldShards, OpenCorpus};
use plyfold_core::corpus::storage::{AlignedBytes, CorpusStorage};
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::shards::CorpusParts;

use super::{games, sample};

/// A corpus that copies parts into memory of their own, as a page does.
struct CopyingStorage(Vec<u8>);

impl CorpusStorage for CopyingStorage {
    type Error = CorpusError;
    type Bytes = AlignedBytes;

    fn size_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, length: u64) -> Result<AlignedBytes, CorpusError> {
        self.0.as_slice().read(offset, length).map(AlignedBytes::copy_of)
    }
}

const CHECKS: [CorpusCheck; 2] = [CorpusCheck::WithoutTexts, CorpusCheck::EveryByte];

#[test]
fn a_corpus_is_the_same_wherever_its_bytes_are() {
    let fresh = corpus(&games(), 70);
    let old = CorpusParts::of(&fresh).of_old().bytes();
    for (bytes, is_current) in [(fresh, true), (old, false)] {
        let aligned = Aligned::new(&bytes);
        let mapped = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte).expect("whole");
        let games = mapped.header.games as u32;
        for (check, old_shards) in [CorpusCheck::WhenUsed]
            .into_iter()
            .chain(CHECKS)
            .flat_map(|check| [(check, OldShards::AsStored), (check, OldShards::Upgraded)])
        {
            let read = OpenCorpus::open_storage(CopyingStorage(bytes.clone()), check, old_shards).expect("whole");
            read.require(ShardParts::ALL_WITH_TEXT_PLACES).expect("sound");
            assert_eq!(read.header, mapped.header);
            let is_upgraded = old_shards == OldShards::Upgraded;
            assert!(read.shards().all(|shard| shard.is_current() == (is_current || is_upgraded)));
            let (mut texts, mut mapped_texts) = (read.texts(), mapped.texts());
            for id in 0..=games {
                assert_eq!(texts.get(id), mapped_texts.get(id), "game {id}");
                assert_eq!(read.record(id), mapped.record(id), "game {id}");
            }
        }
    }
}

#[test]
fn a_cut_is_the_same_wherever_the_bytes_are() {
    let sound = sample();
    for (length, check) in (0..sound.len()).flat_map(|length| CHECKS.map(|check| (length, check))) {
        let cut = Aligned::new(&sound[..length]);
        let mapped = CorpusReader::open(cut.bytes(), check).err();
        let storage = CopyingStorage(sound[..length].to_vec());
        let read = OpenCorpus::open_storage(storage, check, OldShards::AsStored).err();
        assert!(mapped.is_some() && read == mapped, "{length}: {read:?} in place of {mapped:?}");
    }
}
