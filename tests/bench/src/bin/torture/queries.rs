//! Mangled queries, as text and as JSON: an error with a place, or a query whose printed form reads as the same query and for
//! which the scan and its slow twin agree.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::complete::complete;
use plyfold_core::query::highlight::highlight;
use plyfold_core::query::json::{from_json, to_json};
use plyfold_core::query::parse::parse;
use plyfold_core::query::{plan, resolve_opening};
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::set_expression::SetExpression;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::naive;
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::mangle::mangled;
use crate::subjects::corpus::played;

/// Queries of all kinds.
const TEXTS: [&str; 20] = [
    "queens_off and white bishop_pair",
    "{ white pawn on e5 and black knight on f6 } for 4",
    "endgame rook for 8 or endgame \"KRPvKR\"",
    "isolated_pawn on d for 10 at end",
    "never white castled then white rook on g within 20",
    "count(white pawn) + 2 * count(rook) >= 8 and points(white) - points(black) > 2",
    "fen \"r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4\"",
    "result 1-0 and white \"*a*\" and date 1985..1990 and eco B90..B99",
    "repetition >= 3 or clock >= 20",
    "became check in moves 10..30",
    "structure \"ppp2ppp/8/8/8/8/8/8/PPP2PPP\"",
    "white knight attacks black queen",
    "(a4|b4|c4) and material KQvK",
    "white pawn on d4 under flips, rotations",
    "at least 3 times check and at most 5 times passed_pawn",
    "exactly 2 { doubled_pawn on c }",
    "not (check or checkmate) and ply <= 40",
    "opening \"Sicilian\" and elo >= 2000",
    "locked_centre then opposite_castling then checkmate",
    "",
];

/// Words of the language.
const WORDS: [&str; 47] = [
    "and",
    "or",
    "not",
    "then",
    "for",
    "at",
    "end",
    "within",
    "count",
    "points",
    "white",
    "black",
    "pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
    "on",
    "check",
    "checkmate",
    "never",
    "always",
    "became",
    "ceased",
    "exactly",
    "at least",
    "at most",
    "times",
    "in",
    "moves",
    "under",
    "flips",
    "{",
    "}",
    "(",
    ")",
    "..",
    ">=",
    "<",
    "=",
    "fen",
    "structure",
    "endgame",
    "result",
    "date",
    "a1..h8",
];

/// Set expressions.
const SETS: [&str; 5] = ["(@a & @b) - @c", "@a | ~@b ^ c.pmote", "@a", "((@a))", "@a - (@b - (@c - @d))"];

/// Attacks on the parsers of queries.
pub struct Queries {
    corpora: Vec<Aligned>,
    json: Vec<String>,
}

impl Queries {
    /// The corpora to search.
    pub fn new() -> Queries {
        let corpora = [played(12, 90, 5), played(4, 260, 3)];
        let json = TEXTS.iter().filter_map(|text| parse(text).ok()).map(|tree| to_json(&tree)).collect();
        Queries { corpora: corpora.iter().map(|bytes| Aligned::new(bytes)).collect(), json }
    }

    fn text(&self, text: &str, random: &mut StdRng) -> Result<AttackOutcome, String> {
        let typed = random.random_range(0..=text.len());
        let found = complete(text, typed);
        if text.get(found.from..found.to).is_none() {
            return Err(format!("completion of {}..{}, which are no places", found.from, found.to));
        }
        if highlight(text).iter().any(|piece| text.get(piece.from..piece.to).is_none()) {
            return Err("a painted piece that is no place".into());
        }
        let tree = match parse(text) {
            Ok(tree) => tree,
            Err(error) => return placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
        };
        let printed = tree.to_string();
        if parse(&printed).as_ref() != Ok(&tree) {
            return Err(format!("it is printed as {printed:?}, which is another query"));
        }
        if from_json(&to_json(&tree)).as_ref() != Ok(&tree) {
            return Err("as JSON it is another query".into());
        }
        self.asked(&tree, text)
    }

    fn asked(&self, tree: &plyfold_core::query::tree::QueryTree, text: &str) -> Result<AttackOutcome, String> {
        let openings = OpeningNames::default();
        let query = match plan::plan(tree, &|name: &str| resolve_opening(&openings, name)) {
            Ok(query) => query,
            Err(error) => return placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
        };
        for corpus in &self.corpora {
            let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
            let spans = corpus_spans(&corpus);
            let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
            let found = run_query(&spans, &query, &selection, &()).map_err(|_| "cancelled")?;
            let empty = (GameSet::empty(corpus.header.games as u32), MatchCount::default());
            let (games, count) = naive::scan(&spans, &query, empty);
            if found.games != Some(games) || found.count != count {
                return Err(format!("{tree}: {:?} in place of the naive twin's {count:?}", found.count));
            }
        }
        Ok(AttackOutcome::Answered)
    }

    fn json(&self, text: &str) -> Result<AttackOutcome, String> {
        match from_json(text) {
            Err(error) if error.message.is_empty() => Err("an error without a sentence".into()),
            Err(_) => Ok(AttackOutcome::Refused),
            Ok(tree) => {
                if from_json(&to_json(&tree)).as_ref() != Ok(&tree) || parse(&tree.to_string()).as_ref() != Ok(&tree) {
                    return Err(format!("{tree} is written as another query"));
                }
                self.asked(&tree, text)
            }
        }
    }
}

impl AttackSeries for Queries {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let kind = random.random_range(0..8);
        let (sound, name) = match kind {
            0..=4 => (TEXTS[random.random_range(0..TEXTS.len())], "query.txt"),
            5 | 6 => (&*self.json[random.random_range(0..self.json.len())], "query.json"),
            _ => (SETS[random.random_range(0..SETS.len())], "set.txt"),
        };
        let text = String::from_utf8_lossy(&mangled(random, sound.as_bytes(), &WORDS)).into_owned();
        tried.says(name);
        tried.input(name, text.as_bytes());
        let outcome = match kind {
            0..=4 => self.text(&text, random),
            5 | 6 => self.json(&text),
            _ => match SetExpression::parse(&text) {
                Ok(expression) if expression.names().is_empty() => Err("an expression without names".into()),
                Ok(_) => Ok(AttackOutcome::Answered),
                Err(error) => placed(&error.message, (error.from, error.to), &text).map(|()| AttackOutcome::Refused),
            },
        };
        outcome.unwrap_or_else(AttackOutcome::Wrong)
    }
}

/// Asserts that an error has a message and a place in the text.
pub fn placed(message: &str, (from, to): (usize, usize), text: &str) -> Result<(), String> {
    if message.is_empty() || text.get(from..to).is_none() {
        return Err(format!("an error at {from}..{to}, which is no place of the text: {message:?}"));
    }
    Ok(())
}
