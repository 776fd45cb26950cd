//! Time controls, in the words of the standard and of programs, and the speed of a game that they give.

use plyfold_annotations::TimeControl;
use plyfold_corpus::record::TimeClass;

const DAY: u32 = 86_400;
/// As many seconds for a move are thinking time of correspondence chess.
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
}

impl Control {
    /// `300+3`, `40/7200:3600`, `1/259200`, `15 min. + 10 s. per move`, `1:30:00 + 30`, `3 days/move`. What has no unit and could be hours
    /// and minutes as well as minutes and seconds, such as `1:30`, is unknown.
    pub(super) fn read(text: &[u8]) -> Control {
        let text = text.trim_ascii();
        let text = text.strip_prefix(b"*").unwrap_or(text);
        if !text.first().is_some_and(u8::is_ascii_digit) {
            return Control::default();
        }
        if contains_word(text, b"day") {
            return Control { in_days: true, ..Control::default() };
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
        Control { base, moves, increment, in_days: false }
    }

    /// How fast a game is with it.
    pub(super) fn class(self) -> TimeClass {
        let Control { base, moves, increment, in_days } = self;
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
            ("-", TimeClass::Unknown, 0, 0),
            ("?", TimeClass::Unknown, 0, 0),
            ("", TimeClass::Unknown, 0, 0),
        ] {
            let control = Control::read(text.as_bytes());
            assert_eq!((control.class(), control.times()), (class, TimeControl { base, increment }), "{text}");
        }
    }
}
