use crate::{listing, run_in};

/// A run of a few seconds.
const SMALL: [&str; 9] = [
    "figures",
    "--levels",
    "0.5,2",
    "--vertices",
    "25",
    "--set",
    "n_fields=24",
    "--folds=3",
    "--iterations=2",
];

#[test]
fn the_figures_of_the_paper_are_fields_and_the_noise_curve() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        run_in(folder.path(), &[&["-q"], &SMALL[..], &["--models", "line-graph,hodge"]].concat()).result();
    assert!(text.contains("WT-GP-Hodge"), "{text}");
    let out = folder.path().join("results");
    let fields: Vec<String> = listing(&out).into_iter().filter(|name| name.starts_with("field-")).collect();
    assert_eq!(fields.len(), 2, "one with curl, one without: {fields:?}");
    let svg = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    for name in &fields {
        assert!(svg(name).contains("on a mesh of 25 vertices") && svg(name).contains("co-exact"), "{name}");
    }
    // The curve is that of the experiment, which takes up the same cells.
    let curve = svg("figure1.svg");
    assert!(curve.contains("noise") && curve.contains("WT-GP-LG"), "{curve}");
    let again = [&["-q", "reproduce", "figure1"], &SMALL[1..], &["--models", "line-graph,hodge"]].concat();
    run_in(folder.path(), &again).result();
    assert_eq!(svg("figure1.svg"), curve);
    assert_eq!(listing(&out.join("cells")).len(), 4, "two levels, two models");
}

#[test]
fn fields_alone_take_no_training() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &["-q", "figures", "--vertices", "25", "--fields-only", "--out", "here"]).result();
    assert_eq!(listing(&folder.path().join("here")).len(), 2);
}
