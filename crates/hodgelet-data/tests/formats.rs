//! The same graphs in every format that holds them have the same features.

use hodgelet::model::FeatureSpace;
use hodgelet::settings::Settings;
use hodgelet_data::graphs::{ArcOptions, Directed, EdgeWeights};
use hodgelet_data::{OpenOptions, Read, jsonl, open_with};
use rand::{Rng, RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// Features differ by rounding alone, which the order of vertices changes.
const SAME: f64 = 1e-9;

/// A graph: a color and an age for each vertex, and rows of two vertices, a weight and a kind.
struct Drawn {
    vertices: Vec<(&'static str, f64)>,
    rows: Vec<(usize, usize, f64, &'static str)>,
}

fn drawn(n_graphs: usize, directed: bool) -> Vec<Drawn> {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let one = |rng: &mut ChaCha8Rng| {
        let n = rng.random_range(4..9);
        let vertices =
            (0..n).map(|_| (["red", "blue"][rng.random_range(0..2)], rng.random_range(-2.0..2.0))).collect();
        let mut rows = Vec::new();
        for (u, v) in (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))) {
            let kind = ["a", "b"][rng.random_range(0..2)];
            let mut weight = || rng.random_range(1..40) as f64 / 8.0;
            let (along, back) = (weight(), weight());
            match rng.random_range(0..4) {
                0 => {}
                1 if directed => rows.extend([(u, v, along, kind), (v, u, back, kind)]),
                2 if directed => rows.push((v, u, back, kind)),
                _ => rows.push((u, v, along, kind)),
            }
        }
        Drawn { vertices, rows }
    };
    (0..n_graphs).map(|_| one(rng)).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

fn graphml(graph: &Drawn, directed: bool) -> String {
    let mut text = "<graphml>\n".to_owned();
    for (id, of, name, kind) in [
        ("c", "node", "color", "string"),
        ("g", "node", "age", "double"),
        ("w", "edge", "weight", "double"),
        ("k", "edge", "kind", "string"),
    ] {
        writeln!(text, "<key id='{id}' for='{of}' attr.name='{name}' attr.type='{kind}'/>").unwrap();
    }
    let default = if directed { "directed" } else { "undirected" };
    writeln!(text, "<graph edgedefault='{default}'>").unwrap();
    for (v, (color, age)) in graph.vertices.iter().enumerate() {
        writeln!(text, "<node id='v{v}'><data key='c'>{color}</data><data key='g'>{age}</data></node>")
            .unwrap();
    }
    for (u, v, weight, kind) in &graph.rows {
        let data = format!("<data key='w'>{weight}</data><data key='k'>{kind}</data>");
        writeln!(text, "<edge source='v{u}' target='v{v}'>{data}</edge>").unwrap();
    }
    text + "</graph>\n</graphml>\n"
}

fn gml(graph: &Drawn, directed: bool) -> String {
    let mut text = format!("graph [\ndirected {}\n", u8::from(directed));
    for (v, (color, age)) in graph.vertices.iter().enumerate() {
        writeln!(text, "node [ id {v} color \"{color}\" age {age} ]").unwrap();
    }
    for (u, v, weight, kind) in &graph.rows {
        writeln!(text, "edge [ source {u} target {v} weight {weight} kind \"{kind}\" ]").unwrap();
    }
    text + "]\n"
}

/// Rows in any order, and edges that are not arcs in any direction.
fn shuffled(graph: &Drawn, directed: bool, rng: &mut ChaCha8Rng) -> Vec<(usize, usize, f64, &'static str)> {
    let mut rows = graph.rows.clone();
    rows.shuffle(rng);
    let flip =
        |(u, v, weight, kind), rng: &mut ChaCha8Rng| match !directed && rng.next_u32().is_multiple_of(2) {
            true => (v, u, weight, kind),
            false => (u, v, weight, kind),
        };
    rows.into_iter().map(|row| flip(row, rng)).collect()
}

/// All graphs in a folder for each format, and a table of them.
fn write_all(folder: &Path, graphs: &[Drawn], directed: bool) {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let mut vertices = "graph,vertex,color,age\n".to_owned();
    let mut table = "kind,weight,tail,graph,head\n".to_owned();
    for (i, graph) in graphs.iter().enumerate() {
        write(&folder.join("graphml"), &format!("g{i}.graphml"), &graphml(graph, directed));
        write(&folder.join("gml"), &format!("g{i}.gml"), &gml(graph, directed));
        let mut list = "from;kind;to;weight\n".to_owned();
        for (u, v, weight, kind) in shuffled(graph, directed, rng) {
            writeln!(list, "v{u};{kind};v{v};{weight:e}").unwrap();
        }
        write(&folder.join("lists"), &format!("g{i}.csv"), &list);
        for (u, v, weight, kind) in shuffled(graph, directed, rng) {
            writeln!(table, "{kind},{weight},v{u},g{i},v{v}").unwrap();
        }
        let mut order: Vec<usize> = (0..graph.vertices.len()).collect();
        order.shuffle(rng);
        for v in order {
            writeln!(vertices, "g{i},v{v},{},{}", graph.vertices[v].0, graph.vertices[v].1).unwrap();
        }
    }
    write(&folder.join("lists"), "vertices.csv", &vertices);
    write(folder, "all.csv", &table);
    write(folder, "of-all.csv", &vertices);
}

fn opened(path: &Path, options: &OpenOptions) -> Read {
    open_with(path.to_str().unwrap(), None, options.clone()).unwrap()
}

/// Names and values of all features.
fn features(read: &Read) -> (Vec<String>, Vec<f64>) {
    let all: Vec<usize> = (0..read.dataset.len()).collect();
    let go_on = |_: usize| ControlFlow::Continue(());
    let (space, measured) = FeatureSpace::fit(&Settings::default(), &read.dataset, &all, go_on).unwrap();
    let blocks = space.features(&measured.measures.iter().collect::<Vec<_>>(), false).unwrap();
    let of = |i: usize| blocks.iter().flat_map(move |b| (0..b.ncols()).map(move |j| b[(i, j)]));
    (space.column_names(), all.into_iter().flat_map(of).collect())
}

fn assert_same(name: &str, read: &Read, expected: &(Vec<String>, Vec<f64>)) {
    let (names, values) = features(read);
    assert_eq!(names, expected.0, "{name}");
    assert_eq!(values.len(), expected.1.len(), "{name}");
    for (k, (a, b)) in values.iter().zip(&expected.1).enumerate() {
        let column = &names[k % names.len()];
        assert!((a - b).abs() <= SAME * b.abs().max(1.0), "{name}, {column}: {a} and {b}");
    }
}

#[test]
fn every_format_gives_the_same_features() {
    let laplacian = EdgeWeights::Laplacian("weight".to_owned());
    for (directed, weights) in [
        (Directed::Error, EdgeWeights::Signal),
        (Directed::Flow, EdgeWeights::Signal),
        (Directed::Flow, laplacian.clone()),
        (Directed::Error, laplacian),
    ] {
        let is_directed = directed == Directed::Flow;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write_all(folder.path(), &drawn(6, is_directed), is_directed);
        let mut options = OpenOptions::default();
        options.networks.arcs = ArcOptions { directed, weights: Some(weights) };
        let first = opened(&at("graphml"), &options);
        let expected = features(&first);
        assert!(expected.0.iter().any(|name| name.starts_with("edge exact | kind=a")), "{:?}", expected.0);
        let flows = expected.0.iter().any(|name| name.contains("weight-flow"));
        assert_eq!(flows, is_directed, "{:?}", expected.0);
        for name in ["gml", "lists"] {
            assert_same(name, &opened(&at(name), &options), &expected);
        }
        let mut long = options.clone();
        long.networks.graph = Some("graph".to_owned());
        long.networks.vertices = Some(at("of-all.csv"));
        let table = opened(&at("all.csv"), &long);
        let order: Vec<usize> =
            (0..6).map(|i| table.ids.iter().position(|id| *id == format!("g{i}")).unwrap()).collect();
        let table = Read { dataset: table.dataset.select(&order), ..table };
        assert_same("table", &table, &expected);
        jsonl::write(&at("all.jsonl"), &first.dataset, &first.ids).unwrap();
        assert_same("jsonl", &opened(&at("all.jsonl"), &options), &expected);
    }
}

/// Matrices hold weights alone.
#[test]
fn matrices_give_the_features_of_lists() {
    for directed in [Directed::Error, Directed::Flow] {
        let folder = tempfile::tempdir().unwrap();
        for (i, graph) in drawn(6, directed == Directed::Flow).iter().enumerate() {
            let n = graph.vertices.len();
            let mut entries = vec![vec![0.0; n]; n];
            let mut list = (0..n).fold("u,v,weight\n".to_owned(), |text, v| text + &format!("v{v},v{v},1\n"));
            for (u, v, weight, _) in &graph.rows {
                entries[*u][*v] = *weight;
                if directed == Directed::Error {
                    entries[*v][*u] = *weight;
                }
                writeln!(list, "v{u},v{v},{weight}").unwrap();
            }
            let mut matrix = (0..n).map(|v| format!(",v{v}")).collect::<String>() + "\n";
            for (v, row) in entries.iter().enumerate() {
                let cells = row.iter().map(|w| format!(",{w}")).collect::<String>();
                writeln!(matrix, "v{v}{cells}").unwrap();
            }
            write(&folder.path().join("matrices"), &format!("g{i}.csv"), &matrix);
            write(&folder.path().join("lists"), &format!("g{i}.csv"), &list);
        }
        let mut options = OpenOptions::default();
        options.networks.arcs = ArcOptions { directed, weights: Some(EdgeWeights::Signal) };
        let lists = opened(&folder.path().join("lists"), &options);
        assert!(lists.report.self_loops > 0); // every vertex is named, with or without edges
        assert_same("matrices", &opened(&folder.path().join("matrices"), &options), &features(&lists));
    }
}

/// Graphs without anything on their cells, as every format that holds graphs has them.
#[test]
fn plain_graphs_have_the_same_features_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (mut arcs, mut indicator, mut first) = (String::new(), String::new(), 1);
    for (i, graph) in drawn(6, false).iter().enumerate() {
        // Every vertex is on a path, so that lists of edges name it.
        let n = graph.vertices.len();
        let path = (1..n).map(|v| (v - 1, v));
        let mut edges: Vec<(usize, usize)> =
            path.chain(graph.rows.iter().map(|row| (row.0, row.1))).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut matrix = vec![vec!["0"; n]; n];
        let mut graphml = "<graphml><graph edgedefault='undirected'>\n".to_owned();
        let (mut gml, mut list) = ("graph [\n".to_owned(), "source,target\n".to_owned());
        for v in 0..n {
            writeln!(graphml, "<node id='{v}'/>").unwrap();
            writeln!(gml, "node [ id {v} ]").unwrap();
            writeln!(indicator, "{}", i + 1).unwrap();
        }
        for &(u, v) in &edges {
            (matrix[u][v], matrix[v][u]) = ("1", "1");
            writeln!(graphml, "<edge source='{u}' target='{v}'/>").unwrap();
            writeln!(gml, "edge [ source {u} target {v} ]").unwrap();
            writeln!(list, "{v},{u}").unwrap();
            writeln!(arcs, "{}, {}\n{}, {}", first + u, first + v, first + v, first + u).unwrap();
        }
        first += n;
        write(&at("graphml"), &format!("g{i}.graphml"), &(graphml + "</graph></graphml>\n"));
        write(&at("gml"), &format!("g{i}.gml"), &(gml + "]\n"));
        write(&at("lists"), &format!("g{i}.csv"), &list);
        let rows: String = matrix.iter().map(|row| row.join(",") + "\n").collect();
        write(&at("matrices"), &format!("g{i}.csv"), &rows);
    }
    write(&at("TU"), "TU_A.txt", &arcs);
    write(&at("TU"), "TU_graph_indicator.txt", &indicator);
    write(&at("TU"), "TU_graph_labels.txt", "0\n1\n0\n1\n0\n1\n");
    let plain = OpenOptions::default();
    let tu = opened(&at("TU"), &plain);
    let expected = features(&tu);
    assert!(!expected.1.is_empty() && expected.1.iter().any(|value| *value != 0.0));
    for name in ["graphml", "gml", "lists", "matrices"] {
        assert_same(name, &opened(&at(name), &plain), &expected);
    }
    jsonl::write(&at("all.jsonl"), &tu.dataset, &tu.ids).unwrap();
    assert_same("jsonl", &opened(&at("all.jsonl"), &plain), &expected);
}

/// The same molecules with their atoms, rows and columns in another order, and as JSONL.
#[test]
fn molecules_have_the_same_features_however_they_are_written() {
    /// A molecule and another way to write it.
    const WRITTEN: [(&str, &str); 6] = [
        ("CC(=O)Oc1ccccc1C(=O)O", "OC(=O)c1c(cccc1)OC(C)=O"),
        ("C[C@H](N)C(=O)O", "OC(=O)[C@@H](N)C"),
        ("F/C=C/Cl", "Cl/C=C/F"),
        ("C[N+](=O)[O-]", "[O-][N+](=O)C"),
        ("c1ccc2[nH]ccc2c1", "[nH]1ccc2ccccc12"),
        ("CCN(CC)CC", "C(C)N(CC)CC"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let one: String =
        WRITTEN.iter().enumerate().map(|(i, (smiles, _))| format!("{i},{smiles},{}\n", i % 2)).collect();
    write(folder.path(), "one.csv", &format!("name,smiles,class\n{one}"));
    let order = [3, 0, 5, 1, 4, 2];
    let other: String = order.iter().map(|&i| format!("{}\t{}\t{i}\n", i % 2, WRITTEN[i].1)).collect();
    write(folder.path(), "other.tsv", &format!("class\tsmiles\tname\n{other}"));
    let plain = OpenOptions::default();
    let (one, other) = (opened(&at("one.csv"), &plain), opened(&at("other.tsv"), &plain));
    let expected = features(&one);
    let back: Vec<usize> = (0..6).map(|i| order.iter().position(|&k| k == i).unwrap()).collect();
    let other = Read { dataset: other.dataset.select(&back), ..other };
    assert_same("tsv", &other, &expected);
    jsonl::write(&at("one.jsonl"), &one.dataset, &one.ids).unwrap();
    assert_same("jsonl", &opened(&at("one.jsonl"), &plain), &expected);
}
