//! Folds names into the form in which they are compared: lower case, without accents, one space for each run of anything else.
//!
//! Latin letters come out as ASCII (`ß` as `ss`, `ø` as `o`), Greek and Cyrillic ones as themselves. Other scripts stay as they are.
//! A test makes sure that the tables agree with Unicode's decompositions; the tables of a library would be fifty times as large.

use alloc::string::String;

/// U+00C0 to U+024F: the letter, a capital for one of [`TWO_LETTERS`], `~` for one that stays as it is.
const LATIN: &[u8; 0x190] = b"\
      aaaaaaAceeeeiiiidnooooo ouuuuyBCaaaaaaAceeeeiiiidnooooo ouuuuyByaaaaaaccccccccddddeeeeeeeeeegggggggg\
      hhhhiiiiiiiiiiDDjjkkkllllllllllnnnnnnnnnooooooEErrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzsbbbb~~oc\
      cdddd~eeeffg~~~ikkl~mnn~oo~~pp~~~~~ttttuu~vyyzz~~~~~~~~w~~~~FFFGGGHHHaaiioouuuuuuuuuueaaaaAAggggkkoo\
      oo~~jFFFgg~wnnaaAAooaaaaeeeeiiiioooorrrruuuussttgghhnd~~zzaaeeooooooooyylnt~~~accltsz~~b~veejjqqrryy";

/// U+1E00 to U+1EFF, the same.
const MORE_LATIN: &[u8; 0x100] = b"\
      aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssss\
      ssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyasssC~aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeee\
      iiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyIIvvyy";

/// Letters that are written as two.
const TWO_LETTERS: [&str; 9] = ["ae", "th", "ss", "ij", "oe", "dz", "lj", "nj", "ll"];

/// U+0386 to U+03CE.
const GREEK: &str = "α εηι ο υωιαβγδεζηθικλμνξοπρ στυφχψωιυαεηιυαβγδεζηθικλμνξοπρσστυφχψωιυουω";

/// U+0400 to U+045F.
const CYRILLIC: &str =
    "ееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчшщъыьэюяабвгдежзииклмнопрстуфхцчшщъыьэюяееђгєѕііјљњћкиуџ";

/// What a character is in a name.
enum FoldedChar {
    /// Letters or digits.
    Letters(&'static str),
    /// One that no table changes.
    Unchanged(char),
    /// Space or punctuation.
    Separator,
    /// A combining accent, which is left out.
    Accent,
}

/// ASCII as text, so that a slice of it is a letter.
const LOWERCASE: &str = "abcdefghijklmnopqrstuvwxyz";

fn fold_char(char: char) -> FoldedChar {
    let code = char as usize;
    match code {
        0..0x80 if char.is_ascii_alphanumeric() => match char.to_ascii_lowercase() {
            letter @ 'a'..='z' => FoldedChar::Letters(lowercase_letter(letter as u8)),
            digit => FoldedChar::Unchanged(digit),
        },
        0..0xc0 | 0x2000..0x2070 | 0x3000..0x3003 | 0xfeff => FoldedChar::Separator,
        0xc0..0x250 => from_table_entry(LATIN[code - 0xc0], char),
        // The letter of the Azerbaijani, whose capital is among those above.
        0x259 => FoldedChar::Letters("e"),
        0x300..0x370 => FoldedChar::Accent,
        0x386..0x3cf => letter_at(GREEK, code - 0x386),
        0x400..0x460 => letter_at(CYRILLIC, code - 0x400),
        0x1e00..0x1f00 => from_table_entry(MORE_LATIN[code - 0x1e00], char),
        _ => FoldedChar::Unchanged(char),
    }
}

fn lowercase_letter(letter: u8) -> &'static str {
    let at = usize::from(letter - b'a');
    &LOWERCASE[at..at + 1]
}

fn from_table_entry(entry: u8, char: char) -> FoldedChar {
    match entry {
        b' ' => FoldedChar::Separator,
        b'~' => FoldedChar::Unchanged(char),
        b'A'..=b'Z' => FoldedChar::Letters(TWO_LETTERS[usize::from(entry - b'A')]),
        letter => FoldedChar::Letters(lowercase_letter(letter)),
    }
}

/// The letter with this index of a text whose letters have two bytes, but for those that are a space.
fn letter_at(letters: &'static str, index: usize) -> FoldedChar {
    match letters.chars().nth(index) {
        None | Some(' ') => FoldedChar::Separator,
        Some(letter) => FoldedChar::Unchanged(letter),
    }
}

/// Appends `name` as it is compared: one space for each run of space and punctuation, none at the ends.
///
/// The text that `to` has already stays as it is; a name never begins with a space, whatever came before.
pub fn fold_into(name: &str, output: &mut String) {
    let begin = output.len();
    let mut after_separator = false;
    // PERF: most names are ASCII.
    if name.is_ascii() {
        for &byte in name.as_bytes() {
            if !byte.is_ascii_alphanumeric() {
                after_separator = true;
                continue;
            }
            if after_separator && output.len() > begin {
                output.push(' ');
            }
            after_separator = false;
            output.push(char::from(byte | 0x20));
        }
        return;
    }
    for char in name.chars() {
        let mut bytes = [0; 4];
        let letters = match fold_char(char) {
            FoldedChar::Letters(letters) => letters,
            FoldedChar::Unchanged(char) => char.encode_utf8(&mut bytes),
            FoldedChar::Separator => {
                after_separator = true;
                continue;
            }
            FoldedChar::Accent => continue,
        };
        if after_separator && output.len() > begin {
            output.push(' ');
        }
        after_separator = false;
        output.push_str(letters);
    }
}

/// `name` as it is compared.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    fold_into(name, &mut folded);
    folded
}

/// Whether a name may begin or end with this character without any effect.
pub(super) fn is_separator(char: char) -> bool {
    matches!(fold_char(char), FoldedChar::Separator)
}

/// Whether each of `words` begins a word of the name, in any order. Both are folded.
pub(super) fn begins_words(name: &str, words: &str) -> bool {
    words.split(' ').all(|word| name.split(' ').any(|of_name| of_name.starts_with(word)))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    use super::*;

    #[test]
    fn names_come_out_plain() {
        for (name, plain) in [
            ("Kasparov, Garry", "kasparov garry"),
            ("  MÜLLER,H. ", "muller h"),
            ("Müller", "muller"),
            ("Mu\u{308}ller", "muller"),
            ("Groß-Gerau / O'Kelly", "gross gerau o kelly"),
            ("Bjørn Ægir Þór Łukasz Ðorđe", "bjorn aegir thor lukasz dorde"),
            ("Алёхин, Александр", "алехин александр"),
            ("Αλέξης Ζορμπάς", "αλεξησ ζορμπασ"),
            ("?", ""),
            ("", ""),
            ("player_1-2", "player 1 2"),
            ("王皓", "王皓"),
            ("\u{a0}“A”\u{2003}–B", "a b"),
        ] {
            assert_eq!(fold(name), plain, "{name}");
        }
    }

    /// What the library says of a letter: small, and without what it combines with.
    fn by_library(char: char) -> String {
        let small: String = char.to_lowercase().collect();
        small.nfkd().filter(|&part| !is_combining_mark(part)).collect()
    }

    #[test]
    fn tables_are_what_unicode_says() {
        let ranges = [0xc0..0x250u32, 0x1e00..0x1f00, 0x386..0x3cf, 0x400..0x460];
        let mut agreed = 0;
        for code in ranges.into_iter().flatten() {
            let Some(char) = char::from_u32(code).filter(|char| char.is_alphabetic()) else { continue };
            let (ours, library) = (fold(&char.to_string()), by_library(char));
            // Letters that Unicode does not take apart are our own choice, but the capital is as the small one.
            if library.chars().eq(char.to_lowercase()) || !library.is_ascii() && !(0x370..0x500).contains(&code) {
                let small: String = char.to_lowercase().collect();
                let stays = ours == char.to_string();
                // Some small ones are letters of phonetics, which no name is written in.
                let beyond = small.chars().all(|char| matches!(char as u32, 0x250..0x2b0 | 0x2c60..0x2c80));
                assert!(stays || beyond || ours == fold(&small), "{char} {code:x}: {ours}");
                continue;
            }
            assert_eq!(ours, library.replace('ς', "σ"), "{char} {code:x}");
            agreed += 1;
        }
        assert!(agreed > 500, "{agreed}");
        // Folding twice is the same as folding once.
        let all: String = (0..0x3000).filter_map(char::from_u32).collect();
        assert_eq!(fold(&fold(&all)), fold(&all));
        assert_eq!((GREEK.chars().count(), CYRILLIC.chars().count()), (0x3cf - 0x386, 0x60));
    }
}
