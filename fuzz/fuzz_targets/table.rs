//! Tables of molecules.
#![no_main]

use hodgelet_data::table::{TableOptions, parse};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = parse("f", bytes, &TableOptions { guess_target: true, ..TableOptions::default() });
});
