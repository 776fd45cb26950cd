//! Tag pairs, and the game header that they give.
//!
//! A value ends at the first quotation mark that `]` follows, so a quotation mark inside it needs no escape. A value whose end stands on one
//! of the next lines has these lines; another that is never closed ends with its line. If a tag is given twice, the later value counts.
//! Values that are not UTF-8 are read by [`legacy_text`](super::legacy_text); the text of the game keeps its bytes.
//!
//! In a tag section, tags are read in other forms, too: `[White: "Anna"]`, `[White “Anna”]`, `[White Anna]`. What is no tag of a known name
//! is passed over with its line, and counted.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use plyfold_corpus::record::{Date, Eco, Ending, GameHeader, GameResult, TimeClass};

use super::legacy_text::decode_text;
use super::san::{self, dash_length};
use super::split::{after_blanks, ends_with_result, is_tag_pair, tag_name};
use super::time_control::Control;
use super::tokens::{at_line_start, line_end};

/// The values of the known tags, as the bytes between the quotation marks.
#[derive(Clone, Copy, Default)]
pub(super) struct TagValues<'t> {
    values: [Option<&'t [u8]>; KnownTag::COUNT],
    /// Whether any tag was read, known or not.
    pub(super) has_tags: bool,
    /// The first line that was passed over in the tag section.
    pub(super) passed_over: Option<usize>,
}

/// Makes the enum of the known tags out of a table of their names.
macro_rules! known_tags {
    ($($tag:ident = $($name:literal)|+;)+) => {
        /// The tags that an import uses.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum KnownTag { $($tag),+ }

        impl KnownTag {
            const COUNT: usize = [$(KnownTag::$tag),+].len();

            fn from_name(name: &[u8]) -> Option<KnownTag> {
                match name {
                    $($($name)|+ => Some(KnownTag::$tag),)+
                    _ => KnownTag::in_other_case(name),
                }
            }

            /// The tag of a name like `white` or `WHITE`.
            fn in_other_case(name: &[u8]) -> Option<KnownTag> {
                // PERF: most names that are not known are words like `Opening`.
                if matches!(name, [b'A'..=b'Z', b'a'..=b'z', ..]) {
                    return None;
                }
                $($(if name.eq_ignore_ascii_case($name) {
                    return Some(KnownTag::$tag);
                })+)+
                None
            }
        }
    };
}

known_tags! {
    Event = b"Event";
    Site = b"Site";
    Date = b"Date";
    White = b"White";
    Black = b"Black";
    Result = b"Result";
    WhiteElo = b"WhiteElo";
    BlackElo = b"BlackElo";
    Eco = b"ECO";
    Fen = b"FEN" | b"Fen";
    Variant = b"Variant";
    TimeControl = b"TimeControl";
    Termination = b"Termination";
    UtcDate = b"UTCDate";
    Round = b"Round";
    Annotator = b"Annotator";
    WhiteTitle = b"WhiteTitle";
    BlackTitle = b"BlackTitle";
    Incomplete = b"Incomplete";
}

/// One tag pair in the text.
pub(super) struct TagPair<'t> {
    tag: Option<KnownTag>,
    value: &'t [u8],
    /// The byte after its `]`.
    pub(super) end: usize,
}

impl<'t> TagPair<'t> {
    /// Where its value stands in `text`, from which it was read.
    pub(super) fn value_place(&self, text: &[u8]) -> Range<usize> {
        let from = self.value.as_ptr() as usize - text.as_ptr() as usize;
        from..from + self.value.len()
    }

    /// Reads the pair at `at`; none if there is none.
    pub(super) fn read(text: &'t [u8], at: usize) -> Option<TagPair<'t>> {
        let (name, quote) = tag_name(text, at)?;
        let tag = KnownTag::from_name(&text[name]);
        let from = quote + 1;
        let mut at = from;
        let stop = loop {
            match text.get(at) {
                Some(b'\\') if matches!(text.get(at + 1), Some(b'"' | b'\\')) => at += 2,
                Some(b'"') => {
                    let next = after_blanks(text, at + 1);
                    if text.get(next) == Some(&b']') {
                        return Some(TagPair { tag, value: &text[from..at], end: next + 1 });
                    }
                    at += 1;
                }
                None | Some(b'\n' | b'\r') => break at,
                Some(_) => at += 1,
            }
        };
        Some(TagPair::over_lines(text, from, stop, tag).unwrap_or_else(|| {
            // The value is not closed properly; remove the signs that were meant to close it.
            let mut value = &text[from..stop];
            while let [rest @ .., b']' | b' ' | b'\t'] = value {
                value = rest;
            }
            while let [rest @ .., b'"' | b'\\'] = value {
                value = rest;
            }
            TagPair { tag, value, end: stop }
        }))
    }

    /// The pair whose value begins at `from`, if it is not closed on its line, which ends at `line`, but at the end of one of the next.
    #[cold]
    fn over_lines(text: &'t [u8], from: usize, line: usize, tag: Option<KnownTag>) -> Option<TagPair<'t>> {
        /// A value that some mailer wrapped has no more lines.
        const MAX_LINES: usize = 4;
        // What has its quotation mark lacks the bracket alone.
        if memchr::memchr(b']', &text[from..line]).is_some() || text[from..line].trim_ascii_end().ends_with(b"\"") {
            return None;
        }
        let mut at = line;
        for _ in 0..MAX_LINES {
            let begin = at + 1 + usize::from(text.get(at..at + 2) == Some(b"\r\n"));
            let end = memchr::memchr2(b'\n', b'\r', text.get(begin..)?).map_or(text.len(), |length| begin + length);
            match text[begin..end].trim_ascii_end() {
                [] | [b'{' | b'%' | b';', ..] => return None,
                wrapped if memchr::memchr(b'[', wrapped).is_some() => return None,
                [wrapped @ .., b'"', b']'] => {
                    return Some(TagPair {
                        tag,
                        value: &text[from..begin + wrapped.len()],
                        end: begin + wrapped.len() + 2,
                    });
                }
                _ => at = end,
            }
        }
        None
    }

    /// The pair whose name stands alone on its line, which ends at `end`, and whose value on the next.
    fn over_break(text: &'t [u8], end: usize, line: &[u8]) -> Option<TagPair<'t>> {
        let tag = KnownTag::from_name(line.get(1..)?.trim_ascii())?;
        let begin = end + 1 + usize::from(text.get(end..end + 2) == Some(b"\r\n"));
        let next = text.get(begin..line_end(text, begin.min(text.len())))?.trim_ascii_end();
        let value = next.strip_prefix(b"\"")?.strip_suffix(b"\"]")?;
        Some(TagPair { tag: Some(tag), value, end: begin + next.len() })
    }

    /// Reads the tag at `at` in a form that [`TagPair::read`] does not know: a colon after the name, other quotation marks, or none.
    /// None if the name is unknown, or there is no value.
    #[cold]
    fn read_loosely(text: &'t [u8], at: usize) -> Option<TagPair<'t>> {
        let line = &text[at..line_end(text, at)];
        let Some(close) = memchr::memrchr(b']', line) else { return TagPair::over_break(text, at + line.len(), line) };
        let inside = line.get(1..close)?.trim_ascii();
        let (name, rest) =
            inside.split_at(inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count());
        let tag = KnownTag::from_name(name)?;
        let value = rest.trim_ascii_start();
        let value = value.strip_prefix(NO_BREAK_SPACE).unwrap_or(value);
        let value = value.strip_prefix(b":").or(value.strip_prefix(b"=")).unwrap_or(value).trim_ascii_start();
        let unquoted = without_quotes(value);
        // `[White-Team "x"]` is another tag.
        let is_separated = value.len() < rest.len() || QUOTES.iter().any(|quote| value.starts_with(quote));
        (is_separated && !unquoted.is_empty()).then_some(TagPair {
            tag: Some(tag),
            value: unquoted,
            end: at + close + 1,
        })
    }
}

/// A blank of web pages.
const NO_BREAK_SPACE: &[u8] = "\u{a0}".as_bytes();

/// What stands on a line of a tag section.
pub(super) enum SectionLine<'t> {
    /// A tag.
    Pair(TagPair<'t>),
    /// What is no tag and no move, up to here.
    PassedOver(usize),
    /// Moves, or the end.
    Moves,
}

impl<'t> SectionLine<'t> {
    /// Reads what begins at `at`, after these tags.
    pub(super) fn read(text: &'t [u8], at: usize, tags: &TagValues<'t>) -> SectionLine<'t> {
        if let Some(pair) = TagPair::read(text, at) {
            return SectionLine::Pair(pair);
        }
        if at == text.len() || !at_line_start(text, at) {
            return SectionLine::Moves;
        }
        SectionLine::read_uncommon(text, at, tags)
    }

    #[cold]
    fn read_uncommon(text: &'t [u8], at: usize, tags: &TagValues<'t>) -> SectionLine<'t> {
        if text[at] == b'[' {
            if let Some(pair) = TagPair::read_loosely(text, at)
                && pair.tag.is_some_and(|tag| tags.raw(tag).is_none())
            {
                return SectionLine::Pair(pair);
            }
            let line = text[at..line_end(text, at)].trim_ascii_end();
            // `[%clk 0:05:00]` belongs to the moves.
            if tags.has_tags && line.ends_with(b"]") && !line.starts_with(b"[%") {
                return SectionLine::PassedOver(at + line.len());
            }
        } else if tags.has_tags
            && let Some(end) = after_words_before_tag(text, at)
        {
            return SectionLine::PassedOver(end);
        }
        SectionLine::Moves
    }
}

/// The end of lines of words from `at`, if a tag follows them directly: they stand in a tag section, and are no moves.
fn after_words_before_tag(text: &[u8], mut at: usize) -> Option<usize> {
    const MAX_LINES: usize = 3;
    for _ in 0..MAX_LINES {
        let is_word = text.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
        if !is_word || san::read_san(text, at).is_some() {
            return None;
        }
        let end = line_end(text, at);
        if ends_with_result(&text[at..end]) {
            return None;
        }
        let next = end + 1 + usize::from(text.get(end..end + 2) == Some(b"\r\n"));
        if is_tag_pair(text, next) {
            return Some(end);
        }
        at = next;
    }
    None
}

/// Quotation marks: straight ones, those of languages, those of Windows-1252, and those of HTML.
const QUOTES: [&[u8]; 15] = [
    b"\"",
    b"'",
    b"`",
    "\u{201c}".as_bytes(),
    "\u{201d}".as_bytes(),
    "\u{201e}".as_bytes(),
    "\u{2018}".as_bytes(),
    "\u{2019}".as_bytes(),
    "\u{ab}".as_bytes(),
    "\u{bb}".as_bytes(),
    b"\x93",
    b"\x94",
    b"\x84",
    b"&quot;",
    b"&#34;",
];

/// A value without the quotation marks around it, of whatever kind.
fn without_quotes(value: &[u8]) -> &[u8] {
    let value = QUOTES.iter().find_map(|quote| value.strip_prefix(*quote)).unwrap_or(value);
    QUOTES.iter().find_map(|quote| value.strip_suffix(*quote)).unwrap_or(value).trim_ascii()
}

impl<'t> TagValues<'t> {
    /// Sets the value of a pair; a later value replaces an earlier one.
    pub(super) fn set(&mut self, pair: &TagPair<'t>) {
        self.has_tags = true;
        if let Some(tag) = pair.tag {
            self.values[tag as usize] = Some(pair.value);
        }
    }

    /// Whether the pair belongs to the next game: it repeats a tag, and either it is `Event` or a blank line stands before it. Tags
    /// that this version reads for their texts alone do not count, so that the games of a file stay the same.
    pub(super) fn starts_next_game(&self, pair: &TagPair<'_>, after_blank_line: impl Fn() -> bool) -> bool {
        pair.tag.is_some_and(|tag| {
            let counts = tag as usize <= KnownTag::UtcDate as usize;
            counts && self.values[tag as usize].is_some() && (tag == KnownTag::Event || after_blank_line())
        })
    }

    /// The bytes of a tag between its quotation marks; none if it is missing.
    pub(super) fn raw(&self, tag: KnownTag) -> Option<&'t [u8]> {
        self.values[tag as usize]
    }

    /// The value of a tag; empty if it is missing.
    pub(super) fn text(&self, tag: KnownTag) -> Cow<'t, str> {
        self.raw(tag).map_or(Cow::Borrowed(""), decode_value)
    }

    /// The value of a tag, "?" if it is missing or empty.
    pub(super) fn name_or_unknown(&self, tag: KnownTag) -> Cow<'t, str> {
        let name = self.text(tag);
        if name.is_empty() { Cow::Borrowed("?") } else { name }
    }

    /// The value of a tag without the blanks around it; empty if it is missing or says that there is none, as `?` and `-` do.
    fn known_text(&self, tag: KnownTag) -> Cow<'t, str> {
        let value = self.raw(tag).unwrap_or_default().trim_ascii();
        if matches!(value, b"" | b"?" | b"-") { Cow::Borrowed("") } else { decode_value(value) }
    }

    /// Whether the date tag, or the one in its place, says more than this date.
    pub(super) fn is_date_doubtful(&self, date: Date) -> bool {
        // PERF: most dates are known to the day.
        date.day() == 0
            && [KnownTag::Date, KnownTag::UtcDate]
                .iter()
                .any(|&tag| self.raw(tag).is_some() && Date::read(&self.text(tag)).1)
    }

    /// Whether a name is not UTF-8, of a game with this header.
    pub(super) fn has_legacy_names(&self, header: &GameHeader<'_>) -> bool {
        // PERF: what is UTF-8 without escapes has been borrowed.
        let owned = |name: &Cow<'_, str>| matches!(name, Cow::Owned(_));
        [&header.white, &header.black, &header.event, &header.site].into_iter().any(owned)
            && [KnownTag::White, KnownTag::Black, KnownTag::Event, KnownTag::Site]
                .iter()
                .any(|&tag| core::str::from_utf8(self.raw(tag).unwrap_or_default()).is_err())
    }

    /// Whether the TimeControl tag says something that is not understood, if this is what is understood.
    pub(super) fn is_time_control_doubtful(&self, control: Control) -> bool {
        let value = self.raw(KnownTag::TimeControl).unwrap_or_default().trim_ascii();
        control.is_unknown() && !matches!(value, b"" | b"?" | b"-") && class_in_words(value) == TimeClass::Unknown
    }

    /// The speed that the TimeControl tag or the event names.
    fn class_in_words(&self, event: &[u8]) -> TimeClass {
        match self.raw(KnownTag::TimeControl).map_or(TimeClass::Unknown, class_in_words) {
            TimeClass::Unknown => class_in_words(event),
            named => named,
        }
    }

    /// Whether a tag says that moves are missing at the end, as in an export of a game of which no text is kept.
    pub(super) fn is_incomplete(&self) -> bool {
        self.raw(KnownTag::Incomplete).is_some()
    }

    /// What the TimeControl tag says.
    pub(super) fn time_control(&self) -> Control {
        self.raw(KnownTag::TimeControl).map_or(Control::default(), Control::read)
    }

    /// The game header by the tags. The result is that of the Result tag or, if it is unknown, `result_token`, which ended the moves.
    pub(super) fn game_header(
        &self,
        result_token: GameResult,
        ending: Option<Ending>,
        control: Control,
        (chess960, incomplete): (bool, bool),
    ) -> GameHeader<'t> {
        let result =
            match self.raw(KnownTag::Result).map_or(GameResult::Unknown, |value| parse_result(value.trim_ascii())) {
                GameResult::Unknown => result_token,
                known => known,
            };
        let event = self.name_or_unknown(KnownTag::Event);
        // PERF: reading missing dates took 8 % of the instructions of an import of games with one move.
        let date = |tag| self.raw(tag).map_or(Date::default(), |_| Date::from_pgn(&self.text(tag)));
        let date = match date(KnownTag::Date) {
            unknown if unknown.year() == 0 => date(KnownTag::UtcDate),
            known => known,
        };
        GameHeader {
            white: self.name_or_unknown(KnownTag::White),
            black: self.name_or_unknown(KnownTag::Black),
            site: self.name_or_unknown(KnownTag::Site),
            date,
            white_elo: parse_elo(self.raw(KnownTag::WhiteElo)),
            black_elo: parse_elo(self.raw(KnownTag::BlackElo)),
            eco: Eco::from_pgn(&self.text(KnownTag::Eco)),
            result,
            ending: ending
                .unwrap_or_else(|| self.raw(KnownTag::Termination).map_or(Ending::Unknown, parse_termination)),
            time_class: match control.class() {
                TimeClass::Unknown => self.class_in_words(event.as_bytes()),
                known => known,
            },
            event,
            chess960,
            incomplete,
            round: self.known_text(KnownTag::Round),
            annotator: self.known_text(KnownTag::Annotator),
            time_control: self.known_text(KnownTag::TimeControl),
            white_title: self.known_text(KnownTag::WhiteTitle),
            black_title: self.known_text(KnownTag::BlackTitle),
        }
    }
}

/// The result that a token or a tag says.
pub(super) fn parse_result(value: &[u8]) -> GameResult {
    match read_result(value) {
        Some((end, result)) if end == value.len() => result,
        _ => GameResult::Unknown,
    }
}

/// The result at the start of a text, and its length: `1-0`, `0:1`, `1/2-1/2`, `½`, `0.5-0.5`, with any dash and a blank on either side of it.
pub(super) fn read_result(text: &[u8]) -> Option<(usize, GameResult)> {
    const HALVES: [&[u8]; 4] = [b"1/2", "\u{bd}".as_bytes(), b"0.5", b"0,5"];
    let half = |text: &[u8]| HALVES.iter().find(|half| text.starts_with(half)).map(|half| half.len());
    let blank = |text: &[u8]| usize::from(text.starts_with(b" "));
    let dash = |text: &[u8]| {
        let sign = blank(text);
        let end = sign + if text[sign..].starts_with(b":") { 1 } else { dash_length(&text[sign..])? };
        Some(end + blank(&text[end..]))
    };
    if let Some(first) = half(text) {
        let second = dash(&text[first..]).and_then(|dash| Some(first + dash + half(&text[first + dash..])?));
        let is_alone = text[first - 1] != b'5';
        return second.or(is_alone.then_some(first)).map(|end| (end, GameResult::Draw));
    }
    let (one, rest) = text.split_first()?;
    let dash = dash(rest)?;
    match (one, rest.get(dash)?) {
        // Some write the letter.
        (b'1', b'0' | b'O') => Some((dash + 2, GameResult::White)),
        (b'0', b'1') => Some((dash + 2, GameResult::Black)),
        _ => None,
    }
}

fn parse_elo(value: Option<&[u8]>) -> u16 {
    let digits = value.unwrap_or_default().trim_ascii().iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |elo: u16, digit| elo.saturating_mul(10).saturating_add(u16::from(digit - b'0'))).min(9999)
}

/// How the game ended by its Termination tag, in the words of the standard, of Lichess, of chess.com or of engine matches.
fn parse_termination(value: &[u8]) -> Ending {
    for (words, ending) in [
        (&["on time", "time forfeit", "timeout", "time out"][..], Ending::TimeForfeit),
        (&["abandon", "disconnect", "death", "emergency"], Ending::Abandoned),
        (&["adjudicat"], Ending::Adjudication),
        (&["infraction", "illegal"], Ending::RulesInfraction),
        (&["unterminated"], Ending::Unterminated),
        (
            &[
                "normal",
                "resign",
                "agree",
                "repetition",
                "checkmate",
                "stalemate",
                "50-move",
                "50 move",
                "fifty",
                "insufficient",
            ],
            Ending::Normal,
        ),
    ] {
        if words.iter().any(|word| contains(value, word.as_bytes())) {
            return ending;
        }
    }
    Ending::Unknown
}

/// Whether `text` contains `word` in any letter case; `word` is in lower case.
fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Finds the time class that an event such as `Rated Blitz game` names.
fn class_in_words(event: &[u8]) -> TimeClass {
    const WORDS: [(&[u8], TimeClass); 6] = [
        (b"ultrabullet", TimeClass::UltraBullet),
        (b"bullet", TimeClass::Bullet),
        (b"blitz", TimeClass::Blitz),
        (b"rapid", TimeClass::Rapid),
        (b"classical", TimeClass::Classical),
        (b"correspondence", TimeClass::Correspondence),
    ];
    for (at, byte) in event.iter().enumerate() {
        if !matches!(byte | 32, b'u' | b'b' | b'r' | b'c') {
            continue;
        }
        for (word, class) in WORDS {
            if event.get(at..at + word.len()).is_some_and(|window| window.eq_ignore_ascii_case(word)) {
                return class;
            }
        }
    }
    TimeClass::Unknown
}

/// A value as text: escapes are resolved, its encoding is decoded, and control characters become blanks.
pub(super) fn decode_value(value: &[u8]) -> Cow<'_, str> {
    let text = decode_text(value);
    if !value.iter().fold(false, |found, &byte| found | (byte == b'\\') | (byte < b' ')) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' if matches!(letters.peek(), Some('"' | '\\')) => letters.next().unwrap_or(letter),
            control if control < ' ' => ' ',
            letter => letter,
        });
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (text, expected) in [
            ("Normal", Ending::Normal),
            ("Time forfeit", Ending::TimeForfeit),
            ("time forfeit", Ending::TimeForfeit),
            ("Anna won on time", Ending::TimeForfeit),
            ("Anna won by resignation", Ending::Normal),
            ("Game drawn by timeout vs insufficient material", Ending::TimeForfeit),
            ("Anna won - game abandoned", Ending::Abandoned),
            ("Rules infraction", Ending::RulesInfraction),
            ("adjudication", Ending::Adjudication),
            ("unterminated", Ending::Unterminated),
            ("unterminated?", Ending::Unterminated),
            ("", Ending::Unknown),
        ] {
            assert_eq!(parse_termination(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn pairs() {
        for (text, value, end) in [
            (r#"[White "Anna"]"#, "Anna", 14),
            (r#"[ White  "Anna" ] x"#, "Anna", 17),
            (r#"[White "A \"b\" \\ c"]"#, r#"A "b" \ c"#, 22),
            (r#"[White "The "Big" one"]"#, r#"The "Big" one"#, 23),
            ("[White \"open]\n[Black \"x\"]", "open", 13),
            ("[White \"Cup \\\"]\n", "Cup ", 15),
            ("[White \"B ] [ b\"]", "B ] [ b", 17),
            ("[White \"cut", "cut", 11),
            ("[White \"", "", 8),
        ] {
            let pair = TagPair::read(text.as_bytes(), 0).expect("a pair");
            assert_eq!((decode_value(pair.value).as_ref(), pair.end), (value, end), "{text}");
            assert!(pair.tag == Some(KnownTag::White));
        }
    }
}
