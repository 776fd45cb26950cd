//! Corpora as this version writes them, with source files and without, and as the first version wrote them.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::upgrade::upgrade_shard;
use plyfold_core::game::{Game, GameSpan, corpus_spans};
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::structures::{STRUCTURES, TopStructures};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::{Query, naive};
use plyfold_input::PgnSource;
use plyfold_input::import::ImportOptions;
use plyfold_tests::games::{Aligned, STARTS, corpus, play};
use plyfold_tests::imported;
use plyfold_tests::shards::{CorpusParts, LATER, TestSection};
use rand::Rng;
use rand::rngs::StdRng;
use shakmaty::{CastlingMode, Chess, FromSetup, Position, PositionError};

use super::{Subject, SubjectAnswers, hash, shuffled};
use crate::random;

/// The queries that are run on each corpus. They cover every access path, windows, gates and headers.
const QUERIES: [&str; 8] = [
    "queens_off",
    "check",
    "passed_pawn on d for 4",
    "white pawn on e4 then castled",
    "count(pawn) < 12 and not bishop_pair",
    "isolated_pawn at end",
    "result 1-0 and elo >= 2000",
    "white \"*a*\"",
];

/// Random games, in several shards.
pub fn played(games: usize, plies: usize, shard_games: usize) -> Vec<u8> {
    let played = |nth: usize| {
        let choices: Vec<u16> = (0..plies).map(|ply| (nth * 7919 + ply * 104_729) as u16 % 997).collect();
        play(STARTS[nth % STARTS.len()], &choices)
    };
    corpus(&(0..games).map(played).collect::<Vec<_>>(), shard_games)
}

/// A PGN file with comments, variations, odd spaces, a null move and Chess960.
pub const PGN: &[u8] = include_bytes!("../../../../../fuzz/seeds/pgn_import/plain.pgn");
/// Rare forms of PGN.
pub const RARE: &[u8] = include_bytes!("../../../../../fuzz/seeds/pgn_import/rare.pgn");
/// Games from Chess960 arrays.
pub const CHESS960: &[u8] = include_bytes!("../../../../../fuzz/seeds/pgn_import/chess960.pgn");
/// A corpus of the first version.
pub const OLDER: &[u8] = include_bytes!("../../../../../../cli/tests/commands/sample-0.1.plyfold");

/// The corpus of a PGN text, as an import of a file of this name makes it.
pub fn of_pgn(text: Vec<u8>, name: &str) -> Vec<u8> {
    let length = text.len() as u64;
    let source = PgnSource::new(std::io::Cursor::new(text), Some(length)).expect("a text");
    imported::source(&mut source.with_name(name), &ImportOptions::default()).0.bytes().to_vec()
}

struct Subjects {
    name: &'static str,
    file: &'static str,
    bytes: Vec<u8>,
    queries: Vec<Query>,
}

/// All corpora under attack.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    let pgn = [PGN, RARE, CHESS960].join(&b"\n\n"[..]);
    [
        ("a corpus of three shards", "shards.plyfold", played(24, 70, 9)),
        ("a corpus of long games", "long.plyfold", played(3, 300, 2)),
        ("an imported corpus", "imported.plyfold", of_pgn(pgn, "games.pgn")),
        ("a corpus of the first version", "older.plyfold", OLDER.to_vec()),
    ]
    .into_iter()
    .map(|(name, file, bytes)| {
        let queries =
            QUERIES.iter().map(|text| compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))).collect();
        Box::new(Subjects { name, file, bytes, queries }) as Box<dyn Subject>
    })
}

impl Subject for Subjects {
    fn name(&self) -> &'static str {
        self.name
    }

    fn file(&self) -> &'static str {
        self.file
    }

    fn sound(&self) -> &[u8] {
        &self.bytes
    }

    fn borders(&self) -> Vec<usize> {
        borders(&self.bytes)
    }

    fn ask(&self, bytes: &[u8]) -> SubjectAnswers {
        let aligned = Aligned::new(bytes);
        let corpus = match CorpusReader::open(aligned.bytes(), CorpusCheck::WithoutTexts) {
            Ok(corpus) => corpus,
            Err(error) => return vec![Err(error.to_string())],
        };
        let spans = corpus_spans(&corpus);
        let facts = (corpus.header.games, corpus.header.plies, corpus.header.id);
        let records: Vec<_> = spans.iter().flat_map(|span| span.records()).collect();
        let names = spans.iter().flat_map(|span| (0..span.len()).map(|nth| (names(span, nth), moves(span, nth))));
        let mut answers = vec![Ok(hash(facts)), Ok(hash(records)), Ok(hash(names.collect::<Vec<_>>()))];
        let selection = ReducerSelection {
            games: true,
            positions_count: true,
            outputs: vec![HEATMAP.output(), STRUCTURES.output().most(5)],
            ..ReducerSelection::default()
        };
        answers.extend(self.queries.iter().map(|query| {
            let found = run_query(&spans, query, &selection, &()).map_err(|_| "cancelled".to_owned())?;
            let structures = format!("{:?}", found.summary::<TopStructures>());
            let heatmap = found.summary::<Heatmap>().map(Heatmap::counts);
            Ok(hash((found.count, found.games, heatmap, structures)))
        }));
        let mut texts = corpus.texts();
        let texts =
            (0..corpus.header.games as u32).map(|id| texts.get(id).map(hash).map_err(|error| error.to_string()));
        // A forgery may have more or fewer texts, so all of them together give a single result.
        answers.push(texts.collect::<Result<Vec<_>, _>>().map(hash));
        let whole = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte).map(|corpus| hash(corpus.header));
        answers.push(whole.map_err(|error| error.to_string()));
        answers
    }

    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        let mut parts = CorpusParts::of(&self.bytes);
        for _ in 0..random.random_range(1..4) {
            forge(&mut parts, random);
        }
        let mut bytes = parts.bytes();
        if random.random_range(0..8) == 0 {
            // Damages the header of the file or of its first shard, and repairs the checksum.
            let (from, to) = if random.random() { (8, 56) } else { (64 + 8, 64 + 56) };
            random::overwrite(random, &mut bytes[from..to]);
            seal_headers(&mut bytes);
        }
        bytes
    }

    fn law(&self, bytes: &[u8]) -> Result<(), String> {
        let aligned = Aligned::new(bytes);
        let Ok(corpus) = CorpusReader::open(aligned.bytes(), CorpusCheck::WithoutTexts) else { return Ok(()) };
        if !follows(&corpus) {
            return Ok(());
        }
        let spans = corpus_spans(&corpus);
        // Illegal moves may give positions on which the evaluators disagree, so such games are not compared.
        if !spans.iter().flat_map(|span| span.games()).all(|game| is_legal(&game)) {
            return Ok(());
        }
        for (text, query) in QUERIES.iter().zip(&self.queries) {
            let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
            let found = run_query(&spans, query, &selection, &()).map_err(|_| "cancelled")?;
            let games = GameSet::empty(corpus.header.games as u32);
            let (slow, count) = naive::scan(&spans, query, (games, MatchCount::default()));
            if found.games.as_ref() != Some(&slow) || found.count != count {
                return Err(format!("`{text}`: {:?} in place of the naive twin's {count:?}", found.count));
            }
        }
        Ok(())
    }

    fn rearranged(&self, random: &mut StdRng) -> Vec<u8> {
        if random.random_range(0..3) == 0 {
            return shuffled(random, &self.bytes, &self.borders());
        }
        let mut parts = CorpusParts::of(&self.bytes);
        for _ in 0..random.random_range(1..3) {
            rearrange(&mut parts, random);
        }
        parts.bytes()
    }
}

fn names(span: &GameSpan<'_>, nth: u32) -> String {
    let (record, names) = (span.record(nth), span.names());
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        names.players.get(record.white),
        names.players.get(record.black),
        names.events.get(record.event),
        names.sites.get(record.site),
        names.sources.of_game(nth)
    )
}

fn moves(span: &GameSpan<'_>, nth: u32) -> String {
    hash((span.game(nth).moves, span.game(nth).start_board().fen().to_string()))
}

/// Whether every move of a game is legal, by shakmaty's rules.
fn is_legal(game: &Game<'_>) -> bool {
    let start = Chess::from_setup(game.start_board().to_setup(), CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check);
    let Ok(mut board) = start else { return false };
    game.moves.iter().all(|&mv| {
        let next = if mv.is_null() {
            board.clone().swap_turn().ok()
        } else {
            let theirs = board.legal_moves().into_iter().find(|&theirs| Move::from(theirs) == mv);
            theirs.and_then(|theirs| board.clone().play(theirs).ok())
        };
        next.is_some_and(|next| {
            board = next;
            true
        })
    })
}

/// Whether all derived sections follow from the games.
fn follows(corpus: &CorpusReader<'_>) -> bool {
    corpus.shard_bytes().all(|(_, shard)| {
        let whole = CorpusParts::of(&[&[0; 64][..], shard].concat().with_length()).shards.remove(0);
        let bare = CorpusParts { id: 0, shards: vec![whole.clone()] }.of_old().shards.remove(0);
        let bytes = Aligned::new(&bare.bytes());
        // A shard without these sections is fine.
        let Ok(Some(again)) = upgrade_shard(bytes.bytes()) else { return true };
        let again = Aligned::new(&again);
        if ShardLayout::check(again.bytes()).is_err() {
            return false;
        }
        let again = CorpusParts::of(&[&[0; 64][..], again.bytes()].concat().with_length()).shards.remove(0);
        let later = |section: &&TestSection| LATER.contains(&section.kind);
        whole.sections.iter().filter(later).all(|section| again.sections.contains(section))
    })
}

/// Sets the end of the file, which is the only field of the header that [`CorpusParts::of`] reads.
trait WithLength {
    fn with_length(self) -> Self;
}

impl WithLength for Vec<u8> {
    fn with_length(mut self) -> Vec<u8> {
        let length = (self.len() as u64).to_le_bytes();
        self[16..24].copy_from_slice(&length);
        self
    }
}

/// The borders of shards, of their headers and directories, and of their sections.
fn borders(bytes: &[u8]) -> Vec<usize> {
    let mut borders = vec![8, 64];
    let mut at = 64;
    for shard in CorpusParts::of(bytes).shards {
        let directory = 64 + 32 * shard.sections.len();
        borders.extend([at, at + 64, at + directory]);
        let mut end = at + directory;
        for section in &shard.sections {
            end = end.next_multiple_of(8);
            borders.push(end);
            end += section.bytes.len();
            borders.push(end);
        }
        at = end.next_multiple_of(8);
    }
    borders.push(at);
    borders
}

/// Changes something at random in a corpus.
fn forge(parts: &mut CorpusParts, random: &mut StdRng) {
    let shard = random.random_range(0..parts.shards.len());
    let shard = &mut parts.shards[shard];
    let section = random.random_range(0..shard.sections.len());
    let section = &mut shard.sections[section];
    match random.random_range(0..12) {
        0 => shard.games = random::number(random, shard.games.into()) as u32,
        1 => shard.plies = random::number(random, shard.plies),
        2 => section.kind = random::number(random, section.kind.into()) as u32 % 20,
        3 => section.flags = random::number(random, section.flags.into()) as u32,
        4 => section.bytes.truncate(random.random_range(0..=section.bytes.len())),
        5 => {
            let more = random.random_range(1..80);
            section.bytes.extend((0..more).map(|_| random.random::<u8>()));
        }
        _ => (0..random.random_range(1..4)).for_each(|_| random::overwrite(random, &mut section.bytes)),
    }
}

/// Rearranges sections and shards.
fn rearrange(parts: &mut CorpusParts, random: &mut StdRng) {
    let shards = parts.shards.len();
    let (one, other) = (random.random_range(0..shards), random.random_range(0..shards));
    let sections = parts.shards[one].sections.len();
    let (from, to) = (random.random_range(0..sections), random.random_range(0..sections));
    match random.random_range(0..7) {
        0 => parts.shards.swap(one, other),
        1 => parts.shards.insert(one, parts.shards[other].clone()),
        2 => parts.shards[one].sections.swap(from, to),
        3 => {
            let again = parts.shards[one].sections[from].clone();
            parts.shards[one].sections.insert(to, again);
        }
        4 => drop(parts.shards[one].sections.remove(from)),
        5 => {
            let (one, other) = (&parts.shards[one].sections[from], &parts.shards[other]);
            let Some(theirs) = other.sections.iter().find(|section| section.kind == one.kind) else { return };
            let theirs = theirs.bytes.clone();
            let shard = random.random_range(0..shards);
            if let Some(section) = parts.shards[shard].sections.get_mut(from) {
                section.bytes = theirs;
            }
        }
        _ => {
            let (one, other) = (parts.shards[one].sections[from].bytes.clone(), to);
            let shard = random.random_range(0..shards);
            if let Some(section) = parts.shards[shard].sections.get_mut(other) {
                section.bytes = one;
            }
        }
    }
}

/// Repairs the checksums of the file header and of the first shard's header.
fn seal_headers(bytes: &mut [u8]) {
    use xxhash_rust::xxh3::xxh3_64;
    let sections = u32::from_le_bytes(bytes[76..80].try_into().expect("four bytes")) as usize;
    if let Some(directory) = bytes.get(128..sections.saturating_mul(32).saturating_add(128)) {
        let checksum = xxh3_64(&[&bytes[64..120], directory].concat()).to_le_bytes();
        bytes[120..128].copy_from_slice(&checksum);
    }
    let checksum = xxh3_64(&bytes[..56]).to_le_bytes();
    bytes[56..64].copy_from_slice(&checksum);
}
