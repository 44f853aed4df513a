//! Reads the datasets named on the command line (folders or archives) and prints sizes and seconds.
//!
//! `cargo run --release -p hodgelet-data --example read_dataset -- HIV.zip`

use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for argument in std::env::args().skip(1) {
        let path = PathBuf::from(&argument);
        for _ in 0..5 {
            let start = Instant::now();
            let read = if path.is_dir() {
                hodgelet_data::tu::read_dir(&path)?
            } else {
                hodgelet_data::tu::read_zip(&path)?
            };
            let seconds = start.elapsed().as_secs_f64();
            let (vertices, edges) = (0..read.dataset.len())
                .map(|i| &read.dataset.complexes[i])
                .fold((0, 0), |(v, e), c| (v + c.n_cells(0), e + c.n_cells(1)));
            println!(
                "{argument}: {} graphs, {vertices} vertices, {edges} edges, {seconds:.3} s",
                read.dataset.len()
            );
        }
    }
    Ok(())
}
