//! Decodes bytes that are not UTF-8. Each name is decoded by itself, because files are often joined from other files.

use alloc::borrow::Cow;
use alloc::string::String;

/// Decodes a text in UTF-8, or otherwise in the encoding that its bytes suggest.
pub(super) fn decode_text(text: &[u8]) -> Cow<'_, str> {
    core::str::from_utf8(text).map_or_else(|_| decode_legacy(text), Cow::Borrowed)
}

#[cold]
fn decode_legacy(text: &[u8]) -> Cow<'_, str> {
    let by = |letter: fn(u8) -> char| Cow::Owned(text.iter().map(|&byte| letter(byte)).collect::<String>());
    if is_gb_2312(text) {
        Cow::Owned(decode_gb_2312(text))
    } else if is_cyrillic(text) {
        by(windows_1251)
    } else if is_code_page_437(text) {
        by(code_page_437)
    } else {
        by(windows_1252)
    }
}

/// The runs of bytes beyond ASCII.
fn runs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii).filter(|run| !run.is_empty())
}

/// Whether all bytes beyond ASCII come in pairs that are characters of GB 2312, two or more side by side, and some of these bytes are no
/// letters in the encodings of one byte a letter.
fn is_gb_2312(text: &[u8]) -> bool {
    let is_pair = |pair: &[u8]| matches!(pair, [0xa3 | 0xb0..=0xf7, 0xa1..=0xfe]);
    let is_word = |run: &[u8]| run.len() >= 4 && run.len().is_multiple_of(2) && run.chunks(2).all(is_pair);
    runs(text).all(is_word) && text.iter().any(|byte| matches!(byte, 0xa1..=0xa7 | 0xa9..=0xb7 | 0xb9..=0xbf))
}

/// Whether all bytes beyond ASCII are words of Cyrillic letters in Windows-1251: no other language has words of accented letters alone.
fn is_cyrillic(text: &[u8]) -> bool {
    let is_word = |run: &[u8]| run.iter().all(|byte| matches!(byte, 0xc0..=0xff | 0xa8 | 0xb8));
    let is_inside = |at: usize| {
        let letter = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphabetic);
        !text[at].is_ascii() && (letter(at.checked_sub(1)) || letter(Some(at + 1)))
    };
    runs(text).all(is_word) && runs(text).any(|run| run.len() >= 3) && !(0..text.len()).any(is_inside)
}

/// Whether a byte that is a letter in code page 437, and in Windows-1252 a quotation mark, a sign or nothing, stands between letters.
fn is_code_page_437(text: &[u8]) -> bool {
    let is_evidence = |byte: u8| matches!(byte, 0x81 | 0x82 | 0x84..=0x89 | 0x8b | 0x8d | 0x8f..=0x91 | 0x93..=0x95 | 0x98 | 0x99 | 0xa1..=0xa5);
    text.windows(3)
        .any(|three| three[0].is_ascii_alphabetic() && is_evidence(three[1]) && three[2].is_ascii_alphabetic())
}

/// The characters of GB 2312 from its row 16 on, 94 a row, each three bytes long.
const HANZI: &str = include_str!("gb2312.txt");

fn decode_gb_2312(text: &[u8]) -> String {
    let (mut letters, mut rest) = (String::with_capacity(text.len() * 2), text);
    while let [first, after @ ..] = rest {
        rest = after;
        let pair = (!first.is_ascii()).then(|| after.split_first()).flatten();
        letters.push(match pair {
            None => char::from(*first),
            Some((second, after)) => {
                rest = after;
                hanzi(*first, *second)
            }
        });
    }
    letters
}

fn hanzi(first: u8, second: u8) -> char {
    let at = usize::from(second.wrapping_sub(0xa1));
    // Row 3 has ASCII in full width.
    if first == 0xa3 {
        return char::from(b'!' + at.min(93) as u8);
    }
    let at = (usize::from(first.wrapping_sub(0xb0)) * 94 + at) * '\u{4e00}'.len_utf8();
    HANZI.get(at..).and_then(|rest| rest.chars().next()).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A byte of a text in which all letters beyond ASCII are Cyrillic.
fn windows_1251(byte: u8) -> char {
    match byte {
        0xa8 => 'Ё',
        0xb8 => 'ё',
        0xc0..=0xff => char::from_u32(u32::from(byte) - 0xc0 + u32::from('А')).unwrap_or(char::REPLACEMENT_CHARACTER),
        other => char::from(other),
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

/// A byte of code page 437, whose lines and signs are no letters of names.
fn code_page_437(byte: u8) -> char {
    const LETTERS: [char; 38] = [
        'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å', 'É', 'æ', 'Æ', 'ô', 'ö', 'ò',
        'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ', 'á', 'í', 'ó', 'ú', 'ñ', 'Ñ',
    ];
    match byte {
        0..0x80 => char::from(byte),
        0xe1 => 'ß',
        0x80..=0xa5 => LETTERS[usize::from(byte - 0x80)],
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_decides() {
        for (bytes, text) in [
            ("Đurić".as_bytes(), "Đurić"),
            (b"M\xfcller \x96 \x80", "Müller – €"),
            (b"O\x92Kelly", "O’Kelly"),
            (b"\x84Open\x94", "„Open”"),
            (b"\x8ahirov, Alexei", "Šhirov, Alexei"),
            (b"M\x81ller, Karsten", "Müller, Karsten"),
            (b"Bj\x94rn Stra\xe1e", "Björn Straße"),
            (b"Garc\xa1a", "García"),
            (b"\xca\xe0\xf0\xef\xee\xe2, \xc0.", "Карпов, А."),
            (b"\xb6\xa1\xc1\xa2\xc8\xcb", "丁立人"),
            (b"\xc0\xee\xa3\xac\xb3\xac", "李,超"),
            (b"Ding \xb6\xa1\xc1\xa2\xc8\xcb", "Ding 丁立人"),
            (b"Andr\xe9 \xc9t\xe9", "André Été"),
            (b"\xe9", "é"),
            (b"\xff\xfe", "ÿþ"),
        ] {
            assert_eq!(decode_text(bytes), text);
        }
    }

    #[test]
    fn any_bytes_are_text() {
        for first in 0..=255 {
            for second in 0..=255 {
                let bytes = [first, second, b'a', first, second, first, second];
                assert!(!decode_text(&bytes).is_empty());
            }
        }
    }
}
