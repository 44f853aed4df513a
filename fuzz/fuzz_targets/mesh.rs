//! OFF, OBJ and PLY.
#![no_main]

use hodgelet_data::mesh::{MeshFormat, parse};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in [MeshFormat::Off, MeshFormat::Obj, MeshFormat::Ply] {
        let _ = parse(format, "f", bytes);
    }
});
