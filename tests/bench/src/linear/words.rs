//! Texts of one line: positions, EPD operations, twins, materials, plain words.

use plyfold_core::aliases::Aliases;
use plyfold_core::board::Board;
use plyfold_core::edit_list::{EditList, EditsByGame};
use plyfold_core::headers::NameCount;
use plyfold_core::index::fen;
use plyfold_core::query::phrases::{KnownNames, NameKind, read_plain_words};
use plyfold_core::table::material::TableMaterial;
use plyfold_core::table::successors::TablePosition;
use plyfold_core::transform::position_text;
use plyfold_core::twinning::{OffBoardRule, Twin, TwinList};
use shakmaty::Setup;

use super::{Construct, ConstructSizes, Read, repeated, shown};

const FEN: &[&str] = &[
    "8",
    "8/",
    "/",
    "1",
    "p",
    "K",
    "k",
    "~",
    "Q~",
    "[",
    "]",
    "[]",
    " ",
    "_",
    "  w",
    " w",
    " -",
    "w ",
    "- ",
    "0 ",
    "9",
    "a",
    "KQkq",
    "é",
    "\t",
    "\0",
    "8/8/8/8/8/8/8/8 ",
    "x",
    ";",
];

const FEN_BEFORE: &[&str] = &["", "8/8/8/8/8/8/8/8 w ", "8/8/8/8/8/8/8/8 w - - ", "8/8/8/8/8/8/8/8 w KQkq - 0 "];

const EPD: &[&str] = &[
    "bm e4; ",
    "bm",
    "bm ",
    ";",
    "; ",
    "\"",
    "\"\";",
    "id \"a\"; ",
    "id \"a;",
    "id \"\\\"; ",
    "hmvc 1; ",
    "hmvc 99999999999; ",
    "fmvn 0; ",
    "a b c d; ",
    "acd 1;acd 2;",
    " ",
    "é;",
    "c0 \"",
];

const TWIN: &[&str] = &[
    "Twin ",
    "Continued ",
    "Twin Continued ",
    "ZeroPosition ",
    "Zero",
    "PolishType ",
    "Rotate 90 ",
    "Rotate ",
    "rotate 90 ",
    "Mirror a1<-->h1 ",
    "Mirror ",
    "Shift a1 ==> b2 ",
    "Shift a1 b2 ",
    "Shift ",
    "Move a1 ==> b2 ",
    "Move a1 b2 ",
    "Move ",
    "Exchange a1 <-> b2 ",
    "Exchange a1 b2 ",
    "Remove a1 ",
    "Remove ",
    "Add White Ka1 ",
    "Add white qa1 ",
    "Add ",
    "Substitute Q ==> R ",
    "Stipulation h#2 ",
    "Condition a ",
    "a1 ",
    "a1",
    "==> ",
    "<-->",
    " ",
    ",",
    "+",
    "a",
    "a ",
    "é ",
    "\n",
    "90 ",
    "Twin Rotate 90 ",
    "Twin PolishType ",
    "Twin Move a1 b2 ",
];

const MATERIAL: &[&str] = &["K", "k", "Q", "v", "KvK", "KQvK", "KQ", "P", " ", "1", "é", "R R ", "vv"];

const ALIAS: &[&str] = &[
    "player\ta\tb\n",
    "player\ta\n",
    "player\t",
    "event\ta, b\tb\r\n",
    "site\té\tE\n",
    "# so\n",
    "#",
    "\t",
    "\n",
    "a",
    "é ",
    "\u{301}",
];

const EDIT: &[&str] = &[
    "1\tdelete\n",
    "1-9\tset A=b\n",
    "1,",
    "1,5-9,",
    "1-",
    "1\tset A=b\t",
    "1\tset A=\\\\\n",
    "\\n",
    "1\ttext 1. e4 *\n",
    "2\tremove A\n",
    "3\trename A=B\r\n",
    "# so\n",
    "\t",
    "\n",
    "a",
    "é",
];

const PHRASE: &[&str] = &[
    "Karpov ",
    "Karpov",
    "rook ",
    "rook and ",
    "white ",
    "the ",
    "half open ",
    "queen vs rook ",
    "1980-1990 ",
    "1980",
    "- ",
    "-",
    "2700+ ",
    "a ",
    "a",
    "é",
    "'",
    "a' ",
    "\"",
    " ",
    ",",
    ".",
    "1.",
    "1. e4 ",
    "Sf3 ",
    "e8=D ",
    "=D",
    "Läufer ",
    "Laeufer gegen ",
    "KQvKR ",
    "kqk",
    "frobnicated ",
];

/// Every name is a player.
struct OneName;

impl KnownNames for OneName {
    fn find(&self, _: NameKind, words: &str) -> Vec<NameCount> {
        Vec::from([NameCount { name: words.into(), games: 1 }])
    }
}

fn phrase(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(read_plain_words(text, &OneName))));
}

fn fen(text: &[u8]) {
    with_text(text, |text| {
        drop(std::hint::black_box(position_text::read_line(text)));
        drop(std::hint::black_box(TablePosition::from_fen(text).map(|_| ())));
        drop(std::hint::black_box(fen::board_from_fen(text).map(|board: Board| board.to_setup())));
    });
}

fn epd(text: &[u8]) {
    with_text(text, |text| {
        std::hint::black_box(
            position_text::read_line(text)
                .map(|line| line.operations.map_or(0, |operations| position_text::operations(operations).count())),
        )
        .ok();
    });
}

fn twins(text: &[u8]) {
    with_text(text, |text| {
        let board = Setup::initial();
        drop(std::hint::black_box(Twin::read(text).map(|twin| twin.apply(&board, OffBoardRule::Refuse).map(|_| ()))));
        drop(std::hint::black_box(
            TwinList::read(text).map(|twins| twins.apply(&board, OffBoardRule::Refuse).map(|made| made.len())),
        ));
    });
}

/// The text, and as many aliases as it has bytes, each once.
fn aliases(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(Aliases::parse(text).map(|aliases| aliases.to_text()))));
    let each = (0..text.len() / 16).map(|nth| format!("player\ta{nth}\tb{nth}\n")).collect::<String>();
    drop(std::hint::black_box(Aliases::parse(&each).map(|aliases| aliases.to_text())));
}

/// Edits as they stand behind the first line.
fn edits(text: &[u8]) {
    with_text(text, |text| {
        let Ok(mut list) = EditList::parse(text) else { return };
        drop(std::hint::black_box(EditsByGame::new(&list, 1000).map(|edits| edits.keeps_texts())));
        let half = list.edits().len() / 2;
        std::hint::black_box(list.undo(half));
    });
}

fn material(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(TableMaterial::parse(text).map(|material| material.to_string()))));
}

fn with_text(text: &[u8], read: impl FnOnce(&str)) {
    read(std::str::from_utf8(text).expect("these constructs are UTF-8"));
}

pub(super) fn constructs(extent: ConstructSizes) -> Vec<Construct> {
    let lengths = if extent.is_long { vec![1_000, 10_000, 100_000, 1_000_000] } else { vec![500, 2_000, 8_000] };
    let mut all = Vec::new();
    let families: [(&str, Read, &[&str], &[&str]); 7] = [
        ("FEN", fen, FEN, FEN_BEFORE),
        ("EPD", epd, EPD, &["8/8/8/8/8/8/8/8 w - - "]),
        ("twins", twins, TWIN, &["", "Twin ", "Rotate 90 "]),
        ("material", material, MATERIAL, &["", "KQv"]),
        ("plain words", phrase, PHRASE, &[""]),
        (
            "edits",
            edits,
            EDIT,
            &["plyfold edits 1\tcorpus 00c0ffee00c0ffee\n", "plyfold edits 1\tcorpus 00c0ffee00c0ffee\n1\ttext "],
        ),
        ("aliases", aliases, ALIAS, &["", "player\ta\t"]),
    ];
    for (reader, read, parts, befores) in families {
        for (&before, &part) in befores.iter().flat_map(|before| parts.iter().map(move |part| (before, part))) {
            let name = if before.is_empty() {
                shown(part.as_bytes())
            } else {
                format!("{} then {}", before.escape_debug(), shown(part.as_bytes()))
            };
            let build = Box::new(move |bytes| repeated(before.as_bytes(), part.as_bytes(), bytes));
            all.push(Construct { reader, name, build, read, lengths: lengths.clone() });
        }
    }
    all
}
