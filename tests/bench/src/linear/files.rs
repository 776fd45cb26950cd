//! Files that the programs write and that others may forge: corpora, PMOTE files, position indices, directories of tables.

use std::convert::Infallible;

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::game::{Ply, corpus_spans};
use plyfold_core::headers::{CompiledHeaderTests, HeaderTest, NameField, NamePattern, find_unknown_name};
use plyfold_core::index::build::build_index;
use plyfold_core::index::plan::IndexPlan;
use plyfold_core::pgn::pack_shard;
use plyfold_core::pmote::{game_set, groups, header::CorpusStamp, positions};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::{Group, GroupTable};
use plyfold_core::reduce::matching_positions::PositionRef;
use plyfold_core::reduce::result_counts::ResultCounts;
use plyfold_core::table::layout::{
    LevelTotals, SectionBuilder, TableContents, TableHeader, TableInfo, TableName, TableReader,
};

use super::pgn::names;
use super::{Build, Construct, ConstructSizes, Read, repeated};

/// A corpus of one shard.
fn corpus(text: &[u8]) -> Vec<u8> {
    let (shard, _) = pack_shard(text, 0);
    let mut header = CorpusFileHeader::empty();
    if !shard.is_empty() {
        header.append(&shard).expect("the shard is sound");
    }
    [&header.to_bytes()[..], &shard].concat()
}

fn with_corpus(bytes: &[u8], read: impl FnOnce(&CorpusReader<'_>)) {
    // A corpus is aligned to eight bytes, as in a memory map.
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    let place: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    place[..bytes.len()].copy_from_slice(bytes);
    let corpus = CorpusReader::open(&bytemuck::cast_slice(&words)[..bytes.len()], CorpusCheck::EveryByte);
    read(&corpus.expect("the corpus is sound"));
}

fn opened(bytes: &[u8]) {
    with_corpus(bytes, |corpus| drop(std::hint::black_box(corpus_spans(corpus))));
}

/// Looks up a name that no game has, and names similar to it.
fn sought(bytes: &[u8]) {
    with_corpus(bytes, |corpus| {
        let spans = corpus_spans(corpus);
        let pattern = NamePattern::new("kasparof, garri");
        let headers = CompiledHeaderTests::new(&[HeaderTest::Name { field: NameField::White, pattern }], &spans);
        std::hint::black_box(find_unknown_name(&headers, &spans));
    });
}

fn indexed(bytes: &[u8]) {
    with_corpus(bytes, |corpus| {
        let plan = IndexPlan::new(1, &corpus_spans(corpus), None, 1 << 20).expect("there is no older index");
        let header = build_index::<Infallible>(&plan, None, &mut |_| true, &mut |_| Ok(()));
        std::hint::black_box(header.expect("nothing ends it"));
    });
}

const OF: CorpusStamp = CorpusStamp { corpus: 1, games: u32::MAX };

fn set_opened(bytes: &[u8]) {
    std::hint::black_box(game_set::StoredGameSet::open(bytes).expect("the set is sound").words.len());
}

fn places_opened(bytes: &[u8]) {
    std::hint::black_box(positions::StoredPositions::open(bytes).expect("the list is sound").positions().count());
}

fn groups_opened(bytes: &[u8]) {
    std::hint::black_box(groups::decode(bytes).expect("the groups are sound"));
}

fn many_groups(bytes: usize) -> Vec<u8> {
    let group = |nth: usize| Group {
        value: nth as u64,
        name: format!("{nth}"),
        positions: 1,
        results: ResultCounts::from_counts([1, 0, 0, 0]),
        first: PositionRef::default(),
    };
    let found: Vec<Group> = (0..bytes / 54).map(group).collect();
    let count = found.len() as u64;
    groups::encode(&GroupTable { key: "key".into(), distinct: count, positions: count, groups: found }, OF)
}

/// The sections of a table as (pawn slice, levels). Within a pawn slice, each section has one more level than the section before it.
type Sections = fn(usize) -> Vec<(u32, u16)>;

/// A table with all headers and directories but no blocks. Its trailer has about this many bytes.
fn table(bytes: usize, sections: Sections) -> Vec<u8> {
    let facts = TableInfo { name: TableName::new("KQvK").expect("a name"), pawn_slices: 1 << 24, tiles: 1 };
    let mut contents = TableContents::new(facts);
    let mut file = TableHeader { info: facts, trailer: None }.to_bytes().to_vec();
    let mut first = std::collections::BTreeMap::<u32, u16>::new();
    for (pawn_slice, levels) in sections(bytes / 72) {
        let from = first.entry(pawn_slice).or_default();
        let levels: Vec<LevelTotals> = (*from..*from + levels).map(|n| LevelTotals { n, won: 0, lost: 0 }).collect();
        *from += levels.len() as u16;
        let built = SectionBuilder::new(pawn_slice, contents.end()).finish(&facts, &levels, [0; 2], false);
        file.extend_from_slice(&built.header);
        file.extend_from_slice(&built.tail);
        contents.push(&built.section).expect("the section is the next one");
    }
    let trailer = contents.trailer();
    let place = Some((contents.end(), trailer.len() as u64));
    file.extend_from_slice(&trailer);
    file[..64].copy_from_slice(&TableHeader { info: facts, trailer: place }.to_bytes());
    file
}

fn table_opened(bytes: &[u8]) {
    let table = TableReader::open(bytes).expect("the table is sound");
    std::hint::black_box(table.contents().sections().len());
}

fn table_resumed(bytes: &[u8]) {
    let table = TableReader::open_unfinished(bytes).expect("the header is sound");
    std::hint::black_box(table.contents().sections().len());
}

const TABLES: [(&str, Sections); 4] = [
    ("pawn slices in order", |count| (0..count as u32).map(|pawn_slice| (pawn_slice, 1)).collect()),
    ("pawn slices backwards", |count| (0..count as u32).rev().map(|pawn_slice| (pawn_slice, 1)).collect()),
    ("levels of one pawn slice", |count| vec![(0, 1); count]),
    ("sections without levels", |count| (0..count).map(|nth| (0, (nth % 2) as u16)).collect()),
];

pub(super) fn constructs(extent: ConstructSizes) -> Vec<Construct> {
    let lengths = if extent.is_long { vec![10_000, 100_000, 1_000_000] } else { vec![4_000, 16_000, 64_000] };
    let game = |text: &'static [u8]| -> Build { Box::new(move |bytes| corpus(&repeated(b"", text, bytes))) };
    let knights = b"[White \"a\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *\n\n";
    let mut all: Vec<(&'static str, &str, Build, Read)> = Vec::new();
    let readers: [(&str, Read); 3] = [("corpus", opened), ("header names", sought), ("position index", indexed)];
    for (reader, read) in readers {
        all.push((reader, "names, each once", Box::new(|bytes| corpus(&names(bytes))), read));
        all.push((reader, "the same game", game(knights), read));
        all.push((reader, "games of no moves", game(b"[A \"\"]\n\n*\n\n"), read));
        all.push((
            reader,
            "games from another position",
            game(b"[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n\n1. Ka2 *\n\n"),
            read,
        ));
        all.push((reader, "one long game", Box::new(|bytes| corpus(&repeated(b"", b"Nf3 Nf6 Ng1 Ng8 ", bytes))), read));
        all.push((
            reader,
            "one long name",
            Box::new(|bytes| corpus(&[b"[White \"", &b"ab "[..].repeat(bytes / 3)[..], b"\"]\n\n*"].concat())),
            read,
        ));
    }
    let set = |bytes: usize| game_set::encode(&GameSet::all(bytes as u32 * 8), 1);
    let places = |bytes: usize| {
        (0..bytes as u32 / 8).map(|game| positions::PositionRecord { shard: 0, game, ply: Ply(1) }).collect::<Vec<_>>()
    };
    all.push(("PMOTE", "a set of games", Box::new(set), set_opened));
    all.push((
        "PMOTE",
        "a list of positions",
        Box::new(move |bytes| positions::encode(&places(bytes), OF)),
        places_opened,
    ));
    all.push(("PMOTE", "groups", Box::new(many_groups), groups_opened));
    for (name, sections) in TABLES {
        all.push(("table", name, Box::new(move |bytes| table(bytes, sections)), table_opened));
        all.push(("unfinished table", name, Box::new(move |bytes| table(bytes, sections)), table_resumed));
    }
    let construct = |(reader, name, build, read): (&'static str, &str, Build, Read)| Construct {
        reader,
        name: name.into(),
        build,
        read,
        lengths: lengths.clone(),
    };
    all.into_iter().map(construct).collect()
}
