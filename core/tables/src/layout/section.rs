//! A section: some levels of one pawn slice, as blocks and a directory of them.
//!
//! A section is written in one go, its header last, so an interrupted section has no header. The file is also read section by
//! section: [`TableSection`] is a directory in memory, sorted for lookups.

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::LayoutError;
use super::header::{HEADER_BYTES, TableInfo};
use super::read::{ReadAt, read_bytes};
use super::varint::{VarintReader, put_varint, u16_at, u32_at, u64_at, unzigzag, zigzag};

/// First bytes of a section.
pub const SECTION_MAGIC: [u8; 8] = *b"plyegtse";

/// Which positions of a tile a block holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockKind {
    /// Positions lost in exactly `n`.
    Lost,
    /// Positions won in exactly `n`.
    Won,
    /// All won positions; `n` is 0.
    Bitmap,
    /// Stalemates; `n` is 0.
    Stalemate,
}

impl BlockKind {
    const ALL: [BlockKind; 4] = [BlockKind::Lost, BlockKind::Won, BlockKind::Bitmap, BlockKind::Stalemate];

    /// Returns whether there is a block for each `n`.
    pub const fn has_levels(self) -> bool {
        matches!(self, BlockKind::Lost | BlockKind::Won)
    }
}

/// How many positions have a distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LevelTotals {
    /// The distance in moves.
    pub n: u16,
    /// Positions won in exactly `n`, as the caller counted them.
    pub won: u64,
    /// Positions lost in exactly `n`.
    pub lost: u64,
}

/// Legal positions: White to move, Black to move.
pub type LegalCounts = [u64; 2];

/// What the trailer and a section's header say about a section: enough to decide whether to read its directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionEntry {
    /// The number of the pawn slice.
    pub pawn_slice: u32,
    /// The first of its levels.
    pub first_level: u16,
    /// The number of levels, possibly 0.
    pub levels: u16,
    /// Whether this is the last section of the pawn slice.
    pub is_last: bool,
    /// Whether there is a block of [`BlockKind::Bitmap`].
    pub has_bitmap: bool,
    /// Whether there is a block of [`BlockKind::Stalemate`].
    pub has_stalemates: bool,
    /// The number of blocks.
    pub blocks: u32,
    /// Where its header begins.
    pub offset: u64,
    /// Bytes of its blocks.
    pub payload_bytes: u64,
    /// Bytes of its directory, a multiple of eight.
    pub directory_bytes: u64,
}

impl SectionEntry {
    /// The offset of the byte behind the section.
    pub fn end(&self) -> u64 {
        self.directory_start().saturating_add(self.directory_bytes)
    }

    /// Whether it has this level.
    pub(crate) fn has_level(&self, n: u16) -> bool {
        n >= self.first_level && n - self.first_level < self.levels
    }

    /// Returns whether a block of this kind and level can be in it.
    pub fn may_have(&self, kind: BlockKind, n: u16) -> bool {
        match kind {
            BlockKind::Lost | BlockKind::Won => self.has_level(n),
            BlockKind::Bitmap => self.has_bitmap,
            BlockKind::Stalemate => self.has_stalemates,
        }
    }

    fn payload_start(&self) -> u64 {
        self.offset.saturating_add(HEADER_BYTES)
    }

    fn payload_end(&self) -> u64 {
        self.payload_start().saturating_add(self.payload_bytes)
    }

    fn directory_start(&self) -> u64 {
        self.payload_end().checked_next_multiple_of(8).unwrap_or(u64::MAX)
    }

    pub(super) fn flags(&self) -> u32 {
        u32::from(self.is_last) | u32::from(self.has_bitmap) << 1 | u32::from(self.has_stalemates) << 2
    }

    fn to_bytes(self, checksum: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&SECTION_MAGIC);
        bytes[8..12].copy_from_slice(&self.pawn_slice.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.flags().to_le_bytes());
        bytes[16..18].copy_from_slice(&self.first_level.to_le_bytes());
        bytes[18..20].copy_from_slice(&self.levels.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.offset.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.directory_bytes.to_le_bytes());
        bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The entry and the directory's checksum.
    fn from_bytes<E>(bytes: &[u8; 64], info: &TableInfo, offset: u64) -> Result<(SectionEntry, u64), LayoutError<E>> {
        let section = "section header";
        let inconsistent = |what| LayoutError::Inconsistent { section, offset, what };
        if bytes[..8] != SECTION_MAGIC {
            return Err(inconsistent("a section should begin here"));
        }
        if xxh3_64(&bytes[..56]) != u64_at(bytes, 56) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        let flags = u32_at(bytes, 12);
        let entry = SectionEntry {
            pawn_slice: u32_at(bytes, 8),
            first_level: u16_at(bytes, 16),
            levels: u16_at(bytes, 18),
            is_last: flags & 1 != 0,
            has_bitmap: flags & 2 != 0,
            has_stalemates: flags & 4 != 0,
            blocks: u32_at(bytes, 20),
            offset: u64_at(bytes, 24),
            payload_bytes: u64_at(bytes, 32),
            directory_bytes: u64_at(bytes, 40),
        };
        if entry.offset != offset {
            return Err(inconsistent("it was written at another place"));
        }
        entry.check(info, flags).map_err(inconsistent)?;
        Ok((entry, u64_at(bytes, 48)))
    }

    /// A contradiction in the entry itself, whatever the blocks are.
    pub(super) fn check(&self, info: &TableInfo, flags: u32) -> Result<(), &'static str> {
        if flags > 7 {
            return Err("it has unknown flags");
        }
        if self.pawn_slice >= info.pawn_slices {
            return Err("the table has no such pawn slice");
        }
        if self.first_level.checked_add(self.levels).is_none() {
            return Err("it has too many levels");
        }
        if self.end() == u64::MAX || !self.directory_bytes.is_multiple_of(8) {
            return Err("its lengths are impossible");
        }
        Ok(())
    }
}

/// A block and its place in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SetBlock {
    /// Which positions it holds.
    pub kind: BlockKind,
    /// Its level; 0 for a kind without levels.
    pub n: u16,
    /// Its tile.
    pub tile: u32,
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// The number of its bytes.
    pub length: u32,
    /// The low half of the XXH3-64 of its bytes.
    pub checksum: u32,
}

impl SetBlock {
    fn key(&self) -> (BlockKind, u16, u32) {
        (self.kind, self.n, self.tile)
    }

    /// Reads the block into a reused buffer and checks it.
    ///
    /// # Errors
    ///
    /// The reader fails, or the bytes are missing or do not match their checksum.
    pub fn read_into<R: ReadAt>(&self, reader: &R, buffer: &mut Vec<u8>) -> Result<(), LayoutError<R::Error>> {
        let (section, offset) = ("piece", self.offset);
        super::read::read_bytes_into(reader, section, offset, self.length.into(), buffer)?;
        if xxh3_64(buffer) as u32 != self.checksum {
            return Err(LayoutError::Corrupt { section, offset });
        }
        Ok(())
    }
}

/// The directory of a section in memory: 32 bytes a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSection {
    /// The entry of the section, which the trailer has too.
    pub entry: SectionEntry,
    /// The counts of its levels, ascending without gaps.
    pub levels: Vec<LevelTotals>,
    /// Legal positions of the pawn slice if this is its first section, else zeros.
    pub legal: LegalCounts,
    /// The blocks, sorted by kind, level and tile.
    blocks: Vec<SetBlock>,
}

impl TableSection {
    /// Reads and checks a section's header and directory. Its blocks are not read.
    ///
    /// # Errors
    ///
    /// The first fault found, with its offset.
    pub fn read<R: ReadAt>(reader: &R, info: &TableInfo, offset: u64) -> Result<TableSection, LayoutError<R::Error>> {
        let mut header = [0; 64];
        header.copy_from_slice(&read_bytes(reader, "section header", offset, HEADER_BYTES)?);
        let (entry, checksum) = SectionEntry::from_bytes(&header, info, offset)?;
        let (section, offset) = ("directory", entry.directory_start());
        let padding = offset - entry.payload_end();
        let tail = read_bytes(reader, section, entry.payload_end(), padding + entry.directory_bytes)?;
        let (padding, directory) = tail.split_at(padding as usize);
        if xxh3_64(directory) != checksum || padding.iter().any(|&byte| byte != 0) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        parse(entry, directory, info).map_err(|what| LayoutError::Inconsistent { section, offset, what })
    }

    /// All blocks by kind, level and tile.
    pub fn all_blocks(&self) -> &[SetBlock] {
        &self.blocks
    }

    /// The blocks of a kind and level by tile.
    pub fn blocks(&self, kind: BlockKind, n: u16) -> &[SetBlock] {
        let from = self.blocks.partition_point(|piece| (piece.kind, piece.n) < (kind, n));
        let following = &self.blocks[from..];
        &following[..following.partition_point(|piece| (piece.kind, piece.n) == (kind, n))]
    }

    /// The block of a tile.
    pub fn block_of(&self, tile: u32, kind: BlockKind, n: u16) -> Option<&SetBlock> {
        let index = self.blocks.binary_search_by_key(&(kind, n, tile), SetBlock::key);
        index.ok().map(|at| &self.blocks[at])
    }
}

const KIND_MASK: u8 = 3;
const SAME_LEVEL_FLAG: u8 = 4;
const NEXT_TILE_FLAG: u8 = 8;

/// The values of the entry before, from which the next entry of the directory says the difference.
struct DirectoryState {
    n: u16,
    tile: u32,
    offset: u64,
}

impl DirectoryState {
    fn new(entry: &SectionEntry) -> DirectoryState {
        DirectoryState { n: entry.first_level, tile: u32::MAX, offset: entry.payload_start() }
    }

    fn write_block(&mut self, block: &SetBlock, out: &mut Vec<u8>) {
        let (is_same, is_next) =
            (!block.kind.has_levels() || block.n == self.n, block.tile == self.tile.wrapping_add(1));
        out.push(
            block.kind as u8 | if is_same { SAME_LEVEL_FLAG } else { 0 } | if is_next { NEXT_TILE_FLAG } else { 0 },
        );
        if !is_same {
            put_varint(zigzag(i64::from(block.n) - i64::from(self.n)), out);
        }
        if !is_next {
            put_varint(zigzag(i64::from(block.tile) - i64::from(self.tile)), out);
        }
        put_varint(block.length.into(), out);
        out.extend(block.checksum.to_le_bytes());
        self.advance(block);
    }

    fn advance(&mut self, block: &SetBlock) {
        if block.kind.has_levels() {
            self.n = block.n;
        }
        self.tile = block.tile;
        self.offset += u64::from(block.length);
    }

    fn read_block(&mut self, numbers: &mut VarintReader<'_>) -> Option<SetBlock> {
        let [head] = numbers.bytes()?;
        if head >= 16 {
            return None;
        }
        let moved = |from: i64, number: u64| from.checked_add(unzigzag(number));
        let kind = BlockKind::ALL[usize::from(head & KIND_MASK)];
        let n = match head & SAME_LEVEL_FLAG != 0 {
            true => self.n,
            false => u16::try_from(moved(self.n.into(), numbers.varint()?)?).ok()?,
        };
        let tile = match head & NEXT_TILE_FLAG != 0 {
            true => self.tile.wrapping_add(1),
            false => u32::try_from(moved(self.tile.into(), numbers.varint()?)?).ok()?,
        };
        let n = if kind.has_levels() { n } else { 0 };
        let length = numbers.varint_as()?;
        let checksum = u32::from_le_bytes(numbers.bytes()?);
        let block = SetBlock { kind, n, tile, offset: self.offset, length, checksum };
        self.advance(&block);
        Some(block)
    }
}

/// The fewest bytes of a block in the directory.
const MIN_ENTRY_BYTES: u64 = 6;

fn parse(entry: SectionEntry, directory: &[u8], info: &TableInfo) -> Result<TableSection, &'static str> {
    const CUT: &str = "it ends too early";
    let mut numbers = VarintReader(directory);
    let mut legal = [0; 2];
    for legal in &mut legal {
        *legal = numbers.varint().ok_or(CUT)?;
    }
    let mut levels = Vec::with_capacity(usize::from(entry.levels).min(directory.len()));
    for n in entry.first_level..entry.first_level + entry.levels {
        let (won, lost) = (numbers.varint().ok_or(CUT)?, numbers.varint().ok_or(CUT)?);
        levels.push(LevelTotals { n, won, lost });
    }
    if u64::from(entry.blocks) * MIN_ENTRY_BYTES > entry.directory_bytes {
        return Err(CUT);
    }
    let mut before = DirectoryState::new(&entry);
    let mut pieces = Vec::with_capacity(entry.blocks as usize);
    for _ in 0..entry.blocks {
        let piece = before.read_block(&mut numbers).ok_or("it has an impossible piece")?;
        if !entry.may_have(piece.kind, piece.n) {
            return Err("it has a piece of another level than its own");
        }
        if piece.tile >= info.tiles {
            return Err("it has a piece of a tile that the table does not have");
        }
        if piece.offset + u64::from(piece.length) > entry.payload_end() {
            return Err("it has more pieces than there are bytes");
        }
        pieces.push(piece);
    }
    if before.offset != entry.payload_end() || !numbers.is_at_end() {
        return Err("its lengths do not add up");
    }
    pieces.sort_unstable_by_key(SetBlock::key);
    if pieces.windows(2).any(|pair| pair[0].key() == pair[1].key()) {
        return Err("it has a piece twice");
    }
    Ok(TableSection { entry, levels, legal, blocks: pieces })
}

/// Builds a section. The caller writes [`HEADER_BYTES`] zeros, the bytes of each block one after the other, and then what
/// [`finish`](SectionBuilder::finish) returns.
#[derive(Clone, Debug)]
pub struct SectionBuilder {
    pawn_slice: u32,
    offset: u64,
    payload_bytes: u64,
    blocks: Vec<SetBlock>,
}

/// The bytes of a section other than its blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedSection {
    /// The bytes to write behind the blocks.
    pub tail: Vec<u8>,
    /// The bytes to write last, in place of the zeros.
    pub header: [u8; 64],
    /// The section as a reader finds it.
    pub section: TableSection,
}

impl SectionBuilder {
    /// Begins a section of a pawn slice at an offset in the file, which must be a multiple of eight.
    pub fn new(pawn_slice: u32, offset: u64) -> SectionBuilder {
        debug_assert!(offset.is_multiple_of(8), "sections begin at multiples of eight");
        SectionBuilder { pawn_slice, offset, payload_bytes: 0, blocks: Vec::new() }
    }

    /// Adds a block, whose bytes the caller writes behind the block before.
    ///
    /// # Panics
    ///
    /// If the block has 4 GiB or more, or an `n` although its kind has none.
    pub fn add_block(&mut self, kind: BlockKind, n: u16, tile: u32, bytes: &[u8]) {
        assert!(kind.has_levels() || n == 0, "{kind:?} has no levels");
        let length = u32::try_from(bytes.len()).expect("a piece is a tile's, and tiles are small");
        let offset = self.offset + HEADER_BYTES + self.payload_bytes;
        self.blocks.push(SetBlock { kind, n, tile, offset, length, checksum: xxh3_64(bytes) as u32 });
        self.payload_bytes += u64::from(length);
    }

    /// The offset of the next bytes.
    pub fn end(&self) -> u64 {
        self.offset + HEADER_BYTES + self.payload_bytes
    }

    /// Ends the section. `levels` must ascend without gaps and include the level of every block. `legal` has the legal positions of
    /// the pawn slice if this is its first section, and zeros otherwise.
    ///
    /// # Panics
    ///
    /// If levels, blocks and the table's shape contradict each other: the reader would refuse the section.
    pub fn finish(
        self,
        info: &TableInfo,
        levels: &[LevelTotals],
        legal: LegalCounts,
        is_last: bool,
    ) -> FinishedSection {
        let has = |kind| self.blocks.iter().any(|piece| piece.kind == kind);
        let mut entry = SectionEntry {
            pawn_slice: self.pawn_slice,
            first_level: levels.first().map_or(0, |level| level.n),
            levels: u16::try_from(levels.len()).expect("levels fit 16 bits"),
            is_last,
            has_bitmap: has(BlockKind::Bitmap),
            has_stalemates: has(BlockKind::Stalemate),
            blocks: u32::try_from(self.blocks.len()).expect("pieces of a section fit 32 bits"),
            offset: self.offset,
            payload_bytes: self.payload_bytes,
            directory_bytes: 0,
        };
        assert!((entry.first_level..).zip(levels).all(|(n, level)| n == level.n), "levels ascend without gaps");
        let mut directory = Vec::new();
        for number in legal.into_iter().chain(levels.iter().flat_map(|level| [level.won, level.lost])) {
            put_varint(number, &mut directory);
        }
        let mut before = DirectoryState::new(&entry);
        for piece in &self.blocks {
            before.write_block(piece, &mut directory);
        }
        directory.resize(directory.len().next_multiple_of(8), 0);
        entry.directory_bytes = directory.len() as u64;
        let section = entry.check(info, entry.flags()).and_then(|()| parse(entry, &directory, info));
        let section =
            section.unwrap_or_else(|what| panic!("pawn slice {}: a section of which {what}", self.pawn_slice));
        let padding = entry.directory_start() - entry.payload_end();
        let mut tail = alloc::vec![0; padding as usize];
        tail.extend_from_slice(&directory);
        FinishedSection { tail, header: entry.to_bytes(xxh3_64(&directory)), section }
    }
}
