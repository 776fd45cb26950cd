//! Tag pairs, and the game header that they give.
//!
//! A value ends at the first quotation mark that `]` follows, so a quotation mark inside it needs no escape; a value that is
//! never closed ends with its line. If a tag is given twice, the later value counts. Values that are not UTF-8 are read as
//! Windows-1252, which contains Latin-1; the text of the game keeps its bytes.

use alloc::borrow::Cow;
use alloc::string::String;

use plyfold_corpus::record::{Date, Eco, Ending, GameHeader, GameResult, TimeClass};

use super::split::{after_blanks, tag_name};

/// The values of the known tags, as the bytes between the quotation marks.
#[derive(Clone, Copy, Default)]
pub(super) struct TagValues<'t> {
    values: [Option<&'t [u8]>; KnownTag::COUNT],
    /// Whether any tag was read, known or not.
    pub(super) has_tags: bool,
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
                    _ => None,
                }
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
}

/// One tag pair in the text.
pub(super) struct TagPair<'t> {
    tag: Option<KnownTag>,
    value: &'t [u8],
    /// The byte after its `]`.
    pub(super) end: usize,
}

impl<'t> TagPair<'t> {
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
        // The value is not closed properly; remove the signs that were meant to close it.
        let mut value = &text[from..stop];
        while let [rest @ .., b']' | b' ' | b'\t'] = value {
            value = rest;
        }
        while let [rest @ .., b'"' | b'\\'] = value {
            value = rest;
        }
        Some(TagPair { tag, value, end: stop })
    }
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

    /// The game header by the tags. The result is that of the Result tag or, if it is unknown, `result_token`, which ended the moves.
    pub(super) fn game_header(
        &self,
        result_token: GameResult,
        ending: Option<Ending>,
        chess960: bool,
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
            time_class: parse_time_class(self.raw(KnownTag::TimeControl).unwrap_or_default(), event.as_bytes()),
            event,
            chess960,
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
    match value {
        b"1-0" | b"1:0" => GameResult::White,
        b"0-1" | b"0:1" => GameResult::Black,
        b"1/2-1/2" | b"1/2" | b"1/2:1/2" | b"\xc2\xbd-\xc2\xbd" | b"\xc2\xbd" | b"0.5-0.5" => GameResult::Draw,
        _ => GameResult::Unknown,
    }
}

fn parse_elo(value: Option<&[u8]>) -> u16 {
    parse_number(value.unwrap_or_default().trim_ascii()).0.min(9999) as u16
}

/// The number at the start of `text` (0 if there is none; fractions are cut), and the rest of the text.
fn parse_number(text: &[u8]) -> (u32, &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .fold(0u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
    let rest = &text[digits..];
    let fraction = match rest {
        [b'.', rest @ ..] => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    (value, if fraction > 0 { &rest[fraction + 1..] } else { rest })
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

/// The speed by the time control or, without one, by the words of the event.
fn parse_time_class(control: &[u8], event: &[u8]) -> TimeClass {
    match class_by_control(control.trim_ascii()) {
        TimeClass::Unknown => class_by_event(event),
        known => known,
    }
}

/// `300+3`, `40/7200:3600`, `1/259200`, `15 min. + 10 s. per move`, `90 minutes + 30 seconds`.
fn class_by_control(control: &[u8]) -> TimeClass {
    let control = control.strip_prefix(b"*").unwrap_or(control);
    if !control.first().is_some_and(u8::is_ascii_digit) {
        return TimeClass::Unknown;
    }
    let (mut base, mut rest) = parse_seconds(control);
    let mut per_move = false;
    if let [b'/', after @ ..] = rest
        && after.first().is_some_and(u8::is_ascii_digit)
    {
        per_move = base == 1;
        (base, rest) = parse_seconds(after);
    }
    if base >= 86_400 && per_move {
        return TimeClass::Correspondence;
    }
    let increment = match memchr::memchr2(b'+', b':', rest) {
        Some(at) if rest[at] == b'+' => parse_seconds(rest[at + 1..].trim_ascii_start()).0,
        _ => 0,
    };
    match base.saturating_add(increment.saturating_mul(40)) {
        0..30 => TimeClass::UltraBullet,
        30..180 => TimeClass::Bullet,
        180..480 => TimeClass::Blitz,
        480..1500 => TimeClass::Rapid,
        _ => TimeClass::Classical,
    }
}

/// A number of seconds, or of minutes or hours if such a word follows, and the rest.
fn parse_seconds(text: &[u8]) -> (u32, &[u8]) {
    let (value, rest) = parse_number(text);
    let factor = match rest.trim_ascii_start().first() {
        Some(b'm' | b'M' | b'\'') => 60,
        Some(b'h' | b'H') => 3600,
        _ => 1,
    };
    (value.saturating_mul(factor), rest)
}

/// As in `Rated Blitz game`.
fn class_by_event(event: &[u8]) -> TimeClass {
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

/// A value as text: escapes are resolved, UTF-8 or otherwise Windows-1252 is decoded, and control characters become blanks.
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

/// Text in UTF-8, or otherwise in Windows-1252.
pub(super) fn decode_text(text: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(text.iter().map(|&byte| windows_1252(byte)).collect::<String>()),
    }
}

fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds() {
        for (control, event, expected) in [
            ("300+3", "", TimeClass::Blitz),
            ("180", "", TimeClass::Blitz),
            ("60+0", "", TimeClass::Bullet),
            ("15+0", "", TimeClass::UltraBullet),
            ("600+5", "", TimeClass::Rapid),
            ("40/7200:3600", "", TimeClass::Classical),
            ("40/7200:20/3600:900+30", "", TimeClass::Classical),
            ("1/259200", "", TimeClass::Correspondence),
            ("10+0.05", "", TimeClass::UltraBullet),
            ("15 min. + 10 s. per move", "", TimeClass::Rapid),
            ("90 minutes + 30 seconds per move", "", TimeClass::Classical),
            ("-", "Rated Correspondence game", TimeClass::Correspondence),
            ("-", "", TimeClass::Unknown),
            ("?", "London", TimeClass::Unknown),
            ("", "Rated UltraBullet game", TimeClass::UltraBullet),
            ("", "World Blitz 2019", TimeClass::Blitz),
        ] {
            assert_eq!(parse_time_class(control.as_bytes(), event.as_bytes()), expected, "{control} {event}");
        }
    }

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

    #[test]
    fn letters() {
        assert_eq!(decode_value("Đurić".as_bytes()), "Đurić");
        assert_eq!(decode_value(b"M\xfcller \x96 \x80"), "Müller – €");
    }
}
