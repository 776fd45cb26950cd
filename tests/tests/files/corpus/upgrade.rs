//! Upgrades shards that the first programs wrote, and answers the same for them.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::upgrade::{upgrade_scan_part, upgrade_shard};
use plyfold_core::game::corpus_spans;
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::shards::{CorpusParts, LATER, TestSection, TestShard};

use super::{answers, games, upgraded_twice};

#[test]
fn what_the_first_programs_wrote_is_answered_the_same() {
    let fresh = corpus(&games(), 70);
    let older = Aligned::new(&CorpusParts::of(&fresh).of_old().bytes());
    let opened = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("an older corpus");
    assert!(opened.shards().all(|shard| !shard.has_event_streams()));
    for span in corpus_spans(&opened).into_iter().flat_map(|span| span.split(32)) {
        assert!(span.signatures().is_empty());
        assert!(span.games().all(|game| game.final_signature.is_none() && game.event_streams.is_none()));
        assert!((0..span.len()).all(|nth| span.game(nth).event_streams.is_none()));
    }
    let expected = answers(&Aligned::new(&fresh));
    assert_eq!(answers(&older), expected);
    // Shards with and without these sections in one corpus.
    let mut mixed = CorpusParts::of(&fresh);
    for shard in mixed.shards.iter_mut().step_by(2) {
        shard.sections.retain(|section| !LATER.contains(&section.kind));
    }
    assert_eq!(answers(&Aligned::new(&mixed.bytes())), expected);
}

#[test]
fn an_upgrade_gives_what_an_import_does() {
    let fresh = CorpusParts::of(&corpus(&games(), 70));
    assert_eq!(CorpusParts::of(&fresh.bytes()), fresh);
    for (fresh, older) in fresh.shards.iter().zip(fresh.clone().of_old().shards) {
        let (fresh, older) = (fresh.bytes(), Aligned::new(&older.bytes()));
        let upgraded = upgrade_shard(older.bytes()).expect("a sound shard").expect("an older shard");
        assert!(upgraded == fresh);
        assert_eq!(upgraded_twice(&upgraded), None);
        // A browser upgrades only the scan part, and finds texts at their offsets in the older file.
        let old = ShardLayout::check(older.bytes()).expect("a sound shard");
        let scan_part = Aligned::new(&older.bytes()[..old.header.scan_length as usize]);
        let new_part = upgrade_scan_part(scan_part.bytes()).expect("a sound shard").expect("an older shard");
        let new_part = Aligned::new(&new_part);
        let new = ShardLayout::check(new_part.bytes()).expect("a sound shard");
        assert_eq!(new_part.bytes(), &fresh[..new.header.scan_length as usize]);
        let grown = new.header.scan_length - old.header.scan_length;
        for game in 0..old.header.games {
            let [old, new] = [(&old, &older), (&new, &new_part)]
                .map(|(layout, bytes)| Shard::new(layout, bytes.bytes()).text_location(game));
            let (old, new) = (old.expect("a text"), new.expect("a text"));
            assert_eq!((old.offset, old.length), (new.offset - grown, new.length));
        }
    }
}

#[test]
fn an_upgrade_keeps_what_it_does_not_know() {
    let mut parts = CorpusParts::of(&corpus(&games()[..20], 20)).of_old();
    let unknown = TestSection { kind: 77, flags: 1, bytes: b"of another program".to_vec() };
    parts.shards[0].sections.insert(3, unknown.clone());
    // Damaged text stays damaged, and reading it finds the damage.
    let mut shard = parts.shards[0].bytes();
    let text = shard.len() - 40;
    shard[text] ^= 1;
    let upgraded = upgraded_twice(&shard).expect("an older shard");
    assert_eq!(upgraded[upgraded.len() - 48..], shard[shard.len() - 48..]);
    let upgraded = Aligned::new(&upgraded);
    let layout = ShardLayout::check(upgraded.bytes()).expect("sound but for its text");
    assert!(matches!(layout.check_text(upgraded.bytes()), Err(CorpusError::Corrupt { section: "text", .. })));
    let mut corpus = [&[0; 64][..], upgraded.bytes()].concat();
    corpus[16..24].copy_from_slice(&(64 + upgraded.bytes().len() as u64).to_le_bytes());
    let sections = CorpusParts::of(&corpus).shards.remove(0).sections;
    let kinds: Vec<u32> = sections.iter().map(|section| section.kind).collect();
    assert_eq!(kinds, [1, 2, 3, 77, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 18, 19, 20, 16]);
    assert_eq!(sections[3], unknown);
    let with_flags: Vec<u32> =
        sections.iter().filter(|section| section.flags == 1).map(|section| section.kind).collect();
    assert_eq!(with_flags, [77, 9, 10, 11, 12, 13, 15, 17, 18, 19, 20]);

    // A directory has at most 64 entries.
    let mut full = parts.shards[0].clone();
    full.sections.splice(3..3, (0..49).map(|nth| TestSection { kind: 100 + nth, flags: 1, bytes: Vec::new() }));
    assert_eq!(full.sections.len(), 63);
    let refused = upgraded_of(&full);
    assert!(matches!(refused, Err(CorpusError::Inconsistent { section: "shard directory", .. })), "{refused:?}");
}

fn upgraded_of(shard: &TestShard) -> Result<Option<Vec<u8>>, CorpusError> {
    upgrade_shard(Aligned::new(&shard.bytes()).bytes())
}

#[test]
fn an_upgrade_of_what_is_no_shard_is_an_error() {
    let shard = CorpusParts::of(&corpus(&games()[..20], 20)).of_old().shards.remove(0);
    let bytes = shard.bytes();
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        let cut = upgrade_shard(Aligned::new(&bytes[..length]).bytes());
        assert!(matches!(cut, Err(CorpusError::Truncated { missing: 1.., .. })), "{length}: {cut:?}");
    }
    // With the same moves in two games, an upgrade would have more events than the shard has plies.
    let mut shared = shard;
    let records = shared.section(1);
    let first = records[..36].to_vec();
    let longest = (0..20).max_by_key(|nth| u16::from_le_bytes([records[nth * 36 + 30], records[nth * 36 + 31]]));
    let longest = longest.expect("games") * 36;
    let (place, plies) = (records[longest + 16..longest + 20].to_vec(), records[longest + 30..longest + 32].to_vec());
    records[16..20].copy_from_slice(&place);
    records[30..32].copy_from_slice(&plies);
    assert!(records[..36] != first);
    let refused = upgraded_of(&shared);
    let names = matches!(refused, Err(CorpusError::Inconsistent { section: "header records", .. }));
    assert!(names, "{refused:?}");
}
