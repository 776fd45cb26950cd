//! Stores what the tags of each game say besides its header record: round, annotator, time control, and the titles of both players.
//!
//! Bytes: a `u32` count of games; for each of the five columns a table of names, and if it has more than one name, an index per game
//! of one, two or four bytes, as the number of names requires. Zeros fill tables and indexes up to a multiple of four.

use alloc::vec::Vec;

use super::record::GameHeader;
use super::strings::{StringTable, StringTableBuilder};

/// Which text of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderText {
    /// The round.
    Round,
    /// Who annotated the game.
    Annotator,
    /// The time control as the tag says it: `300+3`.
    TimeControl,
    /// White's title: `GM`.
    WhiteTitle,
    /// Black's title.
    BlackTitle,
}

impl HeaderText {
    /// All, in the order of the columns.
    pub const ALL: [HeaderText; 5] = [
        HeaderText::Round,
        HeaderText::Annotator,
        HeaderText::TimeControl,
        HeaderText::WhiteTitle,
        HeaderText::BlackTitle,
    ];

    /// Returns the text of a header; empty if nothing is known.
    fn of_header<'h>(self, header: &'h GameHeader<'_>) -> &'h str {
        match self {
            HeaderText::Round => &header.round,
            HeaderText::Annotator => &header.annotator,
            HeaderText::TimeControl => &header.time_control,
            HeaderText::WhiteTitle => &header.white_title,
            HeaderText::BlackTitle => &header.black_title,
        }
    }
}

/// The texts of the games of a shard. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct HeaderTexts<'a> {
    /// The section, empty if no game has any text; none in a shard of an older version.
    section: Option<&'a [u8]>,
}

impl<'a> HeaderTexts<'a> {
    /// Makes the texts of a section, if there is one.
    pub(super) fn new(section: Option<&'a [u8]>) -> HeaderTexts<'a> {
        HeaderTexts { section }
    }

    /// Returns whether the tags have been read; they have not in a shard of an older version.
    pub fn is_stored(&self) -> bool {
        self.section.is_some()
    }

    /// The column of a text. Cost: constant.
    pub fn column(&self, text: HeaderText) -> HeaderTextColumn<'a> {
        let columns = self.section.and_then(split_columns);
        columns.map_or(HeaderTextColumn::EMPTY, |(_, columns)| columns[text as usize])
    }

    /// The text of the game with this index in the shard; empty if nothing is known.
    pub fn of_game(&self, text: HeaderText, game: u32) -> &'a str {
        self.column(text).of_game(game)
    }

    /// Whether the bytes hold texts of so many games. Cost: one pass.
    pub(super) fn is_sound(&self, games: u32) -> bool {
        let Some(section) = self.section.filter(|section| !section.is_empty()) else { return true };
        let Some((count, columns)) = split_columns(section) else { return false };
        let is_inside =
            |column: &HeaderTextColumn<'_>| (0..games).all(|game| column.index_of_game(game) < column.names.len());
        count == games && columns.iter().all(|column| column.names.is_sound() && is_inside(column))
    }
}

/// One text of all games of a shard.
#[derive(Clone, Copy, Debug)]
pub struct HeaderTextColumn<'a> {
    /// The different texts; a game of which nothing is known has the empty one.
    pub names: StringTable<'a>,
    indexes: &'a [u8],
    /// Bytes of an index.
    width: usize,
}

impl<'a> HeaderTextColumn<'a> {
    const EMPTY: HeaderTextColumn<'static> = HeaderTextColumn { names: StringTable::EMPTY, indexes: &[], width: 0 };

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
fn split_columns(section: &[u8]) -> Option<(u32, [HeaderTextColumn<'_>; 5])> {
    let (count, mut rest) = section.split_first_chunk()?;
    let games = u32::from_le_bytes(*count);
    let mut columns = [HeaderTextColumn::EMPTY; 5];
    for column in &mut columns {
        let (table, behind) = split_padded(rest, StringTable::length_in(rest)?)?;
        let names = StringTable::read(table)?;
        let width = index_width(names.len());
        let (indexes, behind) = split_padded(behind, width.checked_mul(games as usize)?)?;
        (*column, rest) = (HeaderTextColumn { names, indexes, width }, behind);
    }
    rest.is_empty().then_some((games, columns))
}

/// Texts while they are collected.
#[derive(Default)]
pub struct HeaderTextsBuilder {
    names: [StringTableBuilder; 5],
    /// For each column the index of each game.
    indexes: [Vec<u32>; 5],
    /// A game came from a shard that does not store its texts.
    is_incomplete: bool,
}

impl HeaderTextsBuilder {
    /// Adds what the header of the next game says.
    pub fn push_game(&mut self, header: &GameHeader<'_>) {
        for text in HeaderText::ALL {
            let name = self.names[text as usize].index_of(text.of_header(header));
            self.indexes[text as usize].push(name);
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
    use alloc::string::String;

    use super::*;
    use crate::strings::tests::aligned;

    fn header(round: String, title: &str) -> GameHeader<'_> {
        GameHeader { round: round.into(), white_title: title.into(), ..GameHeader::default() }
    }

    #[test]
    fn an_index_is_as_wide_as_the_number_of_names_requires() {
        for games in [1, 2, 255, 256, 257, 70_000u32] {
            let mut builder = HeaderTextsBuilder::default();
            let title = |game: u32| if game.is_multiple_of(3) { "GM" } else { "" };
            (0..games).for_each(|game| builder.push_game(&header(format!("{game}"), title(game))));
            let words = aligned(&builder.to_bytes().expect("texts"));
            let texts = HeaderTexts::new(Some(bytemuck::cast_slice(&words)));
            assert!(texts.is_sound(games) && !texts.is_sound(games + 1));
            let column = texts.column(HeaderText::Round);
            let width = match games {
                1 => 0,
                2..=256 => 1,
                257..=65_536 => 2,
                _ => 4,
            };
            assert_eq!(column.width, width);
            for game in 0..games {
                assert_eq!(column.of_game(game), format!("{game}"));
                assert_eq!(texts.of_game(HeaderText::WhiteTitle, game), title(game));
                assert_eq!(texts.of_game(HeaderText::Annotator, game), "");
            }
        }
    }

    #[test]
    fn games_without_texts_take_no_bytes() {
        let mut builder = HeaderTextsBuilder::default();
        builder.push_game(&GameHeader::default());
        assert_eq!(builder.to_bytes().as_deref(), Some(&[][..]));
        let texts = HeaderTexts::new(Some(&[]));
        assert!(texts.is_stored() && texts.is_sound(1) && texts.of_game(HeaderText::Round, 0).is_empty());
        builder.mark_incomplete();
        assert_eq!(builder.to_bytes(), None);
        assert!(!HeaderTexts::new(None).is_stored());
    }

    #[test]
    fn bytes_that_are_no_texts_are_not_sound() {
        let mut builder = HeaderTextsBuilder::default();
        ["1", "2", "10"].into_iter().for_each(|round| builder.push_game(&header(round.into(), "")));
        let good = aligned(&builder.to_bytes().expect("texts"));
        let is_sound = |words: &[u32]| HeaderTexts::new(Some(bytemuck::cast_slice(words))).is_sound(3);
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
