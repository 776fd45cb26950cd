//! Time controls, in the words of the standard and of programs, and the speed of a game that they give.

use plyfold_annotations::{TimeControl, UNKNOWN_TIME};
use plyfold_corpus::record::TimeClass;

const DAY: u32 = 86_400;
/// A move with at least this many seconds belongs to correspondence chess.
const CORRESPONDENCE_MOVE: u32 = DAY / 4;

/// The first period of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Control {
    /// Seconds of each side, 0 if unknown.
    base: u32,
    /// The moves for which they are; 0 for all.
    moves: u32,
    /// Tenths of a second added with each move.
    increment: u32,
    /// Whether it counts in days.
    in_days: bool,
    /// Whether it has whole numbers alone, so that it could be in minutes.
    has_no_unit: bool,
}

impl Control {
    /// Reads a time control: `300+3`, `40/7200:3600`, `1/259200`, `15 min. + 10 s. per move`, `1:30:00 + 30`, `3 days/move`, and in
    /// minutes `G/60;+30`, `3|2` and `5 0`. A control without a unit that could mean two, such as `1:30` and `5+3`, is unknown.
    pub(super) fn read(text: &[u8]) -> Control {
        let text = text.trim_ascii();
        let text = text.strip_prefix(b"*").unwrap_or(text);
        let in_days =
            number(text).is_some_and(|(_, rest)| matches!(rest, [b'd' | b'D', ..]) || contains_word(rest, b"day"));
        if in_days {
            return Control { in_days: true, ..Control::default() };
        }
        if let Some(control) = Control::in_minutes(text) {
            return control;
        }
        let Some((mut base, mut rest)) = seconds(text) else { return Control::default() };
        let mut moves = 0;
        if let [b'/', after @ ..] = rest
            && let Some((period, end)) = seconds(after)
        {
            (moves, base, rest) = (base, period, end);
        }
        let first = memchr::memchr(b':', rest).map_or(rest, |period| &rest[..period]);
        let increment = memchr::memchr(b'+', first).map_or(0, |plus| tenths(first[plus + 1..].trim_ascii_start()));
        let has_no_unit = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'+');
        Control { base, moves, increment, in_days: false, has_no_unit }
    }

    /// A control in minutes by its form: `G/60`, `G60;+30`, `3|2`, `5 0`, with seconds behind the first number.
    fn in_minutes(text: &[u8]) -> Option<Control> {
        let game = text.strip_prefix(b"G").or_else(|| text.strip_prefix(b"g"));
        let (minutes, rest) = number(game.map_or(text, |rest| rest.strip_prefix(b"/").unwrap_or(rest)))?;
        let increment = match (game, rest) {
            (Some(_), _) => memchr::memchr(b'+', rest).map_or(0, |plus| tenths(&rest[plus + 1..])),
            (None, [b' ' | b'|', rest @ ..]) => number(rest).filter(|(_, end)| end.is_empty())?.0,
            _ => return None,
        };
        Some(Control { base: minutes.saturating_mul(6), increment, ..Control::default() })
    }

    /// Returns the control corrected by the clocks of its game, in tenths of a second: numbers that must be minutes become minutes.
    ///
    /// Without clocks, a control of few seconds is unknown, because people mean minutes.
    pub(super) fn beside(self, clocks: &[u32]) -> Control {
        /// Nobody plays with less.
        const LEAST_SECONDS: u32 = 15;
        let Control { base: base @ 1..DAY, increment, has_no_unit: true, .. } = self else { return self };
        match clocks.iter().copied().find(|&clock| clock != UNKNOWN_TIME) {
            Some(first) if first > base * 40 && first <= base * 600 + increment.saturating_mul(60) => {
                Control { base: base * 60, ..self }
            }
            None if base < LEAST_SECONDS => Control::default(),
            _ => self,
        }
    }

    /// Returns how fast a game with this control is.
    pub(super) fn class(self) -> TimeClass {
        let Control { base, moves, increment, in_days, .. } = self;
        if in_days || base >= DAY || moves > 0 && base / moves >= CORRESPONDENCE_MOVE {
            return TimeClass::Correspondence;
        }
        match base.saturating_add(increment / 10 * 40) {
            0 if base == 0 && increment == 0 => TimeClass::Unknown,
            0..30 => TimeClass::UltraBullet,
            30..180 => TimeClass::Bullet,
            180..480 => TimeClass::Blitz,
            480..1500 => TimeClass::Rapid,
            _ => TimeClass::Classical,
        }
    }

    /// Base and increment.
    pub(super) fn times(self) -> TimeControl {
        TimeControl { base: self.base.saturating_mul(10), increment: if self.base > 0 { self.increment } else { 0 } }
    }

    /// Whether nothing is known of it.
    pub(super) fn is_unknown(self) -> bool {
        self == Control::default()
    }
}

/// Seconds at the start of a text, and the rest: a number of seconds, of minutes or hours if such a word follows, or a time with colons.
fn seconds(text: &[u8]) -> Option<(u32, &[u8])> {
    if let Some(time) = colon_time(text) {
        return time;
    }
    let (tenths, rest) = number(text)?;
    Some(match unit(rest) {
        60 => (tenths.saturating_mul(6), rest),
        3600 => (tenths.saturating_mul(360), rest),
        _ => (tenths / 10, rest),
    })
}

fn tenths(text: &[u8]) -> u32 {
    number(text).map_or(0, |(tenths, rest)| tenths.saturating_mul(unit(rest)))
}

/// `1:30:00` and `90:00`, and the rest; None within if it could mean two times. None if these are no times: periods are separated by
/// colons, too.
fn colon_time(text: &[u8]) -> Option<Option<(u32, &[u8])>> {
    let two = |at: usize| match text.get(at..at + 3) {
        Some([b':', tens @ b'0'..=b'5', ones @ b'0'..=b'9']) if !text.get(at + 3).is_some_and(u8::is_ascii_digit) => {
            Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
        }
        _ => None,
    };
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first =
        text[..length].iter().fold(0u32, |sum, digit| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
    let minutes = two(length).filter(|_| (1..=3).contains(&length))?;
    Some(match two(length + 3) {
        Some(seconds) => Some((first * 3600 + minutes * 60 + seconds, &text[length + 6..])),
        None if first > 3 => Some((first * 60 + minutes, &text[length + 3..])),
        None => None,
    })
}

/// Tenths of the number at the start of a text, and the rest.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    let add = |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    let tenths = text[..whole].iter().fold(0, add).saturating_mul(10);
    match text[whole..] {
        _ if whole == 0 => None,
        [b'.', tenth @ b'0'..=b'9', ..] => {
            Some((tenths.saturating_add(u32::from(tenth - b'0')), &text[whole + 1 + digits(&text[whole + 1..])..]))
        }
        _ => Some((tenths, &text[whole..])),
    }
}

/// The seconds of the unit that follows a number.
fn unit(rest: &[u8]) -> u32 {
    match rest.trim_ascii_start().first() {
        Some(b'm' | b'M' | b'\'') => 60,
        Some(b'h' | b'H') => 3600,
        _ => 1,
    }
}

/// Whether `text` contains `word` in any letter case.
fn contains_word(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls() {
        for (text, class, base, increment) in [
            ("300+3", TimeClass::Blitz, 3000, 30),
            ("180", TimeClass::Blitz, 1800, 0),
            ("60+0", TimeClass::Bullet, 600, 0),
            ("60+0.1", TimeClass::Bullet, 600, 1),
            ("15+0", TimeClass::UltraBullet, 150, 0),
            ("5+3", TimeClass::Unknown, 0, 0),
            ("10", TimeClass::Unknown, 0, 0),
            ("0+1", TimeClass::Bullet, 0, 0),
            ("600+5", TimeClass::Rapid, 6000, 50),
            ("10+0.05", TimeClass::UltraBullet, 100, 0),
            ("40/7200:3600", TimeClass::Classical, 72_000, 0),
            ("40/5400+30:1800+30", TimeClass::Classical, 54_000, 300),
            ("40/7200:20/3600:900+30", TimeClass::Classical, 72_000, 0),
            ("*180", TimeClass::Blitz, 1800, 0),
            ("15 min. + 10 s. per move", TimeClass::Rapid, 9000, 100),
            ("90 minutes + 30 seconds per move", TimeClass::Classical, 54_000, 300),
            ("1.5h", TimeClass::Classical, 54_000, 0),
            ("1:30:00", TimeClass::Classical, 54_000, 0),
            ("1:30:00+30", TimeClass::Classical, 54_000, 300),
            ("40/2:00:00:1:00:00", TimeClass::Classical, 72_000, 0),
            ("90:00", TimeClass::Classical, 54_000, 0),
            ("5:00", TimeClass::Blitz, 3000, 0),
            ("1:30", TimeClass::Unknown, 0, 0),
            ("1/259200", TimeClass::Correspondence, 2_592_000, 0),
            ("50/4320000", TimeClass::Correspondence, 43_200_000, 0),
            ("1 in 5 days", TimeClass::Correspondence, 0, 0),
            ("3 days/move", TimeClass::Correspondence, 0, 0),
            ("14 days", TimeClass::Correspondence, 0, 0),
            ("10/50 Days", TimeClass::Correspondence, 0, 0),
            ("1209600", TimeClass::Correspondence, 12_096_000, 0),
            ("3d", TimeClass::Correspondence, 0, 0),
            ("G/60", TimeClass::Classical, 36_000, 0),
            ("G/25;d5", TimeClass::Classical, 15_000, 0),
            ("G90;+30", TimeClass::Classical, 54_000, 300),
            ("3|2", TimeClass::Blitz, 1800, 20),
            ("5 0", TimeClass::Blitz, 3000, 0),
            ("-", TimeClass::Unknown, 0, 0),
            ("?", TimeClass::Unknown, 0, 0),
            ("", TimeClass::Unknown, 0, 0),
        ] {
            let control = Control::read(text.as_bytes()).beside(&[]);
            assert_eq!((control.class(), control.times()), (class, TimeControl { base, increment }), "{text}");
        }
    }

    #[test]
    fn clocks_tell_the_unit() {
        for (text, clock, base) in [
            ("90+30", 54_250, 54_000),
            ("5+3", 3000, 3000),
            ("15+10", 9000, 9000),
            ("90+30", 900, 900),
            ("5+3", 50, 50),
            ("60+0", 36_000_000, 600),
            ("300+3", 3000, 3000),
            ("5+0.1", 3000, 50),
        ] {
            let control = Control::read(text.as_bytes()).beside(&[UNKNOWN_TIME, clock]);
            assert_eq!(control.times().base, base, "{text} {clock}");
        }
    }
}
