//! Every seed is read, and nothing that broke a target once breaks it again.

use hodgelet_fuzz::{seeds, targets};

#[test]
fn seeds_and_past_findings_break_nothing_and_every_target_accepts_one() {
    for (name, target) in targets::ALL {
        let inputs = seeds::of(name).unwrap();
        let accepted = inputs.iter().filter(|input| target(input)).count();
        println!("{name}: {} inputs, {accepted} accepted", inputs.len());
        assert!(accepted > 0, "{name}: no seed is accepted, so that fuzzing would say nothing");
    }
}
