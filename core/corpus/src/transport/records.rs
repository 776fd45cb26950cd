//! Codes the header records of a shard: each field by what is expected of it.

use alloc::vec;
use alloc::vec::Vec;

use bytemuck::Zeroable;
use plyfold_board::moves::Move;

use super::super::record::{Eco, HeaderRecord};
use super::adaptive::{BitModel, NumberModel};
use super::entropy::Coder;

/// Names that are looked for among the ones used last.
const MOST_RECENT: usize = 1024;

/// Numbers of names: a name that was used lately is likely, and a new one has the next number.
#[derive(Default)]
struct RecentNames {
    /// The numbers used last, the latest at the end.
    recent: Vec<u32>,
    /// How many different numbers there have been.
    count: u32,
    /// 0 for a new name, 1 for one that is not among the recent ones, and otherwise its place there.
    places: NumberModel,
    others: NumberModel,
}

impl RecentNames {
    fn code<C: Coder>(&mut self, coder: &mut C, number: u32) -> u32 {
        let place = match self.recent.iter().rev().position(|&other| other == number) {
            _ if C::READS => 0,
            Some(place) => place as u32 + 2,
            None => u32::from(number != self.count),
        };
        let number = match self.places.code(coder, place) as usize {
            0 => self.count,
            1 => self.others.code(coder, number),
            place => match self.recent.len().checked_sub(place - 1) {
                Some(at) => self.recent.remove(at),
                None => 0,
            },
        };
        self.count = self.count.max(number.saturating_add(1));
        if self.recent.len() >= MOST_RECENT {
            self.recent.remove(0);
        }
        self.recent.push(number);
        number
    }
}

/// Bytes of which each is likely to be followed by a certain other.
struct ByteModel(Vec<NumberModel>);

impl ByteModel {
    fn code(&mut self, coder: &mut impl Coder, before: u8, value: u8) -> u8 {
        self.0[usize::from(before & 15)].code(coder, u32::from(value)) as u8
    }
}

impl Default for ByteModel {
    fn default() -> ByteModel {
        ByteModel(vec![NumberModel::default(); 16])
    }
}

/// Players whose ratings are remembered.
const PLAYERS: usize = 1 << 14;

/// The models of all fields but the opening code.
struct RecordModel {
    players: RecentNames,
    events: RecentNames,
    sites: RecentNames,
    dates: NumberModel,
    /// Of a player whose rating has been seen, and of one that has not.
    ratings: [NumberModel; 2],
    plies: NumberModel,
    bytes: [ByteModel; 4],
    /// The last rating of each player; those with numbers that differ by a multiple of [`PLAYERS`] share a place.
    last_ratings: Vec<Option<u16>>,
}

impl RecordModel {
    fn new() -> RecordModel {
        let (players, events, sites, dates, ratings, plies, bytes) = Default::default();
        RecordModel { players, events, sites, dates, ratings, plies, bytes, last_ratings: vec![None; PLAYERS] }
    }

    fn code(&mut self, coder: &mut impl Coder, last: &HeaderRecord, record: &HeaderRecord) -> HeaderRecord {
        let [results, endings, time_classes, flags] = &mut self.bytes;
        let flags = flags.code(coder, last.flags, record.flags);
        let event = self.events.code(coder, record.event);
        let site = self.sites.code(coder, record.site);
        let date = self.dates.code_near(coder, bytemuck::cast(last.date), bytemuck::cast(record.date));
        let white = self.players.code(coder, record.white);
        let black = self.players.code(coder, record.black);
        let result = results.code(coder, 0, record.result);
        let ending = endings.code(coder, result, record.ending);
        let time_class = time_classes.code(coder, last.time_class, record.time_class);
        let white_elo = self.code_rating(coder, white, last.white_elo, record.white_elo);
        let black_elo = self.code_rating(coder, black, white_elo, record.black_elo);
        let plies = self.plies.code(coder, u32::from(record.plies)) as u16;
        let first_move = last.first_move.wrapping_add(u32::from(last.plies));
        HeaderRecord {
            white,
            black,
            event,
            site,
            first_move,
            date: bytemuck::cast(date),
            white_elo,
            black_elo,
            eco: Eco::default(),
            plies,
            result,
            ending,
            time_class,
            flags,
        }
    }

    /// Codes a rating, which is near the player's last one, or else near `other`.
    fn code_rating(&mut self, coder: &mut impl Coder, player: u32, other: u16, rating: u16) -> u16 {
        let place = player as usize % PLAYERS;
        let known = self.last_ratings[place];
        let [near, far] = &mut self.ratings;
        let model = if known.is_some() { near } else { far };
        let rating = model.code_near(coder, u32::from(known.unwrap_or(other)), u32::from(rating)) as u16;
        self.last_ratings[place] = Some(rating);
        rating
    }
}

/// Codes so many records, but not their opening codes. `records` are those to be written.
pub(super) fn code_records<C: Coder>(coder: &mut C, games: usize, records: &[HeaderRecord]) -> Vec<HeaderRecord> {
    let mut model = RecordModel::new();
    let mut last = HeaderRecord::zeroed();
    let mut coded = Vec::new();
    for game in 0..games {
        if coder.is_exhausted() {
            break;
        }
        let record = records.get(game).copied().unwrap_or(HeaderRecord::zeroed());
        last = model.code(coder, &last, &record);
        coded.push(last);
    }
    coded
}

/// The first plies by which games are compared, the longer ones first.
const PREFIXES: [usize; 3] = [14, 8, 4];
/// Entries for each of them, as a power of two.
const ENTRIES: u32 = 12;

/// Codes the opening codes of games whose moves are known: games that begin alike are likely to have the same.
pub(super) fn code_openings<C: Coder>(coder: &mut C, records: &mut [HeaderRecord], ecos: &[Eco], moves: &[Move]) {
    let mut known = vec![[Eco::default(); PREFIXES.len()]; 1 << ENTRIES];
    let mut is_same = [[BitModel::NEW; PREFIXES.len()]; 2];
    let mut others = NumberModel::default();
    let mut is_last_same = 0;
    for (game, record) in records.iter_mut().enumerate() {
        if coder.is_exhausted() {
            return;
        }
        let moves = record.moves_among(moves);
        let eco = ecos.get(game).copied().unwrap_or_default();
        let places = PREFIXES.map(|prefix| place_of(&moves[..moves.len().min(prefix)]));
        let expected = PREFIXES.iter().enumerate().map(|(nth, _)| (nth, known[places[nth]][nth]));
        let found =
            expected.into_iter().find(|&(nth, expected)| is_same[is_last_same][nth].code(coder, expected == eco));
        let code = match found {
            Some((_, eco)) => eco,
            None => bytemuck::cast(others.code_near(coder, 0, u32::from(bytemuck::cast::<Eco, u16>(eco))) as u16),
        };
        is_last_same = usize::from(matches!(found, Some((0, _))));
        record.eco = code;
        for (nth, place) in places.into_iter().enumerate() {
            known[place][nth] = code;
        }
    }
}

fn place_of(moves: &[Move]) -> usize {
    let hash =
        moves.iter().fold(0u32, |hash, mv| (hash ^ u32::from(mv.bits())).wrapping_mul(0x9e37_79b1).rotate_left(11));
    (hash.wrapping_mul(0x9e37_79b1) >> (32 - ENTRIES)) as usize
}
