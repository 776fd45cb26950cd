//! Each row of the tables of spellings in `docs/pgn.md` is read as it says.

use plyfold_core::annotations::{GameAnnotations, Score};
use plyfold_core::board::Board;
use plyfold_core::corpus::record::GameHeader;
use plyfold_core::moves::Move;
use plyfold_core::pgn::{PgnEntry, read_games};
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;

/// The rows of the table under a heading, as cells without the marks of code.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let page = include_str!("../../../docs/pgn.md");
    let (_, section) = page.split_once(&format!("### {heading}\n")).expect(heading);
    let section = section.split("\n#").next().unwrap_or_default();
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let rows: Vec<Vec<_>> = lines
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim_matches([' ', '`'])).collect())
        .collect();
    assert!(rows.len() > 4, "{heading}");
    rows
}

/// What is read of a text with one game.
struct Read {
    header: GameHeader<'static>,
    start: Board,
    moves: Vec<Move>,
    annotations: GameAnnotations,
}

fn read(text: &str) -> Read {
    let mut found = None;
    read_games(text.as_bytes(), 0, &mut |entry| {
        let PgnEntry::Game { header, start, moves, annotations, fault: None, .. } = entry else {
            panic!("{text}: {entry:?}");
        };
        assert!(found.is_none(), "{text}: two games");
        let header = GameHeader {
            white: header.white.into_owned().into(),
            black: "".into(),
            event: "".into(),
            site: "".into(),
            round: "".into(),
            annotator: "".into(),
            time_control: "".into(),
            white_title: "".into(),
            black_title: "".into(),
            ..header
        };
        let start = start.as_ref().map_or_else(Board::initial, Board::from_start);
        found = Some(Read { header, start, moves: moves.to_vec(), annotations: annotations.clone() });
    });
    found.unwrap_or_else(|| panic!("{text}: no game"))
}

#[test]
fn moves() {
    for row in rows("Moves") {
        let [written, position, expected, _] = row[..] else { panic!("{row:?}") };
        let tag = if position.is_empty() { "[Site \"x\"]".into() } else { format!("[FEN \"{position}\"]") };
        let game = read(&format!("{tag}\n\n{written} *\n"));
        let from: shakmaty::Chess = match position {
            "" => shakmaty::Chess::default(),
            fen => fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Chess960).expect(fen),
        };
        let expected = expected.parse::<UciMove>().expect("a move");
        let expected = match expected {
            UciMove::Null => Move::NULL,
            mv => Move::from(mv.to_move(&from).expect("legal")),
        };
        assert_eq!(game.moves, [expected], "{written}");
    }
}

#[test]
fn results() {
    for row in rows("Results") {
        let [written, expected, _] = row[..] else { panic!("{row:?}") };
        for text in [format!("1. e4 {written}\n"), format!("[Result \"{written}\"]\n\n1. e4 e5\n")] {
            assert_eq!(read(&text).header.result.name(), expected, "{text}");
        }
    }
}

#[test]
fn tags() {
    for row in rows("Tags") {
        let [written, fact, expected, _] = row[..] else { panic!("{row:?}") };
        let Read { header, .. } = read(&format!("[Event \"x\"]\n{written}\n[Site \"y\"]\n\n1. e4 *\n"));
        let found = match fact {
            "white" => header.white.into_owned(),
            "date" => header.date.to_string(),
            "time class" => header.time_class.to_string(),
            "variant" => if header.chess960 { "Chess960" } else { "chess" }.into(),
            other => panic!("{other}"),
        };
        assert_eq!(found, expected, "{written}");
    }
}

#[test]
fn comments() {
    for row in rows("Comments") {
        let [written, fact, expected, _] = row[..] else { panic!("{row:?}") };
        let GameAnnotations { scores, clocks, elapsed, .. } = read(&format!("1. e4 {written} *\n")).annotations;
        let seconds = |tenths: &[u32]| format!("{}.{}", tenths[0] / 10, tenths[0] % 10);
        let found = match fact {
            "evaluation" => match scores[0].as_mate() {
                Some((moves, white)) => format!("#{}{moves}", if white { "" } else { "-" }),
                None => scores[0].as_centipawns().expect("a number").to_string(),
            },
            "clock" => seconds(&clocks),
            "time spent" => seconds(&elapsed),
            other => panic!("{other}"),
        };
        assert_eq!(found, expected, "{written}");
    }
    // Of an engine match, Black's evaluation is seen from Black.
    let scores = read("1. e4 {+0.30/18 10s} e5 {+0.20/18 10s} *").annotations.scores;
    assert_eq!(scores, [30, -20].map(Score::centipawns));
}

#[test]
fn positions() {
    for row in rows("Positions") {
        let [written, expected] = row[..] else { panic!("{row:?}") };
        let game = read(&format!("[FEN \"{written}\"]\n\n*\n"));
        assert_eq!(game.start.fen().to_string(), expected, "{written}");
    }
}
