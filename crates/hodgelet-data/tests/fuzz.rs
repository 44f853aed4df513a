//! Bounded mutational fuzzing of every parser: valid inputs, mutated by a seeded generator, must be read into a
//! valid dataset or refused, never panic. `HODGELET_FUZZ` multiplies the number of inputs.

use hodgelet::complex::{Complex, Expansion};
use hodgelet::dataset::Dataset;
use hodgelet::encode::{CellSignal, EncodingParams, VertexSignal};
use hodgelet_data::graphs::{self, ArcOptions, Directed, EdgeWeights, Format};
use hodgelet_data::mesh::{self, MeshFormat};
use hodgelet_data::networks::{self, Layout, NetworkOptions};
use hodgelet_data::table::{self, TableOptions};
use hodgelet_data::tu::{self, File, Files};
use hodgelet_data::{Read, hif, jsonl, mantra};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Write;

/// Inputs per parser.
fn n_inputs() -> u64 {
    let factor = std::env::var("HODGELET_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    10_000 * factor
}

/// Pieces that break parsers more often than random bytes do.
const PIECES: [&[u8]; 24] = [
    b"0",
    b"-1",
    b"+",
    b"99999999999",
    b"4294967296",
    b"nan",
    b"inf",
    b"1e999",
    b"-0.0",
    b",",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\0",
    b"\"",
    b"[",
    b"]",
    b"{}",
    b"null",
    b"<",
    b"&",
    b"</graph>",
];

/// One to four random changes.
fn mutate(rng: &mut impl Rng, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let end = (at + rng.random_range(0..12)).min(bytes.len());
        match rng.random_range(0..7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
            4 => bytes.truncate(at),
            5 => drop(bytes.splice(at..at, PIECES[rng.random_range(0..PIECES.len())].iter().copied())),
            _ => drop(bytes.splice(at..end, PIECES[rng.random_range(0..PIECES.len())].iter().copied())),
        }
    }
    bytes
}

/// What must hold of everything that is read.
fn assert_sound(read: &Read) {
    let dataset = &read.dataset;
    let (name, complexes, columns, targets) = dataset.clone().into_parts();
    assert_eq!(&Dataset::new(name, complexes, columns, targets).unwrap(), dataset);
    for complex in dataset.complexes() {
        let boundaries = (1..=complex.dim()).map(|k| complex.boundary(k).unwrap().clone()).collect();
        assert_eq!(&Complex::from_boundaries(complex.n_cells(0), boundaries).unwrap(), complex);
    }
    let mut bytes = Vec::new();
    jsonl::write_to(&mut bytes, dataset, &[]).unwrap();
    assert_eq!(&jsonl::parse("again", &bytes).unwrap().dataset, dataset);
    if dataset.complexes().iter().all(|complex| complex.n_cells(0) < 10_000) {
        let vertices = VertexSignal::DegreeOneHot;
        let params = EncodingParams { vertices, edges: CellSignal::Auto, ..EncodingParams::default() };
        let train: Vec<usize> = (0..dataset.len()).collect();
        let encoding = params.fit(dataset, &train).unwrap();
        let encoder = encoding.bind(dataset).unwrap();
        assert!(train.iter().all(|&i| encoder.encode(i).1 == 0));
    }
}

/// Feeds mutations to `parse`; some must be accepted and some refused, or the fuzzing says nothing.
fn fuzz(name: &str, mut parse: impl FnMut(&mut ChaCha8Rng) -> Option<Read>) {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..n_inputs() {
        match parse(&mut ChaCha8Rng::seed_from_u64(seed)) {
            Some(read) => {
                assert_sound(&read);
                accepted += 1;
            }
            None => refused += 1,
        }
    }
    println!("{name}: {accepted} inputs accepted, {refused} refused");
    assert!(accepted > 10 && refused > 10, "{name}: {accepted} inputs accepted, {refused} refused");
}

const TU: [(File, &str); 7] = [
    (File::Arcs, "1, 2\n2, 1\n3, 2\n2, 3\n4, 5\n5, 4\n"),
    (File::GraphIndicator, "1\n1\n1\n2\n2\n"),
    (File::GraphLabels, "+1\n-1\n"),
    (File::NodeLabels, "6, 0\n7, 1\n6, 0\n10, 1\n6, 0\n"),
    (File::NodeAttributes, "0.5, 1\n-1.5, 2\n2.5, 3\n1e3, 4\n0, 0\n"),
    (File::EdgeLabels, "1\n1\n2\n2\n1\n1\n"),
    (File::EdgeAttributes, "1.5, 2\n1.5, -2\n0.5, 3\n0.5, -3\n1, 0\n1, 0\n"),
];

fn tu_sample() -> Files {
    let mut files = Files::default();
    TU.iter().for_each(|&(file, text)| files.set(file, text));
    files
}

#[test]
fn tu_text() {
    fuzz("TU", |rng| {
        let mut files = tu_sample();
        let (file, text) = TU[rng.random_range(0..TU.len())];
        files.set(file, mutate(rng, text.as_bytes()));
        tu::parse("DS", &files).ok()
    });
}

#[test]
fn tu_archive() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (file, text) in TU {
        zip.start_file(file.name("DS/DS"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let seed = zip.finish().unwrap().into_inner();
    fuzz("TU archive", |rng| tu::parse_zip("DS.zip", &mutate(rng, &seed)).ok());
}

#[test]
fn jsonl_text() {
    let seed = concat!(
        r#"{"hodgelet":1,"target":"class","columns":[{"name":"label","dim":0,"kind":"labels"},"#,
        r#"{"name":"flow","dim":1,"kind":"real","channels":["x","y"],"oriented":true}]}"#,
        "\n",
        r#"{"vertices":3,"edges":[[0,1],[2,1],[0,2]],"triangles":[[0,1,2]],"signals":{"0":{"label":["C",7,"C"]},"#,
        r#""1":{"flow":[[1,2],[3,4],[5e-3,-6]]}},"target":"b"}"#,
        "\n",
        r#"{"vertices":2,"edges":[[0,1]],"boundaries":{"2":[]},"signals":{"0":{"label":["N","O"]},"#,
        r#""1":{"flow":[[0,-0.0]]}},"target":3}"#,
        "\n",
    );
    fuzz("JSONL", |rng| jsonl::parse("f.jsonl", &mutate(rng, seed.as_bytes())).ok());
}

#[test]
fn graphml_text() {
    let seed = r#"<graphml><key id="d0" for="node" attr.name="color"><default>red</default></key>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="directed"><node id="a"/><node id="b"><data key="d0">&lt;blue</data></node>
<edge source="a" target="b"><data key="d1">1.5</data></edge></graph></graphml>"#;
    fuzz("GraphML", |rng| graphs::parse(Format::GraphMl, "f", &mutate(rng, seed.as_bytes()), &flows()).ok());
}

/// Arcs of any direction and weight.
fn flows() -> ArcOptions {
    ArcOptions { directed: Directed::Flow, weights: Some(EdgeWeights::Signal) }
}

#[test]
fn lists_of_edges_and_matrices() {
    let edges = "graph,source,target,weight,kind\ng1,a,b,1.5,x\ng1,b,a,-2,x\n\ng2,1,\"2\",1e3,y\n";
    let graph = Some("graph".to_owned());
    let several = NetworkOptions { arcs: flows(), graph, ..NetworkOptions::default() };
    let read =
        |text: &[u8], options: &NetworkOptions| Some(networks::parse("f.csv", text, options).ok()?.read);
    fuzz("edges", |rng| read(&mutate(rng, edges.as_bytes()), &several));
    let matrix = ";a;b;c;d\na;0;1;0;2\nb;1;0;0;0\nc;0;0;0;-1.5\nd;0;0;1;0\n";
    let options = NetworkOptions { arcs: flows(), ..NetworkOptions::default() };
    fuzz("matrices", |rng| read(&mutate(rng, matrix.as_bytes()), &options));
    let square = NetworkOptions { layout: Some(Layout::Matrix), ..options };
    fuzz("squares", |rng| read(&mutate(rng, b"0,1,2\n1,0,0\n2,0,0\n"), &square));
    let plain = NetworkOptions { arcs: flows(), ..NetworkOptions::default() };
    let list = "# a comment\n1 2 0.5\n2 3 0.5\n% another\n3\t1 2\n1 3 2\n";
    fuzz("plain lists", |rng| {
        Some(networks::parse("f.edgelist", &mutate(rng, list.as_bytes()), &plain).ok()?.read)
    });
}

#[test]
fn gml_text() {
    let seed = "graph [ directed 1 class \"x\" node [ id 0 color \"red\" graphics [ x 1 ] ]\n# comment\n\
                node [ id 1 color \"b&amp;w\" ] edge [ source 0 target 1 weight -1.5e2 ] ]\n";
    fuzz("GML", |rng| graphs::parse(Format::Gml, "f", &mutate(rng, seed.as_bytes()), &flows()).ok());
}

#[test]
fn jsonl_hyperedges() {
    let seed = concat!(
        r#"{"hodgelet":1,"hypergraph":"star","columns":[{"name":"x","dim":1,"kind":"real","channels":["x"]},"#,
        r#"{"name":"label","dim":0,"kind":"labels"}]}"#,
        "\n",
        r#"{"vertices":4,"hyperedges":[[0,1,2],[3,2],[]],"hyperedge_weights":[1,2.5,3],"#,
        r#""signals":{"1":{"x":[3,4,5]},"0":{"label":["a","b","a",7]}}}"#,
        "\n",
        r#"{"vertices":1,"hyperedges":[[0]],"signals":{"1":{"x":[-1]},"0":{"label":["c"]}}}"#,
        "\n",
    );
    fuzz("hyperedges", |rng| {
        let expansion = any_expansion(rng);
        jsonl::parse_with("f.jsonl", &mutate(rng, seed.as_bytes()), Some(expansion)).ok()
    });
}

#[test]
fn hif_text() {
    let seed = r#"{"network-type":"undirected","metadata":{"target":"a"},"nodes":[{"node":1,"attrs":{"x":1.5}},
{"node":"b","weight":2,"attrs":{"x":-1}}],"edges":[{"edge":0,"weight":2},{"edge":"e","attrs":{"kind":"k"}}],
"incidences":[{"edge":0,"node":1},{"edge":0,"node":"b","direction":"head"},{"edge":"e","node":"b","attrs":{}}]}"#;
    fuzz("HIF", |rng| {
        let expansion = any_expansion(rng);
        hif::parse("f.json", &mutate(rng, seed.as_bytes())).ok().map(|read| read.expand(expansion).unwrap())
    });
}

#[test]
fn mantra_text() {
    let seed = r#"[{"id":"a","triangulation":[[1,2,3],[1,2,4],[1,3,4],[2,3,4]],"dimension":2,"n_vertices":4,
"betti_numbers":[1,0,1],"torsion_coefficients":["","",""],"name":"S^2","genus":0,"orientable":true},
{"triangulation":[[0,1,2,3],[0,1,2,4],[0,1,3,4],[0,2,3,4],[1,2,3,4]],"name":"S^3"}]"#;
    let targets =
        [mantra::ManifoldTarget::Type, mantra::ManifoldTarget::Orientable, mantra::ManifoldTarget::Betti];
    fuzz("MANTRA", |rng| {
        let target = targets[rng.random_range(0..targets.len())];
        mantra::parse("f.json", &mutate(rng, seed.as_bytes()), target).ok()
    });
}

fn any_expansion(rng: &mut impl Rng) -> Expansion {
    Expansion::NAMES[rng.random_range(0..Expansion::NAMES.len())].parse().unwrap()
}

#[test]
fn jsonl_complexes() {
    let seed = concat!(
        r#"{"hodgelet":1,"columns":[{"name":"x","dim":2,"kind":"real","channels":["x"]}]}"#,
        "\n",
        r#"{"vertices":4,"simplices":[[0,1,2],[2,3]],"positions":[[0,0],[1,0],[0,1],[2,2]],"#,
        r#""weights":{"1":[1,2,3,4.5]},"signals":{"2":{"x":[1]}}}"#,
        "\n",
        r#"{"vertices":5,"edges":[[0,1],[1,2],[2,3],[3,0],[3,4],[2,4]],"triangles":[[2,3,4]],"polygons":[[0,1,2,3]],"#,
        r#""positions":[[0,0],[1,0],[1,1],[0,1],[0.5,2]],"signals":{"2":{"x":[1,-2]}}}"#,
        "\n",
        r#"{"vertices":5,"simplices":[[0,1,2,3],[4,1]],"positions":[[0,0],[1,0],[1,1],[0,1],[5,2]],"#,
        r#""weights":{"0":[1,1,1,1,2],"3":[0.5]},"signals":{"2":{"x":[1,2,3,4]}}}"#,
        "\n",
    );
    fuzz("JSONL complexes", |rng| jsonl::parse("f.jsonl", &mutate(rng, seed.as_bytes())).ok());
}

const OFF: &str = "OFF\n4 2 5\n0 0 0\n1 0 0\n0 1 0\n1 1 0.5\n3 0 1 2\n3 1 3 2\n";
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 .5\nvn 0 0 1\nf 1//1 2 3\nf 2 -1 3\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty double z\n\
                   element face 2\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 0\n1 0 0\n0 1 0\n1 1 .5\n3 0 1 2\n4 1 3 2 0\n";

/// The same in binary form.
fn binary_ply() -> Vec<u8> {
    let mut bytes =
        PLY.split("0 0 0\n").next().unwrap().replace("ascii", "binary_little_endian").into_bytes();
    for [x, y, z] in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5f64]] {
        bytes.extend((x as f32).to_le_bytes());
        bytes.extend((y as f32).to_le_bytes());
        bytes.extend(z.to_le_bytes());
    }
    for face in [vec![0i32, 1, 2], vec![1, 3, 2, 0]] {
        bytes.push(face.len() as u8);
        face.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    }
    bytes
}

#[test]
fn meshes() {
    let binary = binary_ply();
    let seeds: [(MeshFormat, &[u8]); 4] = [
        (MeshFormat::Off, OFF.as_bytes()),
        (MeshFormat::Obj, OBJ.as_bytes()),
        (MeshFormat::Ply, PLY.as_bytes()),
        (MeshFormat::Ply, &binary),
    ];
    for (format, seed) in seeds {
        assert!(mesh::parse(format, "m", seed).is_ok());
        fuzz(&format!("{format:?}"), |rng| mesh::parse(format, "m", &mutate(rng, seed)).ok());
    }
}

#[test]
fn tables() {
    let seed = "name,smiles,y\na,CC(=O)O,1\n\"b, c\",c1ccccc1[N+](=O)[O-],0\nd,C[C@H](N)/C=C/Cl,1\n";
    let options = TableOptions { guess_target: true, ..TableOptions::default() };
    let stop = TableOptions { on_error: table::OnError::Stop, ..options.clone() };
    fuzz("table", |rng| {
        let bytes = mutate(rng, seed.as_bytes());
        let read = table::parse("f.csv", &bytes, &options).ok();
        let strict = table::parse("f.csv", &bytes, &stop).ok();
        assert!(strict.is_none() || strict == read);
        strict.map(|table| table.read)
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes that have nothing to do with any format.
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for file in File::ALL {
            let mut files = tu_sample();
            files.set(file, bytes.clone());
            tu::parse("DS", &files).iter().for_each(assert_sound);
        }
        tu::parse_zip("DS.zip", &bytes).iter().for_each(assert_sound);
        jsonl::parse("f", &bytes).iter().for_each(assert_sound);
        assert!(hif::parse("f", &bytes).is_err());
        mantra::parse("f", &bytes, mantra::ManifoldTarget::Type).iter().for_each(assert_sound);
        graphs::parse(Format::GraphMl, "f", &bytes, &flows()).iter().for_each(assert_sound);
        graphs::parse(Format::Gml, "f", &bytes, &flows()).iter().for_each(assert_sound);
        for format in [MeshFormat::Off, MeshFormat::Obj, MeshFormat::Ply] {
            mesh::parse(format, "f", &bytes).iter().for_each(assert_sound);
        }
        table::parse("f", &bytes, &TableOptions::default()).iter().for_each(|table| assert_sound(&table.read));
    }
}
