//! A complex has the same measures, features and predictions, to the bit, alone and in any company, whatever the number of
//! threads.

use super::{bits, dataset, quick};

#[test]
fn a_graph_is_measured_and_predicted_to_the_same_bits_alone_and_in_any_company() {
    for (classes, seed) in [(true, 1), (false, 2)] {
        let train = dataset(40, classes, seed);
        let all: Vec<usize> = (0..train.len()).collect();
        let model = quick().fit(&train, &all).unwrap();
        let new = dataset(200, classes, seed + 10);
        let together = model.predict(&new).unwrap();
        let measurer = model.space().measurer();
        let go_on = |_| std::ops::ControlFlow::Continue(());
        let measured = measurer.measure(&new, go_on).unwrap().measures;
        let features = model.space().features(&measured.iter().collect::<Vec<_>>(), true).unwrap();
        for i in (0..new.len()).step_by(7).chain([63, 64, 199]) {
            let one = new.select(&[i]);
            let alone = measurer.measure(&one, go_on).unwrap().measures;
            assert_eq!(alone[0], measured[i], "measures of {i}");
            let own = model.space().features(&[&alone[0]], true).unwrap();
            for (own, all) in own.iter().zip(&features) {
                let row = |m: &faer::Mat<f64>, r: usize| {
                    (0..m.ncols()).map(|j| m[(r, j)].to_bits()).collect::<Vec<_>>()
                };
                assert_eq!(row(own, 0), row(all, i), "features of {i}");
            }
            assert_eq!(bits(&model.predict(&one).unwrap(), 0), bits(&together, i), "prediction of {i}");
        }
        // In another order, and some only.
        let order: Vec<usize> = (0..new.len()).rev().step_by(3).collect();
        let some = model.predict(&new.select(&order)).unwrap();
        for (row, &i) in order.iter().enumerate() {
            assert_eq!(bits(&some, row), bits(&together, i), "{i} in another order");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let train = dataset(40, true, 3);
    let all: Vec<usize> = (0..train.len()).collect();
    let new = dataset(70, true, 4);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = quick().fit(&train, &all).unwrap();
            let found = model.predict(&new).unwrap();
            (0..new.len()).map(|i| bits(&found, i)).collect::<Vec<_>>()
        })
    };
    let one = with(1);
    for threads in 2..=8 {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}
