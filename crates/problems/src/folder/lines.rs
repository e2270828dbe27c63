//! Lines and fields of a text file, by number and without copies.

use std::path::Path;

use crate::error::FileError;

/// Goes through the lines of a file and knows the number of the last one it gave.
pub(super) struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { path, rest: bytes, number: 0 }
    }

    /// The next line whatever it holds, without blanks at its ends.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let line = self.rest[..end].trim_ascii();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.number += 1;
        Some(line)
    }

    /// The next line that is neither blank nor a comment (`%`).
    pub(super) fn next_data(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.next()?;
            if !line.is_empty() && line[0] != b'%' {
                return Some(line);
            }
        }
    }

    /// Number of the last line given, counted from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Bytes not yet looked at.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// An error in the last line given.
    pub(super) fn refuse(&self, expected: impl Into<String>, found: impl Into<String>) -> FileError {
        let (expected, found) = (expected.into(), found.into());
        FileError::Text { path: self.path.to_owned(), line: self.number.max(1), expected, found }
    }
}

/// The fields of a line if there are exactly N of them.
pub(super) fn fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields = line.split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty());
    let taken = [(); N].map(|()| fields.next().unwrap_or_default());
    let exactly_n = fields.next().is_none() && taken.iter().all(|field| !field.is_empty());
    exactly_n.then_some(taken)
}

/// A whole number written with digits only.
pub(super) fn whole_number(field: &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for &byte in field {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
    }
    (!field.is_empty()).then_some(number)
}

/// Text for an error message: quoted, printable, not longer than a person wants to read.
pub(super) fn quote(text: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
    match text.char_indices().nth(LONGEST) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_with_those_that_are_skipped() {
        let mut lines = Lines::new(b"one\r\n\n  % note\n\t two \n%", Path::new("file"));
        assert_eq!((lines.next(), lines.number()), (Some(&b"one"[..]), 1));
        assert_eq!((lines.next_data(), lines.number()), (Some(&b"two"[..]), 4));
        assert_eq!((lines.next_data(), lines.number()), (None, 5));
        assert_eq!(lines.refuse("more", "nothing").to_string(), "file:5: expected more, found nothing");
    }

    #[test]
    fn fields_come_in_the_number_asked_for() {
        assert_eq!(fields(b"a\t bc"), Some([&b"a"[..], b"bc"]));
        assert_eq!(fields::<2>(b"a"), None);
        assert_eq!(fields::<2>(b"a b c"), None);
    }

    #[test]
    fn whole_numbers_are_digits_within_range() {
        assert_eq!(whole_number(b"0012"), Some(12));
        assert_eq!(whole_number(b"18446744073709551615"), Some(u64::MAX));
        for field in [&b""[..], b"+1", b"-1", b"1.0", b"18446744073709551616", b"\xff"] {
            assert_eq!(whole_number(field), None);
        }
    }

    #[test]
    fn quotes_stay_short_and_printable() {
        assert_eq!(quote(b"1 \x00\xff"), "\"1 \\0\u{fffd}\"");
        assert_eq!(quote(&[b'x'; 1000]), format!("\"{}\"…", "x".repeat(60)));
    }
}
