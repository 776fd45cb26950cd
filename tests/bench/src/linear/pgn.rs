//! PGN: every kind of token in every place where it may occur, and pairs of tokens in alternation.

use std::io::Cursor;

use plyfold_core::pgn::{self, LineTree, MoveEndFinder, Omission, TagEdit};
use plyfold_input::PgnSource;
use plyfold_input::import::{self, ImportOptions};

use super::{Construct, ConstructSizes, Random, Read, repeated, shown};

/// The repeated tokens. Nothing separates the repetitions, so a token that needs a separator contains one.
const TOKENS: &[&[u8]] = &[
    // Brackets that open, close and do both; tokens that only look like tags.
    b"[",
    b"]",
    b"[]",
    b"[ ",
    b"[\n",
    b"[A",
    b"[A ",
    b"[A\n",
    b"[%",
    b"[%clk 0:01]",
    b"[%clk\n",
    b"[Event ",
    b"[Event\n",
    b"[\"",
    b"[A \"",
    b"{",
    b"}",
    b"{}",
    b"{ ",
    b"{a} ",
    b"{{}",
    b"{}}",
    b"{{}}",
    b"{\n",
    b"{;}",
    b"(",
    b")",
    b"()",
    b"( ",
    b"(()",
    b"({",
    b"({)",
    b"(;\n)",
    b"(\n%)",
    b"(*)",
    b"(1. e4) ",
    b"<",
    b">",
    b"<>",
    // Line comments and escapes.
    b";",
    b"; a\n",
    b"%",
    b"%\n",
    b"\n%a",
    b"\r%\r",
    b"%{\n",
    b";{\n",
    b"\n\n%",
    b"\\",
    b"\"",
    b"\\\"",
    // Line ends and blanks.
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n ",
    b"\n\t\r",
    b"\x0b",
    b"\x0c",
    b"\0",
    b"\x7f",
    b"\x1a",
    // Tags: with and without values, repeated, alone, unfinished, with odd names and values.
    b"[A \"\"]",
    b"[A \"\"]\n",
    b"[A \"\"]\n\n",
    b"[A \"\"]\r\n",
    b"[A \"\"]\r",
    b"[A \"\"]\n%\n",
    b"[Event \"\"]",
    b"[Event \"\"]\n",
    b"[Event \"\"]\n\n",
    b"[White \"a\"]\n\n",
    b"[White \"a\"] ",
    b"[Event \"a\"]\n[White \"b\"]\n",
    b"[A \"\n",
    b"[A \"x\n",
    b"[A \"\"\n",
    b"[A \"]\n",
    b"[A \"\\\"]\n",
    b"[A\"\"]\n",
    b"[a_1 \"\"]\n",
    b"[ A  \"\" ]\n",
    b"[A ]\n",
    b"[A b]\n",
    b"[Result \"1-0\"]\n",
    b"[FEN \"\"]\n",
    b"[FEN \"8/8\"]\n*\n",
    b"[FEN \"8/8/8/8/8/8/8/KR5k w - - 0 1\"]\n*\n",
    b"[Variant \"x\"]\n*\n",
    b"[White \"\xff\"]\n*\n",
    b"[Event \"x\"]\n1. e4 *\n",
    b"[Date \"2020.01.01\"]\n\n*\n\n",
    b"[Termination \"x\"]\n*\n",
    b"[TimeControl \"1+1\"]\n*\n",
    b"\"]",
    b"\" ]",
    b"x\"]\n",
    // Results and similar tokens.
    b"*",
    b"* ",
    b"*\n",
    b"1-0",
    b"1-0 ",
    b"0-1\n",
    b"1/2",
    b"1/2-1/2 ",
    b"1:0 ",
    b"0-0 ",
    b"\xc2\xbd ",
    b"1-",
    b"*{}",
    b"*;\n",
    b"e4*",
    b"Zz*",
    b"Z.*",
    b"Nf3+*",
    b"e4 *\n\n",
    // Numbers, glyphs and marks.
    b"1",
    b"1 ",
    b"1.",
    b"1. ",
    b"1...",
    b"1.\n",
    b"\n\n1.",
    b"\n\n1. e4",
    b"99999 ",
    b"0",
    b"$",
    b"$1 ",
    b"$999",
    b"!",
    b"?!",
    b"!! ",
    b"+",
    b"#",
    b"=",
    b"+-",
    b"N ",
    b"D ",
    b"e.p.",
    b"ep ",
    b"...",
    b".",
    b",",
    b":",
    b"/",
    b"-",
    b"--",
    b"-- ",
    b"@",
    b"@@@@ ",
    b"&",
    b"~",
    b"_",
    b"'",
    // Legal moves, illegal moves and words.
    b"e4 ",
    b"e4",
    b"e4\n",
    b"e2e4 ",
    b"Nf3 ",
    b"Nf3 Nf6 Ng1 Ng8 ",
    b"Nf3 $1 {a} Nf6 ! (Nc6) Ng1 Ng8 ",
    b"O-O ",
    b"O-O-O",
    b"e8=Q ",
    b"e8(",
    b"Ke2 ",
    b"Zz ",
    b"a",
    b"N",
    b"Na",
    b"Nx",
    b"N:",
    b"Naa1",
    b"x ",
    b"Z",
    b"null ",
    b"Z0 ",
    b"pass",
    b"word ",
    b"\xe2\x99\x98f3 ",
    b"\xe2",
    b"\xe2\x99",
    b"\xc3\xa4",
    b"\xc2",
    b"\xff",
    b"\x80",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf[A \"\"]\n",
    b"\xfe\xff",
    b"\0[",
    b"[\0",
];

/// Texts before the repetition.
const BEFORE: &[&[u8]] = &[
    b"",
    b"[Event \"a\"]\n\n1. e4 ",
    b"[Event \"a\"]\n",
    b"[Event \"a",
    b"1. e4 {",
    b"1. e4 (",
    b"1. e4 ;",
    b"1. Zz\n",
];

/// The readers of PGN.
const READERS: [(&str, Read); 7] = [
    ("import", import_whole),
    ("import in chunks", import_chunks),
    ("beginnings", beginnings),
    ("move ends", move_ends),
    ("omission", without_all),
    ("tag edits", tag_edits),
    ("lines", lines),
];

fn run(text: &[u8], chunk_bytes: usize) {
    let options = ImportOptions { threads: 1, chunk_bytes, ..ImportOptions::default() };
    // The import refuses an empty text and one that is plainly no PGN, and that counts as read.
    let Ok(mut source) = PgnSource::new(Cursor::new(text.to_vec()), None) else { return };
    let _ = import::import_games(&mut source, &options, &mut |_, _| true, &mut |shard| {
        std::hint::black_box(shard);
        Ok(())
    });
}

fn import_whole(text: &[u8]) {
    run(text, 4 << 20);
}

fn import_chunks(text: &[u8]) {
    run(text, 500);
}

fn beginnings(text: &[u8]) {
    pgn::find_game_starts(text, 0, &mut |game| drop(std::hint::black_box(game)));
}

fn move_ends(text: &[u8]) {
    std::hint::black_box(MoveEndFinder::default().find(text).len());
}

fn without_all(text: &[u8]) {
    let all = Omission { comments: true, variations: true, glyphs: true, clocks: true, evaluations: true };
    std::hint::black_box(all.of(text).len());
}

fn tag_edits(text: &[u8]) {
    let edits = [
        TagEdit::Rename { name: "A", to: "B" },
        TagEdit::Remove { name: "White" },
        TagEdit::Set { name: "Result", value: "1-0" },
        TagEdit::Set { name: "Event", value: "\"" },
    ];
    std::hint::black_box(pgn::edit_tags(text, &edits).len());
}

fn lines(text: &[u8]) {
    drop(std::hint::black_box(LineTree::read(text)));
}

fn lengths(extent: ConstructSizes) -> Vec<usize> {
    if extent.is_long { vec![1_000, 10_000, 100_000, 1_000_000] } else { vec![500, 4_000, 20_000] }
}

pub(super) fn constructs(extent: ConstructSizes) -> Vec<Construct> {
    let mut all = token_constructs(extent);
    all.extend(token_pair_constructs(extent));
    all.extend(long_constructs(extent));
    all
}

/// A construct that repeats `part` behind `before`.
fn repeating(
    (reader, read): (&'static str, Read),
    before: &'static [u8],
    part: Vec<u8>,
    extent: ConstructSizes,
) -> Construct {
    let name = if before.is_empty() { shown(&part) } else { format!("{} then {}", shown(before), shown(&part)) };
    let build = Box::new(move |bytes| repeated(before, &part, bytes));
    Construct { reader, name, build, read, lengths: lengths(extent) }
}

/// Each token for each reader.
fn token_constructs(extent: ConstructSizes) -> Vec<Construct> {
    let mut all = Vec::new();
    for reader in READERS {
        for (nth, token) in TOKENS.iter().enumerate() {
            for (place, before) in BEFORE.iter().enumerate() {
                // In a short run, the import gets each token at the beginning, after a move and in one other place, the other
                // readers in one place.
                let is_asked = match reader.0 {
                    "import" => place < 2 || place == 2 + nth % (BEFORE.len() - 2),
                    _ => place == nth % 2,
                };
                if extent.is_long || is_asked {
                    all.push(repeating(reader, before, token.to_vec(), extent));
                }
            }
        }
    }
    all
}

/// Random pairs of tokens for the import.
fn token_pair_constructs(extent: ConstructSizes) -> Vec<Construct> {
    let mut random = Random(extent.seed);
    let pair = |_| {
        let before = BEFORE[random.below(BEFORE.len())];
        let pair = [TOKENS[random.below(TOKENS.len())], TOKENS[random.below(TOKENS.len())]].concat();
        repeating(("import", import_whole), before, pair, extent)
    };
    (0..if extent.is_long { 1500 } else { 100 }).map(pair).collect()
}

/// Texts that no repeated token makes: other encodings, deep nesting, and single parts as long as the text.
fn long_constructs(extent: ConstructSizes) -> Vec<Construct> {
    let wide = |bytes: usize, byte: fn(u16) -> [u8; 2]| {
        "[Event \"a\"]\n\n1. e4 *\n\n".encode_utf16().cycle().take(bytes / 2).flat_map(byte).collect()
    };
    let texts = [
        ("UTF-16, little end first", Box::new(move |bytes| wide(bytes, u16::to_le_bytes)) as super::Build),
        ("UTF-16, big end first", Box::new(move |bytes| wide(bytes, u16::to_be_bytes))),
        (
            "nested variations, closed",
            Box::new(|bytes| [b"1. e4 ", &b"(".repeat(bytes / 2)[..], &b")".repeat(bytes / 2)].concat()),
        ),
        (
            "nested comments, closed",
            Box::new(|bytes| [b"1. e4 ", &b"{".repeat(bytes / 2)[..], &b"}".repeat(bytes / 2)].concat()),
        ),
        ("a long name of a tag", Box::new(|bytes| [b"[", &b"A".repeat(bytes)[..], b" \"\"]\n\n*"].concat())),
        ("a long value of a tag", Box::new(|bytes| [b"[White \"", &b"A".repeat(bytes)[..], b"\"]\n\n*"].concat())),
        ("a long Termination", Box::new(|bytes| [b"[Termination \"", &b"a".repeat(bytes)[..], b"\"]\n\n*"].concat())),
        ("a long FEN", Box::new(|bytes| [b"[FEN \"", &b"8/".repeat(bytes / 2)[..], b"\"]\n\n*"].concat())),
        ("a long Variant", Box::new(|bytes| [b"[Variant \"", &b"a".repeat(bytes)[..], b"\"]\n\n*"].concat())),
        (
            "a long Event of speeds",
            Box::new(|bytes| [b"[Event \"", &b"ultrabulle".repeat(bytes / 10)[..], b"\"]\n\n*"].concat()),
        ),
        ("names, each once", Box::new(names)),
        (
            "names of the same letters",
            Box::new(|bytes| {
                (0..bytes / 40)
                    .flat_map(|nth| format!("[White \"{}\"]\n\n*\n\n", "a".repeat(nth % 40)).into_bytes())
                    .collect()
            }),
        ),
    ];
    let construct = |(name, build): (&str, super::Build)| Construct {
        reader: "import",
        name: name.into(),
        build,
        read: import_whole,
        lengths: lengths(extent),
    };
    texts.map(construct).into()
}

/// Games with players whose names occur only once.
pub(super) fn names(bytes: usize) -> Vec<u8> {
    (0..bytes / 40)
        .flat_map(|nth| format!("[White \"W{nth}\"]\n[Black \"B{nth}\"]\n\n1. e4 *\n\n").into_bytes())
        .collect()
}
