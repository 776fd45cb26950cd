//! One game after another out of a piece of text.
//!
//! A game is a tag section and moves; it ends at a result, at the next tag, or with the piece. Games without tags and
//! without results are told apart by a blank line and `1.`. What is no move is passed over if it is known to be harmless
//! (comments, variations, glyphs, `N`, `e.p.`); any other word refuses the game, since to skip it could give another game
//! than was played. Once refused, a game's text is still followed to its end, so that the next one is found.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::cut::{Pieces, is_tag};
use super::refusal::{Reason, Refusal};
use super::rules::{Position, Unresolved};
use super::san::{self, Written};
use super::tags::{Pair, Tag, Tags, decoded, outcome};
use super::tokens::{
    Closings, after_blanks_and_comments, after_comment, after_variation, at_line_start, game_text, line_end,
};
use super::{Beginning, Entry, is_utf16, start};
use crate::board::Board;
use crate::board::start::Start;
use crate::corpus::record::{Ending, Outcome};
use crate::moves::Move;

/// As many plies as a record of a corpus can say.
const MOST_PLIES: usize = u16::MAX as usize;

/// The buffers of a reader, kept from game to game.
pub(super) struct Reader {
    initial: Position,
    position: Position,
    moves: Vec<Move>,
    /// After each of these the byte behind it, where they are asked for.
    ends: Vec<usize>,
    /// Of the brackets in the text at hand.
    closings: Closings,
    /// Games met so far, refused ones too.
    games: u64,
}

/// How far the moves of a game went.
struct Moves {
    /// Where what belongs to the game ends.
    end: usize,
    /// The result that ended it.
    token: Outcome,
    /// Why it is refused, and where.
    problem: Option<(usize, Reason)>,
    null_moves: bool,
}

impl Reader {
    pub(super) fn new() -> Reader {
        let initial = Position::new(Board::initial());
        Reader {
            position: initial.clone(),
            initial,
            moves: Vec::new(),
            ends: Vec::new(),
            closings: Closings::default(),
            games: 0,
        }
    }

    /// All games of `text`, which begins at byte `base` of its file.
    pub(super) fn read(&mut self, text: &[u8], base: u64, visit: &mut impl FnMut(Entry<'_>)) {
        self.games = 0;
        if is_utf16(text) {
            let (white, black) = Default::default();
            let (game, reason) = (1, Reason::Utf16);
            return visit(Entry::Refused(Refusal { offset: base, game, ply: 0, reason, white, black }));
        }
        for (offset, piece) in Pieces::new(text) {
            self.piece(piece, base + offset as u64, visit);
        }
    }

    /// All games of `text`, a piece without borders inside that begins at byte `base` of its file.
    fn piece(&mut self, text: &[u8], base: u64, visit: &mut impl FnMut(Entry<'_>)) {
        let mut at = 0;
        let mut without_pgn = false;
        self.closings = Closings::default();
        while at < text.len() {
            let begin = at;
            let (tags, after_tags, complete) = tag_section(text, at);
            let from = match start::of_tags(&tags) {
                Ok(from) => Ok(from),
                Err(reason) => Err((begin, reason)),
            };
            let (start, chess960, problem) = match from {
                Ok((start, chess960)) => (start, chess960, None),
                Err(problem) => (None, false, Some(problem)),
            };
            let played = if complete {
                self.moves.clear();
                Moves { end: after_tags, token: Outcome::Unknown, problem, null_moves: false }
            } else {
                self.set_up(start.as_ref());
                self.moves::<false>(text, after_tags, &tags, problem)
            };
            // Something is always consumed: a tag, a move, or a byte that is neither.
            at = played.end.max(begin + 1);
            let body = game_text(text, begin, at);
            let offset = base + (body.as_ptr() as usize - text.as_ptr() as usize) as u64;
            if let Some((place, reason)) = played.problem {
                if reason == Reason::NoPgn && core::mem::replace(&mut without_pgn, true) {
                    continue;
                }
                let in_moves = matches!(
                    reason,
                    Reason::Unreadable(_)
                        | Reason::Illegal(_)
                        | Reason::Ambiguous(_)
                        | Reason::NoPromotion(_)
                        | Reason::TooLong
                );
                self.games += 1;
                visit(Entry::Refused(Refusal {
                    offset: if in_moves { base + place as u64 } else { offset },
                    game: self.games,
                    ply: if in_moves { self.moves.len() as u32 + 1 } else { 0 },
                    reason,
                    white: tags.text(Tag::White).into_owned(),
                    black: tags.text(Tag::Black).into_owned(),
                }));
            } else if tags.any || !self.moves.is_empty() {
                self.games += 1;
                visit(Entry::Game {
                    facts: tags.facts(played.token, if complete { None } else { self.ending() }, chess960),
                    start,
                    moves: &self.moves,
                    text: body,
                    offset,
                    null_moves: played.null_moves,
                });
            }
        }
    }

    /// Where all games of `text` begin, by their tags.
    pub(super) fn beginnings(&mut self, text: &[u8], base: u64, visit: &mut impl FnMut(Result<Beginning<'_>, Reason>)) {
        if is_utf16(text) {
            return visit(Err(Reason::Utf16));
        }
        for (offset, piece) in Pieces::new(text) {
            let mut at = 0;
            self.closings = Closings::default();
            while at < piece.len() {
                let begin = at;
                let (tags, after_tags, complete) = tag_section(piece, at);
                self.set_up(None);
                at = match complete {
                    true => after_tags,
                    false => {
                        // With tags it is a game, whatever moves follow: they are not looked at.
                        let passed_over = tags.any.then_some((begin, Reason::NoPgn));
                        self.moves::<false>(piece, after_tags, &tags, passed_over).end
                    }
                };
                at = at.max(begin + 1);
                if tags.any || !self.moves.is_empty() {
                    let body = game_text(piece, begin, at);
                    let offset = base + offset as u64 + (body.as_ptr() as usize - piece.as_ptr() as usize) as u64;
                    visit(start::written(&tags).map(|fen| Beginning { offset, fen }));
                }
            }
        }
    }

    /// Behind which byte each move of the first game of `text` ends, with the glyphs that belong to it.
    pub(super) fn move_ends(&mut self, text: &[u8]) -> &[usize] {
        self.ends.clear();
        self.closings = Closings::default();
        let (tags, after_tags, complete) = tag_section(text, 0);
        if let (Ok((start, _)), false) = (start::of_tags(&tags), complete) {
            self.set_up(start.as_ref());
            self.moves::<true>(text, after_tags, &tags, None);
        }
        &self.ends
    }

    fn set_up(&mut self, start: Option<&Start>) {
        self.moves.clear();
        self.position = match start {
            None => self.initial.clone(),
            Some(start) => Position::new(Board::from_start(start)),
        };
    }

    /// How the game ended, if its last position says so.
    fn ending(&self) -> Option<Ending> {
        if !self.position.can_move() {
            return Some(if self.position.in_check() { Ending::Checkmate } else { Ending::Stalemate });
        }
        self.position.insufficient_material().then_some(Ending::InsufficientMaterial)
    }

    /// The moves from `at`; after a `problem` they are passed over. With `ENDS`, it is kept where each ends.
    fn moves<const ENDS: bool>(
        &mut self,
        text: &[u8],
        mut at: usize,
        tags: &Tags<'_>,
        mut problem: Option<(usize, Reason)>,
    ) -> Moves {
        let mut null_moves = false;
        let mut token = Outcome::Unknown;
        // Whether words have been passed over, which may have been moves.
        let mut passed_over = false;
        loop {
            let Some(&byte) = text.get(at) else {
                return Moves { end: text.len(), token, problem, null_moves };
            };
            match byte {
                0..=b' ' => at += 1,
                b'1'..=b'9' => {
                    if byte == b'1'
                        && let Some((end, result)) = result_token(text, at)
                    {
                        token = result;
                        return Moves { end: after_result(text, end), token, problem, null_moves };
                    }
                    let begin = at;
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    if at == begin + 1
                        && byte == b'1'
                        && text.get(at) == Some(&b'.')
                        && (!self.moves.is_empty() || passed_over)
                        && begins_after_blank_line(text, begin)
                    {
                        return Moves { end: begin, token, problem, null_moves };
                    }
                    while matches!(text.get(at), Some(b'.' | b' ')) {
                        at += 1;
                    }
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0' | b'-' | b'@' | 0xc3..=0xff => {
                    if byte == b'0'
                        && let Some((end, result)) = result_token(text, at)
                    {
                        token = result;
                        return Moves { end: after_result(text, end), token, problem, null_moves };
                    }
                    if problem.is_some() {
                        at = after_word(text, at);
                        passed_over = true;
                        continue;
                    }
                    // PERF: one move of twenty goes on to the full reading, and every one that cannot be played.
                    let short = san::short(text, at);
                    if short.role != 0
                        && let Ok(mv) = self.position.resolve_short(short)
                        && self.moves.len() < MOST_PLIES
                    {
                        self.position.play(mv);
                        self.moves.push(mv);
                        if ENDS {
                            self.ends.push(after_glyphs(text, at + usize::from(short.length)));
                        }
                        // The blank after it needs no look.
                        at += usize::from(short.length) + 1;
                        continue;
                    }
                    match san::read(text, at) {
                        Some((written, end)) if !text.get(end).is_some_and(u8::is_ascii_alphanumeric) => {
                            match self.play(written) {
                                Ok(()) => {
                                    null_moves |= written == Written::Null;
                                    at = end;
                                }
                                Err(_) if no_winner(text, at, end, tags) => {
                                    return Moves { end: after_result(text, end), token, problem, null_moves };
                                }
                                Err(fault) => problem = Some((at, fault.reason(text, at))),
                            }
                        }
                        read => match self.odd_word(text, at, read) {
                            Ok(end) => at = end,
                            Err(reason) => {
                                let nothing = !tags.any && self.moves.is_empty();
                                problem = Some((at, if nothing { Reason::NoPgn } else { reason }));
                            }
                        },
                    }
                    if ENDS && self.moves.len() > self.ends.len() {
                        self.ends.push(after_glyphs(text, at));
                    }
                }
                b'{' => at = after_comment(text, at),
                b'(' => at = after_variation(text, at),
                b';' => at = line_end(text, at),
                b'%' if at_line_start(text, at) => at = line_end(text, at),
                b'*' => return Moves { end: after_result(text, at + 1), token, problem, null_moves },
                b'$' => {
                    at += 1;
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                b'[' if is_tag(text, at) => return Moves { end: at, token, problem, null_moves },
                // Clock times and the like outside of a comment.
                b'[' => at = self.closings.after(text, at).unwrap_or(at + 1),
                0xc2 => {
                    if let Some((end, result)) = result_token(text, at) {
                        token = result;
                        return Moves { end: after_result(text, end), token, problem, null_moves };
                    }
                    at += 1;
                }
                // Glyphs and marks: + # ! ? = / . , and the like; half letters of Latin-1.
                _ => at += 1,
            }
        }
    }

    fn play(&mut self, written: Written) -> Result<(), Fault> {
        let mv = self.position.resolve(written).map_err(Fault::Rules)?;
        if self.moves.len() >= MOST_PLIES {
            return Err(Fault::TooLong);
        }
        self.position.play(mv);
        self.moves.push(mv);
        Ok(())
    }

    /// What looks like no move, or like a move with letters after it. Gives where to read on.
    #[cold]
    fn odd_word(&mut self, text: &[u8], at: usize, read: Option<(Written, usize)>) -> Result<usize, Reason> {
        let unreadable = || Reason::Unreadable(word(text, at));
        if let Some((written, end)) = read {
            // `exd6e.p.`, `Qh5ch`
            let suffix_end = [&b"e.p."[..], b"e.p", b"ep", b"mate", b"dbl", b"dis", b"ch"]
                .iter()
                .find(|suffix| text[end..].starts_with(suffix))
                .map(|suffix| end + suffix.len())
                .filter(|&end| !text.get(end).is_some_and(u8::is_ascii_alphanumeric))
                .ok_or_else(unreadable)?;
            return self.play(written).map(|()| suffix_end).map_err(|fault| fault.reason(text, at));
        }
        match text[at] {
            b'-' | b'@' => return Ok(at + 1),
            // Byte order mark, punctuation, arrows, mathematical signs.
            0xef if text[at..].starts_with(b"\xef\xbb\xbf") => return Ok(at + 3),
            0xe2 => return Ok(at + 3),
            _ => {}
        }
        let length = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
        // Novelty, diagram, editorial comment, en passant, check, mate.
        const HARMLESS: [&[u8]; 14] =
            [b"N", b"D", b"TN", b"RR", b"e.p.", b"e.p", b"ep", b"ch", b"ch.", b"mate", b"dbl", b"dis", b"dis.", b"x"];
        if HARMLESS.contains(&&text[at..at + length]) { Ok(at + length) } else { Err(unreadable()) }
    }
}

/// Why a move could not be played.
enum Fault {
    Rules(Unresolved),
    TooLong,
}

impl Fault {
    #[cold]
    fn reason(self, text: &[u8], at: usize) -> Reason {
        match self {
            Fault::Rules(Unresolved::Illegal) => Reason::Illegal(word(text, at)),
            Fault::Rules(Unresolved::Ambiguous) => Reason::Ambiguous(word(text, at)),
            Fault::Rules(Unresolved::NoPromotion) => Reason::NoPromotion(word(text, at)),
            Fault::TooLong => Reason::TooLong,
        }
    }
}

/// The tags from `at`, where the moves begin, and whether the game ends there because the next tag is another game's.
fn tag_section(text: &[u8], mut at: usize) -> (Tags<'_>, usize, bool) {
    let mut tags = Tags::default();
    loop {
        let next = after_blanks_and_comments(text, at);
        let Some(pair) = Pair::read(text, next) else {
            return (tags, if tags.any { at } else { next }, false);
        };
        if tags.begins_anew(&pair, || begins_after_blank_line(text, next)) {
            return (tags, at, true);
        }
        tags.set(&pair);
        at = pair.end;
    }
}

/// Whether nothing but blanks stands before `at` on its line, and a blank line before that.
fn begins_after_blank_line(text: &[u8], at: usize) -> bool {
    let mut ends = 0;
    let mut after = 0;
    for &byte in text[..at].iter().rev() {
        match byte {
            b'\n' => ends += 1,
            // CRLF is one end of a line.
            b'\r' if after != b'\n' => ends += 1,
            b'\r' | b' ' | b'\t' => {}
            _ => break,
        }
        if ends == 2 {
            return true;
        }
        after = byte;
    }
    false
}

/// The result at `at` and where it ends, if there is one.
#[inline]
fn result_token(text: &[u8], at: usize) -> Option<(usize, Outcome)> {
    if !matches!(text.get(at + 1)?, b'-' | b'/' | b':' | 0xbd) {
        return None;
    }
    const TOKENS: [&[u8]; 9] =
        [b"1-0", b"0-1", b"1/2-1/2", b"1/2:1/2", b"1/2", b"1:0", b"0:1", b"\xc2\xbd-\xc2\xbd", b"\xc2\xbd"];
    let token = TOKENS.into_iter().find(|token| text[at..].starts_with(token))?;
    let end = at + token.len();
    // `0-1-0` is no result, nor is `1-0-0`.
    if text.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
        return None;
    }
    Some((end, outcome(token)))
}

/// Whether the word is `0-0` as a result: nobody gets a point, as the Result tag says too.
#[cold]
fn no_winner(text: &[u8], at: usize, end: usize, tags: &Tags<'_>) -> bool {
    &text[at..end] == b"0-0" && tags.raw(Tag::Result).map(<[u8]>::trim_ascii) == Some(b"0-0")
}

/// After the marks and glyphs of a move that ends at `at`, and blanks between them: `+`, `!?`, `$14`, `e.p.`.
fn after_glyphs(text: &[u8], mut at: usize) -> usize {
    const WORDS: [&[u8]; 10] = [b"e.p.", b"e.p", b"ep", b"mate", b"dbl.", b"dbl", b"dis.", b"dis", b"ch.", b"ch"];
    let length = |at: usize, is: fn(&u8) -> bool| text[at.min(text.len())..].iter().take_while(|byte| is(byte)).count();
    at += length(at, |byte| b"+#!?".contains(byte));
    loop {
        let next = at + length(at, |byte| *byte <= b' ');
        let glyph = match text.get(next) {
            Some(b'$') => 1 + length(next + 1, u8::is_ascii_digit),
            Some(b'!' | b'?') => length(next, |byte| b"!?".contains(byte)),
            _ => {
                let word = WORDS.iter().find(|word| text[next..].starts_with(word)).map_or(0, |word| word.len());
                if text.get(next + word).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { word }
            }
        };
        if glyph == 0 {
            return at;
        }
        at = next + glyph;
    }
}

/// After comments that stand on the line of a result.
fn after_result(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'{') => at = after_comment(text, at),
            Some(b';') => at = line_end(text, at),
            _ => return at,
        }
    }
}

/// After the word at `at`, which is passed over.
fn after_word(text: &[u8], at: usize) -> usize {
    let length = text[at..]
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'@' | b'=' | b'+' | b'#') || **byte >= 0x80
        })
        .count();
    at + length.max(1)
}

/// The word at `at` for a message, cut if it is long.
fn word(text: &[u8], at: usize) -> Box<str> {
    /// Bytes of a word that are shown, at most.
    const MOST: usize = 24;
    // A word may hold the ends of many games (`Zz*Zz*`), and each of them would have it searched to its end.
    let length = text[at..]
        .iter()
        .take(MOST + 1)
        .take_while(|byte| **byte > b' ' && !matches!(byte, b'{' | b'}' | b'(' | b')' | b';' | b'['))
        .count();
    // Not within a letter.
    let mut end = at + length.min(MOST);
    while end > at && end < at + length && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    decoded(&text[at..end]).into()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn the_text_of_a_game_reads_the_same_by_itself() {
        // Where a line begins, `%` makes a comment of it; elsewhere it is a mark like any other.
        let games = [
            (" % 1. e4 (e5", &["1. e4 (e5"][..]),
            ("\n %%\n % [White \"a\"]\n\n1. e4 \u{10}", &["[White \"a\"]\n\n1. e4"]),
            ("1. e4 *%1. d4 *% 1. c4", &["1. e4 *", "1. d4 *", "1. c4"]),
            ("% 1. d4\n1. e4 % e5", &["% 1. d4\n1. e4 % e5"]),
        ];
        for (text, own) in games {
            let read = |text: &str| {
                let mut all = Vec::new();
                Reader::new().read(text.as_bytes(), 0, &mut |entry| match entry {
                    Entry::Game { text, offset, moves, .. } => all.push((offset, text.to_vec(), moves.to_vec())),
                    Entry::Refused(refusal) => panic!("{text}: {refusal:?}"),
                });
                all
            };
            let whole = read(text);
            assert_eq!(
                whole.iter().map(|(_, own, _)| own.as_slice()).collect::<Vec<_>>(),
                own.iter().map(|own| own.as_bytes()).collect::<Vec<_>>()
            );
            for ((offset, bytes, moves), own) in whole.into_iter().zip(own) {
                assert_eq!(&text.as_bytes()[offset as usize..][..own.len()], bytes, "{text}");
                assert_eq!(read(own), [(0, bytes, moves)], "{text}");
            }
        }
    }

    #[test]
    fn games_begin_where_they_are_read() {
        for text in [
            "",
            "no game at all",
            "1. e4 e5 1-0\n\n1. d4 *",
            "[Event \"a\"]\n\n1. e4 (1. d4) {x} e5 1-0\n\n[Event \"b\"]\n[Result \"*\"]\n\n*\n",
            "[FEN \"7k/8/8/8/8/8/8/KR6 w - - 0 1\"]\n\n1. Rh1+ *\n\n1. e4 *\n",
            "\n\n[Event \"a\"]\n\n[Event \"b\"]\n\n1. e4\n\n[Event \"c\"]\n\n1. e4 {open\n\n[Event \"d\"]\n1. Zz *\n",
            "[Event \"a\"]\r\n[SetUp \"1\"]\r\n[FEN \"k7/8/K7/8/8/8/8/7R w - - 5 9\"]\r\n\r\n1. Rh8# 1-0\r\n",
        ] {
            let mut read: Vec<(u64, Option<Start>)> = Vec::new();
            Reader::new().read(text.as_bytes(), 7, &mut |entry| match entry {
                Entry::Game { offset, start, .. } => read.push((offset, start)),
                // Its place is that of the move at fault, and nothing refuses to begin.
                Entry::Refused(refusal) if refusal.ply > 0 => read.push((u64::MAX, None)),
                Entry::Refused(_) => {}
            });
            let mut begun: Vec<(u64, Option<String>)> = Vec::new();
            Reader::new().beginnings(text.as_bytes(), 7, &mut |game| {
                let game = game.expect("no variant");
                begun.push((game.offset, game.fen.map(alloc::borrow::Cow::into_owned)));
            });
            assert_eq!(begun.len(), read.len(), "{text}");
            for ((offset, fen), (read_offset, start)) in begun.into_iter().zip(read) {
                assert!(offset == read_offset || read_offset == u64::MAX, "{text}");
                let start = start.map(|start| alloc::format!("{}", Board::from_start(&start).fen()));
                assert_eq!(fen, start, "{text}");
            }
        }
    }

    #[test]
    fn a_beginning_is_as_it_is_written() {
        let text = "[FEN \"8/8/pP\\\"\"]\n\n*\n\n[Variant \"Horde\"]\n\n*\n\n[Variant \"Horde\"]\n[FEN \"8/8\"]\n\n*\n\n[Variant \"Chess960\"]\n\n*\n";
        let mut begun = Vec::new();
        let mut begin = |game: Result<Beginning<'_>, Reason>| {
            begun.push(game.map(|game| game.fen.map(alloc::borrow::Cow::into_owned)));
        };
        Reader::new().beginnings(text.as_bytes(), 0, &mut begin);
        let fen = |text: &str| Ok(Some(text.into()));
        assert_eq!(begun, [fen("8/8/pP\""), Err(Reason::Variant("horde".into())), fen("8/8"), Ok(None)]);
    }
}
