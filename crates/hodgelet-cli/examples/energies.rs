use hodgelet::{encode::*, hodge::Weighting, measure::*, feature::*, wavelet::*};
use std::{borrow::Cow, ops::ControlFlow, time::Instant};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let t = Instant::now();
    let read = if path.ends_with("zip") { hodgelet_data::tu::read_zip(path.as_ref()) } else { hodgelet_data::tu::read_dir(path.as_ref()) }.unwrap();
    println!("read {:?}", t.elapsed());
    let d = &read.dataset;
    let t = Instant::now();
    let all: Vec<usize> = (0..d.len()).collect();
    let enc = EncodingParams::default().fit(d, &all).unwrap();
    println!("fit {:?}", t.elapsed());
    let t = Instant::now();
    let m = measure_all(d.len(), |i| Sample { complex: Cow::Owned(d.complexes[i].clique_complex(2).unwrap()), signals: enc.encode(d, i).unwrap(), weights: None }, Weighting::Combinatorial, |_| ControlFlow::Continue(())).unwrap();
    println!("measures {:?}", t.elapsed());
    let t = Instant::now();
    let bank = BankParams::default().check().unwrap().draw(0);
    let mut w = 0;
    for b in Block::split(0).into_iter().chain(Block::split(1)) {
        let bm = BlockMeasures::new(b, &m);
        if b.part == Part::Harmonic { w += harmonic_features(&bm).ncols(); } else { w += wavelet_features(&bm, &bank).unwrap().ncols(); }
        println!("{b} {} atoms {} MB", bm.eigenvalues().len(), bm.bytes() / 1000000);
    }
    println!("features {:?} {w}", t.elapsed());
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", s.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
