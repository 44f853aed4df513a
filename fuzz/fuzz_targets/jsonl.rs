//! JSONL: what is read is written and read again to the same dataset.
#![no_main]

use hodgelet_data::jsonl;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = jsonl::parse("f.jsonl", bytes) {
        let mut again = Vec::new();
        jsonl::write_to(&mut again, &read.dataset, &[]).unwrap();
        assert_eq!(jsonl::parse("f.jsonl", &again).unwrap().dataset, read.dataset);
    }
});
