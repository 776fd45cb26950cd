//! Mangled PGN, plain and compressed.
//!
//! Plain: the same games and refusals wherever the text is cut, a sound corpus, and for each game a text that imports as this
//! game. Compressed: exactly the games of the file, or an error.

use std::io::{Cursor, Write};

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::pgn::{PgnEntry, read_games};
use plyfold_input::PgnSource;
use plyfold_input::import::ImportOptions;
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::bytes::{cut, flipped};
use crate::mangle::mangled;
use crate::subjects::corpus::{CHESS960, PGN, RARE};

/// Words of PGN.
const WORDS: [&str; 32] = [
    "[Event \"x\"]",
    "[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]",
    "[Variant \"Chess960\"]",
    "[Result \"1-0\"]",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "1-0",
    "*",
    "1/2-1/2",
    "O-O",
    "O-O-O",
    "e8=Q+",
    "exd6 e.p.",
    "--",
    "Z0",
    "$1",
    "$999999999999",
    "1.",
    "1...",
    "Nf3",
    "Qxf7#",
    "\n\n",
    "\n%",
    "[%clk 0:00:01]",
    "N1f3",
    "Nb1-d2",
    "0-0",
    "e1e8",
];

/// The beginning of an import's result that has no game.
const NO_GAME: &str = "0 games ";

/// Attacks on the import.
pub struct TextAttacks {
    /// The text in [`packed`](TextAttacks::packed), and the result of importing it.
    text: Vec<u8>,
    games: String,
    /// The text in each compressed form.
    packed: Vec<(&'static str, Vec<u8>)>,
}

impl TextAttacks {
    /// The text and its compressed forms.
    pub fn new() -> TextAttacks {
        let text = [PGN, RARE, CHESS960].join(&b"\n\n"[..]).repeat(3);
        let gzip = {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(&text).and_then(|()| writer.finish()).expect("memory")
        };
        let bzip2 = {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(&text).and_then(|()| writer.finish()).expect("memory")
        };
        let zstd = {
            let mut writer = zstd::Encoder::new(Vec::new(), 1).expect("memory");
            // Without a checksum, damage to a frame would go unnoticed.
            writer.include_checksum(true).expect("a parameter");
            writer.write_all(&text).and_then(|()| writer.finish()).expect("memory")
        };
        let packed = vec![
            ("games.pgn.gz", gzip),
            ("games.pgn.bz2", bzip2),
            ("games.pgn.zst", zstd),
            ("games.zip", zipped(&text)),
            ("games.7z", seven_zipped(&text)),
        ];
        let games = imported(&text, 4 << 20).expect("a sound text");
        TextAttacks { text, games, packed }
    }

    fn plain(&self, random: &mut StdRng, tried: &Tried) -> Result<AttackOutcome, String> {
        let sound = [PGN, RARE, CHESS960][random.random_range(0..3)];
        let text = mangled(random, sound, &WORDS);
        tried.says("a mangled PGN file");
        tried.input("games.pgn", &text);
        let whole = imported(&text, 4 << 20);
        let pieces = imported(&text, random.random_range(64..512));
        match (whole, pieces) {
            (Ok(whole), Ok(pieces)) if whole == pieces => {}
            (Err(whole), Err(_)) => {
                return if whole.is_empty() { Err("no sentence".into()) } else { Ok(AttackOutcome::Refused) };
            }
            (whole, pieces) => return Err(format!("in pieces {pieces:?}, whole {whole:?}")),
        }
        let mut wrong = None;
        let mut visit = |entry: PgnEntry<'_>| {
            let PgnEntry::Game { moves, text: own, .. } = entry else { return };
            // On its own, such a text would look like another encoding.
            if plyfold_core::pgn::is_utf16(own) {
                return;
            }
            let mut again = Vec::new();
            read_games(own, 0, &mut |entry| match entry {
                PgnEntry::Game { moves, .. } => again.push(moves.to_vec()),
                _ => again.push(Vec::new()),
            });
            if again != [moves.to_vec()] {
                wrong = Some(format!("its text reads as {} games with other moves", again.len()));
            }
        };
        if !plyfold_core::pgn::is_utf16(&text) {
            read_games(&text, 0, &mut visit);
        }
        wrong.map_or(Ok(AttackOutcome::Answered), Err)
    }

    fn packed(&self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let (name, sound) = &self.packed[random.random_range(0..self.packed.len())];
        let bytes = match random.random_range(0..4) {
            0 | 1 => flipped(random, sound),
            2 => cut(random, sound, &[2, 10, sound.len() / 2, sound.len() - 8]),
            _ => mangled(random, sound, &[]),
        };
        tried.says("a damaged compressed file");
        tried.input(name, &bytes);
        match imported(&bytes, 4 << 20) {
            Err(error) if error.is_empty() => AttackOutcome::Wrong("an error without a sentence".into()),
            Err(_) => AttackOutcome::Refused,
            Ok(games) if games == self.games => AttackOutcome::Answered,
            // Bytes that do not look like a compressed file are read as PGN. They have no game, and the import says so.
            Ok(games) if games.starts_with(NO_GAME) => AttackOutcome::Refused,
            Ok(games) => AttackOutcome::Wrong(format!(
                "other games than those of the file of {} bytes: {games}",
                self.text.len()
            )),
        }
    }
}

/// A 7z archive with this text.
fn seven_zipped(text: &[u8]) -> Vec<u8> {
    let entry = sevenz_rust2::ArchiveEntry::new_file("g.pgn");
    let mut writer = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).expect("memory");
    writer.push_archive_entry(entry, Some(text)).expect("memory");
    writer.finish().expect("memory").into_inner()
}

/// A zip archive with this text and a file beside it. Behind it stands what the reader does not need, a directory.
fn zipped(text: &[u8]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in [("read.me", &b"not PGN"[..]), ("g.pgn", text)] {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory");
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        archive.extend(b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0");
        for word in [crc.sum(), packed.len() as u32, bytes.len() as u32] {
            archive.extend(word.to_le_bytes());
        }
        archive.extend([name.len() as u8, 0, 0, 0]);
        archive.extend([name.as_bytes(), &packed].concat());
    }
    archive.extend(b"PK\x01\x02");
    archive
}

impl AttackSeries for TextAttacks {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        if random.random() {
            self.plain(random, tried).unwrap_or_else(AttackOutcome::Wrong)
        } else {
            self.packed(random, tried)
        }
    }
}

/// The result of an import: the games with their moves and texts, and the refusals. Checks every byte of the corpus first.
pub fn imported(bytes: &[u8], chunk_bytes: usize) -> Result<String, String> {
    let length = bytes.len() as u64;
    let mut source = PgnSource::new(Cursor::new(bytes.to_vec()), Some(length)).map_err(|error| error.to_string())?;
    let options = ImportOptions { chunk_bytes, threads: 1, ..ImportOptions::default() };
    let mut header = plyfold_core::corpus::file::CorpusFileHeader::empty();
    let mut body = vec![0; 64];
    let report = plyfold_input::import::import_games(&mut source, &options, &mut |_, _| true, &mut |shard| {
        header.append(&shard)?;
        body.extend_from_slice(&shard);
        Ok(())
    });
    let report = report.map_err(|error| error.to_string())?;
    body[..64].copy_from_slice(&header.to_bytes());
    let aligned = Aligned::new(&body);
    let corpus = CorpusReader::open(aligned.bytes(), CorpusCheck::EveryByte)
        .unwrap_or_else(|error| panic!("the corpus of it: {error}"));
    let mut games = Vec::new();
    for (id, game) in (0..).zip(plyfold_core::game::corpus_spans(&corpus).iter().flat_map(|span| span.games())) {
        let text = corpus.text(id).unwrap_or_else(|error| panic!("the text of game {id}: {error}"));
        games.push((xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(game.moves)), xxhash_rust::xxh3::xxh3_64(&text)));
    }
    let refused: Vec<String> = report.rejections.iter().map(ToString::to_string).collect();
    Ok(format!("{} games {:016x}, refused {}: {}", games.len(), hash(&games), report.rejected, refused.join("; ")))
}

fn hash(games: &[(u64, u64)]) -> u64 {
    let words: Vec<u64> = games.iter().flat_map(|(one, other)| [*one, *other]).collect();
    xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&words))
}
