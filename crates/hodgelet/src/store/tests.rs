//! A store gives back what was put in, says what is wrong, and trains to the same bits as memory.

use super::*;
use crate::dataset::Dataset;
use crate::encode::CellSignal;
use crate::feature::SignedParams;
use crate::model::Measurer;
use crate::model::testing::dataset;
use crate::settings::{PosteriorChoice, Settings};
use std::ops::ControlFlow;

fn measured(settings: &Settings, data: &Dataset) -> (Measurer, Measured) {
    let all: Vec<usize> = (0..data.len()).collect();
    let measurer = Measurer::fit(settings, data, &all).unwrap();
    let measured = measurer.measure(data, |_| ControlFlow::Continue(())).unwrap();
    (measurer, measured)
}

fn header(measurer: &Measurer, data: &Dataset) -> StoreHeader {
    StoreHeader {
        name: data.name().to_owned(),
        source: "a test".to_owned(),
        complexes: data.len(),
        targets: TargetKind::of(data.targets()),
        tolerance: None,
        measurer: measurer.clone(),
    }
}

/// The complexes of leaf `k`.
fn part(measured: &Measured, data: &Dataset, k: usize) -> (Measured, Targets, Vec<String>) {
    let range = k * LEAF..data.len().min((k + 1) * LEAF);
    let indices: Vec<usize> = range.clone().collect();
    let ids = indices.iter().map(|i| format!("graph {i}")).collect();
    let own = Measured { measures: measured.measures[range].to_vec(), unknown: k, weights: None };
    (own, data.targets().select(&indices), ids)
}

fn write(folder: &Path, measurer: &Measurer, measured: &Measured, data: &Dataset, leaves: &[usize]) {
    let writer = StoreWriter::create(folder, header(measurer, data)).unwrap();
    for &k in leaves {
        let (own, targets, ids) = part(measured, data, k);
        writer.write(k, own, &targets, &ids).unwrap();
    }
}

#[test]
fn what_is_put_in_comes_out() {
    for n_classes in [3, 0] {
        let data = dataset(LEAF + 40, n_classes, 3);
        for settings in [
            Settings::default(),
            Settings { edges: CellSignal::Structure, ..Settings::default() },
            Settings { edges: CellSignal::None, ..Settings::default() },
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (measurer, measured) = measured(&settings, &data);
            write(folder.path(), &measurer, &measured, &data, &[1, 0]);
            let store = Store::open(folder.path()).unwrap();
            assert_eq!(*store.header(), header(&measurer, &data));
            let (targets, ids) = store.labels().unwrap();
            assert_eq!((&targets, ids[LEAF + 3].as_str()), (data.targets(), "graph 1027"));
            assert_eq!(store.leaf(1).unwrap(), part(&measured, &data, 1));
            let indices = [LEAF + 2, 5, 5, 0, LEAF + 39, 5];
            let found = store.load(&indices).unwrap();
            let unkept = Store { kept: None, ..Store::open(folder.path()).unwrap() };
            assert_eq!(found, unkept.load(&indices).unwrap());
            for (&i, found) in indices.iter().zip(&found) {
                assert_eq!(**found, measured.measures[i]);
            }
            let beyond = store.load(&[LEAF + 40]).unwrap_err();
            assert_eq!(beyond, ModelError::Index { index: LEAF + 40, len: LEAF + 40 });
        }
    }
}

#[test]
fn signed_products_are_kept_with_their_sign() {
    let data = dataset(1, 2, 1).select(&[0, 0, 0]);
    let signed = Some(SignedParams::Harmonic { dim: 1, exact: 2, coexact: 1 });
    let settings = Settings { signed, ..Settings::default() };
    let (measurer, measured) = measured(&settings, &data);
    assert!(measured.measures[0].signed().is_some());
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &measurer, &measured, &data, &[0]);
    assert_eq!(Store::open(folder.path()).unwrap().leaf(0).unwrap().0, measured);
}

#[test]
fn training_from_a_store_gives_the_same_bits() {
    let data = dataset(LEAF + 60, 2, 5);
    let sparse = Settings {
        posterior: PosteriorChoice::Sparse,
        inducing: Some(20),
        sample: Some(60),
        iterations: 3,
        ..Settings::default().most_probable()
    };
    let folder = tempfile::tempdir().unwrap();
    let (measurer, measured) = measured(&sparse, &data);
    write(folder.path(), &measurer, &measured, &data, &[0, 1]);
    let store = Store::open(folder.path()).unwrap();
    let unkept = Store { kept: None, ..Store::open(folder.path()).unwrap() };
    let train: Vec<usize> = (0..data.len()).filter(|i| i % 7 != 0).collect();
    let full = Settings { posterior: PosteriorChoice::Full, sample: Some(60), ..sparse.clone() };
    for settings in [&sparse, &full] {
        let fit = |source: &dyn MeasureSource| {
            let go_on = |_| ControlFlow::Continue(());
            let model = settings.fit_measured(&measurer, source, data.targets(), &train, go_on).unwrap();
            let test = source.load(&[0, 7, 14]).unwrap();
            let prediction =
                model.predict_measured(&test.iter().map(Cow::as_ref).collect::<Vec<_>>()).unwrap();
            let bits = |x: &f64| x.to_bits();
            let means = prediction.latent_mean.col_as_slice(0).iter().map(bits).collect::<Vec<_>>();
            (means, model.summary().elbo.to_bits())
        };
        let expected = fit(&measured);
        assert_eq!(fit(&store), expected);
        assert_eq!(fit(&unkept), expected);
    }
}

#[test]
fn a_store_left_in_the_middle_is_continued() {
    let data = dataset(2 * LEAF + 5, 2, 7);
    let (measurer, measured) = measured(&Settings::default(), &data);
    let (whole, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(whole.path(), &measurer, &measured, &data, &[0, 1, 2]);
    write(broken.path(), &measurer, &measured, &data, &[0, 2]);
    std::fs::write(broken.path().join(".hodgelet-abc.tmp"), "half a leaf").unwrap();
    let error = Store::open(broken.path()).unwrap_err();
    assert!(error.to_string().ends_with("2 of 3 leaves, the first missing is 1"), "{error}");
    assert!(error.hint().unwrap().contains("measure again"));
    let writer = StoreWriter::create(broken.path(), header(&measurer, &data)).unwrap();
    assert_eq!((0..3).map(|k| writer.is_done(k)).collect::<Vec<_>>(), [true, false, true]);
    write(broken.path(), &measurer, &measured, &data, &[1]);
    let files = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<(PathBuf, Vec<u8>)> = entries
            .map(|path| (PathBuf::from(path.file_name().unwrap()), std::fs::read(&path).unwrap()))
            .collect();
        files.sort();
        files
    };
    assert_eq!(files(broken.path()), files(whole.path()));
}

#[test]
fn other_settings_and_other_complexes_are_refused() {
    let data = dataset(12, 2, 7);
    let (measurer, measured) = measured(&Settings::default(), &data);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &measurer, &measured, &data, &[0]);
    let refused = |header: StoreHeader| StoreWriter::create(folder.path(), header).unwrap_err().to_string();
    let own = header(&measurer, &data);
    let message = refused(StoreHeader { source: "elsewhere".to_owned(), ..own.clone() });
    assert!(message.ends_with("complexes from a test, expected elsewhere"), "{message}");
    let message = refused(StoreHeader { complexes: 11, ..own.clone() });
    assert!(message.ends_with("complexes: 12, expected 11"), "{message}");
    let other = Settings { edges: CellSignal::Structure, ..Settings::default() };
    let other = Measurer::fit(&other, &data, &[0, 1]).unwrap();
    let message = refused(StoreHeader { measurer: other, ..own.clone() });
    assert!(message.ends_with("edges auto, expected structure"), "{message}");
    let message = refused(StoreHeader { tolerance: Some(1e-6), ..own });
    assert!(message.ends_with("tolerance none, expected 0.000001"), "{message}");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("thesis.tex"), "important").unwrap();
    let error = StoreWriter::create(elsewhere.path(), header(&measurer, &data)).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
}

#[test]
fn every_damaged_byte_is_found() {
    let data = dataset(6, 2, 2);
    let (measurer, measured) = measured(&Settings::default(), &data);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &measurer, &measured, &data, &[0]);
    let store = Store::open(folder.path()).unwrap();
    let leaf = store.leaves[0].clone();
    let bytes = std::fs::read(&leaf).unwrap();
    let damaged = |bytes: &[u8]| {
        std::fs::write(&leaf, bytes).unwrap();
        matches!(store.leaf(0).unwrap_err(), StoreError::Damaged { .. })
    };
    for at in (0..bytes.len()).step_by(53) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(damaged(&changed), "byte {at}");
    }
    assert!(damaged(&bytes[..bytes.len() / 2]) && damaged(&[]));
    std::fs::write(folder.path().join(header::FILE), "{\"hodgelet_store\": 9}").unwrap();
    assert!(matches!(Store::open(folder.path()).unwrap_err(), StoreError::Version { found: 9, .. }));
    for text in ["", "[]", "{\"hodgelet_store\": 1}"] {
        std::fs::write(folder.path().join(header::FILE), text).unwrap();
        assert!(matches!(Store::open(folder.path()).unwrap_err(), StoreError::Damaged { .. }), "{text}");
    }
}

/// Bytes of a file with the right checksum need not come from here.
#[test]
fn lists_that_are_no_measure_are_refused() {
    let data = dataset(4, 2, 2);
    let (_, measured) = measured(&Settings::default(), &data);
    let leaf = Leaf { measures: measured.measures, ids: vec![], targets: LeafTargets::None, unknown: 3 };
    let bytes = leaf.to_bytes().unwrap();
    assert_eq!(Leaf::from_bytes(bytes.clone()).unwrap(), leaf);
    for at in (0..bytes.len()).step_by(11) {
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(1);
        // Without a checksum a changed number is a number.
        if let Ok(found) = Leaf::from_bytes(changed) {
            assert!(found.measures.iter().all(|m| m.largest_error().is_finite()), "byte {at}");
        }
    }
}
