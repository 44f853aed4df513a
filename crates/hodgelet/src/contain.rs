//! Readers of other crates that may panic at what was made up: a value comes back, and nothing is printed.

use std::cell::Cell;
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, or nothing where it panics. The panic prints neither its message nor a backtrace, because it says
/// something of the input and nothing of this program; panics of other threads are printed as ever.
pub fn contained<T>(work: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !SILENT.get() {
                usual(info);
            }
        }));
    });
    let before = SILENT.replace(true);
    let found = catch_unwind(work);
    SILENT.set(before);
    found.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value_and_leaves_the_thread_as_it_was() {
        assert_eq!(contained(|| 3), Some(3));
        assert_eq!(contained(|| -> u8 { panic!("not printed") }), None);
        assert!(!SILENT.get());
        // One inside another: the outer one is silent to its end.
        let outer = contained(|| (contained(|| -> u8 { panic!("not printed") }), SILENT.get()));
        assert_eq!(outer, Some((None, true)));
    }
}
