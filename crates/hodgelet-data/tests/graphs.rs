//! GraphML and GML: what is read, and what is refused with which message.

use hodgelet::dataset::{ColumnValues, Targets};
use hodgelet_data::graphs::{self, ArcOptions, Directed, EdgeWeights, Format};
use hodgelet_data::{OpenOptions, Read, jsonl, open, open_with};

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="color" attr.type="string"><default>yellow &amp; green</default></key>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d2" for="graph" attr.name="class" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <data key="d2">ring</data>
    <edge source="n2" target="n0"><data key="d1">1.5</data></edge>
    <node id="n0"><data key="d0">red</data></node>
    <node id="n1"/>
    <node id="n2"><data key="d0"><![CDATA[red]]></data></node>
    <edge source="n0" target="n0"><data key="d1">9</data></edge>
    <edge source="n0" target="n1"><data key="d1"> 2 </data></edge>
    <edge source="n2" target="n0"><data key="d1">1.5</data></edge>
  </graph>
</graphml>
"#;

const GML: &str = r#"Creator "nobody"
# a comment
graph [
  directed 1
  class "ring"
  edge [ source 2 target 0 weight 1.5 ]
  node [ id 0 color "red" graphics [ x 1 y [ z 2 ] ] ]
  node [ id 1 color "yellow &amp; green" ]
  node [ id 2 color "red" ]
  edge [ source 0 target 0 weight 9 ]
  edge [ source 0 target 1 weight 2 ]
  edge [ source 2 target 0 weight 1.5 ]
]
"#;

/// Arcs as edges, and their weights as signals.
fn ignored() -> ArcOptions {
    ArcOptions { directed: Directed::Ignore, weights: Some(EdgeWeights::Signal) }
}

fn parse(format: Format, file: &str, bytes: &[u8]) -> Result<Read, graphs::GraphsError> {
    graphs::parse(format, file, bytes, &ignored())
}

fn opened(name: &str, data: Option<&std::path::Path>) -> Read {
    let mut options = OpenOptions::default();
    options.networks.arcs = ignored();
    open_with(name, data, options).unwrap()
}

#[test]
fn both_formats_say_the_same_graph() {
    for (format, text) in [(Format::GraphMl, GRAPHML), (Format::Gml, GML)] {
        let read = parse(format, "a.x", text.as_bytes()).unwrap();
        let dataset = &read.dataset;
        assert_eq!((dataset.name(), &read.ids[..]), ("a", &["a".to_owned()][..]));
        assert_eq!(dataset.complexes()[0].n_cells(0), 3);
        assert_eq!(dataset.complexes()[0].edges().collect::<Vec<_>>(), [[2, 0], [0, 1]]);
        assert_eq!((read.report.self_loops, read.report.repeated), (1, 1));
        let names = vec!["ring".to_owned()];
        assert_eq!(dataset.targets(), &Targets::Classes { names, labels: vec![0] });
        let categories = ["red", "yellow & green"].map(String::from).to_vec();
        assert_eq!(dataset.columns()[0].name, "color");
        assert_eq!(dataset.columns()[0].values, ColumnValues::Labels { categories, codes: vec![0, 1, 0] });
        let channels = vec!["weight".to_owned()];
        assert_eq!(dataset.columns()[1].values, ColumnValues::Real { channels, values: vec![1.5, 2.0] });
    }
}

#[test]
fn each_fault_of_graphml_names_its_line() {
    let message = |text: &str| parse(Format::GraphMl, "a.graphml", text.as_bytes()).unwrap_err().to_string();
    let body = |inner: &str| message(&format!("<graphml>\n<graph>\n{inner}\n</graph>\n</graphml>"));
    assert_eq!(message("<graphml></graphml>\n"), "a.graphml, line 2: found no graph, expected one");
    assert_eq!(body("<node/>"), "a.graphml, line 3: found no `id`, expected a node with an id");
    assert_eq!(body("<node id='a'/>\n<node id='a'/>"), "a.graphml, line 4: vertex `a` appears twice");
    assert_eq!(
        body("<node id='a'/>\n<edge source='a' target='b'/>"),
        "a.graphml, line 4: the edge names vertex `b`, which the file does not list"
    );
    assert_eq!(body("<hyperedge/>"), "a.graphml, line 3: hyperedges are not read");
    assert_eq!(
        body("<node id='a'>\n<graph/></node>"),
        "a.graphml, line 4: graphs within graphs are not read"
    );
    assert_eq!(
        body("<node id='a'><data key='k'>1</data></node>"),
        "a.graphml, line 3: found data of key `k`, expected a key declared before"
    );
    assert_eq!(
        body("<key id='k' attr.type='int' for='node'/>\n<node id='a'><data key='k'>nan</data></node>"),
        "a.graphml, line 4: found `nan`, expected a finite number"
    );
    assert!(message("<graphml>\n<graph>\n</wrong>").starts_with("a.graphml, line 3: "));
    assert!(parse(Format::GraphMl, "a", b"\xff").is_err());
}

#[test]
fn weights_of_cells_must_be_positive() {
    let key = "<key id='w' for='edge' attr.name='cell-weights' attr.type='double'/>";
    let ends = "<node id='a'/><node id='b'/>";
    let read = |weight: &str| {
        let edge = format!("<edge source='a' target='b'><data key='w'>{weight}</data></edge>");
        let text = format!("<graphml>{key}<graph>{ends}{edge}</graph></graphml>");
        parse(Format::GraphMl, "a.graphml", text.as_bytes())
    };
    assert_eq!(read("1.5").unwrap().dataset.weights(0).unwrap().of_dim(1), Some(&[1.5][..]));
    assert_eq!(
        read("-1.5").unwrap_err().to_string(),
        "column `cell-weights` of dimension 1 has the weight -1.5, expected positive finite numbers"
    );
}

#[test]
fn each_fault_of_gml_names_its_line() {
    let message = |text: &str| parse(Format::Gml, "a.gml", text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message(""), "a.gml, line 1: found no graph, expected one");
    assert_eq!(message("graph [\n"), "a.gml, line 2: found the end of the file, expected a key");
    assert_eq!(message("graph [\nnode [ ]\n]"), "a.gml, line 2: found no `id`, expected a node with an id");
    assert_eq!(message("graph [\nnode [ id 1 ]\nnode [ id 1 ] ]"), "a.gml, line 3: vertex `1` appears twice");
    assert_eq!(
        message("graph [\nedge [ source 1 target 2 ] ]"),
        "a.gml, line 2: the edge names vertex `1`, which the file does not list"
    );
    assert_eq!(
        message("graph [\nnode [ id ] ]"),
        "a.gml, line 2: found `]`, expected a number, a string or a list"
    );
    assert_eq!(
        message("graph [\nnode [ id 1 x nan x 2 ] ]"),
        "a.gml, line 2: found `nan`, expected a number, a string or a list"
    );
    assert_eq!(
        message("graph [\nnode [ id 1 x 1 x 2 ] ]"),
        "a.gml, line 2: found `x` a second time, expected distinct keys"
    );
    assert_eq!(message("graph [\nname \"a\n]"), "a.gml, line 2: found a string without end, expected `\"`");
    assert_eq!(
        message("graph [\nx 1e999 ]"),
        "a.gml, line 2: found `1e999`, expected a key or a finite number"
    );
    assert_eq!(message("graph [ ]\ngraph [ ]"), "a.gml, line 2: several graphs in one file are not read");
}

#[test]
fn a_folder_of_graphs_is_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("mixed");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("a.graphml"), GRAPHML).unwrap();
    std::fs::write(dir.join("b.gml"), GML.replace("ring", "path")).unwrap();
    let read = opened("mixed", Some(folder.path()));
    let names = ["path", "ring"].map(String::from).to_vec();
    assert_eq!(read.dataset.targets(), &Targets::Classes { names, labels: vec![1, 0] });
    assert_eq!(read.ids, ["a", "b"]);

    std::fs::write(dir.join("targets.csv"), "file,target\na.graphml,1.5\nb, -2\n").unwrap();
    let read = opened(dir.to_str().unwrap(), None);
    assert_eq!(read.dataset.targets(), &Targets::Real(vec![1.5, -2.0]));

    std::fs::write(dir.join("targets.csv"), "a.graphml,1.5\n").unwrap();
    let message = || graphs::read_dir(&dir, &ignored()).unwrap_err().to_string();
    assert_eq!(message(), "b.gml has no target, which others have");
    std::fs::write(dir.join("targets.csv"), "a.graphml\n").unwrap();
    assert_eq!(message(), "targets.csv, line 1: found `a.graphml`, expected `file,target`");
    std::fs::remove_file(dir.join("targets.csv")).unwrap();
    std::fs::write(dir.join("b.gml"), "graph [ class 1 node [ id 0 ] ]").unwrap();
    assert_eq!(message(), "b.gml: vertex `0` has no `color`, which others have");
}

#[test]
fn a_dataset_is_found_by_path_or_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let dataset = parse(Format::Gml, "ring", GML.as_bytes()).unwrap().dataset;
    jsonl::write(&data.join("Rings.jsonl"), &dataset, &[]).unwrap();
    std::fs::write(data.join("one.gml"), GML).unwrap();
    std::fs::write(data.join("notes.txt"), "").unwrap();

    assert_eq!(open("Rings", Some(data)).unwrap().dataset, dataset);
    assert_eq!(open(data.join("Rings.jsonl").to_str().unwrap(), None).unwrap().dataset, dataset);
    assert_eq!(opened("one.gml", Some(data)).dataset.complexes(), dataset.complexes());

    let place = data.display();
    assert_eq!(
        open("rigns", Some(data)).unwrap_err().to_string(),
        format!(
            "no dataset `rigns`; tried rigns and {place}/rigns, alone and with an extension; similar names: Rings"
        )
    );
    assert_eq!(open("elsewhere", None).unwrap_err().to_string(), "no dataset `elsewhere`; tried elsewhere");
    assert_eq!(
        open("notes.txt", Some(data)).unwrap_err().to_string(),
        format!(
            "{place}/notes.txt: expected a folder or a .zip, .jsonl, .graphml, .gml, .json, .json.gz, .off, .obj, .ply, .csv, .tsv, .parquet, .edgelist or .edges file"
        )
    );
}
