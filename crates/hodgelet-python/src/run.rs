//! Work away from the interpreter: its lock is released, while the calling thread checks for signals.
//!
//! The work runs in a pool of threads. The calling thread waits, checks for signals and hands the latest progress to
//! Python twenty times per second; an exception from either cancels the work, which ends at its next report.

use crate::error::Fault;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the calling thread checks for signals.
const GLANCE: Duration = Duration::from_millis(50);

/// Latest progress of the work.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Name of the part.
    pub phase: &'static str,
    /// Number of items done.
    pub done: usize,
    /// Number of items in all.
    pub total: usize,
    /// The objective, in training.
    pub value: Option<f64>,
}

/// Where the work reports progress and learns whether to continue.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    latest: Mutex<Option<Progress>>,
}

impl Watch {
    /// Notes progress; breaks when the work is to end.
    pub fn note(
        &self,
        phase: &'static str,
        done: usize,
        total: usize,
        value: Option<f64>,
    ) -> ControlFlow<()> {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Progress { phase, done, total, value });
        self.go_on()
    }

    /// Breaks when the work is to end.
    pub fn go_on(&self) -> ControlFlow<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn take(&self) -> Option<Progress> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The variable that says how many threads there are where no call does.
const THREADS: &str = "HODGELET_THREADS";

/// Runs `work` in `threads` threads without the interpreter's lock; without a number in as many as [`THREADS`] says, and
/// otherwise in as many as there are processors.
///
/// `callback(phase, done, total, value)` is told of the progress.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let watch = Watch::default();
    let (outcome, exception) = py.detach(|| watched(&pool, &watch, callback, work));
    match (outcome, exception) {
        (_, Some(exception)) => Err(exception),
        (outcome, None) => Ok(outcome?),
    }
}

fn watched<T: Send>(
    pool: &ThreadPool,
    watch: &Watch,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send,
) -> (Result<T, Fault>, Option<PyErr>) {
    let (sender, receiver) = channel();
    let mut exception = None;
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(watch))));
            // The receiver waits until it has this.
            let _ = sender.send(outcome.unwrap_or_else(|panic| Err(Fault::Panic(words_of(&*panic)))));
        });
        loop {
            match receiver.recv_timeout(GLANCE) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(Fault::Panic("the worker thread ended without a result".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if exception.is_none() => {
                    exception = Python::attach(|py| glance(py, watch, callback)).err();
                    watch.cancelled.store(exception.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    (outcome, exception)
}

fn glance(py: Python<'_>, watch: &Watch, callback: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let (Some(callback), Some(p)) = (callback, watch.take()) {
        callback.call1(py, (p.phase, p.done, p.total, p.value))?;
    }
    Ok(())
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

/// The pool that was used last, with the process it belongs to: threads do not survive a fork.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, Fault> {
    let named = || std::env::var(THREADS).ok()?.parse().ok();
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.or_else(named).unwrap_or_else(processors).clamp(1, 1024);
    let process = std::process::id();
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, n, pool)) = &*kept
        && (*owner, *n) == (process, threads)
    {
        return Ok(Arc::clone(pool));
    }
    let name = |i| format!("hodgelet-{i}");
    let built = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool = Arc::new(built.map_err(|error| Fault::input(format!("{threads} threads: {error}")))?);
    if let Some((owner, _, old)) = kept.replace((process, threads, Arc::clone(&pool)))
        && owner != process
    {
        std::mem::forget(old); // its threads are in the parent
    }
    Ok(pool)
}
