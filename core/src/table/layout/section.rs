//! A section: some levels of one cell, as pieces and a directory of them.
//!
//! It is written in one go, its header last, so that a section that was broken off has no header. The file is read
//! section by section too: [`Section`] is a directory in memory, sorted for looking up.

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::LayoutError;
use super::header::{Facts, HEADER};
use super::number::{Numbers, put, u16_at, u32_at, u64_at, unzigzag, zigzag};
use super::read::{ReadAt, bytes};

/// First bytes of a section.
pub const SECTION: [u8; 8] = *b"plyegtse";

/// What a piece holds of a tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Positions lost in exactly `n`.
    Lost,
    /// Positions won in exactly `n`.
    Won,
    /// All won positions; `n` is 0.
    Bitmap,
    /// Stalemates; `n` is 0.
    Stale,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Lost, Kind::Won, Kind::Bitmap, Kind::Stale];

    /// Whether there is one for each `n`.
    #[must_use]
    pub const fn has_levels(self) -> bool {
        matches!(self, Kind::Lost | Kind::Won)
    }
}

/// How many positions have a distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// The distance in moves.
    pub n: u16,
    /// Positions won in exactly `n`, as the caller counted them.
    pub won: u64,
    /// Positions lost in exactly `n`.
    pub lost: u64,
}

/// Legal positions: White to move, Black to move.
pub type Legal = [u64; 2];

/// What the trailer and a section's header say of a section: enough to know whether to look into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Which cell.
    pub cell: u32,
    /// The first of its levels.
    pub first: u16,
    /// How many levels, possibly none.
    pub levels: u16,
    /// Whether the cell ends here.
    pub is_last: bool,
    /// Whether there is a piece of [`Kind::Bitmap`].
    pub has_bitmap: bool,
    /// Whether there is a piece of [`Kind::Stale`].
    pub has_stale: bool,
    /// How many pieces.
    pub pieces: u32,
    /// Where its header begins.
    pub offset: u64,
    /// Bytes of its pieces.
    pub payload: u64,
    /// Bytes of its directory, a multiple of eight.
    pub directory: u64,
}

impl Entry {
    /// The byte behind it.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.directory_at().saturating_add(self.directory)
    }

    /// Whether it has this level.
    #[must_use]
    pub fn has_level(&self, n: u16) -> bool {
        n >= self.first && n - self.first < self.levels
    }

    /// Whether a piece of this kind and level can be in it.
    #[must_use]
    pub fn can_have(&self, kind: Kind, n: u16) -> bool {
        match kind {
            Kind::Lost | Kind::Won => self.has_level(n),
            Kind::Bitmap => self.has_bitmap,
            Kind::Stale => self.has_stale,
        }
    }

    fn payload_at(&self) -> u64 {
        self.offset.saturating_add(HEADER)
    }

    fn payload_end(&self) -> u64 {
        self.payload_at().saturating_add(self.payload)
    }

    fn directory_at(&self) -> u64 {
        self.payload_end().checked_next_multiple_of(8).unwrap_or(u64::MAX)
    }

    pub(super) fn flags(&self) -> u32 {
        u32::from(self.is_last) | u32::from(self.has_bitmap) << 1 | u32::from(self.has_stale) << 2
    }

    fn to_bytes(self, checksum: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&SECTION);
        bytes[8..12].copy_from_slice(&self.cell.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.flags().to_le_bytes());
        bytes[16..18].copy_from_slice(&self.first.to_le_bytes());
        bytes[18..20].copy_from_slice(&self.levels.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.pieces.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.offset.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.payload.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.directory.to_le_bytes());
        bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The entry and the directory's checksum.
    fn from_bytes<E>(bytes: &[u8; 64], facts: &Facts, offset: u64) -> Result<(Entry, u64), LayoutError<E>> {
        let section = "section header";
        let wrong = |what| LayoutError::Inconsistent { section, offset, what };
        if bytes[..8] != SECTION {
            return Err(wrong("a section should begin here"));
        }
        if xxh3_64(&bytes[..56]) != u64_at(bytes, 56) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        let flags = u32_at(bytes, 12);
        let entry = Entry {
            cell: u32_at(bytes, 8),
            first: u16_at(bytes, 16),
            levels: u16_at(bytes, 18),
            is_last: flags & 1 != 0,
            has_bitmap: flags & 2 != 0,
            has_stale: flags & 4 != 0,
            pieces: u32_at(bytes, 20),
            offset: u64_at(bytes, 24),
            payload: u64_at(bytes, 32),
            directory: u64_at(bytes, 40),
        };
        if entry.offset != offset {
            return Err(wrong("it was written for another place"));
        }
        entry.check(facts, flags).map_err(wrong)?;
        Ok((entry, u64_at(bytes, 48)))
    }

    /// What cannot be, whatever the pieces are.
    pub(super) fn check(&self, facts: &Facts, flags: u32) -> Result<(), &'static str> {
        if flags > 7 {
            return Err("it has unknown flags");
        }
        if self.cell >= facts.cells {
            return Err("the table has no such cell");
        }
        if self.first.checked_add(self.levels).is_none() {
            return Err("it has too many levels");
        }
        if self.end() == u64::MAX || !self.directory.is_multiple_of(8) {
            return Err("its lengths are impossible");
        }
        Ok(())
    }
}

/// A piece and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it holds.
    pub kind: Kind,
    /// Of which level; 0 for kinds without.
    pub n: u16,
    /// Of which tile.
    pub tile: u32,
    /// Where its bytes begin in the file.
    pub offset: u64,
    /// How many bytes.
    pub length: u32,
    /// The low half of their XXH3-64.
    pub checksum: u32,
}

impl Piece {
    fn key(&self) -> (Kind, u16, u32) {
        (self.kind, self.n, self.tile)
    }

    /// Reads the piece into a buffer that is used again, and checks it.
    ///
    /// # Errors
    ///
    /// What the reader says; bytes that are missing or do not fit their checksum.
    pub fn read_into<R: ReadAt>(&self, reader: &R, buffer: &mut Vec<u8>) -> Result<(), LayoutError<R::Error>> {
        let (section, offset) = ("piece", self.offset);
        super::read::bytes_into(reader, section, offset, self.length.into(), buffer)?;
        if xxh3_64(buffer) as u32 != self.checksum {
            return Err(LayoutError::Corrupt { section, offset });
        }
        Ok(())
    }
}

/// The directory of a section in memory: 32 bytes a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What the trailer says of it too.
    pub entry: Entry,
    /// Counts of its levels, ascending without gaps.
    pub levels: Vec<Level>,
    /// Legal positions of the cell if this is its first section, else zeros.
    pub legal: Legal,
    /// By kind, level and tile.
    pieces: Vec<Piece>,
}

impl Section {
    /// Reads and checks a section's header and directory. Its pieces are not read.
    ///
    /// # Errors
    ///
    /// Whatever is wrong, with its offset.
    pub fn read<R: ReadAt>(reader: &R, facts: &Facts, offset: u64) -> Result<Section, LayoutError<R::Error>> {
        let mut header = [0; 64];
        header.copy_from_slice(&bytes(reader, "section header", offset, HEADER)?);
        let (entry, checksum) = Entry::from_bytes(&header, facts, offset)?;
        let (section, offset) = ("directory", entry.directory_at());
        let padding = offset - entry.payload_end();
        let tail = bytes(reader, section, entry.payload_end(), padding + entry.directory)?;
        let (padding, directory) = tail.split_at(padding as usize);
        if xxh3_64(directory) != checksum || padding.iter().any(|&byte| byte != 0) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        parse(entry, directory, facts).map_err(|what| LayoutError::Inconsistent { section, offset, what })
    }

    /// All pieces by kind, level and tile.
    #[must_use]
    pub fn all(&self) -> &[Piece] {
        &self.pieces
    }

    /// The pieces of a kind and level by tile.
    #[must_use]
    pub fn pieces(&self, kind: Kind, n: u16) -> &[Piece] {
        let from = self.pieces.partition_point(|piece| (piece.kind, piece.n) < (kind, n));
        let of = &self.pieces[from..];
        &of[..of.partition_point(|piece| (piece.kind, piece.n) == (kind, n))]
    }

    /// The piece of a tile.
    #[must_use]
    pub fn piece(&self, tile: u32, kind: Kind, n: u16) -> Option<&Piece> {
        let found = self.pieces.binary_search_by_key(&(kind, n, tile), Piece::key);
        found.ok().map(|at| &self.pieces[at])
    }
}

const KIND: u8 = 3;
const SAME_LEVEL: u8 = 4;
const NEXT_TILE: u8 = 8;

/// What the directory's entries are told relative to.
struct Before {
    n: u16,
    tile: u32,
    offset: u64,
}

impl Before {
    fn new(entry: &Entry) -> Before {
        Before { n: entry.first, tile: u32::MAX, offset: entry.payload_at() }
    }

    fn put(&mut self, piece: &Piece, out: &mut Vec<u8>) {
        let (is_same, is_next) =
            (!piece.kind.has_levels() || piece.n == self.n, piece.tile == self.tile.wrapping_add(1));
        out.push(piece.kind as u8 | if is_same { SAME_LEVEL } else { 0 } | if is_next { NEXT_TILE } else { 0 });
        if !is_same {
            put(zigzag(i64::from(piece.n) - i64::from(self.n)), out);
        }
        if !is_next {
            put(zigzag(i64::from(piece.tile) - i64::from(self.tile)), out);
        }
        put(piece.length.into(), out);
        out.extend(piece.checksum.to_le_bytes());
        self.after(piece);
    }

    fn after(&mut self, piece: &Piece) {
        if piece.kind.has_levels() {
            self.n = piece.n;
        }
        self.tile = piece.tile;
        self.offset += u64::from(piece.length);
    }

    fn take(&mut self, numbers: &mut Numbers<'_>) -> Option<Piece> {
        let [head] = numbers.take()?;
        if head >= 16 {
            return None;
        }
        let moved = |from: i64, number: u64| from.checked_add(unzigzag(number));
        let kind = Kind::ALL[usize::from(head & KIND)];
        let n = match head & SAME_LEVEL != 0 {
            true => self.n,
            false => u16::try_from(moved(self.n.into(), numbers.varint()?)?).ok()?,
        };
        let tile = match head & NEXT_TILE != 0 {
            true => self.tile.wrapping_add(1),
            false => u32::try_from(moved(self.tile.into(), numbers.varint()?)?).ok()?,
        };
        let n = if kind.has_levels() { n } else { 0 };
        let length = numbers.small()?;
        let checksum = u32::from_le_bytes(numbers.take()?);
        let piece = Piece { kind, n, tile, offset: self.offset, length, checksum };
        self.after(&piece);
        Some(piece)
    }
}

/// The fewest bytes of a piece in the directory.
const LEAST: u64 = 6;

fn parse(entry: Entry, directory: &[u8], facts: &Facts) -> Result<Section, &'static str> {
    const CUT: &str = "it ends too early";
    let mut numbers = Numbers(directory);
    let mut legal = [0; 2];
    for legal in &mut legal {
        *legal = numbers.varint().ok_or(CUT)?;
    }
    let mut levels = Vec::with_capacity(usize::from(entry.levels).min(directory.len()));
    for n in entry.first..entry.first + entry.levels {
        let (won, lost) = (numbers.varint().ok_or(CUT)?, numbers.varint().ok_or(CUT)?);
        levels.push(Level { n, won, lost });
    }
    if u64::from(entry.pieces) * LEAST > entry.directory {
        return Err(CUT);
    }
    let mut before = Before::new(&entry);
    let mut pieces = Vec::with_capacity(entry.pieces as usize);
    for _ in 0..entry.pieces {
        let piece = before.take(&mut numbers).ok_or("it has a piece that cannot be")?;
        if !entry.can_have(piece.kind, piece.n) {
            return Err("it has a piece of another level than it says");
        }
        if piece.tile >= facts.tiles {
            return Err("it has a piece of a tile that the table has not");
        }
        if piece.offset + u64::from(piece.length) > entry.payload_end() {
            return Err("it has more pieces than there are bytes");
        }
        pieces.push(piece);
    }
    if before.offset != entry.payload_end() || !numbers.is_at_end() {
        return Err("its lengths do not add up");
    }
    pieces.sort_unstable_by_key(Piece::key);
    if pieces.windows(2).any(|pair| pair[0].key() == pair[1].key()) {
        return Err("it has a piece twice");
    }
    Ok(Section { entry, levels, legal, pieces })
}

/// A section while it is written: the caller writes [`HEADER`] zeros and the bytes of each piece one after the other,
/// then what [`finish`](Building::finish) gives.
#[derive(Clone, Debug)]
pub struct Building {
    cell: u32,
    offset: u64,
    payload: u64,
    pieces: Vec<Piece>,
}

/// The rest of a section's bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// To be written behind the pieces.
    pub tail: Vec<u8>,
    /// To be written in place of the zeros, last.
    pub header: [u8; 64],
    /// The section as a reader will find it.
    pub section: Section,
}

impl Building {
    /// Begins a section of a cell at an offset of the file, a multiple of eight.
    #[must_use]
    pub fn new(cell: u32, offset: u64) -> Building {
        Building { cell, offset, payload: 0, pieces: Vec::new() }
    }

    /// Notes a piece, whose bytes the caller writes behind the piece before.
    ///
    /// # Panics
    ///
    /// If the piece has 4 GiB or more, or an `n` although its kind has none.
    pub fn piece(&mut self, kind: Kind, n: u16, tile: u32, bytes: &[u8]) {
        assert!(kind.has_levels() || n == 0, "{kind:?} has no levels");
        let length = u32::try_from(bytes.len()).expect("a piece is a tile's, and tiles are small");
        let offset = self.offset + HEADER + self.payload;
        self.pieces.push(Piece { kind, n, tile, offset, length, checksum: xxh3_64(bytes) as u32 });
        self.payload += u64::from(length);
    }

    /// Where the next bytes go.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + HEADER + self.payload
    }

    /// Ends the section. `levels` ascend without gaps and include that of every piece; `legal` is that of the cell if
    /// this is its first section, else zeros.
    ///
    /// # Panics
    ///
    /// If levels, pieces and `facts` contradict each other: the reader would refuse the section.
    #[must_use]
    pub fn finish(self, facts: &Facts, levels: &[Level], legal: Legal, is_last: bool) -> Built {
        let has = |kind| self.pieces.iter().any(|piece| piece.kind == kind);
        let mut entry = Entry {
            cell: self.cell,
            first: levels.first().map_or(0, |level| level.n),
            levels: u16::try_from(levels.len()).expect("levels fit 16 bits"),
            is_last,
            has_bitmap: has(Kind::Bitmap),
            has_stale: has(Kind::Stale),
            pieces: u32::try_from(self.pieces.len()).expect("pieces of a section fit 32 bits"),
            offset: self.offset,
            payload: self.payload,
            directory: 0,
        };
        assert!((entry.first..).zip(levels).all(|(n, level)| n == level.n), "levels ascend without gaps");
        let mut directory = Vec::new();
        for number in legal.into_iter().chain(levels.iter().flat_map(|level| [level.won, level.lost])) {
            put(number, &mut directory);
        }
        let mut before = Before::new(&entry);
        for piece in &self.pieces {
            before.put(piece, &mut directory);
        }
        directory.resize(directory.len().next_multiple_of(8), 0);
        entry.directory = directory.len() as u64;
        let section = entry.check(facts, entry.flags()).and_then(|()| parse(entry, &directory, facts));
        let section = section.unwrap_or_else(|what| panic!("cell {}: a section of which {what}", self.cell));
        let padding = entry.directory_at() - entry.payload_end();
        let mut tail = alloc::vec![0; padding as usize];
        tail.extend_from_slice(&directory);
        Built { tail, header: entry.to_bytes(xxh3_64(&directory)), section }
    }
}
