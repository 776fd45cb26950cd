//! Compares board transforms with vectors made without this code: by python-chess, by the formulae of Popeye, and from the
//! wording of the specification.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use plyfold_core::transform::composite::CompositeTransform;
use plyfold_core::transform::symmetry::Symmetry;
use plyfold_core::transform::{Transform, detect, position_text};
use plyfold_core::twinning::epd::{EpdExporter, EpdStyle, EpdWriter, command_description};
use plyfold_core::twinning::{OffBoardRule, Twin, TwinList};
use plyfold_tests::data;
use serde_json::Value;
use shakmaty::{Piece, Square};

/// All vectors if they are beside the project, otherwise some of each kind.
fn vectors() -> Value {
    let path = data::facts("transform_vectors.json").unwrap_or_else(|| data::vectors("transforms.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// A list of the vectors. Asserts that it has at least this many.
#[track_caller]
fn list<'a>(all: &'a Value, name: &str, least: usize) -> &'a [Value] {
    let list = all[name].as_array().unwrap();
    assert!(list.len() >= least, "{name} has {}", list.len());
    list
}

fn transform(name: &str) -> Transform {
    Transform::named(name).unwrap_or_else(|| panic!("{name}"))
}

fn word(value: &Value, name: &str) -> u64 {
    u64::from_str_radix(text(value, name), 16).unwrap()
}

fn placed_pieces(pieces: Vec<(Square, Piece)>) -> Vec<String> {
    // In the vectors, black pieces are lower-case letters, each with its square.
    pieces.into_iter().map(|(square, piece)| format!("{}{square}", piece.char())).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

#[test]
fn squares_and_sets_go_where_they_should() {
    let all = vectors();
    let maps = all["square_maps"].as_object().unwrap();
    assert_eq!(maps.len(), 8);
    for (name, map) in maps {
        for (square, there) in Square::ALL.into_iter().zip(texts(map)) {
            assert_eq!(transform(name).square(square).unwrap().to_string(), there, "{name} of {square}");
            assert_eq!(
                CompositeTransform::of_transform(transform(name))
                    .square(square as u8)
                    .map(u32::from)
                    .map(Square::new)
                    .unwrap()
                    .to_string(),
                there
            );
        }
    }
    for vector in list(&all, "bitboards", 5) {
        let out = vector["out"].as_object().unwrap();
        assert_eq!(out.len(), 8);
        for name in out.keys() {
            assert_eq!(transform(name).bitboard(word(vector, "in")), word(&vector["out"], name), "{name} of {vector}");
        }
    }
    for vector in list(&all, "bitboard_shifts", 10) {
        let shift = transform(text(vector, "shift"));
        assert_eq!(shift.bitboard(word(vector, "in")), word(vector, "out"), "{vector}");
    }
}

#[test]
fn one_after_the_other_is_one() {
    let all = vectors();
    let table = all["compose"]["table"].as_object().unwrap();
    let symmetry = |name: &str| Symmetry::NAMED.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!(table.len(), 8);
    for (first, row) in table {
        let row = row.as_object().unwrap();
        assert_eq!(row.len(), 8);
        for (second, both) in row {
            let both = both.as_str().unwrap();
            assert_eq!(symmetry(first).then(symmetry(second)).name(), both, "{first} {second}");
            let image = CompositeTransform::of_transform(transform(first))
                .then(CompositeTransform::of_transform(transform(second)))
                .unwrap();
            assert_eq!(image.to_string(), both, "{first} {second}");
        }
    }
}

#[test]
fn whole_positions() {
    let all = vectors();
    for vector in list(&all, "fens", 10) {
        let position = position_text::read_fen(text(vector, "in")).unwrap();
        let transform = transform(text(vector, "op"));
        let dropped = placed_pieces(transform.dropped_pieces(&position));
        assert_eq!(dropped, texts(&vector["dropped"]), "{vector}");
        assert_eq!(position_text::to_fen(&transform.apply(&position)), text(vector, "out"), "{vector}");
        match transform.apply_strictly(&position) {
            Ok(turned) => {
                assert_eq!(
                    (position_text::to_fen(&turned).as_str(), dropped.len()),
                    (text(vector, "out"), 0),
                    "{vector}"
                )
            }
            Err(wrong) => assert_eq!(placed_pieces(wrong.pieces), dropped, "{vector}"),
        }
        let twins = TwinList::read(text(vector, "op")).unwrap();
        let made = twins.apply(&position, OffBoardRule::AsWritten).unwrap();
        assert_eq!(position_text::to_fen(&made[1].position), text(vector, "out"), "{vector}");
        let found = detect::transforms_between(&made[1].position, &position);
        assert!(
            !found.is_empty() || CompositeTransform::of_transform(transform) == CompositeTransform::IDENTITY,
            "{vector}"
        );
    }
    for vector in list(&all, "fen_sequences", 5) {
        let mut position = position_text::read_fen(text(vector, "in")).unwrap();
        let ops = texts(&vector["ops"]);
        for (op, dropped) in ops.iter().zip(vector["dropped"].as_array().unwrap()) {
            assert_eq!(placed_pieces(transform(op).dropped_pieces(&position)), texts(dropped), "{op} of {vector}");
            position = transform(op).apply(&position);
        }
        assert_eq!(position_text::to_fen(&position), text(vector, "out"), "{vector}");
    }
}

#[test]
fn what_lies_between_is_found() {
    let all = vectors();
    for vector in list(&all, "detect", 8) {
        let (a, b) = (word(vector, "a"), word(vector, "b"));
        let found = [detect::is_shift(a, b), detect::is_flip(a, b), detect::is_rotation(a, b)];
        assert_eq!(found, ["isShift", "isFlip", "isRotate"].map(|name| vector[name].as_bool().unwrap()), "{vector}");
        // All pieces are white queens, so the position holds no more than the set of squares, and there are no colours to
        // exchange.
        let position = |word: u64| {
            let mut position = shakmaty::Setup::empty();
            shakmaty::Bitboard(word)
                .into_iter()
                .for_each(|square| position.board.set_piece_at(square, Piece::from_char('Q').unwrap()));
            position
        };
        let between = detect::transforms_between(&position(a), &position(b));
        let has = |name: &str| {
            between.iter().any(|image| image.to_string().starts_with(name) && !image.to_string().contains(' '))
        };
        assert_eq!(
            [has("shift"), has("flipH") || has("flipV") || has("flipD") || has("flipA"), has("rot")],
            found,
            "{vector}"
        );
    }
}

#[test]
fn twinning_commands() {
    let all = vectors();
    let mut errors = 0;
    for vector in list(&all, "twins", 5) {
        let position = position_text::read_fen(text(vector, "in")).unwrap();
        let leaving = match text(vector, "offboard") {
            "drop" => OffBoardRule::Drop,
            "error" => OffBoardRule::Refuse,
            other => panic!("{other}"),
        };
        let made = Twin::read(text(vector, "twin")).and_then(|twin| {
            assert_eq!(Twin::read(&twin.to_string()).unwrap().to_string(), twin.to_string());
            // A twinning command refuses by default to lose pieces.
            if leaving == OffBoardRule::Refuse {
                assert_eq!(twin.apply(&position, OffBoardRule::AsWritten), twin.apply(&position, leaving), "{vector}");
            }
            twin.apply(&position, leaving)
        });
        match (vector["out"].as_str(), made) {
            (Some(out), Ok(made)) => assert_eq!(position_text::placement(&made), out, "{vector}"),
            (None, Err(wrong)) => {
                errors += 1;
                let says = match text(vector, "error") {
                    "nothing to exchange" => "to exchange",
                    "nothing on a1" => "no piece on a1",
                    "rotate 45" => "90, 180 or 270",
                    "piece outside" => "leaves the board",
                    // Vectors of other errors describe them in words of their own.
                    _ => "",
                };
                assert!(wrong.message.replace("leave the", "leaves the").contains(says), "{vector}: {wrong}");
            }
            (_, made) => panic!("{vector}: {made:?}"),
        }
    }
    assert!(errors >= 2);
}

#[test]
fn lines_of_epd() {
    let all = vectors();
    let vectors = list(&all, "epd", 3);
    for vector in vectors {
        let exporter = match text(vector, "family") {
            "flip" => EpdExporter::Flip,
            "rotate" => EpdExporter::Rotate,
            "shift" => EpdExporter::Shift,
            other => panic!("{other}"),
        };
        let policy = match text(vector, "policy") {
            "clean" => EpdStyle::WellFormed,
            "seed-literal" => EpdStyle::Literal,
            other => panic!("{other}"),
        };
        let position = position_text::read_fen(text(vector, "fen")).unwrap();
        let mut lines = EpdWriter::new(policy);
        let mut before = Vec::new();
        while lines.line_count() + 1 < vector["first_id"].as_u64().unwrap() {
            lines.push_line(&position, "before", &mut before);
        }
        let mut written = Vec::new();
        for command in exporter.commands() {
            let image = command.apply(&position, OffBoardRule::Drop).unwrap();
            lines.push_pair(&position, &image, &command_description(&command), &mut written);
        }
        let expected: String = texts(&vector["lines"]).iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(String::from_utf8(written).unwrap(), expected, "{}", text(vector, "fen"));
    }
}
