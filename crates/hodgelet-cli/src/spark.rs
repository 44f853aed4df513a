//! Small pictures of text, for terminals: they are left out where the result goes to a file or a program.

use std::io::IsTerminal;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Whether a person reads standard output.
#[must_use]
pub fn is_watched() -> bool {
    std::io::stdout().is_terminal()
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
}
