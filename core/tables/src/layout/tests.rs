//! The file as a whole: what is written comes back, and damage is never taken for content.

use alloc::vec::Vec;
use alloc::{format, vec};

use super::*;

/// A section: pawn slice, levels, legal positions, whether it is the pawn slice's last, and blocks: kind, level, tile, bytes.
type Written<'a> = (u32, &'a [LevelTotals], LegalCounts, bool, &'a [(BlockKind, u16, u32, &'a [u8])]);

/// A table in memory, written as the generator does it.
fn written(facts: TableInfo, sections: &[Written]) -> (Vec<u8>, TableContents) {
    let mut bytes = TableHeader { info: facts, trailer: None }.to_bytes().to_vec();
    let mut contents = TableContents::new(facts);
    for (pawn_slice, levels, legal, is_last, blocks) in sections {
        let mut building = SectionBuilder::new(*pawn_slice, contents.end());
        bytes.extend([0; 64]);
        for (kind, n, tile, content) in *blocks {
            building.add_block(*kind, *n, *tile, content);
            bytes.extend_from_slice(content);
        }
        let built = building.finish(&facts, levels, *legal, *is_last);
        bytes.extend(built.tail);
        let at = contents.end() as usize;
        bytes[at..at + 64].copy_from_slice(&built.header);
        contents.push(&built.section).expect("a next section");
    }
    (bytes, contents)
}

/// Trailer and header of a whole table.
fn finished(mut bytes: Vec<u8>, contents: &TableContents) -> Vec<u8> {
    let trailer = contents.trailer();
    let at = Some((contents.end(), trailer.len() as u64));
    bytes.extend(trailer);
    bytes[..64].copy_from_slice(&TableHeader { info: *contents.info(), trailer: at }.to_bytes());
    bytes
}

/// The bytes of the block of a pawn slice and a tile; none if there is none.
fn block_bytes<R: ReadAt>(
    table: &TableReader<R>,
    (pawn_slice, tile): (u32, u32),
    kind: BlockKind,
    n: u16,
) -> Result<Option<Vec<u8>>, LayoutError<R::Error>> {
    let blocks = table.blocks(pawn_slice, kind, n)?;
    blocks.iter().find(|block| block.tile == tile).map(|block| table.read_block(block)).transpose()
}

const FACTS: fn() -> TableInfo =
    || TableInfo { name: TableName::new("KRvK").expect("a name"), pawn_slices: 2, tiles: 10 };

fn sample() -> (Vec<u8>, TableContents) {
    let level = |n, won, lost| LevelTotals { n, won, lost };
    written(
        FACTS(),
        &[
            (
                0,
                &[level(0, 0, 8), level(1, 300, 70)],
                [1000, 900],
                false,
                &[
                    (BlockKind::Lost, 0, 3, b"mate"),
                    (BlockKind::Won, 1, 3, b"mate in one"),
                    (BlockKind::Won, 1, 1, b"also"),
                    (BlockKind::Stalemate, 0, 9, b"none"),
                ],
            ),
            (
                0,
                &[level(2, 10, 0)],
                [0, 0],
                true,
                &[(BlockKind::Won, 2, 0, b"x"), (BlockKind::Bitmap, 0, 0, b"all of it")],
            ),
            (1, &[level(0, 0, 1)], [7, 6], true, &[(BlockKind::Lost, 0, 0, b"")]),
        ],
    )
}

#[test]
fn what_is_written_comes_back() {
    let (bytes, contents) = sample();
    let bytes = finished(bytes, &contents);
    let table = TableReader::open(bytes.as_slice()).expect("a whole table");
    table.check_everything().expect("all of it");
    assert_eq!((table.info(), table.contents()), (&FACTS(), &contents));
    let block = |pawn_slice, tile, kind, n| block_bytes(&table, (pawn_slice, tile), kind, n).expect("sound");
    assert_eq!(block(0, 3, BlockKind::Lost, 0).as_deref(), Some(&b"mate"[..]));
    assert_eq!(block(0, 1, BlockKind::Won, 1).as_deref(), Some(&b"also"[..]));
    assert_eq!(block(0, 0, BlockKind::Won, 2).as_deref(), Some(&b"x"[..]));
    assert_eq!(block(0, 0, BlockKind::Bitmap, 0).as_deref(), Some(&b"all of it"[..]));
    assert_eq!(block(0, 9, BlockKind::Stalemate, 0).as_deref(), Some(&b"none"[..]));
    assert_eq!(block(1, 0, BlockKind::Lost, 0).as_deref(), Some(&b""[..]));
    for (pawn_slice, tile, kind, n) in
        [(0, 2, BlockKind::Won, 1), (0, 3, BlockKind::Won, 3), (1, 0, BlockKind::Bitmap, 0), (5, 0, BlockKind::Lost, 0)]
    {
        assert_eq!(block(pawn_slice, tile, kind, n), None);
    }
    let tiles = |pawn_slice, kind, n| -> Vec<u32> {
        table.blocks(pawn_slice, kind, n).expect("sound").iter().map(|block| block.tile).collect()
    };
    assert_eq!(tiles(0, BlockKind::Won, 1), [1, 3]);
    assert_eq!(tiles(0, BlockKind::Won, 7), []);
    let level = |n, won, lost| LevelTotals { n, won, lost };
    assert_eq!(table.levels(0).expect("sound"), [level(0, 0, 8), level(1, 300, 70), level(2, 10, 0)]);
    assert_eq!(table.legal(0).expect("sound"), [1000, 900]);
    assert_eq!(table.counts().levels, [level(0, 0, 9), level(1, 300, 70), level(2, 10, 0)]);
    assert_eq!(table.counts().legal, [1007, 906]);
    assert!(contents.is_complete(0) && contents.is_complete(1));
}

#[test]
fn an_unfinished_table_has_its_whole_sections() {
    let (bytes, contents) = sample();
    assert_eq!(TableReader::open(bytes.as_slice()).err(), Some(LayoutError::Unfinished));
    let ends: Vec<u64> = contents.sections().iter().map(SectionEntry::end).collect();
    for length in 64..=bytes.len() {
        let table = TableReader::open_unfinished(&bytes[..length]).expect("a header");
        let whole = ends.iter().filter(|&&end| end <= length as u64).count();
        assert_eq!(table.contents().sections(), &contents.sections()[..whole], "{length} bytes");
    }
}

#[test]
fn cut_or_prolonged_tables_are_errors() {
    let (bytes, contents) = sample();
    let bytes = finished(bytes, &contents);
    for length in 0..bytes.len() {
        assert!(TableReader::open(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(TableReader::open([&bytes[..], &[0]].concat()).is_err());
    assert_eq!(TableReader::open(&[][..]).err(), Some(LayoutError::NotATable));
}

#[test]
fn no_changed_byte_is_taken_for_content() {
    let (bytes, contents) = sample();
    let bytes = finished(bytes, &contents);
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let checked = TableReader::open(bytes).and_then(|table| table.check_everything());
            assert!(checked.is_err(), "byte {at} ^ {flip:#x}");
        }
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let (bytes, contents) = sample();
    let mut bytes = finished(bytes, &contents);
    bytes[8] = 2;
    let newer = TableReader::open(bytes.as_slice()).expect_err("newer");
    assert_eq!(newer, LayoutError::Newer { found: 2, known: 1 });
    bytes[8] = 1;
    bytes[128] ^= 1;
    let table = TableReader::open(bytes).expect("header and trailer are sound");
    let piece = block_bytes(&table, (0, 3), BlockKind::Lost, 0).expect_err("damaged");
    assert_eq!(format!("{piece}"), "corrupt piece at byte 128: its checksum does not match; generate the table again");
    assert_eq!(
        block_bytes(&table, (0, 1), BlockKind::Won, 1),
        Ok(Some(b"also".to_vec())),
        "other pieces are none the worse"
    );
}

#[test]
fn sections_follow_one_another() {
    let facts = FACTS();
    let section = |pawn_slice, offset, first: u16, is_last| {
        let levels = [LevelTotals { n: first, won: 1, lost: 1 }];
        SectionBuilder::new(pawn_slice, offset).finish(&facts, &levels, [0; 2], is_last).section
    };
    let mut contents = TableContents::new(facts);
    contents.push(&section(1, 64, 0, false)).expect("the first");
    let end = contents.end();
    assert!(contents.push(&section(1, end + 8, 1, false)).is_err(), "a hole");
    assert!(contents.push(&section(1, end, 2, false)).is_err(), "a missing level");
    contents.push(&section(1, end, 1, true)).expect("the second");
    assert!(contents.push(&section(1, contents.end(), 2, true)).is_err(), "behind the last");
    contents.push(&section(0, contents.end(), 0, true)).expect("another pawn slice");
    assert_eq!(contents.pawn_slice_sections(1).collect::<Vec<_>>(), vec![0, 1]);
}

/// FORMAT.md shows a small table byte by byte.
#[test]
fn the_worked_example_is_true() {
    let facts = TableInfo { name: TableName::new("KQvK").expect("a name"), pawn_slices: 1, tiles: 1 };
    let level = |n, won, lost| LevelTotals { n, won, lost };
    let (mut lost, mut won) = (vec![], vec![]);
    crate::codec::encode([(0, 1 << 56), (2, 0x3838 << 40)].into_iter(), &mut lost);
    crate::codec::encode([(2, 1 << 63 | 1)].into_iter(), &mut won);
    let pieces: [(BlockKind, u16, u32, &[u8]); 2] = [(BlockKind::Lost, 0, 0, &lost), (BlockKind::Won, 1, 0, &won)];
    let (bytes, contents) = written(facts, &[(0, &[level(0, 0, 56), level(1, 200, 0)], [300, 400], true, &pieces)]);
    let bytes = finished(bytes, &contents);
    let format = include_str!("../FORMAT.md");
    let example = format.rsplit("```").nth(1).expect("the last example");
    let told: Vec<u8> = example
        .lines()
        .flat_map(|line| {
            line.split_whitespace().take_while(|word| word.len() == 2).map(|word| u8::from_str_radix(word, 16))
        })
        .collect::<Result<_, _>>()
        .expect("hex");
    let hex: Vec<_> = bytes
        .chunks(16)
        .map(|line| line.iter().map(|byte| format!("{byte:02x} ")).collect::<alloc::string::String>())
        .collect();
    assert_eq!(told, bytes, "the writer says\n{}", hex.join("\n"));
    TableReader::open(bytes).expect("a table").check_everything().expect("sound");
}

#[test]
fn counts_that_cannot_be_added_up_are_refused() {
    let mate: (BlockKind, u16, u32, &[u8]) = (BlockKind::Lost, 0, 3, b"mate");
    for (levels, legal) in [
        ([LevelTotals { n: 0, won: 0, lost: 8 }], [u64::MAX, 1]),
        ([LevelTotals { n: 0, won: u64::MAX, lost: 8 }], [1, 1]),
        ([LevelTotals { n: 0, won: 0, lost: (1 << 60) + 1 }], [1, 1]),
    ] {
        let (bytes, contents) = written(FACTS(), &[(0, &levels, legal, true, &[mate]), (1, &[], [0, 0], true, &[])]);
        let bytes = finished(bytes, &contents);
        let error = TableReader::open(bytes.as_slice()).map(drop).expect_err("refused");
        assert!(format!("{error}").contains("more positions than there can be"), "{error}");
    }
}
