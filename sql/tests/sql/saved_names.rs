//! Named sets and lines beside a library, in queries of SQL.

use std::fs;
use std::path::Path;

use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::joined::joined_id;
use plyfold_core::pmote::header::{CorpusStamp, HeaderBuilder};
use plyfold_core::pmote::kind::PmoteKind;

use crate::sandbox::{Sandbox, ask, ask_with, lines};

/// Writes a set of these games, by their numbers from 1, of a library of corpora.
fn write_set(place: &Path, corpora: &[&Path], games: &[u32]) {
    let header = |path: &&Path| CorpusFileHeader::read(&fs::read(path).unwrap()).unwrap();
    let headers: Vec<CorpusFileHeader> = corpora.iter().map(header).collect();
    let all: u64 = headers.iter().map(|header| header.games).sum();
    let mut words = vec![0_u64; all.div_ceil(64) as usize];
    games.iter().for_each(|number| words[(number - 1) as usize / 64] |= 1 << ((number - 1) % 64));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let stamp = CorpusStamp { corpus: joined_id(&headers), games: all as u32 };
    let mut builder = HeaderBuilder::new(PmoteKind::Games, stamp);
    builder.update(&bytes);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, [builder.finish().to_vec(), bytes].concat()).unwrap();
}

#[test]
fn a_set_selects_its_games() {
    let sandbox = Sandbox::new();
    let corpora = [sandbox.path("lib/a.plyfold"), sandbox.path("lib/b.plyfold")];
    let corpora = corpora.each_ref().map(|path| path.as_path());
    write_set(&sandbox.path("lib/.sets/mine.bm"), &corpora, &[2, 5]);
    write_set(&sandbox.path("headers.sets/mine.bm"), &[&sandbox.path("headers.plyfold")], &[1, 3, 4]);
    write_set(&sandbox.path("headers.sets/foreign.bm"), &corpora, &[1]);
    let (lib, one) = (sandbox.address("lib"), sandbox.address("headers.plyfold"));
    let games =
        |address: &str, query: &str| lines(address, &format!("SELECT game FROM search('{query}') ORDER BY game"));
    assert_eq!(games(&lib, "in @mine"), ["2", "5"]);
    assert_eq!(games(&lib, "in @mine and result 1-0"), ["5"]);
    assert_eq!(games(&one, "not in @mine"), ["2"]);
    assert_eq!(lines(&one, "SELECT game FROM games WHERE NOT matches('in @mine')"), ["2"]);
    // The set is that of the library that is searched.
    let other = ask_with(&one, &lib, "SELECT game FROM search('other', 'in @mine') ORDER BY game").unwrap();
    assert_eq!(other, [["2"], ["5"]]);
    for (query, says) in [
        ("in @foreign", "headers.sets/foreign.bm: it belongs to another corpus"),
        ("in @yours", "there is no set @yours: "),
        ("in @yours", "has @foreign, @mine"),
    ] {
        let message = ask(&one, &format!("SELECT * FROM search('{query}')")).expect_err(query);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn lines_are_those_beside_the_library() {
    let sandbox = Sandbox::new();
    // The first game of the library leaves at its second move, the second one at its first, the third at Black's second, and the last two
    // games are as the fourth, by another first move, and as the first.
    fs::create_dir_all(sandbox.path("lib/.sets")).unwrap();
    fs::write(sandbox.path("lib/.sets/open.pgn"), "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 *\n").unwrap();
    let lib = sandbox.address("lib");
    let games = |query: &str| lines(&lib, &format!("SELECT game FROM search('{query}') ORDER BY game"));
    assert_eq!(games("white left @open"), ["1", "2", "4", "5"]);
    assert_eq!(games("black left @open"), ["3"]);
    assert_eq!(games("left @open and result 1-0 and not in_repertoire @open"), [""; 0]);
    assert_eq!(games("never in_repertoire @open"), ["2", "4"]);
    let positions = lines(&lib, "SELECT game, ply FROM positions('left @open') ORDER BY game, ply");
    assert_eq!(positions, ["1|3", "2|1", "3|4", "4|1", "5|3"]);
    let counted = lines(&lib, "SELECT sum(games) FROM counts('white left @open', 'result')");
    assert_eq!(counted, ["4"]);
}
