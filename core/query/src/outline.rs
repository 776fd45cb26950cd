//! The conditions of a query as a form or a list of cards shows them: where each stands, what it asks and whose it is.
//! [`change`](mod@crate::change) writes a query with one of them changed.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::forms::Leaf;
use super::header::{EloSelector, HeaderCondition, NameSelector, NumberRange, PartialDate};
use super::parse::outline::{JoiningWord, PlacedCondition, placed_conditions};
use super::parse::{parse, parse_part};
use super::span::TextSpan;
use super::squares::SquareExpression;
use super::tree::QueryTree;

/// The sides that a condition may be turned to, as far as the one that is tried may stand before it: the words, `player` for a name
/// between quotes, `opponent` for one after that word, and an empty text for no word.
const SIDES: &[(&str, &[&str])] = &[
    ("", &[""]),
    ("white ", &["white", "black"]),
    ("winner ", &["winner", "loser"]),
    ("\"a\" ", &["player", "opponent"]),
];

/// A condition of a query. Places are bytes of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutlinedCondition {
    /// Where it stands.
    pub span: TextSpan,
    /// What it asks, by the first word of the language for it: `player`, `elo`, `isolated_pawn`, `knight`, `endgame`.
    pub name: String,
    /// What it asks about that: a name, the first and the last of a range (empty without one), a square, a FEN.
    pub values: Vec<String>,
    /// Whose it is, as the query writes it; empty without a word.
    pub side: String,
    /// The sides that it can be turned to: words of the language, `player` for a name between quotes, `opponent` for one after that word, and an
    /// empty text for no word. None if no side may stand there.
    pub sides: Vec<&'static str>,
    /// Whether it must not hold.
    pub is_negated: bool,
    /// For how many plies in a row it must hold: 0 without such words. None if they may not stand there.
    pub plies: Option<u32>,
    /// Whether no words stand around it but its side, `not` and `for 8`.
    pub is_plain: bool,
    /// Whether it asks facts about games alone.
    pub is_about_games: bool,
    /// The conditions of which one is enough, if it is a list of such.
    pub alternatives: Vec<TextSpan>,
    /// The conditions that must hold at the same position, if it is a list of such.
    pub together: Vec<TextSpan>,
    /// Whether it may hold at the same position as others.
    pub may_be_together: bool,
    /// The first position, pattern or structure in it: `fen`, `board` or `structure`, and the text between the quotes.
    pub pattern: Option<(&'static str, String)>,
    /// What a change needs to know.
    pub(crate) places: ChangeablePlaces,
}

/// Where a condition can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChangeablePlaces {
    /// `not` or `never`.
    pub negation: Option<TextSpan>,
    /// The side.
    pub side: TextSpan,
    /// `for 8`.
    pub lasting: Option<TextSpan>,
    /// All but the words around it.
    pub what: TextSpan,
    /// Whether it is the whole query and would be read differently beside another condition: `A or B`, `A then B`.
    pub is_open_list: bool,
    /// Whether brackets stand around one condition alone.
    pub has_needless_brackets: bool,
}

/// The conditions of a query that `and` joins, in their order; the whole query, if it is a choice or a sequence. None if the text is no
/// query.
pub fn outline(text: &str) -> Option<Vec<OutlinedCondition>> {
    parse(text).ok()?;
    let placed = placed_conditions(text).ok()?;
    if placed.iter().all(|one| one.joined_by == JoiningWord::And) {
        return Some(placed.iter().map(|one| condition(text, one)).collect());
    }
    Some(Vec::from([open_list(text, &placed)?]))
}

fn condition(text: &str, placed: &PlacedCondition) -> OutlinedCondition {
    let &PlacedCondition { span, what, side, has_window, ref inner, .. } = placed;
    let (name, values) = subject(&placed.tree, written(text, what));
    let is_list = !inner.is_empty() && placed.negation.is_none() && placed.lasting.is_none() && !has_window;
    let is_braced = written(text, what).starts_with('{');
    let joined = |word| inner.len() > 1 && inner[1..].iter().all(|one| one.joined_by == word);
    let around = |before: &str, place, after: &str| parse_part(&[before, written(text, place), after].concat()).is_ok();
    let is_about_games = placed.tree.is_about_games();
    let lasting = placed.lasting.map_or(0, |(_, plies)| plies);
    OutlinedCondition {
        span,
        name,
        values,
        side: side_text(written(text, side), if is_about_games { "player" } else { "either" }),
        sides: possible_sides(text, placed),
        is_negated: placed.negation.is_some(),
        plies: (lasting > 0 || !is_about_games && around("", what, " for 2")).then_some(lasting),
        is_plain: !has_window && inner.is_empty(),
        is_about_games,
        alternatives: if is_list && !is_braced { alternatives(inner) } else { Vec::new() },
        together: if is_list && is_braced && joined(JoiningWord::And) { spans(inner) } else { Vec::new() },
        may_be_together: !is_about_games && placed.lasting.is_none() && !has_window && around("{ ", span, " }"),
        pattern: pattern(&placed.tree),
        places: ChangeablePlaces {
            negation: placed.negation,
            side,
            lasting: placed.lasting.map(|(words, _)| words),
            what,
            is_open_list: false,
            has_needless_brackets: inner.len() == 1 && !is_braced,
        },
    }
}

/// A choice or a sequence without brackets around it.
fn open_list(text: &str, placed: &[PlacedCondition]) -> Option<OutlinedCondition> {
    let (first, last) = (placed.first()?, placed.last()?);
    let span = TextSpan { from: first.span.from, to: last.span.to };
    let tree = parse(text).ok()?;
    Some(OutlinedCondition {
        span,
        name: String::new(),
        values: Vec::new(),
        side: String::new(),
        sides: Vec::new(),
        is_negated: false,
        plies: None,
        is_plain: false,
        is_about_games: tree.is_about_games(),
        alternatives: alternatives(placed),
        together: Vec::new(),
        may_be_together: false,
        pattern: pattern(&tree),
        places: ChangeablePlaces {
            negation: None,
            side: TextSpan { from: span.from, to: span.from },
            lasting: None,
            what: span,
            is_open_list: true,
            has_needless_brackets: false,
        },
    })
}

fn written(text: &str, TextSpan { from, to }: TextSpan) -> &str {
    &text[from..to]
}

fn spans(placed: &[PlacedCondition]) -> Vec<TextSpan> {
    placed.iter().map(|one| one.span).collect()
}

/// The parts between `or`; none of a sequence, or without `or`.
fn alternatives(placed: &[PlacedCondition]) -> Vec<TextSpan> {
    let mut parts: Vec<TextSpan> = Vec::new();
    for one in placed {
        match (one.joined_by, parts.last_mut()) {
            (JoiningWord::Then, _) => return Vec::new(),
            (JoiningWord::And, Some(part)) => part.to = one.span.to,
            _ => parts.push(one.span),
        }
    }
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// A side as a query writes it, in lower case but for the name; empty if it is the word that says nothing.
fn side_text(side: &str, default: &str) -> String {
    let word = side.split('"').next().unwrap_or("");
    match word.trim().to_ascii_lowercase().as_str() {
        word if word == default => String::new(),
        "" => side.into(),
        lower => [lower, if side.len() > word.len() { " " } else { "" }, &side[word.len()..]].concat(),
    }
}

/// The sides with which a condition is one.
fn possible_sides(text: &str, placed: &PlacedCondition) -> Vec<&'static str> {
    let takes_sides = match &placed.tree {
        QueryTree::Header(HeaderCondition::Name { selector, .. }) => is_player(*selector),
        QueryTree::Header(header) => matches!(header, HeaderCondition::Elo { .. } | HeaderCondition::Title { .. }),
        QueryTree::Leaf(leaf) => !leaf.sides().is_empty(),
        _ => false,
    };
    if !takes_sides {
        return Vec::new();
    }
    let (before, after) =
        (&text[placed.what.from..placed.side.from], text[placed.side.to..placed.what.to].trim_start());
    let may_be = |side: &str| parse_part(&[before, side, after].concat()).is_ok();
    let sides = SIDES.iter().filter(|(side, _)| may_be(side)).flat_map(|&(_, names)| names.iter().copied());
    let sides: Vec<_> = sides.collect();
    // No side may stand there if none but the empty one does.
    if sides.len() > 1 { sides } else { Vec::new() }
}

fn is_player(selector: NameSelector) -> bool {
    use NameSelector::{Black, Loser, Player, White, Winner};
    matches!(selector, White | Black | Player | Winner | Loser)
}

/// What a condition asks: the word of the language, and its values.
fn subject(tree: &QueryTree, text: &str) -> (String, Vec<String>) {
    match tree {
        QueryTree::Header(header) => of_header(header, text),
        QueryTree::Leaf(leaf) => of_leaf(leaf),
        // A word that stands for a query.
        _ if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _-".contains(&byte)) => {
            (as_name(text), Vec::new())
        }
        _ => (String::new(), Vec::new()),
    }
}

fn as_name(text: &str) -> String {
    text.to_ascii_lowercase().replace([' ', '-'], "_")
}

fn of_header(header: &HeaderCondition, text: &str) -> (String, Vec<String>) {
    let day = |day: &Option<PartialDate>| day.map_or(String::new(), |day| day.to_string());
    let listed = || {
        let text = header.to_string();
        let (name, values) = text.split_once(' ').unwrap_or((&text, ""));
        (name.into(), values.split(", ").filter(|value| !value.is_empty()).map(unquoted).collect())
    };
    match header {
        HeaderCondition::Name { selector, pattern } => {
            let name = if is_player(*selector) { "player" } else { selector.name() };
            (name.into(), Vec::from([pattern.to_string()]))
        }
        HeaderCondition::Opening(name) => ("opening".into(), Vec::from([name.to_string()])),
        HeaderCondition::Elo { selector: EloSelector::Difference, range } => ("elo_difference".into(), bounds(*range)),
        HeaderCondition::Elo { range, .. } => ("elo".into(), bounds(*range)),
        HeaderCondition::Plies(range) => ("plies".into(), bounds(*range)),
        HeaderCondition::Date { from, to } => ("date".into(), Vec::from([day(from), day(to)])),
        HeaderCondition::Title { titles, .. } => {
            ("title".into(), titles.iter().map(|title| title.to_string()).collect())
        }
        HeaderCondition::EloLead(_) => (as_name(text), Vec::new()),
        _ => listed(),
    }
}

/// The first and the last number of a range; empty without one.
fn bounds(range: NumberRange) -> Vec<String> {
    let bound = |number: u32, none: u32| if number == none { String::new() } else { number.to_string() };
    Vec::from([bound(range.min, NumberRange::UNBOUNDED.min), bound(range.max, NumberRange::UNBOUNDED.max)])
}

fn of_leaf(leaf: &Leaf) -> (String, Vec<String>) {
    let text = leaf.to_string();
    let said = |from: usize| Vec::from([unquoted(text[from..].trim())]);
    match leaf {
        Leaf::Squares(squares) if !squares.is_absent => {
            if let SquareExpression::Feature { feature, .. } = &squares.squares {
                let place = squares.squares.to_string().split_once(" on ").map(|(_, place)| String::from(place));
                return (feature.name.into(), place.into_iter().collect());
            }
        }
        Leaf::Fen(_)
        | Leaf::Board(_)
        | Leaf::Structure(_)
        | Leaf::Endgame(_)
        | Leaf::Imbalance(_)
        | Leaf::Material(_) => {
            return (leaf.name().into(), said(leaf.name().len()));
        }
        _ => {}
    }
    let side = leaf.sides().first().map_or(String::new(), |side| side.to_string());
    (text.strip_prefix(&side).unwrap_or(&text).trim().into(), Vec::new())
}

fn unquoted(text: &str) -> String {
    text.trim_matches('"').into()
}

/// The first position, pattern or structure of a tree.
fn pattern(tree: &QueryTree) -> Option<(&'static str, String)> {
    let mut found = None;
    tree.for_each_part(&mut |part| {
        if let (None, QueryTree::Leaf(leaf)) = (&found, part) {
            found = pattern_of(leaf);
        }
    });
    found
}

fn pattern_of(leaf: &Leaf) -> Option<(&'static str, String)> {
    match leaf {
        Leaf::Fen(_) | Leaf::Board(_) | Leaf::Structure(_) => Some((leaf.name(), of_leaf(leaf).1.concat())),
        Leaf::Under(under) => pattern_of(&under.pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<OutlinedCondition> {
        outline(text).expect(text)
    }

    fn one(text: &str) -> OutlinedCondition {
        let mut conditions = all(text);
        assert_eq!(conditions.len(), 1, "{text}");
        conditions.swap_remove(0)
    }

    #[test]
    fn conditions_have_their_places() {
        let text = " check for 3  AND (queens_off or castled)\nand between moves 3 and 9 white check";
        let texts: Vec<_> = all(text).iter().map(|one| &text[one.span.from..one.span.to]).collect();
        assert_eq!(texts, ["check for 3", "(queens_off or castled)", "between moves 3 and 9 white check"]);
        assert_eq!(outline(""), Some(Vec::new()));
        for text in ["player \"Carl", "(check", "check and", "and check", "blub"] {
            assert_eq!(outline(text), None, "{text}");
        }
    }

    #[test]
    fn a_condition_says_what_it_asks() {
        for (text, name, values, side) in [
            ("loser \"Karpov*\"", "player", &["Karpov*"][..], "loser"),
            ("player \"Karpov*\"", "player", &["Karpov*"], ""),
            ("\"Karpov*\"", "player", &["Karpov*"], ""),
            ("event \"Linares\"", "event", &["Linares"], ""),
            ("elo > 2400", "elo", &["2401", ""], ""),
            ("Average ELO 2400 .. 2600", "elo", &["2400", "2600"], "average"),
            ("either elo >= 2400", "elo", &["2400", ""], "either"),
            ("elo difference >= 300", "elo_difference", &["300", ""], ""),
            ("year 1980..1990", "date", &["1980", "1990"], ""),
            ("date <= 1990.05", "date", &["", "1990.05"], ""),
            ("result 1/2-1/2", "result", &["1/2-1/2"], ""),
            ("decisive", "result", &["decisive"], ""),
            ("eco b9,C42", "eco", &["B90-B99", "C42"], ""),
            ("opening \"sicilian, najdorf\"", "opening", &["sicilian, najdorf"], ""),
            ("time class Blitz , rapid", "time_class", &["blitz", "rapid"], ""),
            ("plies >= 79", "plies", &["79", ""], ""),
            ("upset", "upset", &[], ""),
            ("won from lost", "won_from_lost", &[], ""),
            ("in @mine", "in", &["@mine"], ""),
            ("Either isolated pawns", "isolated_pawn", &[], ""),
            ("not winner rook on the seventh for 8 plies", "rook_on_seventh", &[], "winner"),
            ("\"Karpov*\" isolated_pawn", "isolated_pawn", &[], "\"Karpov*\""),
            ("OPPONENT \"Karpov*\" isolated_pawn", "isolated_pawn", &[], "opponent \"Karpov*\""),
            ("white knight on e5", "knight", &["e5"], "white"),
            ("white sacrifices", "sacrifices", &[], "white"),
            ("endgame rook", "endgame", &["rook"], ""),
            ("material KRPvKR", "material", &["KRPvKR"], ""),
            ("imbalance RvB", "imbalance", &["R v B"], ""),
            (
                "structure \"8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8\"",
                "structure",
                &["8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"],
                "",
            ),
            ("white blunder", "blunder", &[], "white"),
        ] {
            let found = one(text);
            assert_eq!((&*found.name, &*found.side), (name, side), "{text}");
            assert_eq!(found.values, values, "{text}");
        }
    }

    #[test]
    fn a_condition_says_what_may_stand_around_it() {
        let both = ["", "white", "black", "winner", "loser", "player", "opponent"];
        for (text, sides, plies, may_be_together) in [
            ("white bishop_pair", &both[..], Some(0), true),
            ("bishop_pair for 8", &both, Some(8), false),
            ("not bishop_pair", &both, Some(0), true),
            ("queens_off", &[], Some(0), true),
            ("white \"Karpov\"", &both[..5], None, false),
            ("elo >= 2600", &both[..5], None, false),
            ("year 1990", &[], None, false),
            ("{ queens_off and check }", &[], Some(0), true),
            ("{ queens_off and check } for 4 moves", &[], Some(8), false),
            ("check before move 20", &both, Some(0), false),
            ("knight as N on b1", &both, Some(0), true),
            ("check or castled", &[], None, false),
            ("upset", &[], None, false),
        ] {
            let found = one(text);
            assert_eq!(
                (&found.sides[..], found.plies, found.may_be_together),
                (sides, plies, may_be_together),
                "{text}"
            );
        }
        let games = |text| one(text).is_about_games;
        assert_eq!(["upset", "\"A\" or elo >= 3", "not result 1-0", "in @a"].map(games), [true; 4]);
        assert_eq!(["check", "\"A\" or check", "\"A\" bishop_pair", "played 1. e4"].map(games), [false; 4]);
    }

    #[test]
    fn a_condition_says_what_it_is_made_of() {
        let parts = |text: &str| {
            let found = one(text);
            let texts = |spans: Vec<TextSpan>| spans.iter().map(|part| text[part.from..part.to].into()).collect();
            let (alternatives, together): (Vec<String>, Vec<String>) =
                (texts(found.alternatives), texts(found.together));
            (alternatives.join("; "), together.join("; "))
        };
        let pair = |alternatives: &str, together: &str| (String::from(alternatives), String::from(together));
        assert_eq!(parts("check and castled or (castled_long)"), pair("check and castled; (castled_long)", ""));
        assert_eq!(parts("(check or castled)"), pair("check; castled", ""));
        assert_eq!(parts("{ check and white bishop_pair }"), pair("", "check; white bishop_pair"));
        assert_eq!(parts("not { check and white bishop_pair }"), pair("", ""));
        assert_eq!(parts("{ check or castled }"), pair("", ""));
        assert_eq!(parts("check then castled or check"), pair("", ""));
        assert_eq!(one("{ check and fen \"8/8/8/8/8/8/8/KBNk4 w\" }").pattern.map(|(kind, _)| kind), Some("fen"));
    }
}
