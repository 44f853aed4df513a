//! GraphML and GML.
#![no_main]

use hodgelet_data::graphs::{Format, parse};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in [Format::GraphMl, Format::Gml] {
        let _ = parse(format, "f", bytes);
    }
});
