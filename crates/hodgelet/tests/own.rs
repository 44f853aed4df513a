//! Blocks of what is known of graphs as a whole, and of environments that are counted.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, WHOLE};
use hodgelet::feature::Block;
use hodgelet::model::Model;
use hodgelet::settings::{BlockKind, Settings};
use hodgelet::signal::Orientation;

/// Paths whose targets follow a number and a tag, and nothing of the path.
fn paths(n: usize, unit: f64) -> Dataset {
    let graphs = (0..n).map(|i| {
        let m = 3 + i % 3;
        let edges: Vec<[u32; 2]> = (1..m as u32).map(|v| [v - 1, v]).collect();
        Complex::graph(m, &edges).unwrap()
    });
    let number = |i: usize| ((7 * i) % 11) as f64;
    let tagged = |i: usize| (i / 2) % 2;
    let numbers = ColumnValues::Real {
        channels: vec!["0".to_owned()],
        values: (0..n).map(|i| unit * number(i)).collect(),
    };
    let starts: Vec<usize> = (0..=n).collect();
    let own = |name: &str, starts: Vec<usize>, values| Column {
        name: name.to_owned(),
        dim: WHOLE,
        orientation: Orientation::Unoriented,
        starts,
        values,
    };
    let (mut tags, mut tag_starts) = (Vec::new(), vec![0]);
    for i in 0..n {
        tags.extend([0, 0, 1 + tagged(i) as u32]);
        tag_starts.push(tags.len());
    }
    let categories = ["a", "b", "c"].map(str::to_owned).to_vec();
    let columns = vec![
        own("dose", starts, numbers),
        own("keys", tag_starts, ColumnValues::Labels { categories, codes: tags }),
    ];
    let targets = Targets::Real((0..n).map(|i| number(i) + 5.0 * tagged(i) as f64).collect());
    Dataset::new("paths", graphs.collect(), columns, targets).unwrap()
}

fn settings() -> Settings {
    Settings { iterations: 30, n_filters: 2, ..Settings::default().most_probable() }
}

fn fitted(settings: &Settings, data: &Dataset, n: usize) -> Model {
    settings.fit(data, &(0..n).collect::<Vec<_>>()).unwrap()
}

fn error(model: &Model, data: &Dataset, from: usize) -> f64 {
    let Targets::Real(truth) = data.targets() else { unreachable!() };
    let found = model.predict(data).unwrap();
    let means = found.targets.densities().unwrap();
    let squares = (from..data.len()).map(|i| (means[i].mean() - truth[i]).powi(2));
    (squares.sum::<f64>() / (data.len() - from) as f64).sqrt()
}

#[test]
fn numbers_and_tags_of_graphs_are_learned_from() {
    let data = paths(60, 1.0);
    let model = fitted(&settings(), &data, 40);
    let names: Vec<String> = model.blocks().iter().map(|b| b.block.to_string()).collect();
    assert!(names.contains(&"graph columns".to_owned()) && names.contains(&"graph fingerprints".to_owned()));
    let with = error(&model, &data, 40);
    let without = Settings { blocks: Some(vec![BlockKind::Energies, BlockKind::EdgeLabels]), ..settings() };
    let without = error(&fitted(&without, &data, 40), &data, 40);
    assert!(with < 0.5 && without > 2.0, "{with} {without}");
}

#[test]
fn files_units_and_stores_keep_what_graphs_have() {
    let data = paths(30, 1.0);
    let model = fitted(&settings(), &data, 24);
    let found = model.predict(&data).unwrap();
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&data).unwrap(), found);
    for unit in [1e-150, 1e150] {
        let scaled = paths(30, unit);
        let other = fitted(&settings(), &scaled, 24).predict(&scaled).unwrap();
        assert!((&other.latent_mean - &found.latent_mean).norm_max() < 1e-6, "{unit:e}");
    }
    let bare = data.clone().with_columns(Vec::new()).unwrap();
    let error = model.predict(&bare).unwrap_err().to_string();
    assert_eq!(error, "the dataset has no column `dose` of the graphs as a whole");
}

/// Folded to one count, environments tell the number of vertices alone; folded to many, they are what they are without folding.
#[test]
fn environments_are_folded_to_as_many_counts_as_are_asked_for() {
    let stars_and_paths = |n: usize| {
        let graph = |i: usize| {
            let edges: Vec<[u32; 2]> =
                (1..5).map(|v| [if i.is_multiple_of(2) { 0 } else { v - 1 }, v]).collect();
            Complex::graph(5, &edges).unwrap()
        };
        let targets = Targets::Real((0..n).map(|i| (i % 2) as f64).collect());
        Dataset::new("shapes", (0..n).map(graph).collect(), Vec::new(), targets).unwrap()
    };
    let data = stars_and_paths(12);
    let blocks = Some(vec![BlockKind::Environments]);
    let with = |environment_size| Settings { blocks: blocks.clone(), environment_size, ..settings() };
    let means = |size| fitted(&with(size), &data, 12).predict(&data).unwrap().latent_mean;
    let own = means(None);
    assert!((own[(0, 0)] - own[(1, 0)]).abs() > 0.1, "a star is not a path");
    assert!((means(Some(usize::MAX)) - &own).norm_max() < 1e-12);
    let model = fitted(&with(Some(2)), &data, 12);
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&data).unwrap(), model.predict(&data).unwrap());
    let all = (0..12).collect::<Vec<_>>();
    let error = with(Some(1)).fit(&data, &all).unwrap_err().to_string();
    assert!(error.contains("varies"), "all have five vertices: {error}");
}

/// `‖1‖` of the counts is the number of vertices times that of depths, and the kernel is 1 for graphs that look alike.
#[test]
fn environments_are_counted_at_all_depths() {
    let data = paths(12, 1.0);
    let blocks = Some(vec![BlockKind::Environments]);
    let model = fitted(&Settings { blocks, ..settings() }, &data, 12);
    assert_eq!(model.blocks().iter().map(|b| b.block).collect::<Vec<_>>(), [Block::ENVIRONMENTS]);
    let found = model.predict(&data).unwrap();
    // Graphs of one size are the same path.
    assert!((found.latent_mean[(0, 0)] - found.latent_mean[(3, 0)]).abs() < 1e-12);
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&data).unwrap(), found);
}
