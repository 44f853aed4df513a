//! Variational probabilities against long Markov chains, hyperparameters fixed: what the Gaussian approximation costs.

use super::testdata;
use faer::{Mat, Par};
use hodgelet::gp::{Inference, LaplaceParams, VariationalParams, Workspace};
use hodgelet::likelihood::{LikelihoodParams, Observations};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    likelihood: String,
    amplitude: f64,
    gram: Vec<Vec<f64>>,
    cross: Vec<Vec<f64>>,
    labels: Vec<u32>,
    probabilities: Vec<Vec<f64>>,
    errors: Vec<Vec<f64>>,
}

fn matrix(rows: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

impl Case {
    fn mean(rows: &[Vec<f64>]) -> f64 {
        let all = rows.concat();
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// Mean distance of the probabilities that `inference` gives to those of the chains.
    fn distance(&self, inference: &Inference) -> f64 {
        let (params, n_classes) = match &self.likelihood[..] {
            "probit" => (LikelihoodParams::PROBIT, 2),
            "logit" => (LikelihoodParams::LOGIT, 2),
            "softmax" => (LikelihoodParams::SOFTMAX, 3),
            other => panic!("no likelihood {other}"),
        };
        let likelihood = params.check(n_classes).unwrap();
        let observations = Observations::classes(n_classes, &self.labels).unwrap();
        let (gram, cross) = (matrix(&self.gram), matrix(&self.cross));
        let workspace = &mut Workspace::new(Par::Seq);
        let posterior = inference.fit(gram.as_ref(), &likelihood, &observations, None, workspace).unwrap();
        let latents = posterior.predict(cross.as_ref(), &vec![self.amplitude; cross.nrows()]).unwrap();
        let found = likelihood.probabilities(latents.mean.as_ref(), latents.variance.as_ref()).unwrap();
        let difference = (found - matrix(&self.probabilities)).norm_l1();
        difference / (cross.nrows() * n_classes) as f64
    }
}

/// Mean distances that are allowed at amplitudes 1, 4 and 16: those that were measured, 0.0004 to 0.0056, and about the Monte
/// Carlo error of the chains more.
fn bound(case: &Case) -> f64 {
    let bounds = if case.likelihood == "softmax" { [0.002, 0.0035, 0.007] } else { [0.001, 0.002, 0.007] };
    bounds[if case.amplitude < 2.0 { 0 } else { usize::from(case.amplitude > 10.0) + 1 }]
}

/// Laplace's approximation, which is known to be worse, is out of bounds.
#[test]
fn variational_probabilities_are_near_those_of_long_chains() {
    let cases = testdata::<File>("mcmc/classification.json").cases;
    assert_eq!(cases.len(), 9, "the file has lost cases");
    let variational = Inference::Variational(VariationalParams::default().check().unwrap());
    let laplace = Inference::Laplace(LaplaceParams::default().check().unwrap());
    for case in &cases {
        let name = format!("{}, amplitude {}", case.likelihood, case.amplitude);
        let (distance, bound) = (case.distance(&variational), bound(case));
        assert!(Case::mean(&case.errors) < 0.0025, "{name}: the chains are too short");
        assert!(distance < bound, "{name}: {distance}");
        if case.likelihood != "softmax" {
            let distance = case.distance(&laplace);
            assert!(distance > bound, "{name}, Laplace: {distance}");
        }
    }
}
