#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hodgelet_fuzz::targets::targets(bytes);
});
