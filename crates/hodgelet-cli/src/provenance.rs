//! Where numbers come from: the command, the day, the commit.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a reader needs to run something again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command as it was typed, without the path to the program.
    pub command: String,
    /// When it ended, in UTC: `2024-05-31T12:00:00Z`.
    pub date: String,
    /// The commit of the source tree it ran in, with `-dirty` after it where files differ; absent elsewhere.
    pub commit: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Threads it had.
    pub threads: usize,
}

impl Provenance {
    /// That of this process, which is run by `program` with its arguments, now.
    #[must_use]
    pub fn of(program: &str) -> Self {
        let words = std::env::args().skip(1).map(|word| quoted(&word));
        let command = std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            command,
            date: utc(seconds),
            commit: commit(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: rayon::current_num_threads(),
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The commit of the source tree of hodgelet that is the working directory.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output =
            Command::new("git").args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if !Path::new(&root).join("crates/hodgelet-cli/Cargo.toml").is_file() {
        return None; // another project's repository says nothing about this program
    }
    git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}

/// Seconds since 1970 as date and time.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of a number of days since 1970.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    // 400 years of the calendar have the same number of days, wherever they begin.
    let mut year = 1970 + 400 * (days / 146_097);
    days %= 146_097;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(civil(146_097), (2370, 1, 1));
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(
            ["a-b=1.5,2", "", "two words", "it's"].map(quoted),
            ["a-b=1.5,2", "''", "'two words'", r"'it'\''s'"]
        );
    }
}
