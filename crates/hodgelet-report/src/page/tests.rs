use super::*;
use crate::card::{Card, CardSection, Piece};
use crate::chart::{Curve, Density, Dot, Interval};
use crate::content::{Case, GraphView, Learned, Origin, Score};

fn case(graph: usize) -> Case {
    Case {
        graph,
        fold: None,
        truth: Some(f64::from(u8::from(graph.is_multiple_of(3)))),
        predicted: 1.0,
        probabilities: vec![0.25, 0.75],
        spread: None,
    }
}

/// A report of `n` graphs, all of them with one name.
fn content(n: usize, name: &str) -> Content {
    let made = |text: &str| text.to_owned();
    Content {
        origin: Origin { command: made("c"), version: made("v"), commit: None, made: made("Made now.") },
        dataset: made("many"),
        graphs: n,
        classes: vec![made("a"), made("b")],
        verdict: made("Fine."),
        run: Vec::new(),
        scores: Vec::new(),
        folds: Default::default(),
        fold_scores: Vec::new(),
        reliability: None,
        risk: Vec::new(),
        risk_name: String::new(),
        confusion: None,
        learned: Learned { filters: vec![], amplitudes: vec![], others: vec![], states: 0, graphs: 0 },
        cases: (0..n).map(case).collect(),
        distances: vec![(0.123_456, false); n],
        names: vec![name.to_owned(); n],
        leakage: Vec::new(),
        drift: Vec::new(),
        nearness: Vec::new(),
        card: Card { name: made("m"), sections: Vec::new() },
        views: Vec::new(),
        seen: false,
    }
}

/// The same with more of everything than fits.
fn excessive() -> Content {
    let long = "<&'>\"".repeat(40_000);
    let points = |n: usize| (0..n).map(|i| (i as f64 / 37.0, (i as f64).sin().abs())).collect::<Vec<_>>();
    let curve = |k: usize| Curve { name: format!("filter {k}"), points: points(120), errors: vec![] };
    let density = || Some(Density { end: 3.0, shares: vec![1.0 / 60.0; 60] });
    let block = |k: usize| (format!("{long} {k}"), (0..60).map(curve).collect::<Vec<_>>(), density());
    let interval = |k: usize| Interval {
        name: format!("{long} {k}"),
        value: 1.0,
        found: Some((0.5, 2.0)),
        prior: Some((0.1, 10.0)),
    };
    let dot = |k: usize| Dot { name: format!("fold {k}"), value: 0.5, interval: (0.4, 0.6) };
    let view = |graph: usize| GraphView {
        graph,
        facts: vec![("graph".to_owned(), long.clone()), ("size".to_owned(), long.clone())],
        pictures: vec![el("path").at("d", "M0 0".repeat(20_000))],
        notes: Vec::new(),
    };
    let score = Score { name: "accuracy".to_owned(), value: 0.5, interval: None, folds: None, meaning: "" };
    let section = CardSection {
        title: "Purpose",
        paragraphs: vec![vec![Piece::Text(long.clone())]],
        list: vec![long.clone()],
    };
    let classes: Vec<String> = (0..2000).map(|k| format!("{k} {long}")).take(40).collect();
    let cases = (0..3000).map(|i| Case { truth: Some((i % 40) as f64), ..case(i) }).collect();
    Content {
        dataset: long.clone(),
        confusion: Some(vec![vec![3; classes.len()]; classes.len()]),
        classes,
        cases,
        risk: points(100),
        run: vec![("command".to_owned(), long.clone()), ("targets".to_owned(), long.clone())],
        folds: (vec!["fold".to_owned()], vec![vec!["0.5".to_owned(); 8]; 50_000]),
        fold_scores: vec![("Accuracy".to_owned(), "accuracy".to_owned(), 0.5, (0..9000).map(dot).collect())],
        learned: Learned {
            filters: (0..60).map(block).collect(),
            amplitudes: (0..60).map(interval).collect(),
            others: (0..90).map(interval).collect(),
            states: 3,
            graphs: 10,
        },
        scores: vec![score],
        leakage: vec![("twins".to_owned(), long.clone())],
        card: Card { name: long.clone(), sections: vec![section] },
        views: (0..36).map(view).collect(),
        ..content(3000, &long)
    }
}

/// Twice rounded, 0.97849 would be 0.979 in the table and 0.978 beside the graph.
#[test]
fn a_number_is_rounded_once() {
    let sure = |p: f64| Case { probabilities: vec![1.0 - p, p], ..case(1) };
    let content = Content { cases: vec![sure(0.978_49), sure(0.999_96)], ..content(2, "graph") };
    let table = rows::table(&content, Vec::new(), 10_000);
    assert_eq!((&table.sure[..], table.distance[0]), (&[0.978, 1.0][..], 0.123));
    let page = html(&content);
    assert!(page.contains("<td>0.978</td>") && page.contains("<td>1.000</td>"));
}

/// As many graphs as the HIV set has, all of them with names that take the most room.
#[test]
fn a_page_of_forty_thousand_graphs_is_bounded_and_says_what_it_leaves_out() {
    let content = content(41_127, &"<".repeat(100));
    let page = html(&content);
    assert!(page.len() <= MAX_BYTES, "{} bytes", page.len());
    let shown = Part::new(&content, String::new(), 2, Limits::default()).table.graph.len();
    assert!(page.contains(&format!("first {shown} of 41127 graphs")));
}

#[test]
fn a_page_stays_below_its_bound_whatever_there_is_too_much_of() {
    let page = html(&excessive());
    assert!(page.len() <= MAX_BYTES, "{} bytes", page.len());
    assert!(page.contains("Left out, for want of room") && page.contains("of 50000 folds"));
    // Something of everything is still there.
    assert!(page.contains("class=\"view\"") && page.contains("id=\"rows\""));
}

#[test]
fn a_page_of_many_targets_has_an_overview_of_all() {
    let mut targets: Vec<(String, Content)> =
        (0..30).map(|k| (format!("assay <{k}>"), content(2000, "graph"))).collect();
    targets.push(("too much".to_owned(), excessive()));
    let page = html_of_targets(&targets);
    assert!(page.len() <= MAX_BYTES, "{} bytes", page.len());
    assert!(page.contains("<td>assay &lt;29&gt;</td>") && page.contains("<td>too much</td>"));
    // One target has too much of everything, for which some of the others are listed alone.
    let shown = page.matches("class=\"target\"").count();
    assert!(shown >= 20 && page.contains(&format!("The first {shown} of 31 targets")), "{shown}");
    let all = html_of_targets(&targets[..30]);
    assert_eq!(all.matches("class=\"target\"").count(), 30);
    // One target alone is a report like any other.
    assert_eq!(html_of_targets(&targets[..1]), html(&targets[0].1));
}

#[test]
fn the_least_limits_are_reached() {
    let mut limits = Limits::default();
    let mut steps = 0;
    while let Some(less) = limits.tightened() {
        (limits, steps) = (less, steps + 1);
    }
    assert!(steps < 20 && limits.targets == 1 && limits.rows > 0);
}
