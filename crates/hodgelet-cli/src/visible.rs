//! Text that a terminal shows and does not obey.

use std::borrow::Cow;

/// Text in which control characters and those that turn the direction of writing are escaped; line ends stay.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && acts(c))
}

/// The same for a name, which has no line ends.
#[must_use]
pub fn name(text: &str) -> Cow<'_, str> {
    escaped(text, acts)
}

/// Whether a terminal would do something else than show a character.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match acts(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_all_else_stays() {
        assert_eq!(lines("plain: é 漢 \u{1f600}\nsecond"), "plain: é 漢 \u{1f600}\nsecond");
        assert_eq!(lines("a\u{1b}[2J\rb\tc\u{7}"), "a\\u{1b}[2J\\rb\\tc\\u{7}");
        assert_eq!(name("a\nb\u{202e}c\u{9b}d\u{7f}"), "a\\nb\\u{202e}c\\u{9b}d\\u{7f}");
    }
}
