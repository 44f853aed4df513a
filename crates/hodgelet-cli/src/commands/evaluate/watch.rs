//! How far cross-validation is: a bar, and lines with --verbose.

use crate::progress::{Bar, Pace, Terminal};
use hodgelet_eval::cross_validate::Event;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Shows how far cross-validation of `n` splits is.
pub fn watch_folds(bar: &Bar, n: usize, terminal: Terminal) -> impl Fn(Event) -> ControlFlow<()> + Sync + '_ {
    let pace = Mutex::new(Pace::default());
    move |event| {
        let mut pace = pace.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Done { done, total } => {
                terminal.detail(|| format!("{done} of {total} folds done"));
                bar.at(done as u64)
            }
            Event::Training { split, step, objective } => {
                terminal.detail(|| format!("fold {split}, step {step}: objective {objective:.6}"));
                pace.step();
                bar.still()
            }
            Event::Averaging { split, done, total } => {
                terminal
                    .detail(|| format!("fold {split}, averaging over hyperparameters: {done} of {total}"));
                if let Some(cost) = pace.once((n * total) as f64) {
                    bar.say(format!("folds, {cost}"));
                }
                bar.still()
            }
            _ => bar.still(),
        }
    }
}
