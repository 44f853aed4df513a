use super::*;
use crate::dataset::{Column, ColumnValues, Targets};
use crate::signal::Orientation;

/// A star of four vertices and a single edge, with labels and numbers on vertices and edges.
fn sample() -> Dataset {
    let star = Complex::graph(4, &[[0, 1], [0, 2], [0, 3]]).unwrap();
    let edge = Complex::graph(2, &[[0, 1]]).unwrap();
    let labels = |names: &[&str], codes: &[u32]| ColumnValues::Labels {
        categories: names.iter().map(|&n| n.to_owned()).collect(),
        codes: codes.to_vec(),
    };
    let reals = |channels: &[&str], values: &[f64]| ColumnValues::Real {
        channels: channels.iter().map(|&n| n.to_owned()).collect(),
        values: values.to_vec(),
    };
    let column = |name: &str, dim, orientation, values| {
        let starts = if dim == 0 { vec![0, 4, 6] } else { vec![0, 3, 4] };
        Column { name: name.to_owned(), dim, orientation, starts, values }
    };
    let columns = vec![
        column("label", 0, Orientation::Unoriented, labels(&["C", "N"], &[0, 1, 0, 0, 1, 1])),
        column(
            "attribute",
            0,
            Orientation::Unoriented,
            reals(&["0", "1"], &[1.0, 2.0, 3.0, 0.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]),
        ),
        column("label", 1, Orientation::Unoriented, labels(&["1", "2"], &[0, 0, 1, 0])),
        column("flow", 1, Orientation::Oriented, reals(&["0"], &[1.0, -2.0, 3.0, 4.0])),
    ];
    Dataset::new("sample", vec![star, edge], columns, Targets::None).unwrap()
}

fn rows(signal: &Signal) -> Vec<Vec<f64>> {
    let dense = signal.values().to_dense();
    (0..dense.nrows()).map(|i| (0..dense.ncols()).map(|j| dense[(i, j)]).collect()).collect()
}

fn names(channels: &Channels) -> Vec<&str> {
    (0..channels.len()).map(|d| channels.name(d)).collect()
}

fn reference() -> EncodingParams {
    EncodingParams { vertices: VertexSignal::Reference, ..EncodingParams::default() }
}

#[test]
fn by_default_the_last_channel_takes_the_highest_degrees() {
    let bare = sample().with_columns(Vec::new()).unwrap();
    // The 99th percentile of the degrees 3, 1, 1, 1 is 2.94.
    for (max_degree, expected) in [
        (None, &["degree=0", "degree=1", "degree>=2"][..]),
        (Some(1), &["degree=0", "degree>=1"]),
        (Some(0), &["degree>=0"]),
    ] {
        let params = EncodingParams { max_degree, ..EncodingParams::default() };
        let encoding = params.fit(&bare, &[0]).unwrap();
        assert_eq!(names(encoding.channels(0).unwrap()), expected);
        let (signals, _) = encoding.bind(&bare).unwrap().encode(0);
        for row in rows(signals[0].as_ref().unwrap()) {
            assert_eq!(row.iter().sum::<f64>(), 1.0, "every vertex has one channel: {row:?}");
        }
    }
}

#[test]
fn the_reference_puts_degrees_before_attributes_before_labels() {
    let params = EncodingParams { max_degree: Some(3), ..reference() };
    let encoding = params.fit(&sample(), &[0, 1]).unwrap();
    let channels = encoding.channels(0).unwrap();
    assert_eq!(names(channels), ["degree=0", "degree=1", "attribute.0", "attribute.1", "label=C", "label=N"]);
    let signals = encoding.bind(&sample()).unwrap().encode(0).0;
    let expected = [
        [0.0, 0.0, 1.0, 2.0, 1.0, 0.0], // degree 3 is beyond the range
        [0.0, 1.0, 3.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 5.0, 6.0, 1.0, 0.0],
        [0.0, 1.0, 7.0, 8.0, 1.0, 0.0],
    ];
    assert_eq!(rows(signals[0].as_ref().unwrap()), expected);
}

#[test]
fn edges_carry_their_columns_with_their_orientation() {
    let encoding = EncodingParams::default().fit(&sample(), &[0]).unwrap();
    let channels = encoding.channels(1).unwrap();
    assert_eq!(names(channels), ["flow", "label=1", "label=2"]);
    assert_eq!(channels.orientation(0), Orientation::Oriented);
    assert_eq!(channels.orientation(1), Orientation::Unoriented);
    let signals = encoding.bind(&sample()).unwrap().encode(0).0;
    assert_eq!(rows(signals[1].as_ref().unwrap()), [[1.0, 1.0, 0.0], [-2.0, 1.0, 0.0], [3.0, 0.0, 1.0]]);
}

#[test]
fn the_percentile_is_that_of_numpy_rounded_down() {
    // np.percentile([0] * 50 + [4] * 50, 99) = 4; of [0, 10]: 9.9; of [1, 2, 3]: 2.98; of [7]: 7
    assert_eq!(percentile_99(&[50, 0, 0, 0, 50]), 4);
    assert_eq!(percentile_99(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), 9);
    assert_eq!(percentile_99(&[0, 1, 1, 1]), 2);
    assert_eq!(percentile_99(&[0, 0, 0, 0, 0, 0, 0, 1]), 7);
    assert_eq!(percentile_99(&[]), 0);
}

#[test]
fn the_range_of_degrees_comes_from_the_training_complexes() {
    let params = EncodingParams { vertices: VertexSignal::DegreeOneHot, ..EncodingParams::default() };
    let from_star = params.fit(&sample(), &[0]).unwrap();
    assert_eq!(names(from_star.channels(0).unwrap()), ["degree=0", "degree=1", "degree=2", "degree>=3"]);
    let from_edge = params.fit(&sample(), &[1]).unwrap();
    assert_eq!(names(from_edge.channels(0).unwrap()), ["degree=0", "degree>=1"]);
    let star = from_edge.bind(&sample()).unwrap().encode(0).0;
    assert_eq!(rows(star[0].as_ref().unwrap()), [[0.0, 1.0]; 4]);
}

#[test]
fn plain_alternatives_have_one_channel() {
    let channel = |vertices| {
        let params = EncodingParams { vertices, edges: CellSignal::Constant, ..EncodingParams::default() };
        let signals = params.fit(&sample(), &[0]).unwrap().bind(&sample()).unwrap().encode(0).0;
        assert_eq!(rows(signals[1].as_ref().unwrap()), [[1.0]; 3]);
        rows(signals[0].as_ref().unwrap()).concat()
    };
    assert_eq!(channel(VertexSignal::Degree), [3.0, 1.0, 1.0, 1.0]);
    assert_eq!(channel(VertexSignal::Constant), [1.0; 4]);
}

#[test]
fn dimensions_without_a_signal_have_none() {
    let params = EncodingParams {
        vertices: VertexSignal::None,
        edges: CellSignal::Columns,
        ..EncodingParams::default()
    };
    let signals = params.fit(&sample(), &[0]).unwrap().bind(&sample()).unwrap().encode(1).0;
    assert_eq!(signals.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_label_the_encoding_does_not_know_is_zero_and_counted() {
    let encoding = EncodingParams { vertices: VertexSignal::Attributes, ..EncodingParams::default() }
        .fit(&sample(), &[0])
        .unwrap();
    let mut columns = sample().columns().to_vec();
    let ColumnValues::Labels { categories, .. } = &mut columns[0].values else { unreachable!() };
    *categories = ["N", "Xe"].map(String::from).to_vec();
    let other = sample().with_columns(columns).unwrap();
    let encoder = encoding.bind(&other).unwrap();
    let encoded = [0, 1].map(|i| encoder.encode(i));
    assert_eq!(encoded[0].1 + encoded[1].1, 3);
    let labels: Vec<Vec<f64>> =
        rows(encoded[0].0[0].as_ref().unwrap()).into_iter().map(|row| row[2..].to_vec()).collect();
    assert_eq!(labels, [[0.0, 1.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]]);
}

#[test]
fn complexes_share_their_channels() {
    let (sample, encoding) = (sample(), EncodingParams::default().fit(&sample(), &[0, 1]).unwrap());
    let encoder = encoding.bind(&sample).unwrap();
    for i in 0..2 {
        let (signals, unknown) = encoder.encode(i);
        assert_eq!(unknown, 0);
        let signal = signals[0].as_ref().unwrap();
        assert!(Arc::ptr_eq(signal.channels(), encoding.channels(0).unwrap()));
    }
}

#[test]
fn an_encoding_survives_a_file() {
    let encoding = EncodingParams::default().fit(&sample(), &[0, 1]).unwrap();
    let text = serde_json::to_string(&encoding).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    let hostile = r#"[[{"degree-one-hot":{"depth":4000000000,"last_bin":false}}]]"#;
    assert_eq!(
        serde_json::from_str::<Encoding>(hostile).unwrap_err().to_string(),
        "4000000000 channels on cells of dimension 0, but at most 65536 are encoded"
    );
    assert_eq!(
        serde_json::from_str::<Encoding>(r#"[null, [{"degree-one-hot":{"depth":2,"last_bin":false}}]]"#)
            .unwrap_err()
            .to_string(),
        "degrees on cells of dimension 1, but only vertices have them"
    );
}

#[test]
fn each_fault_has_its_message() {
    let bare = || sample().with_columns(Vec::new()).unwrap();
    let fit = |vertices, edges| EncodingParams { vertices, edges, ..EncodingParams::default() };
    let message = |params: EncodingParams, data: &Dataset, train: &[usize]| {
        params.fit(data, train).unwrap_err().to_string()
    };
    let neither = "the dataset has neither labels nor attributes on cells of dimension";
    let attributes = fit(VertexSignal::Attributes, CellSignal::Auto);
    assert_eq!(message(attributes, &bare(), &[0]), format!("{neither} 0"));
    let columns = fit(VertexSignal::Degree, CellSignal::Columns);
    assert_eq!(message(columns, &bare(), &[0]), format!("{neither} 1"));
    let default = EncodingParams::default();
    assert_eq!(message(default, &bare(), &[2]), "complex 2, but the dataset has 2");
    assert_eq!(
        message(reference(), &bare(), &[1]),
        "no vertex channel is left: the range of degrees ends at 1 and there are no columns"
    );

    let encoding = default.fit(&sample(), &[0]).unwrap();
    assert_eq!(
        encoding.bind(&bare()).unwrap_err().to_string(),
        "the dataset has no column `attribute` on cells of dimension 0"
    );
    let mut columns = sample().columns().to_vec();
    columns[3].orientation = Orientation::Unoriented;
    let turned = sample().with_columns(columns).unwrap();
    assert_eq!(
        encoding.bind(&turned).unwrap_err().to_string(),
        "column `flow` of dimension 1 holds unoriented numbers (0), expected oriented numbers (0)"
    );
}
