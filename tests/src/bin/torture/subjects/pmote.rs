//! Files of answers: sets of games, positions, heatmaps and groups.

use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::keys::key;
use plyfold_core::pmote::header::{Kind, Of};
use plyfold_core::pmote::{games, groups, heatmap, positions};
use plyfold_core::query::compile;
use plyfold_core::reduce::positions::Which;
use plyfold_core::reduce::{Answers as Found, Wanted, answer};
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;
use xxhash_rust::xxh3::xxh3_64;

use super::{Answers, Subject, corpus, hash, shuffled};
use crate::random;

struct File {
    kind: Kind,
    bytes: Vec<u8>,
}

/// One of each kind.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    let bytes = Aligned::new(&corpus::played(150, 40, 40));
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
    let of = Of { corpus: corpus.header.id, games: corpus.header.games as u32 };
    let wanted = Wanted {
        games: true,
        heatmap: true,
        positions: Some(Which::default()),
        groups: vec![(key("player").expect("a key"), 20)],
        positions_count: true,
        ..Wanted::default()
    };
    let found = answer(&spans(&corpus), &compile("check").expect("a query"), &wanted, &()).expect("nobody cancels");
    let Found { games: Some(set), positions: Some(found_positions), heatmap: Some(map), groups: all, .. } = found
    else {
        panic!("all of it was asked for")
    };
    let places: Vec<positions::Place> = found_positions
        .iter()
        .take(60)
        .map(|position| positions::Place { shard: position.game / 40, game: position.game % 40, ply: position.ply })
        .collect();
    [
        (Kind::Games, games::encode(&set, of.corpus)),
        (Kind::Positions, positions::encode(&places, of)),
        (Kind::Heatmap, heatmap::encode(&map.counts(), of)),
        (Kind::Groups, groups::encode(&all[0], of)),
    ]
    .into_iter()
    .map(|(kind, bytes)| Box::new(File { kind, bytes }) as Box<dyn Subject>)
}

impl Subject for File {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Games => "a set of games",
            Kind::Positions => "a list of positions",
            Kind::Heatmap => "a heatmap",
            Kind::Groups => "a table of groups",
        }
    }

    fn file(&self) -> &'static str {
        match self.kind {
            Kind::Games => "games.pmote",
            Kind::Positions => "positions.pmote",
            Kind::Heatmap => "heatmap.pmote",
            Kind::Groups => "groups.pmote",
        }
    }

    fn sound(&self) -> &[u8] {
        &self.bytes
    }

    fn borders(&self) -> Vec<usize> {
        let end = self.bytes.len();
        match self.kind {
            Kind::Games => vec![8, 12, 16, 24, 32, end - 8],
            Kind::Positions => vec![8, 12, 16, 28, end - 32, end - 8],
            Kind::Heatmap => vec![8, 12, 16, 24, 32, 32 + 768 * 4],
            Kind::Groups => vec![8, 12, 16, 24, 32, 64, 64 + 48, end - 1],
        }
    }

    fn ask(&self, bytes: &[u8]) -> Answers {
        let answer = match self.kind {
            Kind::Games => games::Stored::open(bytes).map(|stored| hash((stored.of, stored.into_set()))),
            Kind::Positions => {
                positions::Stored::open(bytes).map(|stored| hash((stored.of, stored.places().collect::<Vec<_>>())))
            }
            Kind::Heatmap => heatmap::decode(bytes).map(hash),
            Kind::Groups => groups::decode(bytes).map(hash),
        };
        vec![answer.map_err(|error| error.to_string())]
    }

    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for _ in 0..random.random_range(1..4) {
            let (from, to) = match random.random_range(0..4) {
                // What counts, and what says where things are.
                0 => (8, 32),
                1 => (32, bytes.len().min(160)),
                2 => (bytes.len().saturating_sub(40), bytes.len()),
                _ => (0, bytes.len()),
            };
            random::overwrite(random, &mut bytes[from.min(to)..to]);
        }
        match random.random_range(0..8) {
            0 => bytes.truncate(random.random_range(0..=bytes.len())),
            1 => bytes.extend_from_slice(&[0; 8]),
            _ => {}
        }
        seal(&mut bytes, self.kind);
        bytes
    }

    /// What it says is what is written of it.
    fn law(&self, bytes: &[u8]) -> Result<(), String> {
        let again = match self.kind {
            Kind::Games => games::Stored::open(bytes).map(|stored| {
                let corpus = stored.of.corpus;
                games::encode(&stored.into_set(), corpus)
            }),
            Kind::Positions => positions::Stored::open(bytes)
                .map(|stored| positions::encode(&stored.places().collect::<Vec<_>>(), stored.of)),
            Kind::Heatmap => heatmap::decode(bytes).map(|(of, counts)| heatmap::encode(&counts, of)),
            Kind::Groups => groups::decode(bytes).map(|(of, all)| groups::encode(&all, of)),
        };
        match again {
            Ok(again) if again != bytes => Err("what was read is written as other bytes".into()),
            _ => Ok(()),
        }
    }

    fn rearranged(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = shuffled(random, &self.bytes, &self.borders());
        seal(&mut bytes, self.kind);
        bytes
    }
}

/// Makes the checksum right, where there is room for one.
fn seal(bytes: &mut [u8], kind: Kind) {
    let (checked, at) = match (kind, bytes.len()) {
        (Kind::Positions, 48..) => (bytes[16..bytes.len() - 8].to_vec(), bytes.len() - 8),
        (Kind::Positions, _) | (_, ..32) => return,
        _ => ([&bytes[..24], &bytes[32..]].concat(), 24),
    };
    bytes[at..at + 8].copy_from_slice(&xxh3_64(&checked).to_le_bytes());
}
