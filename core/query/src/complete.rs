//! Completes a query: lists what may be written next.
//!
//! This file does not know the grammar. It puts each word of the language at the cursor and asks the parser whether the text can
//! still become a query. So new forms of the grammar are completed as soon as the parser reads them.

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::measure::numbers::NUMBERS;
use plyfold_scan::scan::predicate::PlyMark;

use super::error::{QueryError, nearest};
use super::highlight::HighlightClass;
use super::keywords::{keywords, named};
use super::parse::advice::advice_for;
use super::parse::check_syntax;
use super::parse::name::MAX_NAME_WORDS;
use super::parse::piece_name::is_word_of_language;
use super::parse::written::moves_after;
use super::region;
use super::side::SideSelector;
use super::token::{Token, TokenKind as Piece, tokenize};

/// Bytes before the place, at most; for longer queries nothing is offered.
const MAX_BYTES: usize = 8192;
/// A word that means nothing anywhere.
const MEANINGLESS_WORD: &str = "zqzq";
/// Words that the parser accepts and never names as expected.
const NEVER_EXPECTED_WORDS: &[&str] = &["plies", "moves", "times", "half", "difference", "of"];
/// Signs that mean something between words.
const SIGNS: &[&str] = &["..", "<=", ">=", "!=", "(", ")", "{", "}", "<", ">", "=", "+", "-", "*", "&", "|"];
/// Examples of texts in quotes: anything, pawns, pieces.
const TEXT_EXAMPLES: &[&str] = &[
    "\"????????/????????/????????/????????/????????/????????/????????/????????\"",
    "\"8/pppppppp/8/8/8/8/PPPPPPPP/8\"",
    "\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\"",
];
/// The meanings of signs and of words that are no keywords. `captures(` is a number, and `captures` a move.
const OTHER_MEANINGS: &[(&str, &str)] = &[
    ("captures(", ""),
    ("white", "White's"),
    ("black", "Black's"),
    ("either", "White's or Black's (the default)"),
    ("both", "White's and Black's, at the same position"),
    ("neither", "neither White's nor Black's"),
    ("mover", "of the side to move"),
    ("waiter", "of the side that is not to move"),
    ("winner", "of the side that won"),
    ("loser", "of the side that lost"),
    ("mirror", "swaps the a- and h-files, and so on"),
    ("flips", "swap files or ranks, or flip a diagonal"),
    ("rotations", "by 90, 180 and 270 degrees"),
    ("shifts", "by files and ranks"),
    ("colour_flip", "the view of the other side"),
    ("{", "conditions at one position"),
    ("(", "grouping"),
    ("..", "from … to …"),
];

/// A word or text that is valid at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The first byte of what the completion replaces. This is the word at the cursor, or words before it that form one name with
    /// it.
    pub from: usize,
    /// The text to insert.
    pub text: String,
    /// The meaning in a few words; may be empty.
    pub detail: &'static str,
    /// The class of the text; of a bracket, that of signs.
    pub kind: HighlightClass,
}

/// The completions at the cursor, best first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CompletionList {
    /// The first byte of the word at the cursor.
    pub from: usize,
    /// The byte after that word.
    pub to: usize,
    /// The completions.
    pub options: Vec<Completion>,
}

/// The completions in `text` at byte `at` that begin with the typed text, or nearly so.
///
/// There are no completions inside quotes or after a mistake.
pub fn complete(text: &str, at: usize) -> CompletionList {
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let mut completions = CompletionList { from: at, to: at, options: Vec::new() };
    let before = &text[..at];
    let Ok(tokens_before) = tokenize(before) else { return completions };
    if before.len() > MAX_BYTES {
        return completions;
    }
    // A word that ends at the cursor is still being typed, and so are the words before it if one name can have them all.
    let ends_here = tokens_before.last().is_some_and(|last| last.to == at && matches!(last.kind, Piece::Word(_)));
    if ends_here {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        completions.to += text[at..].find(|c| !part_of_word(c)).unwrap_or(text.len() - at);
    }
    let min_words = usize::from(ends_here);
    let mut replaceable: Vec<(usize, String)> = Vec::new();
    for words in min_words..=if ends_here { MAX_NAME_WORDS } else { 0 } {
        replaceable.extend(name_before(&tokens_before, words, at));
    }
    let Some((from, typed)) = replaceable.first() else { return completions };
    completions.from = *from;
    let next_moves = moves_after(&before[..*from]);
    let mut known_words = vocabulary(&before[..*from], typed);
    let next_move = |name| VocabularyEntry { name, detail: "", kind: HighlightClass::Keyword };
    known_words.extend(next_moves.iter().map(|name| next_move(name)));
    let options = &mut completions.options;
    let predicates = &known_words[..FEATURES.len() + NUMBERS.len()];
    let known = |index: usize| if index == 0 { &known_words[..] } else { predicates };
    for (index, (from, typed)) in replaceable.iter().enumerate() {
        add_matching(before, *from, known(index), &|word| prefix_match_rank(word.name, typed) == Some(0), options);
        let alias = |name: &str| !typed.is_empty() && name.starts_with(typed.as_str());
        let by_alias = |word: &VocabularyEntry<'_>| {
            FEATURES.iter().any(|feature| feature.name == word.name && feature.aliases.iter().any(|name| alias(name)))
        };
        add_matching(before, *from, predicates, &by_alias, options);
    }
    // A later word of a name is a weaker match than the beginning of any name.
    for (index, (from, typed)) in replaceable.iter().enumerate() {
        add_matching(before, *from, known(index), &|word| prefix_match_rank(word.name, typed) == Some(1), options);
    }
    if options.is_empty() && typed.len() > 2 && advice_for(typed).is_none() {
        // The beginning may be mistyped, or the whole.
        fn begin(name: &str, length: usize) -> &str {
            name.get(..length).unwrap_or(name)
        }
        let near = nearest(typed, known_words.iter().map(|word| begin(word.name, typed.len())));
        let is_near = |word: &VocabularyEntry<'_>| near == Some(begin(word.name, typed.len()));
        add_matching(before, *from, &known_words, &is_near, options);
    }
    // A minus may begin a sum, but it is of little use where no plus is possible.
    let arithmetic = options.iter().any(|option| option.text == "+");
    options.retain(|option| option.text != "-" || arithmetic);
    completions
}

/// Returns where the last `words` words begin, which are separated by spaces or hyphens, and the name that they form.
fn name_before(tokens: &[Token], words: usize, at: usize) -> Option<(usize, String)> {
    let (mut name, mut from, mut index) = (String::new(), at, tokens.len());
    for taken in 0..words {
        index = index.checked_sub(1)?;
        if taken > 0 && tokens[index].kind == Piece::Sign("-") {
            index = index.checked_sub(1)?;
        }
        let Piece::Word(word) = &tokens[index].kind else { return None };
        name = if taken == 0 { word.clone() } else { alloc::format!("{word}_{name}") };
        from = tokens[index].from;
    }
    Some((from, name))
}

/// A word of the language, or a sign.
struct VocabularyEntry<'a> {
    name: &'a str,
    detail: &'static str,
    kind: HighlightClass,
}

/// Adds those of `words` that pass `is_wanted`, are valid at `from` and are not in the list yet.
#[inline(never)]
fn add_matching(
    before: &str,
    from: usize,
    words: &[VocabularyEntry<'_>],
    is_offered: &dyn Fn(&VocabularyEntry<'_>) -> bool,
    options: &mut Vec<Completion>,
) {
    for word in words.iter().filter(|word| is_offered(word)) {
        let option = completion_if_valid(&before[..from], word).map(|option| Completion { from, ..option });
        if let Some(option) = option.filter(|option| options.iter().all(|other| other.text != option.text)) {
            options.push(option);
        }
    }
}

/// The words that may come next, predicates and numbers first. Then come names of pieces, sides, words of the grammar, words that
/// the parser names after `before`, regions, signs and examples of texts.
fn vocabulary<'a>(before: &'a str, typed: &str) -> Vec<VocabularyEntry<'a>> {
    let predicate = |(name, detail)| VocabularyEntry { name, detail, kind: HighlightClass::Predicate };
    let features = FEATURES.iter().map(|feature| (feature.name, feature.summary));
    let numbers = NUMBERS.iter().map(|number| (number.name, number.summary));
    let names = introduced_names(before).into_iter().map(|name| (name, "the piece with this name"));
    let mut entries: Vec<VocabularyEntry<'a>> = features.chain(numbers).chain(names).map(predicate).collect();
    for (name, _) in SideSelector::NAMED {
        add_entries(&mut entries, &[name], HighlightClass::Side);
    }
    let keyword = |(name, _)| VocabularyEntry { name, detail: meaning(name), kind: HighlightClass::Keyword };
    entries.extend(keywords().map(keyword));
    add_entries(&mut entries, &expected_after(before), HighlightClass::Keyword);
    add_entries(&mut entries, NEVER_EXPECTED_WORDS, HighlightClass::Keyword);
    for (name, _) in region::NAMED {
        add_entries(&mut entries, &[name], HighlightClass::Region);
    }
    add_entries(&mut entries, &region::FILE_NAMES, HighlightClass::Region);
    // For the letter of a file, only its squares are candidates; all 64 would hide the other words.
    if let Some(file) = typed.get(..1).filter(|_| typed.len() <= 2).and_then(region::file) {
        add_entries(&mut entries, &SQUARES[usize::from(file)], HighlightClass::Region);
    }
    // If any text in quotes is allowed, it is a name, and there are too many names to list.
    if completion_if_valid(before, &VocabularyEntry { name: "\"zqzq\"", detail: "", kind: HighlightClass::Text })
        .is_none()
    {
        add_entries(&mut entries, TEXT_EXAMPLES, HighlightClass::Text);
    }
    add_entries(&mut entries, SIGNS, HighlightClass::Operator);
    entries
}

/// Returns what a word means, in a few words; nothing if only the grammar says.
pub fn meaning(name: &str) -> &'static str {
    let of_mark = || PlyMark::NAMED.iter().find(|mark| mark.name == name).map(|mark| mark.summary);
    let of_keyword = || keywords().find(|(word, _)| *word == name.trim_end_matches('(')).map(|(_, meaning)| meaning);
    let meaning = named(name, OTHER_MEANINGS).or_else(of_keyword);
    meaning.filter(|meaning| !meaning.is_empty()).or_else(of_mark).unwrap_or_default()
}

#[inline(never)]
fn add_entries(entries: &mut Vec<VocabularyEntry<'_>>, names: &[&'static str], kind: HighlightClass) {
    for &name in names {
        entries.push(VocabularyEntry { name, detail: meaning(name), kind });
    }
}

/// The names that `as N` gives to pieces, as they are written, each once.
fn introduced_names(before: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for pair in tokenize(before).unwrap_or_default().windows(2) {
        let [Token { kind: Piece::Word(as_word), .. }, Token { kind: Piece::Word(word), from, to }] = pair else {
            continue;
        };
        // `on the same file as king` introduces nothing.
        if as_word == "as" && !is_word_of_language(word) && !names.iter().any(|name| name.eq_ignore_ascii_case(word)) {
            names.extend(before.get(*from..*to));
        }
    }
    names
}

const SQUARES: [[&str; 8]; 8] = [
    ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"],
    ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"],
    ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"],
    ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"],
    ["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8"],
    ["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"],
    ["g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"],
    ["h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"],
];

/// The words that the parser expects next and names in backticks.
fn expected_after(before: &str) -> Vec<&'static str> {
    let mut expected_words = Vec::new();
    for text in [String::from(before), append_word(before, MEANINGLESS_WORD)] {
        let named = check_syntax(&text).err().filter(|error| error.from >= before.len()).map(|error| error.expected);
        for word in named.into_iter().flatten().filter_map(|entry| entry.strip_prefix('`')?.strip_suffix('`')) {
            // A quote alone is no useful completion.
            if word != "\"" && !expected_words.contains(&word) {
                expected_words.push(word);
            }
        }
    }
    expected_words
}

/// Returns 0 if `name` begins with the typed text, 1 if a later word of it does.
#[inline(never)]
fn prefix_match_rank(name: &str, typed: &str) -> Option<usize> {
    let begins = |part: &str| part.get(..typed.len()).is_some_and(|part| part.eq_ignore_ascii_case(typed));
    if begins(name) {
        return Some(0);
    }
    let later = || name.match_indices('_').any(|(at, _)| begins(&name[at + 1..]));
    (typed.len() > 1 && later()).then_some(1)
}

/// The word, if `before` and the word can still become a query.
#[inline(never)]
fn completion_if_valid(before: &str, word: &VocabularyEntry<'_>) -> Option<Completion> {
    let mut name = String::from(word.name);
    let text = append_word(before, &name);
    match check_syntax(&text) {
        Ok(()) => {}
        Err(error) if error.from >= text.len() => {
            if error.expected == ["`(`"] {
                name.push('(');
            }
            if !can_continue(&text, error) {
                return None;
            }
        }
        // Only what follows a bracket shows whether it holds numbers or conditions.
        Err(_) if name == ")" && check_syntax(&append_word(&text, "> 0")).is_ok() => {}
        Err(_) => return None,
    }
    let is_sign = name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '"');
    Some(Completion {
        from: before.len(),
        text: name,
        detail: word.detail,
        kind: if is_sign { HighlightClass::Operator } else { word.kind },
    })
}

/// Whether the parser still accepts `text` when more follows. Some words are rejected only together with the next ones, as in
/// `{ check for 8`.
fn can_continue(text: &str, error: QueryError) -> bool {
    let (mut more, mut expected) = (String::from(text), error.expected);
    for _ in 0..4 {
        let quoted = |entry: &&'static str| entry.strip_prefix('`').and_then(|word| word.strip_suffix('`'));
        let next = if expected.contains(&"a number") { Some("8") } else { expected.first().and_then(quoted) };
        let Some(next) = next.filter(|_| !expected.contains(&"a predicate")) else { return true };
        more = append_word(&more, next);
        match check_syntax(&more) {
            Err(error) if error.from < text.len() => return false,
            Err(error) if error.from >= more.len() => expected = error.expected,
            _ => return true,
        }
    }
    true
}

/// Appends `more` to `before`, with a space between two words.
#[inline(never)]
fn append_word(before: &str, more: &str) -> String {
    let needs_space = before.ends_with(|c: char| !c.is_whitespace());
    alloc::format!("{before}{}{more}", if needs_space { " " } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every query in the grammar's first table.
    fn examples() -> Vec<&'static str> {
        let page = include_str!("GRAMMAR.md");
        let table = page.split("## In a minute").nth(1).expect("the heading");
        let rows = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let rows = rows.take_while(|line| line.starts_with('|'));
        rows.map(|row| row.split('|').nth(1).expect("a cell").trim().trim_matches('`')).collect()
    }

    fn texts(found: &CompletionList) -> Vec<&str> {
        found.options.iter().map(|option| option.text.as_str()).collect()
    }

    #[test]
    fn examples_can_be_typed_by_taking_what_is_offered() {
        assert!(examples().len() > 10);
        for text in examples() {
            for token in tokenize(text).expect(text) {
                let word = text[token.from..token.to].trim_end_matches('(');
                // A sign is a completion after a space, where no word is being typed any more.
                let before = match token.kind {
                    Piece::Number(_) | Piece::Text(_) | Piece::Set(_) | Piece::Sign("," | "-" | ".") => continue,
                    Piece::Sign(_) => alloc::format!("{} ", text[..token.from].trim_end()),
                    Piece::Word(_) => String::from(&text[..token.from + 1]),
                };
                let found = complete(&before, before.len());
                assert!(found.from == token.from || matches!(token.kind, Piece::Sign(_)), "{before}");
                // There are too many codes and materials to list; the completions show their form.
                let is_code = word.contains(|c: char| c.is_ascii_digit());
                if is_code && region::named_squares(&word.to_ascii_lowercase()).is_none()
                    || word.chars().all(|c| "KQRBNPv".contains(c))
                {
                    continue;
                }
                let is_there =
                    found.options.iter().any(|option| option.text.trim_end_matches('(').eq_ignore_ascii_case(word));
                assert!(is_there, "`{word}` is not among {:?} after `{before}`", texts(&found));
            }
        }
    }

    #[test]
    fn words_are_found_by_beginning_middle_and_mistake() {
        for (text, expected) in [
            ("wh", "white"),
            ("white bish", "bishop_pair"),
            ("white bishop p", "bishop_pair"),
            ("white bishop-pa", "bishop_pair"),
            ("rook on sev", "rook_on_seventh"),
            ("sev", "rook_on_seventh"),
            ("pawn on cen", "centre"),
            ("pawn on e", "e4"),
            ("pawn on f", "f"),
            ("isloated", "isolated_pawn"),
            ("wihte", "white"),
            ("passer", "passed_pawn"),
            ("co", "count("),
            ("endgame q", "queen"),
            ("white knight as N on b1 then ", "N"),
            ("white knight as N on b1 then n", "N"),
            ("white knight as N on b1 then queen attacks ", "N"),
            ("rook as Hero on a1 and captures h", "Hero"),
            ("attackers(whi", "white"),
            ("attackers(kni", "knight"),
            ("attackers(white king) ", ">="),
            ("in_rep", "in_repertoire"),
            ("white le", "left"),
            ("perp", "perpetual"),
            ("check for 4 ", "moves"),
            ("{ check ", "}"),
            ("(count(rook) + count(queen)", ")"),
            ("1. e4 c5 2. ", "Nf3"),
            ("1. e4 c5 2. nf", "Nf3"),
            ("check and played e4 e5 B", "Bb5"),
        ] {
            let found = complete(text, text.len());
            assert!(texts(&found).contains(&expected), "{expected} is not among {:?} for `{text}`", texts(&found));
        }
        let found = complete("white bishop pa and check", 15);
        assert_eq!((found.from, found.to, found.options[0].from), (13, 15, 6));
        let found = complete("rook o", 6);
        let places: Vec<_> = found.options.iter().map(|option| (option.text.as_str(), option.from)).collect();
        assert!(places.contains(&("on", 5)) && places.contains(&("rook_on_seventh", 0)), "{places:?}");
    }

    #[test]
    fn nothing_is_offered_that_cannot_stand() {
        for (text, unexpected) in [
            ("white ", "queens_off"),
            ("white ", "in_repertoire"),
            ("queens_off ", "on"),
            ("queens_off ", "check"),
            ("{ check ", "for"),
            ("", "-"),
            ("", "and"),
            ("count(", "queens_off"),
            ("knight on b1 or ", "N"),
            ("rook on the same file as king and ", "as"),
        ] {
            let found = complete(text, text.len());
            assert!(!found.options.is_empty());
            assert!(!texts(&found).contains(&unexpected), "{unexpected} after `{text}`");
        }
        for text in ["fen \"8/8", "blub and ", "check ) ", "é"] {
            assert_eq!(complete(text, text.len()).options, [], "{text}");
        }
        assert_eq!(complete("é", 1).from, 0);
    }

    #[test]
    fn every_sign_of_the_language_is_known() {
        let marks: Vec<char> = (' '..='~').filter(char::is_ascii_punctuation).collect();
        // Signs that mean the same as others, and signs that occur only within dates, times, results and moves.
        let synonyms = ["==", "<>", ",", ".", "/", "#", ":"];
        for one in &marks {
            for text in
                core::iter::once(alloc::format!("{one}")).chain(marks.iter().map(|two| alloc::format!("{one}{two}")))
            {
                if let Ok([Token { kind: Piece::Sign(sign), .. }]) = tokenize(&text).as_deref() {
                    assert!(SIGNS.contains(sign) || synonyms.contains(sign), "{sign}");
                }
            }
        }
    }

    #[test]
    fn meanings_are_of_words_that_are_offered() {
        for (word, _) in OTHER_MEANINGS {
            let known = *word == "captures("
                || SIGNS.contains(word)
                || SideSelector::NAMED.iter().any(|(name, _)| name == word)
                || crate::forms::under::FAMILY_NAMES.iter().any(|name| name.trim_matches('`') == *word);
            assert!(known, "{word}");
        }
    }
}
