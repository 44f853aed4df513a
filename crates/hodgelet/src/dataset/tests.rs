use super::*;
use crate::signal::Orientation;

fn complexes() -> Vec<Complex> {
    vec![Complex::graph(2, &[[0, 1]]).unwrap(), Complex::graph(1, &[]).unwrap()]
}

fn reals(values: &[f64]) -> ColumnValues {
    ColumnValues::Real { channels: vec!["0".to_owned()], values: values.to_vec() }
}

fn column(values: ColumnValues) -> Column {
    let (name, orientation) = ("x".to_owned(), Orientation::Unoriented);
    Column { name, dim: 0, orientation, starts: vec![0, 2, 3], values }
}

fn dataset(columns: Vec<Column>, targets: Targets) -> Result<Dataset, DatasetError> {
    Dataset::new("two", complexes(), columns, targets)
}

fn valid() -> Column {
    column(reals(&[1.0, 2.0, 3.0]))
}

#[test]
fn what_does_not_fit_is_named() {
    let message = |values, targets| dataset(vec![column(values)], targets).unwrap_err().to_string();
    let valid = || reals(&[1.0, 2.0, 3.0]);
    assert!(dataset(vec![column(valid())], Targets::Real(vec![1.0, 2.0])).is_ok());
    assert_eq!(message(valid(), Targets::Real(vec![1.0])), "1 targets, but the dataset has 2 complexes");
    assert_eq!(
        message(valid(), Targets::Real(vec![1.0, f64::NAN])),
        "target of complex 1 is NaN, expected a finite number"
    );
    let targets = Targets::Classes { names: vec!["a".to_owned()], labels: vec![0, 1] };
    assert_eq!(message(valid(), targets), "class 1, but 1 classes have names");
    assert_eq!(
        message(reals(&[1.0, 2.0]), Targets::None),
        "column `x` of dimension 0 has 2 values, expected 3"
    );
    assert_eq!(
        message(reals(&[1.0, f64::INFINITY, 0.0]), Targets::None),
        "column `x` of dimension 0 has the value inf, expected finite numbers"
    );
    let labels = ColumnValues::Labels { categories: vec!["a".to_owned()], codes: vec![0, 0, 2] };
    assert_eq!(message(labels, Targets::None), "column `x` of dimension 0 has category 2 of 1");
}

#[test]
fn columns_are_distinct() {
    let twice = dataset(vec![valid(), valid()], Targets::None).unwrap_err();
    assert_eq!(twice.to_string(), "column `x` of dimension 0 appears twice");
    let once = dataset(vec![valid()], Targets::None).unwrap();
    assert_eq!(once.with_column(valid()).unwrap_err(), twice);
}

#[test]
fn columns_start_with_their_cells() {
    let hostile: [&[usize]; 8] =
        [&[], &[0], &[0, 2], &[0, 1, 3], &[0, 3, 2], &[1, 2, 3], &[0, 2, 3, 3], &[0, usize::MAX, usize::MAX]];
    for starts in hostile {
        let shifted = Column { starts: starts.to_vec(), ..valid() };
        let error = dataset(vec![shifted.clone()], Targets::None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "column `x` of dimension 0 does not start where the cells of each complex do",
            "{starts:?}"
        );
        assert_eq!(dataset(vec![], Targets::None).unwrap().with_column(shifted).unwrap_err(), error);
    }
    assert!(Dataset::new("none", vec![], vec![Column { starts: vec![], ..valid() }], Targets::None).is_err());
}

#[test]
fn dimensions_of_columns_are_limited() {
    let empty = |dim| Column { dim, starts: vec![0, 0, 0], ..column(reals(&[])) };
    assert!(dataset(vec![empty(MAX_DIM)], Targets::None).is_ok());
    for dim in [WHOLE + 1, usize::MAX] {
        let error = dataset(vec![Column { name: WEIGHTS.to_owned(), ..empty(dim) }], Targets::None);
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("column `cell-weights` of dimension {dim} exceeds the highest dimension, 64")
        );
    }
}

#[test]
fn sizes_that_overflow_are_refused() {
    let vast = || Complex::from_boundaries(usize::MAX, vec![]).unwrap();
    let error = Dataset::new("vast", vec![vast(), vast()], vec![], Targets::None).unwrap_err();
    assert_eq!(error, DatasetError::Cells { dim: 0 });
    assert_eq!(error.to_string(), "more cells of dimension 0 than can be counted");

    let channels = vec!["0".to_owned(), "1".to_owned()];
    let values = ColumnValues::Real { channels, values: vec![1.0; 2] };
    let wide = Column { starts: vec![0, usize::MAX], ..column(values) };
    assert_eq!(
        Dataset::new("vast", vec![vast()], vec![wide], Targets::None).unwrap_err().to_string(),
        "column `x` of dimension 0 has 2 values, expected more than can be counted"
    );

    let one = Dataset::new("vast", vec![vast()], vec![], Targets::None).unwrap();
    assert_eq!(one.select(&[0, 0]).cell_starts(0), [0, usize::MAX, usize::MAX]);
}

/// Guards the operations that validate only what is new.
#[test]
fn operations_on_a_dataset_keep_it_valid() {
    let again = |dataset: Dataset| {
        let (name, complexes, columns, targets) = dataset.clone().into_parts();
        assert_eq!(Dataset::new(name, complexes, columns, targets), Ok(dataset));
    };
    let edges = Column { name: "y".to_owned(), dim: 1, starts: vec![0, 1, 1], ..column(reals(&[4.0])) };
    let classes = Targets::Classes { names: vec!["a".to_owned(), "b".to_owned()], labels: vec![1, 0] };
    let base = dataset(vec![valid(), edges.clone()], classes).unwrap();
    for indices in [&[][..], &[1], &[1, 0], &[0, 0, 1]] {
        assert_eq!(base.select(indices).len(), indices.len());
        again(base.select(indices));
    }
    assert_eq!(base.clone().with_name("other").name(), "other");
    again(base.clone().with_targets(Targets::Real(vec![0.5, 1.5])).unwrap());
    again(base.clone().with_columns(vec![edges.clone()]).unwrap());
    let bare = base.clone().with_columns(vec![]).unwrap();
    assert_eq!(bare.columns(), []);
    again(bare.clone().with_column(edges.clone()).unwrap());
    assert_eq!(base.column(1, "y"), Some(&edges));
    assert_eq!((base.column(0, "y"), bare.column(1, "y")), (None, None));
    assert!(base.with_targets(Targets::Real(vec![0.5])).is_err());
}

#[test]
fn graphs_as_a_whole_have_numbers_and_tags() {
    let own = |starts: &[usize], values| Column { dim: WHOLE, starts: starts.to_vec(), ..column(values) };
    assert!(dataset(vec![own(&[0, 1, 2], reals(&[1.0, 2.0]))], Targets::None).is_ok());
    assert!(dataset(vec![own(&[0, 2, 2], reals(&[1.0, 2.0]))], Targets::None).is_err());
    let tags =
        |codes: &[u32]| ColumnValues::Labels { categories: vec!["a".to_owned()], codes: codes.to_vec() };
    let found = dataset(vec![own(&[0, 3, 3], tags(&[0, 0, 0]))], Targets::None).unwrap();
    assert_eq!(found.select(&[1, 0]).columns()[0].starts, [0, 0, 3]);
    assert_eq!(found.line_graph().unwrap().columns().len(), 1);
    for starts in [&[0, 3][..], &[1, 2, 3], &[0, 3, 2], &[0, 1, 2]] {
        assert!(dataset(vec![own(starts, tags(&[0, 0, 0]))], Targets::None).is_err(), "{starts:?}");
    }
    let weights = Column { name: WEIGHTS.to_owned(), ..own(&[0, 1, 2], reals(&[1.0, 2.0])) };
    assert!(dataset(vec![weights], Targets::None).unwrap_err().to_string().contains("weights"));
}
