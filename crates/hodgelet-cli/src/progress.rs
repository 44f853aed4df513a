//! Progress on a terminal, warnings, and interrupts by the user.
//!
//! The first interrupt sets a flag; work that reports its progress sees it and stops. Work that has not stopped
//! after a moment of grace is ended from outside, but never in the middle of writing a file.

use crate::error::{CommandError, INPUT_AT_FAULT};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WRITING: Mutex<()> = Mutex::new(());
/// How long work may take to notice an interrupt.
const GRACE: Duration = Duration::from_millis(1500);

/// Makes interrupts stop the running command; called once.
pub fn watch_interrupts() {
    let handler = || {
        INTERRUPTED.store(true, Ordering::SeqCst);
        std::thread::sleep(GRACE);
        // Files appear whole or not at all: wait for the one being written.
        let _guard = WRITING.lock();
        print_error(&CommandError::Interrupted);
        std::process::exit(i32::from(INPUT_AT_FAULT));
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

/// Prints an error and its hint on standard error.
pub fn print_error(error: &CommandError) {
    let hint = error.hint().map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
    // There is nowhere left to report that this failed.
    let _ = write!(std::io::stderr(), "error: {error}\n{hint}");
}

/// What a command prints beside its result.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Print nothing but errors.
    pub quiet: bool,
}

impl Terminal {
    /// A line of warning on standard error.
    pub fn warn(self, message: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "warning: {message}");
        }
    }

    /// A bar for `total` things, drawn only when standard error is a terminal.
    #[must_use]
    pub fn bar(self, what: &'static str, total: Option<u64>) -> Bar {
        let target = match self.quiet || !std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(total, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// A bar for bytes.
    #[must_use]
    pub fn byte_bar(self, what: &'static str) -> Bar {
        let bar = self.bar(what, None);
        let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
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

    /// Sets the number of things, once it is known.
    pub fn set_total(&self, total: u64) {
        self.0.set_length(total);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
