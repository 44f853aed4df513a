//! Small pictures of text, for terminals: they are left out where the result goes to a file or a program.

use std::io::IsTerminal;

/// The middle of signed bars.
const MIDDLE: char = '│';
/// A whole letter of a bar.
const FULL: char = '█';
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Whether a person reads standard output.
#[must_use]
pub fn is_watched() -> bool {
    std::io::stdout().is_terminal()
}

/// How many letters a line of standard output has room for; none where it is not a terminal.
#[must_use]
pub fn width() -> Option<usize> {
    comfy_table::Table::new().width().filter(|_| is_watched()).map(usize::from)
}

/// Whether standard output takes colours: a terminal that has some, and nobody set `NO_COLOR`.
#[must_use]
pub fn has_colors() -> bool {
    is_watched() && wants_colors()
}

/// Whether colours are wanted where there is a terminal.
#[must_use]
pub fn wants_colors() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Text with its signed bars in colour, blue to the left of the middle and orange to the right, as in all pictures.
#[must_use]
pub fn painted(text: &str, colors: bool) -> String {
    if !colors || !text.contains(MIDDLE) {
        return text.to_owned();
    }
    let line = |line: &str| match line.split_once(MIDDLE) {
        Some((left, right)) => format!("{}{MIDDLE}{}", paint(left, "34"), paint(right, "33")),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The first run of full blocks in a colour of the terminal.
fn paint(text: &str, color: &str) -> String {
    let Some(begin) = text.find(FULL) else { return text.to_owned() };
    let end = begin + text[begin..].find(|c| c != FULL).unwrap_or(text.len() - begin);
    format!("{}{}{}", &text[..begin], styled(&text[begin..end], color, true), &text[end..])
}

/// Text in a style of the terminal.
#[must_use]
pub fn styled(text: &str, style: &str, colors: bool) -> String {
    if colors { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// A bar from the left for a share between 0 and 1, to an eighth of a letter.
#[must_use]
pub fn bar(share: f64, letters: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (8.0 * letters as f64 * share).round() as usize;
    format!("{}{}", FULL.to_string().repeat(eighths / 8), PARTS[eighths % 8])
}

/// A bar for each value, from the lowest to the highest; none of more than 60 values or fewer than 2.
#[must_use]
pub fn sparkline(values: &[f64]) -> Option<String> {
    if !(2..=60).contains(&values.len()) || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place = |v: f64| if high > low { (7.0 * (v - low) / (high - low)).round() as usize } else { 3 };
    Some(values.iter().map(|&v| BLOCKS[place(v).min(7)]).collect())
}

/// A bar to the left of the middle for negative values, to the right for positive ones; `scale` fills one side.
#[must_use]
pub fn signed_bar(value: f64, scale: f64) -> String {
    const SIDE: usize = 8;
    let share = if scale > 0.0 && value.is_finite() { (value.abs() / scale).min(1.0) } else { 0.0 };
    let bar = "█".repeat((SIDE as f64 * share).round() as usize);
    match value < 0.0 {
        true => format!("{bar:>SIDE$}│"),
        false => format!("{:SIDE$}│{bar}", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_go_from_the_lowest_to_the_highest() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0]).as_deref(), Some("▁▅█"));
        assert_eq!(sparkline(&[2.0, 2.0]).as_deref(), Some("▄▄"));
        assert_eq!((sparkline(&[1.0]), sparkline(&[f64::NAN, 1.0])), (None, None));
    }

    #[test]
    fn bars_stand_on_the_side_of_their_sign() {
        assert_eq!(signed_bar(1.0, 1.0), "        │████████");
        assert_eq!(signed_bar(-0.5, 1.0), "    ████│");
        assert_eq!(signed_bar(f64::NAN, 1.0), "        │");
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!([0.0, 0.5, 1.0, 2.0, f64::NAN].map(|share| bar(share, 4)), ["", "██", "████", "████", ""]);
        assert_eq!(bar(0.3, 4), "█▎");
    }

    #[test]
    fn bars_have_colours_where_they_are_wanted_and_text_is_left_alone() {
        let text = format!("a  1  {}\nb  2  {}\n█ no bar", signed_bar(-1.0, 1.0), signed_bar(1.0, 1.0));
        assert_eq!(painted(&text, false), text);
        let found = painted(&text, true);
        assert!(
            found.contains("\u{1b}[34m████████\u{1b}[0m│") && found.contains("│\u{1b}[33m████████\u{1b}[0m")
        );
        assert!(found.ends_with("\n█ no bar"), "{found}");
        assert_eq!(found.replace("\u{1b}[34m", "").replace("\u{1b}[33m", "").replace("\u{1b}[0m", ""), text);
    }
}
