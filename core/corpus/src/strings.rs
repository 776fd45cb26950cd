//! A table of names: each distinct name once, in the order of first use.
//!
//! Bytes: `u32` count, count + 1 `u32` offsets into the bytes that follow, UTF-8 bytes.

use alloc::vec::Vec;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// A table while it is filled.
#[derive(Default)]
pub(super) struct StringTableBuilder {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    index: HashTable<u32>,
    /// The index of the name that was looked up last.
    last_index: Option<u32>,
}

impl StringTableBuilder {
    /// The index of `name`, which joins the table if it is new.
    pub fn index_of(&mut self, name: &str) -> u32 {
        let StringTableBuilder { bytes, ends, index, last_index: last } = self;
        let text = |at: u32| {
            let start = if at == 0 { 0 } else { ends[at as usize - 1] as usize };
            &bytes[start..ends[at as usize] as usize]
        };
        // PERF: neighbouring games often have the same event, and many games lack a name. In an import of games with one move, 17 % of
        // the instructions were spent on searches for four names.
        if let Some(known) = last.filter(|&at| text(at) == name.as_bytes()) {
            return known;
        }
        let hash = xxh3_64(name.as_bytes());
        let at = match index.find(hash, |&at| text(at) == name.as_bytes()) {
            Some(&known) => known,
            None => {
                let at = ends.len() as u32;
                index.insert_unique(hash, at, |&other| xxh3_64(text(other)));
                bytes.extend_from_slice(name.as_bytes());
                ends.push(bytes.len() as u32);
                at
            }
        };
        *last = Some(at);
        at
    }

    /// Returns how many names there are.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns whether there is no name but the empty one.
    pub fn has_only_empty_name(&self) -> bool {
        self.len() <= 1 && self.bytes.is_empty()
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.index.clear();
        self.last_index = None;
    }

    /// The table as stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + self.ends.len() * 4 + self.bytes.len());
        out.extend_from_slice(&(self.ends.len() as u32).to_le_bytes());
        out.extend_from_slice(&0u32.to_le_bytes());
        out.extend_from_slice(bytemuck::cast_slice(&self.ends));
        out.extend_from_slice(&self.bytes);
        out
    }
}

/// A table as it is stored in a shard.
#[derive(Clone, Copy, Debug)]
pub struct StringTable<'a> {
    offsets: &'a [u32],
    bytes: &'a [u8],
}

impl<'a> StringTable<'a> {
    /// The table in these bytes; none if they are too short for it. Cost: constant, whatever the size; see
    /// [`is_sound`](Self::is_sound).
    pub(super) fn read(section: &'a [u8]) -> Option<StringTable<'a>> {
        let count = u32::from_le_bytes(*section.first_chunk()?) as usize;
        let offsets_end = count.checked_add(2)?.checked_mul(4)?;
        let offsets: &[u32] = bytemuck::try_cast_slice(section.get(4..offsets_end)?).ok()?;
        Some(StringTable { offsets, bytes: section.get(offsets_end..)? })
    }

    /// Returns how many of these bytes the table at their beginning takes; none if they are too few to tell. Cost: constant.
    pub(super) fn length_in(bytes: &[u8]) -> Option<usize> {
        let count = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let offsets_end = count.checked_add(2)?.checked_mul(4)?;
        let end = bytes.get(offsets_end.checked_sub(4)?..)?.first_chunk()?;
        offsets_end.checked_add(u32::from_le_bytes(*end) as usize)
    }

    /// Whether every name lies inside and is UTF-8. Cost: one pass.
    pub(super) fn is_sound(&self) -> bool {
        let Ok(text) = core::str::from_utf8(self.bytes) else { return false };
        self.offsets.windows(2).all(|pair| pair[0] <= pair[1])
            && self.offsets.iter().all(|&offset| text.is_char_boundary(offset as usize))
            && self.offsets.last().is_some_and(|&end| end as usize == text.len())
    }

    /// A table without names.
    pub(super) const EMPTY: StringTable<'static> = StringTable { offsets: &[0], bytes: &[] };

    /// Returns where each name begins in the bytes of all names, with the end of the last; and these bytes.
    pub fn offsets_and_bytes(&self) -> (&'a [u32], &'a [u8]) {
        (self.offsets, self.bytes)
    }

    /// All names, in order.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// Returns how many names there are.
    pub fn len(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name with this index; empty if there is none.
    pub fn get(&self, index: u32) -> &'a str {
        let name = match self.offsets.get(index as usize..).and_then(|offsets| offsets.first_chunk()) {
            Some(&[from, to]) => self.bytes.get(from as usize..to as usize),
            None => None,
        };
        name.and_then(|name| core::str::from_utf8(name).ok()).unwrap_or("")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The bytes at an address that is a multiple of four, as they lie in a shard.
    pub(crate) fn aligned(bytes: &[u8]) -> Vec<u32> {
        let words = bytes.chunks(4).map(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_ne_bytes(word)
        });
        words.collect()
    }

    #[test]
    fn a_table_has_each_name_once_in_the_order_of_first_use() {
        let mut builder = StringTableBuilder::default();
        let indices = ["Tal", "", "Müller", "Tal", "Tal", "", "Karpov"].map(|name| builder.index_of(name));
        assert_eq!(indices, [0, 1, 2, 0, 0, 1, 3]);
        let bytes = builder.to_bytes();
        // Count, five offsets, and 3 + 0 + 7 + 6 bytes.
        assert_eq!(bytes.len(), 4 + 5 * 4 + 16);
        let words = aligned(&bytes);
        let table = StringTable::read(&bytemuck::cast_slice(&words)[..bytes.len()]).expect("a table");
        assert!(table.is_sound());
        assert_eq!((table.len(), table.is_empty()), (4, false));
        assert_eq!(table.iter().collect::<Vec<_>>(), ["Tal", "", "Müller", "Karpov"]);
        assert_eq!(table.get(4), "");
    }

    #[test]
    fn a_table_without_names_is_empty() {
        let mut builder = StringTableBuilder::default();
        builder.index_of("Tal");
        builder.clear();
        let words = aligned(&builder.to_bytes());
        for table in [StringTable::EMPTY, StringTable::read(bytemuck::cast_slice(&words)).expect("a table")] {
            assert!(table.is_sound());
            assert_eq!((table.len(), table.is_empty()), (0, true));
            assert_eq!((table.iter().count(), table.get(0)), (0, ""));
        }
        // One name, of no bytes, is a name.
        builder.index_of("");
        let words = aligned(&builder.to_bytes());
        assert!(!StringTable::read(bytemuck::cast_slice(&words)).expect("a table").is_empty());
    }

    #[test]
    fn offsets_that_cut_names_are_not_sound() {
        let mut builder = StringTableBuilder::default();
        builder.index_of("aé");
        builder.index_of("b");
        let good = aligned(&builder.to_bytes());
        let is_sound = |words: &[u32]| StringTable::read(bytemuck::cast_slice(words)).expect("a table").is_sound();
        assert!(is_sound(&good));
        // The first name ends inside of a letter; begins after its end; the last ends before the bytes do.
        for (offset, value) in [(1, 2), (1, 5), (0, 5), (2, 3)] {
            let mut changed = good.clone();
            changed[1 + offset] = value;
            assert!(!is_sound(&changed), "offset {offset} is {value}");
        }
        for words in 0..4 {
            assert!(StringTable::read(bytemuck::cast_slice(&good[..words])).is_none(), "{words} words");
        }
    }
}
