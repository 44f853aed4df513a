//! Lines, fields and numbers of plain text files, from bytes and without copies.

/// The text without a byte order mark at its start and blank lines at its end.
pub(crate) fn tidy(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_end()
}

/// The lines of a text, without their ends and the blanks around them.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = (!bytes.is_empty()).then_some(bytes);
    std::iter::from_fn(move || {
        let text = rest?;
        let line = match memchr::memchr(b'\n', text) {
            Some(end) => {
                rest = Some(&text[end + 1..]);
                &text[..end]
            }
            None => {
                rest = None;
                text
            }
        };
        Some(line.trim_ascii())
    })
}

/// The fields of a line: between commas if there are any, otherwise between blanks.
pub(crate) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let by_comma = line.contains(&b',');
    line.split(move |&c| if by_comma { c == b',' } else { c.is_ascii_whitespace() })
        .map(<[u8]>::trim_ascii)
        .filter(move |field| by_comma || !field.is_empty())
}

/// An integer with an optional sign.
pub(crate) fn integer(field: &[u8]) -> Option<i64> {
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // 18 digits always fit
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

/// An integer, also when written as a real number without fraction (`1.0`).
pub(crate) fn whole_number(field: &[u8]) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53, which is also what 2^53 + 1 becomes
    let with_zeros = || {
        let dot = field.iter().position(|&c| c == b'.')?;
        field[dot + 1..].iter().all(|&c| c == b'0').then(|| integer(&field[..dot]))?
    };
    let rounded = || real(field).filter(|v| v.fract() == 0.0 && v.abs() < EXACT).map(|v| v as i64);
    integer(field).or_else(with_zeros).or_else(rounded)
}

/// A real number with an optional sign; NaN and infinities are numbers here.
pub(crate) fn real(field: &[u8]) -> Option<f64> {
    let digits = match field {
        [b'+', b'+' | b'-', ..] => return None,
        [b'+', digits @ ..] => digits,
        _ => field,
    };
    fast_float2::parse(digits).ok()
}

/// Text from a file, shortened for a message.
pub(crate) fn excerpt(field: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(field);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_written_with_a_point_keep_all_their_digits() {
        let read = |text: &str| whole_number(text.as_bytes());
        assert_eq!(read("9007199254740993.0"), Some(9_007_199_254_740_993));
        assert_eq!(read("-123456789012345678.00"), Some(-123_456_789_012_345_678));
        assert_eq!(
            (read("1.0"), read("+1."), read("1e3"), read("-0.0")),
            (Some(1), Some(1), Some(1000), Some(0))
        );
        // Of two numbers that are rounded to one, none is taken.
        assert_eq!((read("9007199254740993e0"), read("9007199254740992e0")), (None, None));
        assert_eq!((read("1.5"), read("."), read("nan"), read("1.0x")), (None, None, None, None));
    }

    #[test]
    fn lines_end_with_or_without_carriage_return_and_final_newline() {
        let read = |text: &'static [u8]| lines(tidy(text)).map(excerpt).collect::<Vec<_>>();
        assert_eq!(read(b"a\r\n b \nc"), ["a", "b", "c"]);
        assert_eq!(read(b"\xEF\xBB\xBFa\n\nb\n\n \r\n"), ["a", "", "b"]);
        assert_eq!(read(b""), Vec::<String>::new());
        assert_eq!(read(b"\n"), Vec::<String>::new());
    }

    #[test]
    fn fields_stand_between_commas_or_blanks() {
        let read = |text: &'static [u8]| fields(text).map(excerpt).collect::<Vec<_>>();
        assert_eq!(read(b"1 ,2,\t3"), ["1", "2", "3"]);
        assert_eq!(read(b"1  2"), ["1", "2"]);
        assert_eq!(read(b"1,"), ["1", ""]);
    }

    #[test]
    fn integers_carry_an_optional_sign() {
        assert_eq!([b"+1".as_slice(), b"-1", b"007"].map(integer), [Some(1), Some(-1), Some(7)]);
        assert_eq!([b"".as_slice(), b"+", b"1x", b"1.0", b"9999999999999999999"].map(integer), [None; 5]);
        assert_eq!(
            [b"1.0".as_slice(), b"1.5", b"nan", b"1e300"].map(whole_number),
            [Some(1), None, None, None]
        );
    }

    #[test]
    fn reals_carry_an_optional_sign() {
        assert_eq!([b"+1.5".as_slice(), b"-2e-1", b"3"].map(real), [Some(1.5), Some(-0.2), Some(3.0)]);
        assert_eq!([b"".as_slice(), b"+-1", b"x", b"1 2"].map(real), [None; 4]);
        assert!(real(b"nan").unwrap().is_nan());
    }

    #[test]
    fn excerpts_are_short_and_whole_characters() {
        assert_eq!(excerpt("é".repeat(60).as_bytes()), format!("{}...", "é".repeat(40)));
    }
}
