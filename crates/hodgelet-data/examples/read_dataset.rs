//! Reads the datasets named on the command line five times each and prints sizes and seconds.
//!
//! `cargo run --release -p hodgelet-data --example read_dataset -- HIV.zip`

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        for _ in 0..5 {
            let start = Instant::now();
            let dataset = hodgelet_data::open(&name, None)?.dataset;
            let seconds = start.elapsed().as_secs_f64();
            let total = |k| dataset.complexes().iter().map(|complex| complex.n_cells(k)).sum::<usize>();
            let (graphs, vertices, edges) = (dataset.len(), total(0), total(1));
            println!("{name}: {graphs} graphs, {vertices} vertices, {edges} edges, {seconds:.3} s");
        }
    }
    Ok(())
}
