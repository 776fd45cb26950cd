//! Columns of texts: for each game of a shard a text that many games share.
//!
//! Bytes: a `u32` count of games; for each column a table of names, and if it has more than one name, an index per game of one, two or
//! four bytes, as the number of names requires. Zeros fill tables and indexes up to a multiple of four. A section in which no game has
//! any text is empty.

use alloc::vec::Vec;
use core::array;

use super::strings::{StringTable, StringTableBuilder};

/// One text of all games of a shard.
#[derive(Clone, Copy, Debug)]
pub struct GameTextColumn<'a> {
    /// The different texts; a game of which nothing is known has the empty one.
    pub names: StringTable<'a>,
    indexes: &'a [u8],
    /// Bytes of an index.
    width: usize,
}

impl<'a> GameTextColumn<'a> {
    const EMPTY: GameTextColumn<'static> = GameTextColumn { names: StringTable::EMPTY, indexes: &[], width: 0 };

    /// The index among the texts of that of a game, by its index in the shard.
    #[inline]
    pub fn index_of_game(&self, game: u32) -> u32 {
        let from = game as usize * self.width;
        let bytes = self.indexes.get(from..from + self.width).unwrap_or(&[]);
        bytes.iter().rev().fold(0, |index, &byte| index << 8 | u32::from(byte))
    }

    /// The text of a game, by its index in the shard; empty if nothing is known.
    pub fn of_game(&self, game: u32) -> &'a str {
        self.names.get(self.index_of_game(game))
    }
}

/// How many bytes an index takes among so many names.
fn index_width(names: u32) -> usize {
    match names {
        0..=1 => 0,
        2..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

/// The bytes up to `length` and those behind the padding; none if there are fewer, or if the padding is not zero.
fn split_padded(bytes: &[u8], length: usize) -> Option<(&[u8], &[u8])> {
    let (padded, rest) = bytes.split_at_checked(length.checked_next_multiple_of(4)?)?;
    let (part, padding) = padded.split_at(length);
    padding.iter().all(|&byte| byte == 0).then_some((part, rest))
}

/// The number of games and the columns of a section; none if it is too short or too long for them.
fn split_columns<const N: usize>(section: &[u8]) -> Option<(u32, [GameTextColumn<'_>; N])> {
    let (count, mut rest) = section.split_first_chunk()?;
    let games = u32::from_le_bytes(*count);
    let mut columns = [GameTextColumn::EMPTY; N];
    for column in &mut columns {
        let (table, behind) = split_padded(rest, StringTable::length_in(rest)?)?;
        let names = StringTable::read(table)?;
        let width = index_width(names.len());
        let (indexes, behind) = split_padded(behind, width.checked_mul(games as usize)?)?;
        (*column, rest) = (GameTextColumn { names, indexes, width }, behind);
    }
    rest.is_empty().then_some((games, columns))
}

/// `N` columns of a section. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextColumns<'a, const N: usize> {
    /// The section, empty if no game has any text; none in a shard of an older version.
    section: Option<&'a [u8]>,
}

impl<'a, const N: usize> TextColumns<'a, N> {
    /// Makes the columns of a section, if there is one.
    pub fn new(section: Option<&'a [u8]>) -> TextColumns<'a, N> {
        TextColumns { section }
    }

    pub fn is_stored(&self) -> bool {
        self.section.is_some()
    }

    /// A column. Cost: constant.
    pub fn column(&self, nth: usize) -> GameTextColumn<'a> {
        let columns = self.section.and_then(split_columns::<N>);
        columns.map_or(GameTextColumn::EMPTY, |(_, columns)| columns[nth])
    }

    /// Whether the bytes hold texts of so many games. Cost: one pass.
    pub fn is_sound(&self, games: u32) -> bool {
        let Some(section) = self.section.filter(|section| !section.is_empty()) else { return true };
        let Some((count, columns)) = split_columns::<N>(section) else { return false };
        let is_inside =
            |column: &GameTextColumn<'_>| (0..games).all(|game| column.index_of_game(game) < column.names.len());
        count == games && columns.iter().all(|column| column.names.is_sound() && is_inside(column))
    }
}

/// Columns while they are collected.
pub(super) struct TextColumnsBuilder<const N: usize> {
    names: [StringTableBuilder; N],
    /// For each column the index of each game.
    indexes: [Vec<u32>; N],
    /// The texts of a game are not known.
    is_incomplete: bool,
}

impl<const N: usize> Default for TextColumnsBuilder<N> {
    fn default() -> TextColumnsBuilder<N> {
        let (names, indexes) = (array::from_fn(|_| StringTableBuilder::default()), array::from_fn(|_| Vec::new()));
        TextColumnsBuilder { names, indexes, is_incomplete: false }
    }
}

impl<const N: usize> TextColumnsBuilder<N> {
    /// Adds the texts of the next game.
    pub fn push_game(&mut self, texts: [&str; N]) {
        for ((names, indexes), text) in self.names.iter_mut().zip(&mut self.indexes).zip(texts) {
            indexes.push(names.index_of(text));
        }
    }

    /// Notes that the texts of a game are not known, so that the shard stores none.
    pub fn mark_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// The section as stored, empty if no game has any text. None if the texts of a game are not known.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if self.is_incomplete {
            return None;
        }
        if self.names.iter().all(StringTableBuilder::has_only_empty_name) {
            return Some(Vec::new());
        }
        let mut out = (self.indexes[0].len() as u32).to_le_bytes().to_vec();
        for (names, indexes) in self.names.iter().zip(&self.indexes) {
            out.extend_from_slice(&names.to_bytes());
            out.resize(out.len().next_multiple_of(4), 0);
            let width = index_width(names.len());
            out.extend(indexes.iter().flat_map(|index| index.to_le_bytes().into_iter().take(width)));
            out.resize(out.len().next_multiple_of(4), 0);
        }
        Some(out)
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.names.iter_mut().for_each(StringTableBuilder::clear);
        self.indexes.iter_mut().for_each(Vec::clear);
        self.is_incomplete = false;
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::strings::tests::aligned;

    #[test]
    fn an_index_is_as_wide_as_the_number_of_names_requires() {
        for games in [1, 2, 255, 256, 257, 70_000u32] {
            let mut builder = TextColumnsBuilder::<2>::default();
            let title = |game: u32| if game.is_multiple_of(3) { "GM" } else { "" };
            (0..games).for_each(|game| builder.push_game([&format!("{game}"), title(game)]));
            let words = aligned(&builder.to_bytes().expect("texts"));
            let texts = TextColumns::<2>::new(Some(bytemuck::cast_slice(&words)));
            assert!(texts.is_sound(games) && !texts.is_sound(games + 1));
            let column = texts.column(0);
            let width = match games {
                1 => 0,
                2..=256 => 1,
                257..=65_536 => 2,
                _ => 4,
            };
            assert_eq!(column.width, width);
            for game in 0..games {
                assert_eq!(column.of_game(game), format!("{game}"));
                assert_eq!(texts.column(1).of_game(game), title(game));
            }
        }
    }

    #[test]
    fn games_without_texts_take_no_bytes() {
        let mut builder = TextColumnsBuilder::<2>::default();
        builder.push_game(["", ""]);
        assert_eq!(builder.to_bytes().as_deref(), Some(&[][..]));
        let texts = TextColumns::<2>::new(Some(&[]));
        assert!(texts.is_stored() && texts.is_sound(1) && texts.column(0).of_game(0).is_empty());
        builder.mark_incomplete();
        assert_eq!(builder.to_bytes(), None);
        assert!(!TextColumns::<2>::new(None).is_stored());
    }

    #[test]
    fn bytes_that_are_no_texts_are_not_sound() {
        let mut builder = TextColumnsBuilder::<2>::default();
        ["1", "2", "10"].into_iter().for_each(|round| builder.push_game([round, ""]));
        let good = aligned(&builder.to_bytes().expect("texts"));
        let is_sound = |words: &[u32]| TextColumns::<2>::new(Some(bytemuck::cast_slice(words))).is_sound(3);
        assert!(is_sound(&good));
        assert!((1..good.len()).all(|words| !is_sound(&good[..words])));
        assert!(!is_sound(&[&good[..], &[0]].concat()));
        // Count, table of three names and four offsets, four bytes, and the indexes 0, 1 and 2: one beyond the names, and padding.
        for change in [0x01_0000, 0x100_0000] {
            let mut changed = good.clone();
            assert_eq!(changed[7], 0x02_0100);
            changed[7] ^= change;
            assert!(!is_sound(&changed), "{change:x}");
        }
    }
}
