//! How probabilities of classes follow latent values, learned from training complexes left out.
//!
//! A state alone has a sharpness of its own. What is predicted is the mean over states, which is less certain than each of
//! them, and a softmax knows no labels that nothing explains: where some classes are mistaken for others however far their latent
//! values are apart, it makes all the others less certain. So where predictions are averaged, all states share one link, whose
//! sharpness and bend are those under which the labels are most probable, each given the other complexes,
//!
//! ```text
//! p(y_i | y_−i) = Σ_s w_s p(y_i | m_s, v_s),   w_s ∝ 1 / p(t_i | m_s, v_s)
//! ```
//!
//! with the latent moments at complex `i` without it. The states have seen its targets `t_i`, by their normal density, and
//! the weights take that back.

use super::fitted::{Model, Trained};
use super::left_out::smoothed;
use crate::gp::leave_one_out::cavities;
use crate::likelihood::{
    LabelLink, LabelRegression, Labels, Likelihood, MOST_BEND, Observations, log_sum_exp,
};
use rayon::prelude::*;

/// Centers and deviations of the priors of sharpness and bend, in logarithms; the first is that of a state alone.
const PRIORS: [(f64, f64); 2] = [(std::f64::consts::LN_2, 1.0), (-2.0, 1.5)];

/// First and last step of the search, in logarithms.
const STEPS: (f64, f64) = (1.0, 1e-3);

/// Where the search looks from each point: along each value and along both.
const DIRECTIONS: [[f64; 2]; 8] =
    [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.5, 1.0], [-0.5, -1.0], [0.5, -1.0], [-0.5, 1.0]];

/// Most points that the search looks at.
const MOST_POINTS: usize = 1000;

impl Model {
    /// How probabilities of classes follow latent values in all states; none at the mode and for other likelihoods than
    /// regression on labels.
    #[must_use]
    pub fn link(&self) -> Option<LabelLink> {
        self.link
    }

    /// The link that the training complexes show.
    pub(super) fn learned_link(&self) -> Option<LabelLink> {
        let (Some(averaged), Observations::Classes(labels)) = (&self.averaged, &self.observations) else {
            return None;
        };
        let states: Option<Vec<Left>> = averaged.states.iter().map(Left::new).collect();
        learned(&states?, labels)
    }

    /// Lets probabilities follow latent values by `link` in all states.
    pub(super) fn share_link(&mut self, link: LabelLink) {
        for state in self.averaged.iter_mut().flat_map(|averaged| &mut averaged.states) {
            if let Likelihood::LabelRegression(regression) = &state.likelihood {
                state.likelihood = Likelihood::LabelRegression(regression.with_link(link));
            }
        }
        self.link = Some(link);
    }
}

/// What one state says of each point from all others.
struct Left {
    regression: LabelRegression,
    moments: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Left {
    fn new(state: &Trained) -> Option<Self> {
        let Likelihood::LabelRegression(regression) = &state.likelihood else { return None };
        let found = cavities(&state.posterior).ok()?;
        let row = |of: &faer::Mat<f64>, i: usize| of.row(i).iter().copied().collect();
        let moments = (0..found.mean.nrows()).map(|i| (row(&found.mean, i), row(&found.variance, i)));
        Some(Self { regression: regression.clone(), moments: moments.collect() })
    }
}

fn learned(states: &[Left], labels: &Labels) -> Option<LabelLink> {
    let weights_at = |i: usize| {
        let seen = |state: &Left| {
            let (mean, variance) = &state.moments[i];
            state.regression.log_density(labels.counts(i), mean, variance)
        };
        smoothed(&states.iter().map(|state| -seen(state)).collect::<Vec<f64>>()).0
    };
    let weights: Vec<Vec<f64>> = (0..labels.n_points()).map(weights_at).collect();
    let loss_at = |link: LabelLink, i: usize| -> f64 {
        let logs: Vec<Vec<f64>> = states
            .iter()
            .map(|state| link.log_probabilities(&state.moments[i].0, &state.moments[i].1))
            .collect();
        let average =
            |class: usize| log_sum_exp(weights[i].iter().zip(&logs).map(|(w, logs)| w.ln() + logs[class]));
        labels.counts(i).iter().map(|&(class, count)| -count * average(class)).sum()
    };
    let loss = |at: [f64; 2]| -> f64 {
        let prior: f64 = at.iter().zip(PRIORS).map(|(x, (m, s))| 0.5 * ((x - m) / s).powi(2)).sum();
        let link = link_of(at);
        // Summed in order, whatever the number of threads.
        let each: Vec<f64> = (0..labels.n_points()).into_par_iter().map(|i| loss_at(link, i)).collect();
        prior + each.iter().sum::<f64>()
    };
    lowest(loss).map(link_of)
}

fn link_of([sharpness, bend]: [f64; 2]) -> LabelLink {
    LabelLink::new(sharpness.exp(), bend.exp().min(MOST_BEND))
}

/// Where `loss` is lowest, by looking around from the centers of the priors in ever smaller steps; none where it has no value.
fn lowest(loss: impl Fn([f64; 2]) -> f64) -> Option<[f64; 2]> {
    let mut best = PRIORS.map(|(center, _)| center);
    let mut value = loss(best);
    let (mut step, mut looked) = (STEPS.0, 1);
    while step >= STEPS.1 && looked < MOST_POINTS {
        let around = DIRECTIONS.iter().map(|d| [best[0] + step * d[0], best[1] + step * d[1]]);
        let found = around.map(|at| (at, loss(at))).min_by(|a, b| a.1.total_cmp(&b.1));
        looked += DIRECTIONS.len();
        match found {
            Some((at, lower)) if lower < value => (best, value) = (at, lower),
            _ => step *= 0.5,
        }
    }
    value.is_finite().then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::LikelihoodParams;
    use crate::model::testing::{dataset, small_settings};
    use crate::model::{PredictedTargets, UpdateParams};
    use crate::settings::{HyperparameterChoice, Settings};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Normal};
    use std::ops::ControlFlow;

    /// One state with moments of `n` points, and labels drawn by `link`.
    fn drawn(link: LabelLink, n: usize, seed: u64) -> (Vec<Left>, Labels) {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let Ok(Likelihood::LabelRegression(regression)) = LikelihoodParams::LabelRegression.check(4) else {
            unreachable!("four classes are enough")
        };
        let (mut moments, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let spread = Normal::new(0.0, 2.0).unwrap();
            let mean: Vec<f64> = (0..4).map(|_| spread.sample(random)).collect();
            let (variance, u): (Vec<f64>, f64) = (vec![0.2; 4], random.random());
            let mut left = u;
            let below = |log: &f64| {
                left -= log.exp();
                left > 0.0
            };
            let logs = link.log_probabilities(&mean, &variance);
            labels.push(logs.iter().map(below).take_while(|below| *below).count().min(3) as u32);
            moments.push((mean, variance));
        }
        let points: Vec<usize> = (0..n).collect();
        match Observations::grouped_classes(4, &labels, &points, n).unwrap() {
            Observations::Classes(labels) => (vec![Left { regression, moments }], labels),
            Observations::Reals(_) => unreachable!("labels went in"),
        }
    }

    #[test]
    fn links_that_labels_were_drawn_with_are_found() {
        for truth in [LabelLink::new(1.5, 0.02), LabelLink::new(2.5, 0.6), LabelLink::new(0.6, 0.1)] {
            let (states, labels) = drawn(truth, 3000, 7);
            let found = learned(&states, &labels).unwrap();
            for (mean, variance) in &states[0].moments[..100] {
                let [p, q] = [truth, found].map(|link| link.log_probabilities(mean, variance));
                let off = p.iter().zip(&q).fold(0f64, |most, (p, q)| most.max((p.exp() - q.exp()).abs()));
                assert!(off < 0.04, "{truth:?} {found:?}: off by {off}");
            }
        }
    }

    #[test]
    fn without_evidence_the_link_is_that_of_the_priors() {
        let (mut states, labels) = drawn(LabelLink::new(2.0, 0.1), 5, 1);
        for (mean, _) in &mut states[0].moments {
            mean.fill(0.0);
        }
        let found = learned(&states, &labels).unwrap();
        assert!((found.sharpness() - 2.0).abs() < 0.01 && (found.bend() - (-2f64).exp()).abs() < 0.01);
    }

    #[test]
    fn states_that_saw_a_label_too_well_count_less() {
        // The second state predicts all labels right, and knows them already: it hardly counts.
        let (mut states, labels) = drawn(LabelLink::new(1.0, 0.05), 400, 3);
        let fair = learned(&states, &labels).unwrap();
        let mut seen = Left { regression: states[0].regression.clone(), moments: states[0].moments.clone() };
        for (i, (mean, _)) in seen.moments.iter_mut().enumerate() {
            (0..4).for_each(|c| mean[c] = seen.regression.group(labels.counts(i), c).mean);
        }
        states.push(seen);
        let both = learned(&states, &labels).unwrap();
        let [a, b] = [fair, both].map(|link| link.log_probabilities(&[1.0, 0.0, 0.0, 0.0], &[0.2; 4])[0]);
        assert!((a - b).abs() < 0.1, "{fair:?} {both:?}");
    }

    #[test]
    fn the_search_ends_where_the_loss_is_lowest() {
        let bowl = |[x, y]: [f64; 2]| (x - 3.0).powi(2) + 5.0 * (y + 1.0 - 0.8 * x).powi(2);
        let [x, y] = lowest(bowl).unwrap();
        assert!((x - 3.0).abs() < 5e-3 && (y - 1.4).abs() < 5e-3, "{x} {y}");
        assert!(lowest(|_| f64::NAN).is_none() && lowest(|_| f64::INFINITY).is_none());
        assert!(lowest(|[x, y]| -x - y).is_some());
    }

    #[test]
    fn a_model_learns_it_keeps_it_and_shares_it() {
        let (data, more) = (dataset(24, 3, 9), dataset(6, 3, 10));
        let train: Vec<usize> = (0..24).collect();
        let settings =
            Settings { hyperparameters: HyperparameterChoice::Nuts, iterations: 4, ..small_settings() };
        let model = settings.fit(&data, &train).unwrap();
        let link = model.link().unwrap();
        assert!(link.is_sound());
        for state in model.all_states() {
            assert!(matches!(&state.likelihood, Likelihood::LabelRegression(own) if own.link() == link));
        }
        let probabilities = |model: &Model| match model.predict(&more).unwrap().targets {
            PredictedTargets::Classes { probabilities, .. } => probabilities,
            PredictedTargets::Real { .. } => panic!("classes went in"),
        };
        let own = probabilities(&model);
        assert!(own.row_iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!((again.link(), probabilities(&again)), (model.link(), own));
        let updated = model.update(&more, UpdateParams::default(), |_| ControlFlow::Continue(())).unwrap();
        assert!(updated.link().is_some() && updated.link() != model.link());
        let mode = Settings { hyperparameters: HyperparameterChoice::Map, ..settings };
        assert!(mode.fit(&data, &train).unwrap().link().is_none());
    }
}
