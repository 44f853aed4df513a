use crate::run;

#[test]
fn the_demonstration_compares_trains_and_explains() {
    let text = run(&["demo", "--vertices", "30"]).result();
    let sections = [
        "1. Two models, ten-fold cross-validation\n",
        "2. Train, save, load, predict\n",
        "3. Why? The surest prediction, block by block\n",
    ];
    let places: Vec<usize> = sections.iter().map(|section| text.find(section).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    for part in ["WT-GP-LG ", "WT-GP-Hodge ", "the\nloaded model gives the same bits.", "has no holes"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The bars of the last section add up, to the digits printed.
    let why = text[places[2]..].lines().filter(|line| line.starts_with("  "));
    let signed = |line: &str| {
        line.split_whitespace().find(|word| word.starts_with(['+', '-'])).and_then(|word| word.parse().ok())
    };
    let values: Vec<f64> = why.filter_map(signed).collect();
    let (sum, shares) = values.split_last().unwrap();
    assert_eq!(shares.len(), 3, "{text}"); // two blocks and the constant
    assert!((shares.iter().sum::<f64>() - sum).abs() < 2e-3, "{text}");
}

#[test]
fn a_mesh_that_cannot_be_is_refused() {
    let error = run(&["demo", "--vertices", "2"]).failure(1);
    assert!(error.starts_with("error: n_vertices"), "{error}");
}
