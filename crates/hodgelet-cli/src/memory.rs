//! A budget of memory that is kept: a program that would take more ends with a message, before the system ends it without.
//!
//! The programs allocate through [`Budget`], which counts. Plans refuse what is known to be too much before it begins; this is
//! for everything else. Files appear whole or not at all, so nothing is half-written when a program ends here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

/// Share of the memory that is free which a program may take, if nothing is asked for.
const FREE_SHARE: f64 = 0.8;

/// Bytes that a thread takes or gives back before it says so.
const UNSAID: isize = 1 << 18;

/// What is aligned to pages is the backend's room for packing matrices: twice the largest cache of the processor for each thread,
/// hundreds of MB on some machines, of which small problems touch next to nothing. It is not counted.
const PAGE: usize = 4096;

static TAKEN: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: AtomicBool = AtomicBool::new(false);
static ASKED: OnceLock<Option<usize>> = OnceLock::new();

thread_local! {
    // Without a destructor: threads allocate while they end.
    static OWN: Cell<isize> = const { Cell::new(0) };
}

/// Sets the budget in MB, or a share of what is free.
pub fn set(megabytes: Option<usize>) {
    let _ = ASKED.set(megabytes);
    let limit = megabytes.map_or_else(free_share, |mb| mb.saturating_mul(1_000_000));
    LIMIT.store(limit, Ordering::Relaxed);
}

/// The budget that was asked for, in MB.
#[must_use]
pub fn asked() -> Option<usize> {
    ASKED.get().copied().flatten()
}

/// The share of what the system says is free, or no limit where it does not say.
fn free_share() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = available.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.map_or(usize::MAX, |kb| (FREE_SHARE * 1024.0 * kb) as usize)
}

/// The allocator of the system, with a count of what is taken.
#[derive(Debug)]
pub struct Budget;

impl Budget {
    /// The bytes of an allocation that count.
    #[inline]
    fn counted(layout: Layout, size: usize) -> isize {
        if layout.align() < PAGE { size as isize } else { 0 }
    }

    /// Notes that `change` bytes are taken, or given back if it is negative.
    #[inline]
    fn note(change: isize) {
        // A thread that ends has no count of its own any more.
        let unsaid = OWN.try_with(|own| {
            let now = own.get() + change;
            if now.abs() < UNSAID {
                own.set(now);
                return 0;
            }
            own.set(0);
            now
        });
        let unsaid = unsaid.unwrap_or(change);
        if unsaid == 0 {
            return;
        }
        let taken = TAKEN.fetch_add(unsaid, Ordering::Relaxed).saturating_add(unsaid);
        let limit = LIMIT.load(Ordering::Relaxed);
        if unsaid > 0 && taken > 0 && taken as usize > limit && !ENDING.load(Ordering::Relaxed) {
            end(format_args!("more than {} MB of memory are needed", limit / 1_000_000));
        }
    }

    #[inline]
    fn given(pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() && !ENDING.load(Ordering::Relaxed) {
            end(format_args!("the system has no {size} bytes of memory"));
        }
        pointer
    }
}

/// Ends the program with a message. Memory is given without a count from here on.
fn end(what: std::fmt::Arguments<'_>) -> ! {
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is at it.
        loop {
            std::thread::park();
        }
    }
    let hint = "raise --memory, take fewer graphs, or measure them to a store first (`hodgelet measure`)";
    let _ = write!(std::io::stderr(), "error: {what}\nhint: {hint}\n");
    std::process::exit(i32::from(crate::error::INPUT_AT_FAULT));
}

// SAFETY: every call is handed on to the allocator of the system as it is.
unsafe impl GlobalAlloc for Budget {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note(Self::counted(layout, layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        Self::given(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::note(Self::counted(layout, layout.size()));
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        Self::given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::note(-Self::counted(layout, layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::note(Self::counted(layout, size) - Self::counted(layout, layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`.
        Self::given(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}
