//! The parts of a shard that a reader can do without: sections that are used together.

use core::fmt;
use core::ops::BitOr;

use super::layout::ShardSection;

/// Parts of a shard, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardParts(u16);

impl ShardParts {
    /// Nothing but the numbers of games and plies.
    pub const NONE: ShardParts = ShardParts(0);
    /// The header records by column.
    pub const COLUMNS: ShardParts = ShardParts(1);
    /// Names of players.
    pub const PLAYERS: ShardParts = ShardParts(1 << 1);
    /// Names of events.
    pub const EVENTS: ShardParts = ShardParts(1 << 2);
    /// Names of sites.
    pub const SITES: ShardParts = ShardParts(1 << 3);
    /// The files that the games came from.
    pub const SOURCES: ShardParts = ShardParts(1 << 4);
    /// Rounds, annotators, time controls and titles.
    pub const HEADER_TEXTS: ShardParts = ShardParts(1 << 5);
    /// The signatures of the last positions and the home-pawn signatures.
    pub const SIGNATURES: ShardParts = ShardParts(1 << 6);
    /// Captures and promotions.
    pub const MATERIAL_EVENTS: ShardParts = ShardParts(1 << 7);
    /// Changes of the pawns.
    pub const PAWN_EVENTS: ShardParts = ShardParts(1 << 8);
    /// What the texts say of the plies, with its bounds.
    pub const ANNOTATIONS: ShardParts = ShardParts(1 << 9);
    /// The moves.
    pub const MOVES: ShardParts = ShardParts(1 << 10);
    /// The header records and the start positions. All other parts need them, but the [`COLUMNS`](Self::COLUMNS) and, beside these,
    /// names of players, events and sites.
    pub const RECORDS: ShardParts = ShardParts(1 << 11);
    /// The openings of the games.
    pub const OPENINGS: ShardParts = ShardParts(1 << 12);
    /// Everything that a scan or a list of games may read: all but the texts and their places.
    pub const ALL: ShardParts = ShardParts((1 << 13) - 1);
    /// Where the text of each game lies. No scan reads it.
    pub const TEXT_PLACES: ShardParts = ShardParts(1 << 13);
    /// All but the texts themselves.
    pub const ALL_WITH_TEXT_PLACES: ShardParts = ShardParts::ALL.union(ShardParts::TEXT_PLACES);

    /// Returns whether all of these parts are in the set.
    pub const fn contains(self, others: ShardParts) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns whether some of these parts are in the set.
    pub const fn intersects(self, others: ShardParts) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, others: ShardParts) -> ShardParts {
        ShardParts(self.0 | others.0)
    }

    /// Returns these parts and what goes with them in a scan: records or columns, which count plies, and beside events the signatures,
    /// which reject games before their events are read.
    #[must_use]
    pub const fn with_companions(self) -> ShardParts {
        let has_events = self.intersects(ShardParts::MATERIAL_EVENTS.union(ShardParts::PAWN_EVENTS));
        let parts = if has_events { self.union(ShardParts::SIGNATURES) } else { self };
        if parts.contains(ShardParts::RECORDS) { parts } else { parts.union(ShardParts::COLUMNS) }
    }

    /// Returns the set as a number; [`from_bits`](Self::from_bits) is the inverse.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set of a [number](Self::bits); bits that mean no part are left out.
    #[must_use]
    pub const fn from_bits(bits: u16) -> ShardParts {
        ShardParts(bits & ShardParts::ALL_WITH_TEXT_PLACES.0)
    }

    /// The sections of these parts.
    pub(super) fn sections(self) -> impl Iterator<Item = ShardSection> {
        ShardSection::ALL.into_iter().filter(move |&section| self.has(section))
    }

    /// Whether a section belongs to these parts; the texts never do.
    pub(super) fn has(self, section: ShardSection) -> bool {
        use ShardSection::*;
        /// The event streams share their index.
        const SECTIONS: [(ShardParts, &[ShardSection]); 14] = [
            (ShardParts::COLUMNS, &[Columns]),
            (ShardParts::PLAYERS, &[Players]),
            (ShardParts::EVENTS, &[Events]),
            (ShardParts::SITES, &[Sites]),
            (ShardParts::SOURCES, &[Sources]),
            (ShardParts::HEADER_TEXTS, &[HeaderTexts]),
            (ShardParts::OPENINGS, &[Openings]),
            (ShardParts::SIGNATURES, &[Signatures, HomePawns]),
            (ShardParts::MATERIAL_EVENTS, &[MaterialEvents, EventStreamIndex]),
            (ShardParts::PAWN_EVENTS, &[PawnEvents, EventStreamIndex]),
            (ShardParts::ANNOTATIONS, &[AnnotationIndex, Annotations, AnnotationBounds]),
            (ShardParts::MOVES, &[Moves]),
            (ShardParts::RECORDS, &[Records, Starts]),
            (ShardParts::TEXT_PLACES, &[TextIndex, TextBlocks]),
        ];
        SECTIONS.iter().any(|(part, sections)| self.contains(*part) && sections.contains(&section))
    }
}

impl BitOr for ShardParts {
    type Output = ShardParts;

    fn bitor(self, others: ShardParts) -> ShardParts {
        self.union(others)
    }
}

impl fmt::Debug for ShardParts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.sections().map(ShardSection::name)).finish()
    }
}
