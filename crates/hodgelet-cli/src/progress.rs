//! Progress on a terminal, warnings, and interrupts by the user.
//!
//! The first interrupt sets a flag; work that reports its progress sees it and stops. Work that has not stopped
//! after a moment of grace is ended from outside, but never in the middle of writing a file.

use crate::error::{CommandError, INTERRUPTED_STATUS};
use crate::{spark, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WRITING: Mutex<()> = Mutex::new(());
/// How long work may take to notice an interrupt.
const GRACE: Duration = Duration::from_millis(1500);
/// Evaluations of the objective that a draw of hyperparameters takes, at most.
const EVALUATIONS: f64 = 16.0;

/// Makes interrupts stop the running command; called once.
pub fn watch_interrupts() {
    let handler = || {
        INTERRUPTED.store(true, Ordering::SeqCst);
        std::thread::sleep(GRACE);
        // Files appear whole or not at all: wait for the one being written.
        let _guard = WRITING.lock();
        print_error(&CommandError::Interrupted);
        std::process::exit(i32::from(INTERRUPTED_STATUS));
    };
    // Without a handler the system ends the program, which is fine too.
    let _ = ctrlc::set_handler(handler);
}

/// Whether the user asked to stop.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// An error when the user asked to stop.
///
/// # Errors
///
/// [`CommandError::Interrupted`].
pub fn check_interrupt() -> Result<(), CommandError> {
    if interrupted() { Err(CommandError::Interrupted) } else { Ok(()) }
}

/// Runs `write`, during which the program is not ended by an interrupt.
pub fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    let _guard = WRITING.lock();
    write()
}

/// Whether standard error takes colours.
fn colors() -> bool {
    std::io::stderr().is_terminal() && spark::wants_colors()
}

/// Prints an error and its hint on standard error.
pub fn print_error(error: &CommandError) {
    let colors = colors();
    let hint = error
        .hint()
        .map(|hint| format!("{} {}\n", spark::styled("hint:", "1", colors), visible::lines(&hint)));
    let (error, title) = (error.to_string(), spark::styled("error:", "1;31", colors));
    // There is nowhere left to report that this failed.
    let _ = write!(std::io::stderr(), "{title} {}\n{}", visible::lines(&error), hint.unwrap_or_default());
}

/// What a command prints beside its result.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Print nothing but errors.
    pub quiet: bool,
    /// Say what is done, with the time since this.
    pub verbose: Option<Instant>,
}

impl Terminal {
    /// A line of warning on standard error.
    pub fn warn(self, message: &str) {
        if !self.quiet {
            let title = spark::styled("warning:", "1;33", colors());
            let _ = writeln!(std::io::stderr(), "{title} {}", visible::lines(message));
        }
    }

    /// Lines on standard error, where standard output holds something else.
    pub fn note(self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", visible::lines(text));
        }
    }

    /// A line about what is being done, with the seconds since the start; `text` is made only where it is wanted.
    pub fn detail(self, text: impl FnOnce() -> String) {
        if let Some(began) = self.verbose {
            let seconds = began.elapsed().as_secs_f64();
            let _ = writeln!(std::io::stderr(), "{seconds:9.3} s  {}", visible::lines(&text()));
        }
    }

    /// A bar for `total` things, drawn only when standard error is a terminal.
    #[must_use]
    pub fn bar(self, what: &'static str, total: Option<u64>) -> Bar {
        // Lines of --verbose would run through a bar.
        let hidden = self.quiet || self.verbose.is_some() || !std::io::stderr().is_terminal();
        let target = match hidden {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(total, target).with_message(what);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len}, {eta} left")
        {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// A bar for bytes.
    #[must_use]
    pub fn byte_bar(self, what: &'static str) -> Bar {
        let bar = self.bar(what, None);
        let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.0.set_style(style);
        }
        bar
    }
}

/// A progress bar that also carries the user's wish to stop; it disappears when dropped.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// Notes that `done` things are done; breaks when the user asked to stop.
    pub fn at(&self, done: u64) -> ControlFlow<()> {
        self.0.set_position(done);
        self.still()
    }

    /// Redraws the bar without moving it.
    pub fn still(&self) -> ControlFlow<()> {
        self.0.tick();
        if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Says something else before the bar.
    pub fn say(&self, message: String) {
        self.0.set_message(message);
    }

    /// Sets the number of things, once it is known.
    pub fn set_total(&self, total: u64) {
        self.0.set_length(total);
    }
}

/// How fast training goes, to say what averaging over hyperparameters will cost before it runs.
#[derive(Debug, Default)]
pub struct Pace {
    began: Option<Instant>,
    took: Duration,
    steps: u32,
    is_told: bool,
}

impl Pace {
    /// Notes a step of training.
    pub fn step(&mut self) {
        let began = *self.began.get_or_insert_with(Instant::now);
        self.took = began.elapsed();
        self.steps += 1;
    }

    /// What `draws` will take, at the pace of training; asked for the first time only.
    pub fn once(&mut self, draws: f64) -> Option<String> {
        if std::mem::replace(&mut self.is_told, true) || self.steps < 2 {
            return None;
        }
        let evaluation = self.took.as_secs_f64() / f64::from(self.steps - 1);
        Some(format!("at most about {}", rounded(EVALUATIONS * draws * evaluation)))
    }
}

/// A time as people say it.
fn rounded(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "1 s".to_owned(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_what_matters() {
        let found = [0.01, 12.4, 99.4, 100.0, 3600.0, 7300.0].map(rounded);
        assert_eq!(found, ["1 s", "12 s", "99 s", "2 min", "60 min", "2 h"]);
    }

    #[test]
    fn the_cost_is_said_once_and_from_the_pace_of_training() {
        let now = Instant::now();
        let mut pace = Pace { began: Some(now), took: Duration::from_secs(2), steps: 21, is_told: false };
        // A tenth of a second a step, and up to sixteen of them a draw.
        assert_eq!(pace.once(50.0).as_deref(), Some("at most about 80 s"));
        assert_eq!(pace.once(50.0), None);
        let mut nothing_known = Pace::default();
        nothing_known.step();
        assert_eq!(nothing_known.once(50.0), None);
    }
}
