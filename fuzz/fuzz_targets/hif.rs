//! HIF: what is read can be expanded in every way, written and read again.
#![no_main]

use hodgelet::complex::Expansion;
use hodgelet_data::{hif, jsonl};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = hif::parse("f.json", bytes) {
        for name in Expansion::NAMES {
            let Ok(read) = read.clone().expand(name.parse().unwrap()) else { continue };
            let mut again = Vec::new();
            jsonl::write_to(&mut again, &read.dataset, &[]).unwrap();
            assert_eq!(jsonl::parse("f.jsonl", &again).unwrap().dataset, read.dataset);
        }
    }
});
