//! Lists of edges, matrices and tables of them: what is read, and what is refused with which message.

use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet::signal::Orientation;
use hodgelet_data::graphs::{self, ArcOptions, Directed, EdgeWeights, Format};
use hodgelet_data::networks::{self, Layout, NetworkOptions};
use hodgelet_data::targets::TargetOptions;
use hodgelet_data::{OpenError, OpenOptions, Read, open_with};
use std::path::Path;

fn arcs(directed: Directed, weights: Option<EdgeWeights>) -> NetworkOptions {
    NetworkOptions { arcs: ArcOptions { directed, weights }, ..NetworkOptions::default() }
}

fn signals(directed: Directed) -> NetworkOptions {
    arcs(directed, Some(EdgeWeights::Signal))
}

fn read(file: &str, text: &str, options: &NetworkOptions) -> Read {
    networks::parse(file, text.as_bytes(), options).unwrap().read
}

/// The message and the hint of what is refused.
fn refused(file: &str, text: &str, options: &NetworkOptions) -> (String, Option<&'static str>) {
    let error = networks::parse(file, text.as_bytes(), options).unwrap_err();
    (error.to_string(), error.hint())
}

fn message(file: &str, text: &str, options: &NetworkOptions) -> String {
    refused(file, text, options).0
}

fn reals<'a>(dataset: &'a Dataset, name: &str) -> (&'a [f64], Orientation) {
    let column = dataset.column(1, name).unwrap_or_else(|| panic!("no column {name}"));
    match &column.values {
        ColumnValues::Real { values, .. } => (values, column.orientation),
        ColumnValues::Labels { .. } => panic!("{name} is labels"),
    }
}

fn edges(read: &Read) -> Vec<[u32; 2]> {
    read.dataset.complexes()[0].edges().collect()
}

#[test]
fn a_row_is_an_edge_and_other_columns_are_its_attributes() {
    let text = "kind,from,to,length\nx,ann,bob,1.5\ny,bob,cy,2\nx,cy,cy,3\ny,cy,bob,2\n";
    let read = read("net.csv", text, &NetworkOptions::default());
    assert_eq!((edges(&read), read.ids), (vec![[0, 1], [1, 2]], vec!["net".to_owned()]));
    assert_eq!((read.report.self_loops, read.report.repeated), (1, 1));
    assert_eq!(reals(&read.dataset, "length"), (&[1.5, 2.0][..], Orientation::Unoriented));
    let categories = ["x", "y"].map(str::to_owned).to_vec();
    assert_eq!(
        read.dataset.column(1, "kind").unwrap().values,
        ColumnValues::Labels { categories, codes: vec![0, 1] }
    );
}

#[test]
fn a_list_without_names_has_two_vertices_and_a_weight() {
    let plain = signals(Directed::Error);
    for (file, text) in [
        ("a.csv", "1,2,0.5\n2,3,1\n"),
        ("a.tsv", "1\t2\t0.5\n2\t3\t1\n"),
        ("a.csv", "1 2 0.5\n2 3 1\n"),
        ("a.edgelist", "# comment\n1 2 0.5\n\n% comment\n2\t3 1\n"),
        ("a.csv", "ann,bob,0.5\nbob,cy,1\n"),
    ] {
        let read = read(file, text, &plain);
        assert_eq!(edges(&read), [[0, 1], [1, 2]], "{text}");
        assert_eq!(reals(&read.dataset, "weight").0, [0.5, 1.0], "{text}");
    }
    assert!(read("a.csv", "1,2\n2,3\n3,4\n", &NetworkOptions::default()).dataset.columns().is_empty());
    // `1` and `1.0`, which columns with missing entries have, are one vertex.
    assert_eq!(
        edges(&read("a.csv", "from,to\n1,2.0\n1.0,3\n", &NetworkOptions::default())),
        [[0, 1], [0, 2]]
    );
}

#[test]
fn a_matrix_is_read_with_and_without_names() {
    let ignored = signals(Directed::Error);
    let square = NetworkOptions { layout: Some(Layout::Matrix), ..ignored.clone() };
    for (text, options) in [
        ("0,1,0,0\n1,0,2.5,0\n0,2.5,0,0\n0,0,0,0\n", &ignored),
        ("a,b,c,d\n0,1,0,0\n1,0,2.5,0\n0,2.5,0,0\n0,0,0,0\n", &ignored),
        (",a,b,c,d\na,0,1,0,0\nb,1,0,2.5,0\nc,0,2.5,0,0\nd,0,0,0,0\n", &ignored),
        // Rows in another order than columns, and numbers as names.
        (",0,1,2,3\n3,0,0,0,0\n0,0,1,0,0\n1,1,0,2.5,0\n2,0,2.5,0,0\n", &ignored),
        ("0 1 0 0\n1 0 2.5 0\n0 2.5 0 0\n0 0 0 0\n", &square),
    ] {
        let read = read("m.csv", text, options);
        assert_eq!(read.dataset.complexes()[0].n_cells(0), 4, "{text}");
        assert_eq!(edges(&read), [[0, 1], [1, 2]], "{text}");
        assert_eq!(reals(&read.dataset, "weight").0, [1.0, 2.5]);
        assert!(read.report.is_clean(), "{}", read.report);
    }
    // Entries 0 and 1 are no weights.
    let plain = read("m.csv", "0,1,0,0\n1,0,1,0\n0,1,1,0\n0,0,0,0\n", &NetworkOptions::default());
    assert!(plain.dataset.columns().is_empty());
    assert_eq!(plain.report.self_loops, 1);
}

/// The complaint: 100 was dropped against 1 as a repeated edge.
#[test]
fn two_directions_that_disagree_are_an_error_that_names_both() {
    let text = "source,target,weight\na,b,1\nb,c,2\nb,a,100\n";
    for directed in [Directed::Error, Directed::Ignore] {
        let (message, hint) = refused("net.csv", text, &signals(directed));
        assert_eq!(
            message,
            "net.csv, line 4: found 100 as `weight` of the edge from `b` to `a`, but 1 in the other direction in line 2"
        );
        assert!(hint.unwrap().starts_with("--directed flow keeps both"));
    }
    let same = "source,target,weight\na,b,1\na,b,3\n";
    for directed in [Directed::Error, Directed::Ignore, Directed::Flow] {
        let (message, hint) = refused("net.csv", same, &signals(directed));
        assert_eq!(
            message,
            "net.csv, line 3: found 3 as `weight` of the edge from `a` to `b`, but 1 in line 2"
        );
        assert!(hint.unwrap().starts_with("give each edge one line"));
    }
    let key = "<key id='w' for='edge' attr.name='weight' attr.type='double'/>";
    let arc = |tail: &str, head: &str, w: u32| {
        format!("<edge source='{tail}' target='{head}'><data key='w'>{w}</data></edge>\n")
    };
    let body = format!("<node id='a'/><node id='b'/>\n{}{}", arc("a", "b", 1), arc("b", "a", 100));
    let graphml = format!("<graphml>{key}\n<graph edgedefault='directed'>{body}</graph></graphml>");
    let gml = "graph [ directed 1\nnode [ id 1 ] node [ id 2 ]\n\
               edge [ source 1 target 2 weight 1 ]\nedge [ source 2 target 1 weight 100 ] ]";
    for (format, text) in [(Format::GraphMl, graphml.as_str()), (Format::Gml, gml)] {
        let options = signals(Directed::Ignore).arcs;
        let error = graphs::parse(format, "g", text.as_bytes(), &options).unwrap_err().to_string();
        assert!(error.starts_with("g, line 4: found 100 as `weight` of the edge from"), "{error}");
        assert!(error.ends_with("but 1 in the other direction in line 3"), "{error}");
    }
    let matrix = "0,1,0,0\n100,0,0,0\n0,0,0,0\n0,0,0,0\n";
    assert_eq!(
        message("m.csv", matrix, &signals(Directed::Ignore)),
        "m.csv, line 2: found 100 as `weight` of the edge from `1` to `0`, but 1 in the other direction in line 1"
    );
}

#[test]
fn a_directed_graph_is_refused_ignored_or_a_flow() {
    let gml = |directed: u8| {
        format!("graph [ directed {directed}\nnode [ id 1 ] node [ id 2 ]\nedge [ source 1 target 2 ] ]")
    };
    let parse = |text: &str, directed| {
        let options = ArcOptions { directed, weights: None };
        graphs::parse(Format::Gml, "g.gml", text.as_bytes(), &options)
    };
    let error = parse(&gml(1), Directed::Error).unwrap_err();
    assert_eq!(
        error.to_string(),
        "g.gml, line 3: found an arc from `1` to `2` and none back, expected an undirected graph"
    );
    assert!(error.hint().unwrap().contains("--directed flow"));
    assert!(parse(&gml(0), Directed::Error).is_ok());
    assert!(parse(&gml(1), Directed::Ignore).unwrap().dataset.columns().is_empty());
    let flow = parse(&gml(1), Directed::Flow).unwrap().dataset;
    assert_eq!(reals(&flow, "arc"), (&[0.5][..], Orientation::Unoriented));
    assert_eq!(reals(&flow, "arc-flow"), (&[0.5][..], Orientation::Oriented));
    // What runs both ways in any case has no flow.
    let undirected = parse(&gml(0), Directed::Flow).unwrap().dataset;
    assert_eq!((reals(&undirected, "arc").0, reals(&undirected, "arc-flow").0), (&[1.0][..], &[0.0][..]));

    let upper = "0,1,0,0\n0,0,1,0\n0,0,0,0\n0,0,0,0\n";
    assert_eq!(
        message("m.csv", upper, &NetworkOptions::default()),
        "m.csv, line 1: found an arc from `0` to `1` and none back, expected an undirected graph"
    );
    // GraphML says it edge by edge, too.
    let mixed = "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/>\n\
                 <edge source='a' target='b' directed='true'/></graph></graphml>";
    let error = graphs::parse(Format::GraphMl, "g", mixed.as_bytes(), &ArcOptions::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("g, line 2: found an arc from `a` to `b` and none back"),
        "{error}"
    );
}

#[test]
fn a_flow_is_the_antisymmetric_part_and_the_symmetric_part_stays() {
    let text = "from,to,weight,kind\nb,a,5,x\na,b,1,x\nb,c,2,y\n";
    let flow = read("net.csv", text, &signals(Directed::Flow));
    assert_eq!(edges(&flow), [[0, 1], [0, 2]]); // b to a, b to c
    assert_eq!(reals(&flow.dataset, "weight"), (&[3.0, 1.0][..], Orientation::Unoriented));
    assert_eq!(reals(&flow.dataset, "weight-flow"), (&[2.0, 1.0][..], Orientation::Oriented));
    assert!(flow.dataset.column(1, "arc").is_none());
    let conflict = text.replace("a,b,1,x", "a,b,1,y");
    assert_eq!(
        message("net.csv", &conflict, &signals(Directed::Flow)),
        "net.csv, line 3: found y as `kind` of the edge from `a` to `b`, but x in the other direction in line 2"
    );
    // The symmetric part weighs, the other flows.
    let weighed = arcs(Directed::Flow, Some(EdgeWeights::Laplacian("weight".to_owned())));
    let dataset = read("net.csv", text, &weighed).dataset;
    assert_eq!(dataset.weights(0).unwrap().of_dim(1), Some(&[3.0, 1.0][..]));
    assert_eq!(reals(&dataset, "weight-flow").0, [2.0, 1.0]);
    // Large numbers do not overflow.
    let large = "from,to,weight\na,b,1.7e308\nb,a,1.7e308\n";
    assert_eq!(reals(&read("net.csv", large, &signals(Directed::Flow)).dataset, "weight").0, [1.7e308]);
}

#[test]
fn what_a_weight_is_must_be_said() {
    let text = "source,target,weight,strength\na,b,1.5,2\nb,c,2,4\n";
    let (unsaid, hint) = refused("net.csv", text, &NetworkOptions::default());
    assert_eq!(
        unsaid,
        "net.csv: edges have a number `weight`, which may weigh them in the Laplacian or be a signal"
    );
    assert_eq!(hint, Some("--weights laplacian weighs the edges, --weights signal makes a signal of it"));
    let signal = read("net.csv", text, &signals(Directed::Error)).dataset;
    assert!(signal.weights(0).is_none() && signal.column(1, "weight").is_some());
    let laplacian = |name: &str| arcs(Directed::Error, Some(EdgeWeights::Laplacian(name.to_owned())));
    let weighed = read("net.csv", text, &laplacian("strength")).dataset;
    assert_eq!(weighed.weights(0).unwrap().of_dim(1), Some(&[2.0, 4.0][..]));
    assert!(weighed.column(1, "strength").is_none());
    assert_eq!(
        message("net.csv", text, &laplacian("x")),
        "found no number `x` on edges to weigh them; there are `strength`, `weight`"
    );
    assert_eq!(
        message("net.csv", &text.replace("b,c,2", "b,c,-2"), &laplacian("weight")),
        "net.csv, line 3: the weight `weight` is -2, expected a positive number"
    );
}

#[test]
fn one_table_of_several_graphs_is_a_dataset() {
    let text = "net,from,to,y\n1,a,b,p\n2,a,b,q\n1,b,c,p\n3.0,x,y,p\n";
    let graph = Some("net".to_owned());
    let options =
        NetworkOptions { graph: graph.clone(), targets: vec!["y".to_owned()], ..NetworkOptions::default() };
    let found = networks::parse("all.csv", text.as_bytes(), &options).unwrap();
    assert_eq!(found.read.ids, ["1", "2", "3"]);
    assert_eq!(found.targets[0].texts, ["p", "q", "p"]);
    let sizes: Vec<usize> = found.read.dataset.complexes().iter().map(|c| c.n_cells(0)).collect();
    assert_eq!(sizes, [3, 2, 2]);
    assert_eq!(
        message("all.csv", &text.replace("b,c,p", "b,c,q"), &options),
        "all.csv, line 4: found the target `q` of graph `1`, which has `p` in line 2, expected one target for each graph"
    );
    let unknown = NetworkOptions { graph: Some("nett".to_owned()), ..NetworkOptions::default() };
    assert_eq!(
        message("all.csv", text, &unknown),
        "all.csv: found no column `nett` (--graph-column); there are `net`, `from`, `to`, `y`; did you mean `net`?"
    );
}

#[test]
fn each_fault_names_its_line() {
    let plain = NetworkOptions::default();
    let fault = |text: &str| message("net.csv", text, &plain);
    assert_eq!(
        fault("source,target\na,b\nc\n"),
        "net.csv, line 3: found 1 cells in a table of 2 columns, expected as many cells in every line"
    );
    assert_eq!(
        fault("source,target\na,b\n,c\n"),
        "net.csv, line 3: found an edge without an end, expected the names of two vertices"
    );
    assert_eq!(
        fault("source,target,x\na,b,1\nb,c,\n"),
        "net.csv, line 3: found nothing as `x`, expected a value, as other rows have"
    );
    assert_eq!(
        fault("source,target,x\na,b,1\nb,c,inf\n"),
        "net.csv, line 3: found `inf` as `x`, expected a finite number"
    );
    assert_eq!(
        fault("source,target,x,x\na,b,1,1\n"),
        "net.csv, line 1: found `x` twice, expected distinct names of columns"
    );
    assert_eq!(
        fault("source,target,x\na,b,\"1\nb,c,2\n"),
        "net.csv, line 2: found a cell of several lines, expected cells within lines; a quote may be open"
    );
    // A first line of names that are not known may be an edge, which is not to be lost.
    assert_eq!(
        fault("ann,bob\nbob,cy\n"),
        "net.csv, line 1: found the names `ann`, `bob`, expected names of which two are the ends of edges, such as source,target"
    );
    assert_eq!(
        fault("1,2,3,4\n1,2,3,4\n"),
        "net.csv, line 1: found 2 rows of 4 cells without names of columns, expected two vertices and a weight in each row, or as many rows as columns"
    );
    assert_eq!(
        fault("1,2,3\n4,5,6\n7,8,9\n"),
        "net.csv: found 3 rows of 3 numbers, which may be edges or a matrix"
    );
    assert_eq!(
        fault("u,v,w\n1,2,3\n4,5,6\n7,8,9\n"),
        "net.csv: found 3 rows of 3 numbers, which may be edges or a matrix"
    );
    assert_eq!(
        fault("a,b,c,d\n0,1,0,0\n1,0,0,0\n0,0,0,0\n0,0,0,nan\n"),
        "net.csv, line 5: found `nan` in the column of vertex `d`, expected a finite number, 0 where there is no edge"
    );
    assert_eq!(
        fault("a,b,c,c\n0,1,0,0\n1,0,0,0\n0,0,0,0\n0,0,0,0\n"),
        "net.csv, line 1: found the vertex `c` twice, expected distinct vertices"
    );
    let bytes = networks::parse("net.csv", b"source,target\na,\xff\n", &plain).unwrap_err().to_string();
    assert_eq!(bytes, "net.csv, line 2: found bytes that are not UTF-8, expected text");
    let matrix = NetworkOptions { layout: Some(Layout::Matrix), ..plain };
    assert_eq!(
        message("net.csv", "0,1\n1,0\n0,0\n", &matrix),
        "net.csv, line 1: found 3 rows and 2 columns, expected as many rows as columns in an adjacency matrix"
    );
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn opened(path: &Path, options: OpenOptions) -> Result<Read, OpenError> {
    open_with(path.to_str().unwrap(), None, options)
}

#[test]
fn a_folder_of_lists_is_a_dataset_with_a_table_of_targets() {
    let files = [
        ("g1.csv", "source,target\na,b\nb,c\n"),
        ("g2.csv", "source,target\na,b\n"),
        ("g3.csv", ""),
        ("targets.csv", "graph,class,size\ng2.csv,small,1.5\ng1,large,2\nother,large,3\ng3,NA,4\n"),
        ("vertices.csv", "graph,vertex,age\ng1,c,3\ng1,a,1\ng1,b,2\ng1,d,4\ng2,a,5\ng2,b,6\ng3,z,7\n"),
    ];
    let folder = folder(&files);
    let read = opened(folder.path(), OpenOptions::default()).unwrap();
    assert_eq!(read.ids, ["g1", "g2"]);
    let names = ["large", "small"].map(str::to_owned).to_vec();
    assert_eq!(read.dataset.targets(), &Targets::Classes { names, labels: vec![0, 1] });
    assert_eq!(read.report.untargeted, 1);
    let notes = ["targets.csv: column `class` is read as target", "targets.csv: 1 row is of other graphs"];
    assert_eq!(read.report.notes, notes);
    let ages = match &read.dataset.column(0, "age").unwrap().values {
        ColumnValues::Real { values, .. } => values.clone(),
        ColumnValues::Labels { .. } => panic!("ages are numbers"),
    };
    assert_eq!(ages, [3.0, 1.0, 2.0, 4.0, 5.0, 6.0]);

    let mut options = OpenOptions::default();
    options.targets.columns = vec!["size".to_owned()];
    options.targets.to_predict = true;
    let sizes = opened(folder.path(), options.clone()).unwrap();
    assert_eq!(sizes.dataset.targets(), &Targets::Real(vec![2.0, 1.5, 4.0]));
    options.targets.columns = vec!["class".to_owned()];
    let kept = opened(folder.path(), options).unwrap();
    assert_eq!((kept.dataset.targets(), kept.dataset.len()), (&Targets::None, 3));
}

/// A class of every graph but one, and a number of some.
#[test]
fn several_targets_are_known_where_they_are_known() {
    let edges = "source,target\na,b\nb,c\n";
    let targets = "graph,kind,size\ng0,x,0.5\ng1,,\ng2,y,\ng3,,1.5\n";
    let files = [("g0.csv", edges), ("g1.csv", edges), ("g2.csv", edges), ("g3.csv", edges)];
    let dir = folder(&[&files[..], &[("targets.csv", targets)]].concat());
    let columns = vec!["kind,size".to_owned()];
    let options = |to_predict| OpenOptions {
        targets: TargetOptions { columns: columns.clone(), to_predict, ..TargetOptions::default() },
        ..OpenOptions::default()
    };
    let expect = |read: &Read, ids: &[&str], known: [&[usize]; 2]| {
        assert_eq!(
            (&read.ids[..], read.dataset.targets()),
            (&ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..], &Targets::None)
        );
        let [kind, size] = &read.goals[..] else { panic!("{:?}", read.goals) };
        assert_eq!((&kind.name[..], &size.name[..]), ("kind", "size"));
        assert_eq!([&kind.complexes[..], &size.complexes[..]], known);
        let names = vec!["x".to_owned(), "y".to_owned()];
        assert_eq!(kind.targets, Targets::Classes { names, labels: vec![0, 1] });
        assert_eq!(size.targets, Targets::Real(vec![0.5, 1.5]));
    };
    let read = opened(dir.path(), options(false)).unwrap();
    expect(&read, &["g0", "g2", "g3"], [&[0, 1], &[0, 2]]);
    assert_eq!(read.report.untargeted, 1);
    let read = opened(dir.path(), options(true)).unwrap();
    expect(&read, &["g0", "g1", "g2", "g3"], [&[0, 2], &[0, 3]]);

    // In the table of edges itself.
    let table = "net,u,v,kind,size\ng0,a,b,x,0.5\ng0,b,c,x,0.5\ng1,a,b,,\ng2,a,b,y,\ng3,a,b,,1.5\n";
    std::fs::write(dir.path().join("all.csv"), table).unwrap();
    let mut long = options(false);
    long.networks.graph = Some("net".to_owned());
    let read = opened(&dir.path().join("all.csv"), long.clone()).unwrap();
    expect(&read, &["g0", "g2", "g3"], [&[0, 1], &[0, 2]]);
    assert!(read.dataset.columns().is_empty(), "{:?}", read.dataset.columns());

    long.targets.columns = vec!["kind".to_owned(), "sise".to_owned()];
    let error = opened(&dir.path().join("all.csv"), long).unwrap_err().to_string();
    assert!(error.contains("found no column `sise` (--target)"), "{error}");
    let mut twice = options(false);
    twice.targets.columns = vec!["kind".to_owned(), "kind".to_owned()];
    let error = opened(dir.path(), twice).unwrap_err().to_string();
    assert!(error.contains("kind"), "{error}");
}

#[test]
fn faults_of_a_folder_are_named() {
    let fault = |files: &[(&str, &str)]| {
        let folder = folder(files);
        let place = folder.path().display().to_string();
        opened(folder.path(), OpenOptions::default()).unwrap_err().to_string().replace(&place, "DIR")
    };
    let square = ("a.csv", "0,1,0,0\n1,0,0,0\n0,0,0,0\n0,0,0,0\n");
    assert_eq!(
        fault(&[square, ("b.csv", "1,2\n")]),
        "DIR: found matrix in a.csv and edges in b.csv, expected one of them"
    );
    assert_eq!(
        fault(&[("a.csv", "0,1\n1,0\n")]),
        "a.csv: found 2 rows of 2 numbers, which may be edges or a matrix"
    );
    let list = ("a.csv", "source,target\nx,y\n");
    assert_eq!(
        fault(&[list, ("vertices.csv", "graph,vertex\na,x\n")]),
        "a.csv, line 2: the edge names vertex `y`, which the table of vertices does not list for this graph"
    );
    assert_eq!(
        fault(&[list, ("vertices.csv", "graph,vertex\na,x\na,y\nb,x\n")]),
        "vertices.csv, line 4: found graph `b`, expected one that has a file"
    );
    assert_eq!(
        fault(&[list, ("b.csv", list.1), ("vertices.csv", "vertex\nx\ny\n")]),
        "vertices.csv: found no column `graph`, expected one that says which graph a vertex is of"
    );
    assert_eq!(
        fault(&[list, ("vertices.csv", "graph,vertex\na,x\na,x\n")]),
        "vertices.csv, line 3: vertex `x` appears twice"
    );
    assert_eq!(
        fault(&[list, ("targets.csv", "graph,y\nb,1\n")]),
        "targets.csv: found no row of a graph: rows such as `b`, graphs such as `a`"
    );
    assert_eq!(
        fault(&[list, ("targets.csv", "graph,y\na,1\na,2\n")]),
        "targets.csv, line 3: found graph `a` again, after line 2, expected one row for each graph"
    );
    assert_eq!(
        fault(&[list, ("targets.csv", "a,1\nb,2\n")]),
        "targets.csv, line 1: found `a`, `1`, expected names of columns, of which one is graph, id, file or name"
    );
    assert_eq!(
        fault(&[list, ("targets.csv", "graph,p,q\na,1,2\n")]),
        "targets.csv: found several columns that may be targets, `p`, `q`; --target names one"
    );
}

#[test]
fn a_table_of_molecules_with_names_of_ends_is_still_one() {
    for (header, expected) in [
        ("source,target", true),
        ("from;to;weight", true),
        ("mol,source,target", false),
        ("Canonical_SMILES\tsource\ttarget", false),
        ("name,label", false),
        ("1,2", false),
    ] {
        assert_eq!(networks::lists_edges(format!("{header}\n").as_bytes()), expected, "{header}");
    }
}

#[test]
fn small_matrices_are_what_the_others_of_their_folder_are() {
    let folder = folder(&[("a.csv", "0,1,0,0\n1,0,0,0\n0,0,0,0\n0,0,0,0\n"), ("b.csv", "0,1\n1,0\n")]);
    let read = opened(folder.path(), OpenOptions::default()).unwrap();
    assert_eq!(read.dataset.complexes().iter().map(|c| c.n_cells(0)).collect::<Vec<_>>(), [4, 2]);
}
