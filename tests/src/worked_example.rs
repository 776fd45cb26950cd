//! The bytes that a FORMAT.md shows.

/// The bytes of a code block, counted from the end of the page, from 0. In each line they are the words of two hexadecimal digits
/// before the first other word.
///
/// # Panics
///
/// If the page has no such block.
pub fn bytes_of_example(page: &str, from_end: usize) -> Vec<u8> {
    let example = page.rsplit("```").nth(from_end * 2 + 1).expect("an example");
    let byte = |word: &str| u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2);
    example.lines().flat_map(|line| line.split_whitespace().map_while(byte)).collect()
}
