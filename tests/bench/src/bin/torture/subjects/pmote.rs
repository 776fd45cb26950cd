//! Files of results: sets of games, positions, heatmaps and groups.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::keys::parse_key;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_core::pmote::{game_set, groups, heatmap, positions};
use plyfold_core::query::compile;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::{QueryResults as Found, ReducerSelection, run_query};
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;
use xxhash_rust::xxh3::xxh3_64;

use super::{Subject, SubjectAnswers, corpus, hash, shuffled};
use crate::random;

struct File {
    kind: PmoteKind,
    bytes: Vec<u8>,
}

/// One file of each kind.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    let bytes = Aligned::new(&corpus::played(150, 40, 40));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let of = CorpusStamp { corpus: corpus.header.id, games: corpus.header.games as u32 };
    let selection = ReducerSelection {
        games: true,
        positions: Some(PositionSelection::default()),
        positions_count: true,
        outputs: vec![HEATMAP.output(), COUNTS.by(parse_key("player").expect("a key")).most(20)],
    };
    let found = run_query(&corpus_spans(&corpus), &compile("check").expect("a query"), &selection, &())
        .expect("nobody cancels");
    let Found { games: Some(set), positions: Some(found_positions), .. } = &found else {
        panic!("all of it was asked for")
    };
    let map = found.summary::<Heatmap>().expect("it was asked for");
    let all = found.summary::<GroupTable>().expect("it was asked for");
    let places: Vec<positions::PositionRecord> = found_positions
        .iter()
        .take(60)
        .map(|position| positions::PositionRecord {
            shard: position.game.0 / 40,
            game: position.game.0 % 40,
            ply: position.ply,
        })
        .collect();
    [
        (PmoteKind::Games, game_set::encode(set, of.corpus)),
        (PmoteKind::Positions, positions::encode(&places, of)),
        (PmoteKind::Heatmap, heatmap::encode(&map.counts(), of)),
        (PmoteKind::Groups, groups::encode(all, of)),
    ]
    .into_iter()
    .map(|(kind, bytes)| Box::new(File { kind, bytes }) as Box<dyn Subject>)
}

impl Subject for File {
    fn name(&self) -> &'static str {
        match self.kind {
            PmoteKind::Games => "a set of games",
            PmoteKind::Positions => "a list of positions",
            PmoteKind::Heatmap => "a heatmap",
            PmoteKind::Groups => "a table of groups",
        }
    }

    fn file(&self) -> &'static str {
        match self.kind {
            PmoteKind::Games => "games.pmote",
            PmoteKind::Positions => "positions.pmote",
            PmoteKind::Heatmap => "heatmap.pmote",
            PmoteKind::Groups => "groups.pmote",
        }
    }

    fn sound(&self) -> &[u8] {
        &self.bytes
    }

    fn borders(&self) -> Vec<usize> {
        let end = self.bytes.len();
        match self.kind {
            PmoteKind::Games => vec![8, 12, 16, 24, 32, end - 8],
            PmoteKind::Positions => vec![8, 12, 16, 28, end - 32, end - 8],
            PmoteKind::Heatmap => vec![8, 12, 16, 24, 32, 32 + 768 * 4],
            PmoteKind::Groups => vec![8, 12, 16, 24, 32, 64, 64 + 48, end - 1],
        }
    }

    fn ask(&self, bytes: &[u8]) -> SubjectAnswers {
        let answer = match self.kind {
            PmoteKind::Games => {
                game_set::StoredGameSet::open(bytes).map(|stored| hash((stored.stamp, stored.into_game_set())))
            }
            PmoteKind::Positions => positions::StoredPositions::open(bytes)
                .map(|stored| hash((stored.stamp, stored.positions().collect::<Vec<_>>()))),
            PmoteKind::Heatmap => heatmap::decode(bytes).map(hash),
            PmoteKind::Groups => groups::decode(bytes).map(hash),
        };
        vec![answer.map_err(|error| error.to_string())]
    }

    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for _ in 0..random.random_range(1..4) {
            let (from, to) = match random.random_range(0..4) {
                // The counts, and the fields that say where things are.
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

    /// Writing the content again gives the same bytes.
    fn law(&self, bytes: &[u8]) -> Result<(), String> {
        let again = match self.kind {
            PmoteKind::Games => game_set::StoredGameSet::open(bytes).map(|stored| {
                let corpus = stored.stamp.corpus;
                game_set::encode(&stored.into_game_set(), corpus)
            }),
            PmoteKind::Positions => positions::StoredPositions::open(bytes)
                .map(|stored| positions::encode(&stored.positions().collect::<Vec<_>>(), stored.stamp)),
            PmoteKind::Heatmap => heatmap::decode(bytes).map(|(of, counts)| heatmap::encode(&counts, of)),
            PmoteKind::Groups => groups::decode(bytes).map(|(of, all)| groups::encode(&all, of)),
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

/// Repairs the checksum if the file is long enough to have one.
fn seal(bytes: &mut [u8], kind: PmoteKind) {
    let (checked, at) = match (kind, bytes.len()) {
        (PmoteKind::Positions, 48..) => (bytes[16..bytes.len() - 8].to_vec(), bytes.len() - 8),
        (PmoteKind::Positions, _) | (_, ..32) => return,
        _ => ([&bytes[..24], &bytes[32..]].concat(), 24),
    };
    bytes[at..at + 8].copy_from_slice(&xxh3_64(&checked).to_le_bytes());
}
