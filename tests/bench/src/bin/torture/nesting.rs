//! Makes nested texts of a small language: towers of one form or of many, trees, and texts whose ends are missing.

use rand::Rng;
use rand::rngs::StdRng;

use crate::mangle::mangled;
use crate::random::pick;

/// The most letters of a text, about.
const MOST_LETTERS: usize = 20_000;
/// A tree nests no deeper, since the functions that make it call themselves.
const DEEPEST_TREE: usize = 300;
/// Stands for a nested text in a form.
const HOLE: &str = "·";

/// What nested texts are made of.
pub struct Language {
    /// What stands before the nested text.
    pub before: &'static str,
    /// What stands after it.
    pub after: &'static str,
    /// Texts in which nothing is nested.
    pub leaves: &'static [&'static str],
    /// Texts with one or more holes for nested ones.
    pub forms: &'static [&'static str],
}

impl Language {
    /// A random text. Few are long, and many nest about as deep as readers allow.
    pub fn text(&self, random: &mut StdRng) -> String {
        let most = match random.random_range(0..5) {
            0 => random.random_range(1..=MOST_LETTERS),
            1 => random.random_range(1..2000),
            2 => random.random_range(1..400),
            _ => random.random_range(1..60),
        };
        let nested = match random.random_range(0..4) {
            0 => self.tower(random, most, true),
            1 | 2 => self.tower(random, most, false),
            _ => self.tree(random, most, 0),
        };
        match random.random_range(0..8) {
            0 => nested.chars().take(random.random_range(0..=nested.chars().count())).collect(),
            1 => String::from_utf8_lossy(&mangled(random, nested.as_bytes(), self.forms)).into_owned(),
            _ => format!("{}{nested}{}", self.before, self.after),
        }
    }

    /// A form around a form, until the text is this long: always the same one, or any. Other holes have leaves.
    fn tower(&self, random: &mut StdRng, most: usize, is_of_one_form: bool) -> String {
        let only = pick(random, self.forms);
        let (mut begin, mut end, mut letters) = (Vec::new(), Vec::new(), 0);
        while letters < most {
            let form = if is_of_one_form { only } else { pick(random, self.forms) };
            let pieces: Vec<&str> = form.split(HOLE).collect();
            let place = random.random_range(1..pieces.len());
            let filled = |random: &mut StdRng, pieces: &[&str]| {
                let mut text = pieces[0].to_owned();
                pieces[1..].iter().for_each(|piece| text = format!("{text}{}{piece}", pick(random, self.leaves)));
                text
            };
            begin.push(filled(random, &pieces[..place]));
            end.push(filled(random, &pieces[place..]));
            letters += begin.last().map_or(0, String::len) + end.last().map_or(0, String::len);
        }
        end.reverse();
        format!("{}{}{}", begin.concat(), pick(random, self.leaves), end.concat())
    }

    /// Forms in all holes of a form.
    fn tree(&self, random: &mut StdRng, most: usize, depth: usize) -> String {
        if most < 8 || depth > DEEPEST_TREE {
            return pick(random, self.leaves).to_owned();
        }
        let pieces: Vec<&str> = pick(random, self.forms).split(HOLE).collect();
        let mut text = pieces[0].to_owned();
        for piece in &pieces[1..] {
            text += &self.tree(random, (most - 8) / (pieces.len() - 1), depth + 1);
            text += piece;
        }
        text
    }
}

const LEAVES: &[&str] = &[
    "check",
    "queens_off",
    "white pawn on e4",
    "count(white rook) >= 2",
    "result 1-0",
    "in @a",
    "white knight attacks queen",
    "elo >= 2000",
    "white \"a*\"",
    "plays pawn from e2",
    "ply <= 40",
    "fen \"8/8/8/8/8/8/8/8\"",
];

/// Languages of queries, one for each kind of nesting and one for all that stands around conditions.
pub const QUERIES: &[Language] = &[
    Language {
        before: "",
        after: "",
        leaves: LEAVES,
        forms: &[
            "not ·",
            "(·)",
            "{ · }",
            "2 of (·, ·)",
            "4 of (·,pawn,knight,bishop,rook,queen,king,·)",
            "1 of (·, ·, ·)",
            "(· and ·)",
            "(· or ·)",
            "{ · or · }",
            "· then ·",
            "· then within 20 (·)",
            "(· then ·) then ·",
            "never ·",
            "not (· or not ·)",
        ],
    },
    Language {
        before: "",
        after: "",
        leaves: LEAVES,
        forms: &[
            "always · until move 10",
            "never became ·",
            "{ · } for 8",
            "(·) for at least 4 moves",
            "· at least 3 times",
            "· exactly 2 times in endgame",
            "· between moves 10..20 at end",
            "ceased · before move 40",
            "· before move 5 after ply 3",
            "ever ·",
        ],
    },
    Language {
        before: "",
        after: " >= 8",
        leaves: &["count(pawn)", "2", "points(white)", "king_distance", "999999999", "count(white pawn | knight)"],
        forms: &["(·)", "-·", "2 * (·)", "(· + ·)", "· - ·", "(·) * 1000000000", "· between · to ·", "count(·)"],
    },
    Language {
        before: "white ",
        after: "",
        leaves: &["pawn", "knight", "passed_pawn", "N on e4", "queen as Q", "pinned"],
        forms: &[
            "(· | ·)",
            "(·)",
            "(· & not ·)",
            "(· attacks ·)",
            "· defends (·)",
            "(· xrays · through ·)",
            "(· behind ·)",
            "(· between · and ·)",
            "· on the same file as (·)",
            "(· & ·) on e4",
            "(· as N)",
        ],
    },
    Language {
        before: "white pawn on ",
        after: "",
        leaves: &["e4", "a..c", "5..8", "centre", "own 7", "own half", "seventh rank", "light squares"],
        forms: &["(·)", "· or ·", "·, ·", "(· ·)", "own ·", "the (·)", "(·) file"],
    },
    Language {
        before: "board \"????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?\" under ",
        after: "",
        leaves: &["flips", "rotations", "shifts", "colour_flip", "shift(1,0)", "rot90", "mirror", "file_shifts"],
        forms: &["·, ·", "·, ·, ·", "shift(·, ·)", "(·)", "· under ·"],
    },
    Language {
        before: "board \"",
        after: "/8/8/8/8/8/8/8\"",
        leaves: &["P", "p", "?", ".", "8", "1", "Kk"],
        forms: &["[·]", "·/·", "··", "[·.]", "(·)", "\"·"],
    },
];

/// Queries and anything else as JSON.
pub const JSON: Language = Language {
    before: "",
    after: "",
    leaves: &[
        r#"{"squares":{"side":"white","of":"passed_pawn"}}"#,
        r#""everything""#,
        r#"{"in":"a"}"#,
        r#"{"result":["1-0"]}"#,
        r#"{"compare":{"left":{"terms":[{"of":{"count":{"name":"pawn"}}}]},"is":">=","right":{"constant":1}}}"#,
        "null",
        "1e999",
        r#""\ud800""#,
        "[]",
    ],
    forms: &[
        r#"{"not":·}"#,
        r#"{"and":[·,·]}"#,
        r#"{"or":[·,·,·]}"#,
        r#"{"together":·}"#,
        r#"{"then":{"first":·,"second":·}}"#,
        r#"{"condition":{"what":·,"window":{"quantifier":"never"}}}"#,
        r#"{"condition":{"window":{"for":8},"what":·}}"#,
        r#"{"under":{"what":·,"transforms":["flips","rotations"]}}"#,
        r#"{"attacks":{"name":"pawn","target":·}}"#,
        r#"{"compare":{"left":{"terms":[{"of":·}]},"is":"=","right":·}}"#,
        "[·]",
        r#"{"a":·}"#,
        "[·,·]",
    ],
};

/// Expressions of sets.
pub const SETS: Language = Language {
    before: "",
    after: "",
    leaves: &["@a", "@b", "c.pmote", "\"a b\""],
    forms: &["(·)", "~·", "(· & ·)", "· | ·", "(· - ·)", "· ^ (·)", "in ·", "(~·)"],
};

/// Games with variations and comments.
pub const GAMES: Language = Language {
    before: "[White \"a\"]\n\n1. e4 e5 2. Nf3 ",
    after: " Nc6 3. Bb5 *\n",
    leaves: &["1. d4 d5", "Nc6", "x", "$1", "1-0", "\\", "--", "[%clk 0:00:01]"],
    forms: &["(·)", "{·}", "( 2. Nc3 · )", ";·\n", "[Event \"·\"]\n", "(·) (·)", "{·} ·", "[·]", "<·>", "%·\n"],
};

/// Positions, and one or more lists of operations on them.
pub const POSITIONS: &[Language] = &[
    Language {
        before: "4k3/",
        after: "/4K3 w - - 0 1 op shift a1 b2",
        leaves: &["8", "k", "1", "+N", "~q", "."],
        forms: &["·/·", "[·]", "(·)", "··", "{·}", "· op ·;"],
    },
    Language {
        before: "Twin ",
        after: "",
        leaves: &["rotate 90", "shift a1 b2", "mirror a1<-->h1", "move a1 b1", "polishtype", "add white Kd4"],
        forms: &["· Twin ·", "· Twin continued ·", "· ·", "(·)", "a) · b) ·", "[·]", "·; ·"],
    },
];
