//! Reads the games of a chunk of text, one after another.
//!
//! A game is a tag section and moves; it ends at a result, at the next tag, or at the end of the chunk. A blank line and `1.` (but not
//! `1...`) separate games without tags and results. Moves behind the result of a game with tags belong to its text and to no game. The
//! reader skips text that is not a move if it is known to be harmless (comments, variations, glyphs, `N`, `e.p.`). Any other word ends the
//! moves of the game, because a game without that word might not be the game that was played: the game has the moves before it. The
//! reader goes on to the end of such a game, to find the next one.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use plyfold_annotations::{GameAnnotations, UNKNOWN_TIME};
use plyfold_board::board::Board;
use plyfold_board::board::start::PackedStart;
use plyfold_board::moves::Move;
use plyfold_corpus::record::{Ending, GameHeader};

use super::comments::{self, CommentDoubts, glyph_number, glyph_of_digits};
use super::movetext::ParsedMovetext;
use super::notes::{GameNote, NoteKind};
use super::rejection::{RejectedGame, RejectionReason};
use super::rules::{ResolveError, ResolverPosition};
use super::san::{self, ParsedSan};
use super::split::{PgnChunks, is_tag_pair};
use super::tags::{KnownTag, SectionLine, TagValues};
use super::time_control::Control;
use super::tokens::{
    ClosingBrackets, after_blanks_and_comments, after_comment, after_variation, at_line_start, game_text, line_end,
};
use super::words::{
    after_digits, after_glyphs, after_harmless_word, after_moves_behind_result, before_check_word,
    begins_after_blank_line, is_double_forfeit, is_number_of_white, quoted_word, rejection_reason,
};
use super::{PgnEntry, PgnGameStart, is_utf16, setup};

/// The most plies of a game that a record of a corpus can hold.
const MAX_PLIES: usize = u16::MAX as usize;

/// Reads games; its buffers are reused from game to game.
pub(super) struct PgnReader {
    initial: ResolverPosition,
    pub(super) position: ResolverPosition,
    pub(super) moves: Vec<Move>,
    /// For each move the byte behind it, if they are requested.
    move_ends: Vec<usize>,
    /// What is said of the moves.
    annotations: GameAnnotations,
    /// The words of comments on the moves of the game that was read last, each with its ply from 1, if they are requested.
    comments: Option<Vec<(u16, String)>>,
    /// What comments left open.
    doubts: CommentDoubts,
    /// What was not understood of the game that was read last.
    notes: Vec<GameNote>,
    /// The closing brackets of the current chunk.
    closing_brackets: ClosingBrackets,
    /// Games read so far, including rejected ones.
    games_read: u64,
}

impl PgnReader {
    pub(super) fn new() -> PgnReader {
        let initial = ResolverPosition::new(Board::initial());
        PgnReader {
            position: initial.clone(),
            initial,
            moves: Vec::new(),
            move_ends: Vec::new(),
            annotations: GameAnnotations::default(),
            comments: None,
            doubts: CommentDoubts::default(),
            notes: Vec::new(),
            closing_brackets: ClosingBrackets::default(),
            games_read: 0,
        }
    }

    /// A reader that keeps the words of comments.
    pub(super) fn with_comments() -> PgnReader {
        PgnReader { comments: Some(Vec::new()), ..PgnReader::new() }
    }

    /// The words of comments on the moves of the game that was read last, in order, each with its ply from 1.
    pub(super) fn comments(&self) -> &[(u16, String)] {
        self.comments.as_deref().unwrap_or(&[])
    }

    /// Reads all games of `text`, which begins at byte `base` of its file.
    ///
    /// Each type of `visit` would have the whole reader for itself, and a page loads all of them. One call a game is no time.
    pub(super) fn read_games(&mut self, text: &[u8], base: u64, visit: &mut dyn FnMut(PgnEntry<'_>)) {
        self.games_read = 0;
        if is_utf16(text) {
            let (white, black) = Default::default();
            let (game, reason) = (1, RejectionReason::Utf16);
            let rejected = RejectedGame { offset: base, game, ply: 0, reason, white, black, kept_in_part: false };
            return visit(PgnEntry::Rejected(rejected));
        }
        for (offset, piece) in PgnChunks::new(text) {
            self.read_chunk(piece, base + offset as u64, visit);
        }
    }

    /// Reads all games of `text`, a chunk without boundaries inside that begins at byte `base` of its file.
    fn read_chunk(&mut self, text: &[u8], base: u64, visit: &mut dyn FnMut(PgnEntry<'_>)) {
        let mut at = 0;
        let mut without_pgn = false;
        self.closing_brackets = ClosingBrackets::default();
        while at < text.len() {
            let begin = at;
            let (tags, after_tags, complete) = read_tag_section(text, at);
            let (start, chess960, problem) = match setup::start_from_tags(&tags) {
                Ok((start, chess960)) => (start, chess960, None),
                Err(reason) => (None, false, Some((begin, reason))),
            };
            let mut movetext = if complete {
                self.moves.clear();
                self.forget_comments();
                ParsedMovetext { end: after_tags, rejection: problem, ..ParsedMovetext::default() }
            } else {
                self.set_up(start.as_ref());
                self.read_movetext::<false>(text, after_tags, &tags, problem)
            };
            // At least one byte is consumed, even if it belongs to neither a tag nor a move.
            at = movetext.end.max(begin + 1);
            let body = game_text(text, begin, at);
            let offset = base + (body.as_ptr() as usize - text.as_ptr() as usize) as u64;
            let mut fault = None;
            if let Some((place, reason)) = movetext.rejection.take() {
                if reason == RejectionReason::NoPgn && core::mem::replace(&mut without_pgn, true) {
                    continue;
                }
                self.games_read += 1;
                let is_about_a_move = reason.is_about_a_move();
                let offset = if is_about_a_move { base + place as u64 } else { offset };
                // Words that happen to be moves are no game.
                let is_game = tags.has_tags || text.get(after_tags) == Some(&b'1');
                let kept_in_part = is_about_a_move && is_game && !self.moves.is_empty();
                let rejected = self.rejected_game(&tags, offset, reason, kept_in_part);
                if !kept_in_part {
                    visit(PgnEntry::Rejected(rejected));
                    continue;
                }
                fault = Some(rejected);
            } else if tags.has_tags || !self.moves.is_empty() {
                self.games_read += 1;
            } else {
                continue;
            }
            let incomplete = fault.is_some() || tags.is_incomplete();
            let ending = if complete || incomplete { None } else { self.ending_by_rules() };
            let control = tags.time_control().beside(&self.annotations.clocks);
            let header = tags.game_header(movetext.result_word, ending, control, (chess960, incomplete));
            self.settle_clocks(control);
            self.take_notes((&tags, &header, control), &movetext, (base, offset));
            visit(PgnEntry::Game {
                header,
                start,
                moves: &self.moves,
                annotations: &self.annotations,
                text: body,
                offset,
                null_moves: movetext.null_moves,
                fault: fault.as_ref(),
                notes: &self.notes,
            });
        }
    }

    /// Gives the clocks of the game their time control, and those of two numbers their unit.
    fn settle_clocks(&mut self, control: Control) {
        let annotations = &mut self.annotations;
        if annotations.clocks.is_empty() && annotations.elapsed.is_empty() {
            return;
        }
        annotations.time_control = control.times();
        if self.doubts.short_clocks.is_empty() {
            return;
        }
        let clock = |ply: &u16| annotations.clocks[usize::from(*ply) - 1];
        let (first, largest) = (clock(&self.doubts.short_clocks[0]), self.doubts.short_clocks.iter().map(clock).max());
        match comments::unit_of_short_clocks(annotations.time_control.base, first, largest.unwrap_or(first)) {
            Some(factor) => {
                for ply in core::mem::take(&mut self.doubts.short_clocks) {
                    annotations.clocks[usize::from(ply) - 1] *= factor;
                }
            }
            None => {
                for ply in &self.doubts.short_clocks {
                    annotations.clocks[usize::from(*ply) - 1] = UNKNOWN_TIME;
                }
            }
        }
    }

    /// Notes what was not understood of a game at `offset` of its file.
    fn take_notes(
        &mut self,
        (tags, header, control): (&TagValues<'_>, &GameHeader<'_>, Control),
        movetext: &ParsedMovetext,
        (base, offset): (u64, u64),
    ) {
        self.notes.clear();
        let at = |place: usize| base + place as u64;
        let of_game = |is: bool| is.then_some(offset);
        for (kind, place) in [
            (NoteKind::Tag, tags.passed_over.map(at)),
            (NoteKind::AfterResult, movetext.after_result.map(at)),
            (NoteKind::Date, of_game(tags.is_date_doubtful(header.date))),
            (NoteKind::TimeControl, of_game(tags.is_time_control_doubtful(control))),
            (NoteKind::Clock, of_game(!self.doubts.short_clocks.is_empty())),
            (NoteKind::Command, of_game(self.doubts.is_unreadable)),
            (NoteKind::Encoding, of_game(tags.has_legacy_names(header))),
        ] {
            if let Some(offset) = place {
                self.notes.push(GameNote { kind, game: self.games_read, offset });
            }
        }
    }

    /// Forgets what was said about the moves of the previous game.
    fn forget_comments(&mut self) {
        self.annotations.clear();
        self.doubts.short_clocks.clear();
        self.doubts.is_unreadable = false;
        self.comments.iter_mut().for_each(Vec::clear);
    }

    /// The rejection of the game that was read last; `offset` is the byte at fault in its file.
    fn rejected_game(
        &self,
        tags: &TagValues<'_>,
        offset: u64,
        reason: RejectionReason,
        kept_in_part: bool,
    ) -> RejectedGame {
        RejectedGame {
            offset,
            game: self.games_read,
            ply: if reason.is_about_a_move() { self.moves.len() as u32 + 1 } else { 0 },
            reason,
            white: tags.text(KnownTag::White).into_owned(),
            black: tags.text(KnownTag::Black).into_owned(),
            kept_in_part,
        }
    }

    /// Finds where all games of `text` begin, by their tags.
    pub(super) fn find_game_starts(
        &mut self,
        text: &[u8],
        base: u64,
        visit: &mut impl FnMut(Result<PgnGameStart<'_>, RejectionReason>),
    ) {
        if is_utf16(text) {
            return visit(Err(RejectionReason::Utf16));
        }
        for (offset, piece) in PgnChunks::new(text) {
            let mut at = 0;
            self.closing_brackets = ClosingBrackets::default();
            while at < piece.len() {
                let begin = at;
                let (tags, after_tags, complete) = read_tag_section(piece, at);
                self.set_up(None);
                at = match complete {
                    true => after_tags,
                    false => {
                        // A text with tags is a game whatever its moves are, so they are not read.
                        let passed_over = tags.has_tags.then_some((begin, RejectionReason::NoPgn));
                        self.read_movetext::<false>(piece, after_tags, &tags, passed_over).end
                    }
                };
                at = at.max(begin + 1);
                if tags.has_tags || !self.moves.is_empty() {
                    let body = game_text(piece, begin, at);
                    let offset = base + offset as u64 + (body.as_ptr() as usize - piece.as_ptr() as usize) as u64;
                    visit(setup::fen_as_written(&tags).map(|fen| PgnGameStart { offset, fen }));
                }
            }
        }
    }

    /// The byte behind each move of the first game of `text` and behind its glyphs.
    pub(super) fn find_move_ends(&mut self, text: &[u8]) -> &[usize] {
        self.move_ends.clear();
        self.closing_brackets = ClosingBrackets::default();
        let (tags, after_tags, complete) = read_tag_section(text, 0);
        if let (Ok((start, _)), false) = (setup::start_from_tags(&tags), complete) {
            self.set_up(start.as_ref());
            self.read_movetext::<true>(text, after_tags, &tags, None);
        }
        &self.move_ends
    }

    /// Begins a game at this position.
    pub(super) fn set_up(&mut self, start: Option<&PackedStart>) {
        self.moves.clear();
        self.forget_comments();
        self.position = match start {
            None => self.initial.clone(),
            Some(start) => ResolverPosition::new(Board::from_start(start)),
        };
    }

    /// Returns how the game ended, if its last position shows it.
    fn ending_by_rules(&self) -> Option<Ending> {
        if !self.position.has_legal_move() {
            return Some(if self.position.in_check() { Ending::Checkmate } else { Ending::Stalemate });
        }
        self.position.has_insufficient_material().then_some(Ending::InsufficientMaterial)
    }

    /// Reads the moves from `at` to the end of the game. After a rejection it skips them. With `ENDS`, it records where each move
    /// ends.
    fn read_movetext<const ENDS: bool>(
        &mut self,
        text: &[u8],
        mut at: usize,
        tags: &TagValues<'_>,
        rejection: Option<(usize, RejectionReason)>,
    ) -> ParsedMovetext {
        let mut movetext = ParsedMovetext { rejection, ..ParsedMovetext::default() };
        movetext.end = loop {
            match self.read_token::<ENDS>(text, at, tags, &mut movetext) {
                ControlFlow::Continue(next) => at = next,
                ControlFlow::Break(end) => break end,
            }
        };
        if movetext.is_ended && tags.has_tags {
            (movetext.after_result, movetext.end) = after_moves_behind_result(text, movetext.end);
        }
        movetext
    }

    /// Reads the token at `at`. Continues with the place of the next token, or breaks with the end of the game.
    #[inline(always)]
    pub(super) fn read_token<const ENDS: bool>(
        &mut self,
        text: &[u8],
        at: usize,
        tags: &TagValues<'_>,
        movetext: &mut ParsedMovetext,
    ) -> ControlFlow<usize, usize> {
        let Some(&byte) = text.get(at) else {
            return ControlFlow::Break(text.len());
        };
        ControlFlow::Continue(match byte {
            0..=b' ' => at + 1,
            b'1'..=b'9' => self.read_number(text, at, movetext)?,
            b'a'..=b'z' | b'A'..=b'Z' | b'0' | b'-' | b'@' | b'<' | 0xc3..=0xff => {
                if byte == b'0' {
                    movetext.end_at_result(text, at)?;
                }
                if movetext.rejection.is_some() {
                    movetext.pass_over(text, at)
                } else if let Some(next) = self.play_short_san::<ENDS>(text, at) {
                    next
                } else {
                    self.read_uncommon_word::<ENDS>(text, at, tags, movetext)?
                }
            }
            b'{' => {
                let end = after_comment(text, at);
                self.note_comment::<ENDS>(&text[at + 1..end], movetext);
                end
            }
            b'(' => after_variation(text, at),
            b';' => {
                let end = line_end(text, at);
                self.note_comment::<ENDS>(&text[at + 1..end], movetext);
                end
            }
            b'%' if at_line_start(text, at) => line_end(text, at),
            b'*' => return movetext.end_with_result(text, at + 1),
            b'$' => {
                let end = after_digits(text, at + 1);
                self.note_glyph(glyph_of_digits(&text[at + 1..end]), movetext);
                end
            }
            b'!' | b'?' => {
                let signs = text[at..].iter().take_while(|byte| matches!(byte, b'!' | b'?')).count();
                self.note_glyph(glyph_number(&text[at..at + signs]), movetext);
                at + signs
            }
            b'[' if is_tag_pair(text, at) => return ControlFlow::Break(at),
            // Clock times and the like outside of a comment.
            b'[' => self.closing_brackets.end_of_bracket(text, at).unwrap_or(at + 1),
            0xc2 => {
                movetext.end_at_result(text, at)?;
                at + 1
            }
            // Marks: + # = / . , and the like; half letters of Latin-1.
            _ => at + 1,
        })
    }

    /// Keeps what a comment says of the last move. The comment ends with its `}`, unless it is never closed.
    #[inline(always)]
    fn note_comment<const ENDS: bool>(&mut self, comment: &[u8], movetext: &ParsedMovetext) {
        if !ENDS && movetext.rejection.is_none() && !self.moves.is_empty() {
            let comment = comment.strip_suffix(b"}").unwrap_or(comment);
            let ply = self.moves.len() as u16;
            let mover = !self.position.side_to_move();
            comments::read_comment(comment, (ply, mover), &mut self.annotations, &mut self.doubts);
            if let Some(comments) = &mut self.comments {
                comments.push((ply, comments::comment_words(comment)));
            }
        }
    }

    /// Keeps a glyph of the last move.
    fn note_glyph(&mut self, glyph: Option<u8>, movetext: &ParsedMovetext) {
        if movetext.rejection.is_none()
            && let Some(glyph) = glyph
        {
            self.annotations.add_mark(self.moves.len() as u16, glyph);
        }
    }

    /// Reads a result or the number of a move. `1.` after a blank line begins the next game.
    #[inline(always)]
    fn read_number(&self, text: &[u8], begin: usize, movetext: &mut ParsedMovetext) -> ControlFlow<usize, usize> {
        let begins_with_one = text[begin] == b'1';
        if begins_with_one {
            movetext.end_at_result(text, begin)?;
        }
        let mut at = after_digits(text, begin);
        if at == begin + 1
            && begins_with_one
            && is_number_of_white(text, at)
            && (!self.moves.is_empty() || movetext.passed_over_moves)
            && begins_after_blank_line(text, begin)
        {
            return ControlFlow::Break(begin);
        }
        // `5254` is a move of correspondence chess, which is no PGN.
        if at >= begin + 4 && !matches!(text.get(at), Some(b'.')) && movetext.rejection.is_none() {
            movetext.rejection = Some((begin, RejectionReason::Unreadable(quoted_word(text, begin))));
        }
        while matches!(text.get(at), Some(b'.' | b' ')) {
            at += 1;
        }
        ControlFlow::Continue(at)
    }

    /// Plays the move at `at` if it has a common form and is legal, and returns where to continue.
    ///
    /// PERF: only one move in twenty, and every move that cannot be played, takes the full reader.
    #[inline(always)]
    fn play_short_san<const ENDS: bool>(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let short = san::read_short(text, at);
        if short.role == 0 {
            return None;
        }
        let mv = self.position.resolve_short_san(short).ok()?;
        self.play(mv).ok()?;
        if ENDS {
            self.move_ends.push(after_glyphs(text, at + usize::from(short.length)));
        }
        // A blank follows the move and is skipped.
        Some(at + usize::from(short.length) + 1)
    }

    /// Reads any other word: a move in another form, the result `0-0`, a harmless word, or a fault.
    fn read_uncommon_word<const ENDS: bool>(
        &mut self,
        text: &[u8],
        at: usize,
        tags: &TagValues<'_>,
        movetext: &mut ParsedMovetext,
    ) -> ControlFlow<usize, usize> {
        let read = match san::read_san(text, at) {
            Some((written, end)) if !text.get(end).is_some_and(u8::is_ascii_alphanumeric) => {
                match self.play_san(written) {
                    Ok(()) => {
                        movetext.null_moves |= written == ParsedSan::Null;
                        Ok(end)
                    }
                    Err(_) if is_double_forfeit(text, at, end, tags) => {
                        return movetext.end_with_result(text, end);
                    }
                    Err(fault) => Err(rejection_reason(fault, text, at)),
                }
            }
            read => {
                let nothing_before = !tags.has_tags && self.moves.is_empty();
                self.recover_odd_word(text, at, read)
                    .map_err(|reason| if nothing_before { RejectionReason::NoPgn } else { reason })
            }
        };
        // After a fault, the word is read again and skipped.
        let next = read.unwrap_or_else(|reason| {
            movetext.rejection = Some((at, reason));
            at
        });
        if ENDS && self.moves.len() > self.move_ends.len() {
            self.move_ends.push(after_glyphs(text, next));
        }
        ControlFlow::Continue(next)
    }

    fn play_san(&mut self, san: ParsedSan) -> Result<(), ResolveError> {
        self.play(self.position.resolve_san(san)?)
    }

    #[inline(always)]
    fn play(&mut self, mv: Move) -> Result<(), ResolveError> {
        if self.moves.len() >= MAX_PLIES {
            return Err(ResolveError::TooLong);
        }
        self.position.play_move(mv);
        self.moves.push(mv);
        Ok(())
    }

    /// Reads a word that does not look like a move, or like a move with letters after it. Returns where to continue.
    #[cold]
    fn recover_odd_word(
        &mut self,
        text: &[u8],
        at: usize,
        read: Option<(ParsedSan, usize)>,
    ) -> Result<usize, RejectionReason> {
        let unreadable = || RejectionReason::Unreadable(quoted_word(text, at));
        // `Qh5ch`, whose last letters might be files.
        if let (None, Some(end)) = (read, before_check_word(text, at))
            && let Some((written, stop)) = san::read_san(&text[..end], at)
            && stop == end
        {
            return self.play_san(written).map(|()| end + 2).map_err(|fault| rejection_reason(fault, text, at));
        }
        if let Some((written, end)) = read {
            // `exd6e.p.`, `Qh5ch`
            let suffix_end = [&b"e.p."[..], b"e.p", b"ep", b"mate", b"dbl", b"dis", b"ch"]
                .iter()
                .find(|suffix| text[end..].starts_with(suffix))
                .map(|suffix| end + suffix.len())
                .filter(|&end| !text.get(end).is_some_and(u8::is_ascii_alphanumeric))
                .ok_or_else(unreadable)?;
            return self.play_san(written).map(|()| suffix_end).map_err(|fault| rejection_reason(fault, text, at));
        }
        after_harmless_word(text, at).ok_or_else(unreadable)
    }
}

/// Where the moves of the game `text` begin, with the comments before them, behind its tags.
pub(super) fn moves_begin(text: &[u8]) -> usize {
    let (tags, after_tags, _) = read_tag_section(text, 0);
    if tags.has_tags { after_tags } else { 0 }
}

/// The tags from `at`, where the moves begin, and whether the game ends there because the next tag belongs to another game.
pub(super) fn read_tag_section(text: &[u8], mut at: usize) -> (TagValues<'_>, usize, bool) {
    let mut tags = TagValues::default();
    loop {
        let next = after_blanks_and_comments(text, at);
        let pair = match SectionLine::read(text, next, &tags) {
            SectionLine::Pair(pair) => pair,
            SectionLine::PassedOver(end) => {
                tags.passed_over.get_or_insert(next);
                at = end;
                continue;
            }
            SectionLine::Moves => return (tags, if tags.has_tags { at } else { next }, false),
        };
        if tags.starts_next_game(&pair, || begins_after_blank_line(text, next)) {
            return (tags, at, true);
        }
        tags.set(&pair);
        at = pair.end;
    }
}
