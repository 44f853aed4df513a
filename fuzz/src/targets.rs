//! What is fuzzed. Each target takes bytes, says whether they were accepted, and panics where a promise is broken.

use hodgelet::complex::{Complex, Expansion, Hypergraph, Lift};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::hodge::{Operators, Weighting};
use hodgelet::linalg::SparseMat;
use hodgelet::model::{Model, Models};
use hodgelet::store::Store;
use hodgelet_data::graphs::{self, ArcOptions, Directed, EdgeWeights, Format};
use hodgelet_data::mesh::{self, MeshFormat};
use hodgelet_data::networks::{self, Layout, NetworkOptions};
use hodgelet_data::table::{self, TableOptions, TargetKind};
use hodgelet_data::targets::{self, TargetOptions};
use hodgelet_data::tu::{File, Files};
use hodgelet_data::{Read, hif, jsonl, mantra, own, tu};
use hodgelet_eval::splits;
use sha2::{Digest, Sha256};

/// A target: whether it accepted the bytes.
pub type Target = fn(&[u8]) -> bool;

/// All targets by name.
pub const ALL: [(&str, Target); 19] = [
    ("tu", tu),
    ("archive", archive),
    ("jsonl", jsonl),
    ("hif", hif),
    ("graphml", graphml),
    ("gml", gml),
    ("off", off),
    ("obj", obj),
    ("ply", ply),
    ("splits", splits),
    ("model", model),
    ("store", store),
    ("constructors", constructors),
    ("table", table),
    ("network", network),
    ("mantra", mantra),
    ("own", own),
    ("targets", targets),
    ("parquet", parquet),
];

/// Cells up to which a dataset is written and read again.
const MAX_CELLS: usize = 100_000;

/// Items of the dataset that splits are of.
pub const N_ITEMS: usize = 12;

/// TU files one after the other, parted by zero bytes.
pub fn tu(bytes: &[u8]) -> bool {
    let mut files = Files::default();
    for (file, text) in File::ALL.into_iter().zip(bytes.split(|&byte| byte == 0)) {
        if !text.is_empty() {
            files.set(file, text);
        }
    }
    sound(tu::parse("DS", &files).ok())
}

/// A zip archive of TU files.
pub fn archive(bytes: &[u8]) -> bool {
    sound(tu::parse_zip("DS.zip", bytes).ok())
}

/// JSONL.
pub fn jsonl(bytes: &[u8]) -> bool {
    sound(jsonl::parse("d.jsonl", bytes).ok())
}

/// HIF, in every expansion.
pub fn hif(bytes: &[u8]) -> bool {
    let Ok(read) = hif::parse("d.json", bytes) else { return false };
    let expansions: Vec<Expansion> =
        Expansion::NAMES.iter().map(|name| name.parse().expect("a name")).collect();
    let ways = expansions.into_iter().map(|expansion| sound(read.clone().expand(expansion).ok()));
    ways.fold(false, |any, accepted| any | accepted)
}

/// MANTRA.
pub fn mantra(bytes: &[u8]) -> bool {
    sound(mantra::parse("m.json", bytes, mantra::ManifoldTarget::Type).ok())
}

/// GraphML.
pub fn graphml(bytes: &[u8]) -> bool {
    any_arcs(|arcs| sound(graphs::parse(Format::GraphMl, "g.graphml", bytes, &arcs).ok()))
}

/// A list of edges or a matrix, of one graph or several, in every way that they are read.
pub fn network(bytes: &[u8]) -> bool {
    let read = |file: &str, options: &NetworkOptions| {
        sound(networks::parse(file, bytes, options).ok().map(|found| found.read))
    };
    any_arcs(|arcs| {
        let plain = NetworkOptions { arcs, ..NetworkOptions::default() };
        let graph = NetworkOptions { graph: Some("graph".to_owned()), ..plain.clone() };
        let matrix = NetworkOptions { layout: Some(Layout::Matrix), ..plain.clone() };
        let ways = [("g.csv", &plain), ("g.edgelist", &plain), ("g.csv", &graph), ("g.csv", &matrix)];
        ways.iter().fold(false, |any, (file, options)| any | read(file, options))
    })
}

/// Whether bytes are accepted with any choice of what directions and weights become.
fn any_arcs(read: impl Fn(ArcOptions) -> bool) -> bool {
    let laplacian = EdgeWeights::Laplacian("weight".to_owned());
    let mut any = false;
    for directed in [Directed::Error, Directed::Ignore, Directed::Flow] {
        for weights in [None, Some(EdgeWeights::Signal), Some(laplacian.clone())] {
            any |= read(ArcOptions { directed, weights });
        }
    }
    any
}

/// A table of molecules.
pub fn table(bytes: &[u8]) -> bool {
    sound(table::parse("t.csv", bytes, &guessing()).ok().map(|found| found.read))
}

/// A table of molecules in a Parquet file.
pub fn parquet(bytes: &[u8]) -> bool {
    let file = file_of(bytes, ".parquet");
    sound(table::read_file(file.path(), &guessing()).ok().map(|found| found.read))
}

fn guessing() -> TableOptions {
    TableOptions { guess_target: true, ..TableOptions::default() }
}

/// Numbers and fingerprints of three graphs, with names and without.
pub fn own(bytes: &[u8]) -> bool {
    let (three, file) = (three_graphs(), file_of(bytes, ".csv"));
    let mut any = false;
    for ids in [&three.ids[..], &[]] {
        for reader in [own::with_columns, own::with_fingerprints] {
            let dataset = reader(three.dataset.clone(), file.path(), ids).ok();
            any |= sound(dataset.map(|dataset| Read { dataset, ..three.clone() }));
        }
    }
    any
}

/// A table of the targets of three graphs, of every kind.
pub fn targets(bytes: &[u8]) -> bool {
    let (three, file) = (three_graphs(), file_of(bytes, ".csv"));
    let mut any = false;
    for kind in [TargetKind::Auto, TargetKind::Classes, TargetKind::Numbers] {
        for columns in [vec![], vec!["y".to_owned()], vec!["y,z".to_owned()]] {
            for to_predict in [false, true] {
                let options =
                    TargetOptions { table: None, columns: columns.clone(), weight: None, kind, to_predict };
                any |= sound(targets::with_table(three.clone(), file.path(), &options).ok());
            }
        }
    }
    any
}

/// Three graphs with names.
fn three_graphs() -> Read {
    let graphs = (2..5).map(|n| Complex::graph(n, &[[0, 1]]).expect("a graph")).collect();
    let dataset = Dataset::new("three", graphs, Vec::new(), Targets::None).expect("a dataset");
    Read { ids: ["a", "b", "c"].map(str::to_owned).to_vec(), ..Read::clean(dataset) }
}

/// A file that holds the bytes, for readers of files alone.
fn file_of(bytes: &[u8], end: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(end).tempfile().expect("a small file");
    std::fs::write(file.path(), bytes).expect("a small file");
    file
}

/// GML.
pub fn gml(bytes: &[u8]) -> bool {
    any_arcs(|arcs| sound(graphs::parse(Format::Gml, "g.gml", bytes, &arcs).ok()))
}

/// OFF.
pub fn off(bytes: &[u8]) -> bool {
    sound(mesh::parse(MeshFormat::Off, "m.off", bytes).ok())
}

/// OBJ.
pub fn obj(bytes: &[u8]) -> bool {
    sound(mesh::parse(MeshFormat::Obj, "m.obj", bytes).ok())
}

/// PLY.
pub fn ply(bytes: &[u8]) -> bool {
    sound(mesh::parse(MeshFormat::Ply, "m.ply", bytes).ok())
}

/// Splits of a dataset of [`N_ITEMS`] items.
pub fn splits(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(found) = splits::parse_json(&text, "s.json", N_ITEMS) else { return false };
    assert!(!found.is_empty());
    assert!(found.iter().all(|split| split.check(N_ITEMS).is_ok()));
    let _ = splits::uncovered(&found, N_ITEMS);
    true
}

/// A file of one model, as it is and with the checksum that its content should have, or of several.
pub fn model(bytes: &[u8]) -> bool {
    if Models::are_several(bytes) {
        return sound_models(bytes);
    }
    let as_it_is = sound_model(bytes);
    let signed = super::signed::signed(bytes).is_some_and(|bytes| sound_model(&bytes));
    as_it_is | signed
}

/// What loads must be written again to the same bytes, or be refused when it is written.
fn sound_model(bytes: &[u8]) -> bool {
    let Ok(model) = Model::from_bytes(bytes) else { return false };
    if let Ok(again) = model.to_bytes() {
        let again = Model::from_bytes(&again).expect("what was just written");
        assert_eq!(again.to_bytes().ok(), model.to_bytes().ok());
    }
    true
}

fn sound_models(bytes: &[u8]) -> bool {
    let Ok(models) = Models::from_bytes(bytes) else { return false };
    if let Ok(again) = models.to_bytes() {
        let again = Models::from_bytes(&again).expect("what was just written");
        assert_eq!(again.to_bytes().ok(), models.to_bytes().ok());
    }
    true
}

/// A store: its header, a zero byte, and the bytes of its only leaf, under the name that its content asks for.
pub fn store(bytes: &[u8]) -> bool {
    let at = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (header, leaf) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let folder = tempfile::tempdir().expect("a folder for a store");
    let sum: String = Sha256::digest(leaf).iter().map(|byte| format!("{byte:02x}")).collect();
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a small file");
    write("store.json", header);
    write(&format!("leaf-000000-{sum}.parquet"), leaf);
    let Ok(store) = Store::open(folder.path()) else { return false };
    let labels = store.labels().is_ok();
    let Ok((measured, _, _)) = store.leaf(0) else { return false };
    for measures in &measured.measures {
        assert!(measures.largest_error().is_finite());
    }
    labels
}

/// Public constructors, on small numbers that the bytes spell.
pub fn constructors(bytes: &[u8]) -> bool {
    let mut numbers = bytes.iter().copied();
    let mut next = |below: u8| u32::from(numbers.next().unwrap_or(0) % below.max(1));
    let n = next(9) as usize;
    let edges: Vec<[u32; 2]> = (0..next(12)).map(|_| [next(10), next(10)]).collect();
    let hyperedges: Vec<Vec<u32>> = (0..next(4)).map(|_| (0..next(5)).map(|_| next(10)).collect()).collect();
    let coefficients = [0.0, 1.0, -1.0, 2.5, 1e300, 1e-320, f64::NAN, f64::INFINITY, -1e60, 1e-60];
    let value = |i: u32| coefficients[i as usize % coefficients.len()];
    let mut boundary = SparseMat::with_rows(n);
    for _ in 0..next(6) {
        let mut rows: Vec<u32> = (0..next(4)).map(|_| next(9)).filter(|&row| (row as usize) < n).collect();
        rows.sort_unstable();
        rows.dedup();
        let entries: Vec<(u32, f64)> = rows.into_iter().map(|row| (row, value(next(10)))).collect();
        boundary.push_column(entries);
    }
    let points: Vec<f64> = (0..next(16)).map(|_| value(next(10))).collect();
    let (radius, dim) = (value(next(10)), next(17) as usize);
    let mut accepted = false;
    let mut take = |complex: Complex| {
        accepted = true;
        sound_complex(&complex);
        for lift in [Lift::Cliques(dim.min(4)), Lift::Rings(6), Lift::Cycles(5)] {
            if let Ok(filled) = lift.filled(&complex) {
                sound_complex(&filled);
            }
        }
    };
    Complex::graph(n, &edges).into_iter().for_each(&mut take);
    Complex::graph_cleaned(n, &edges).into_iter().for_each(|(complex, _)| take(complex));
    Complex::from_boundaries(n, vec![boundary]).into_iter().for_each(&mut take);
    Complex::rips(&points, 2, radius, dim).into_iter().for_each(&mut take);
    let plane: Vec<[f64; 2]> = points.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
    Complex::alpha(&plane, radius).into_iter().for_each(&mut take);
    if let Ok(hypergraph) = Hypergraph::new(n, &hyperedges, None) {
        Expansion::NAMES
            .iter()
            .for_each(|name| take(hypergraph.expand(name.parse().expect("a name")).complex));
    }
    accepted
}

/// What must hold of every complex: its operators chain, and eigenvalues of it are numbers.
fn sound_complex(complex: &Complex) {
    let boundaries = (1..=complex.dim()).filter_map(|k| complex.boundary(k).cloned()).collect();
    assert_eq!(Complex::from_boundaries(complex.n_cells(0), boundaries).as_ref(), Ok(complex));
    let operators = Operators::new(complex, Weighting::Combinatorial);
    for k in 1..=complex.dim() {
        if complex.n_cells(k).min(complex.n_cells(k - 1)) > 30 {
            continue;
        }
        let spectrum =
            hodgelet::hodge::BoundarySpectrum::new(&operators, k).expect("eigenvalues of a small complex");
        let values = spectrum.eigenvalues();
        assert!(values.iter().all(|value| value.is_finite() && *value > 0.0), "{values:?} of {complex:?}");
    }
}

/// What must hold of everything that is read: it is valid, and the same after it was written and read again.
fn sound(read: Option<Read>) -> bool {
    let Some(Read { dataset, .. }) = read else { return false };
    let (name, complexes, columns, targets) = dataset.clone().into_parts();
    assert_eq!(Dataset::new(name, complexes, columns, targets).as_ref(), Ok(&dataset));
    // A number in a file can ask for millions of vertices, which takes a while to write.
    let cells = |complex: &Complex| (0..=complex.dim()).map(|k| complex.n_cells(k)).sum::<usize>();
    if dataset.complexes().iter().map(cells).sum::<usize>() > MAX_CELLS {
        return true;
    }
    let mut text = Vec::new();
    jsonl::write_to(&mut text, &dataset, &[]).expect("memory takes all bytes");
    assert_eq!(jsonl::parse("again", &text).expect("what was just written").dataset, dataset);
    true
}
