//! TU: the input is an archive, or the files of a dataset one after the other, parted by zero bytes.
#![no_main]

use hodgelet_data::tu::{File, Files, parse, parse_zip};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = parse_zip("DS.zip", bytes);
    let mut files = Files::default();
    for (file, text) in File::ALL.into_iter().zip(bytes.split(|&byte| byte == 0)) {
        if !text.is_empty() {
            files.set(file, text);
        }
    }
    let _ = parse("DS", &files);
});
