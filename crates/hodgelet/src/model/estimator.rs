//! The two doors to the pipeline: classification and regression.

use super::{
    ClassLikelihood, Inference, KernelParams, Method, Model, ModelError, ModelParams, SpaceParams, Stage,
};
use crate::dataset::{Dataset, Targets};
use std::ops::ControlFlow;

/// Learns the class of complexes.
///
/// ```
/// use hodgelet::complex::Complex;
/// use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
/// use hodgelet::model::{HodgeletClassifier, PredictedTargets};
/// use hodgelet::signal::Orientation;
/// use std::ops::ControlFlow;
///
/// // Squares of 4 edges: the flow goes around (co-exact or harmonic), or out of one corner (exact).
/// let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]])?;
/// let (mut flows, mut labels) = (vec![], vec![]);
/// for i in 0..12 {
///     let tilt = 0.1 * f64::from(i);
///     flows.extend(if i % 2 == 0 { [1.0, 1.0 + tilt, 1.0, 1.0] } else { [1.0, tilt, tilt, -1.0] });
///     labels.push(i as u32 % 2);
/// }
/// let flow = Column {
///     name: "flow".to_owned(),
///     dim: 1,
///     orientation: Orientation::Oriented,
///     starts: (0..=12).map(|i| 4 * i).collect(),
///     values: ColumnValues::Real { channels: vec!["0".to_owned()], values: flows },
/// };
/// let targets = Targets::Classes { names: vec!["around".to_owned(), "out".to_owned()], labels };
/// let dataset = Dataset::new("squares", vec![square; 12], vec![flow], targets)?;
///
/// let train: Vec<usize> = (0..10).collect();
/// let model = HodgeletClassifier::new().seed(1).fit(&dataset, &train, |_| ControlFlow::Continue(()))?;
/// let prediction = model.predict(&dataset.select(&[10, 11]), |_| ControlFlow::Continue(()))?;
/// let PredictedTargets::Classes { probabilities, labels } = &prediction.targets else { unreachable!() };
/// assert_eq!(labels, &[0, 1]);
/// assert!(probabilities[(0, 0)] > 0.5);
///
/// // Every prediction is the sum of what each Hodge block says.
/// let sum: f64 = prediction.blocks.iter().map(|(_, share)| share[(0, 0)]).sum();
/// assert!((sum - prediction.latent_mean[(0, 0)]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HodgeletClassifier {
    params: ModelParams,
}

/// Learns a real number of each complex.
///
/// ```
/// use hodgelet::complex::Complex;
/// use hodgelet::dataset::{Dataset, Targets};
/// use hodgelet::encode::VertexSignal;
/// use hodgelet::model::{HodgeletRegressor, PredictedTargets, SpaceParams};
/// use std::ops::ControlFlow;
///
/// // How long a path is, from the degrees of its vertices.
/// let path = |n: u32| Complex::graph(n as usize, &(1..n).map(|v| [v - 1, v]).collect::<Vec<_>>());
/// let complexes = (2..14).map(path).collect::<Result<Vec<_>, _>>()?;
/// let targets = Targets::Real((2..14).map(f64::from).collect());
/// let dataset = Dataset::new("paths", complexes, vec![], targets)?;
///
/// let mut space = SpaceParams::default();
/// space.encoding.vertices = VertexSignal::Degree;
/// let train = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11];
/// let model =
///     HodgeletRegressor::new().space(space).fit(&dataset, &train, |_| ControlFlow::Continue(()))?;
/// let prediction = model.predict(&dataset.select(&[5]), |_| ControlFlow::Continue(()))?;
/// let PredictedTargets::Real { mean, variance } = &prediction.targets else { unreachable!() };
/// assert!((mean[0] - 7.0).abs() < 0.5 && variance[0] > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HodgeletRegressor {
    params: ModelParams,
}

/// What both doors offer.
macro_rules! settings {
    ($door:ident) => {
        impl $door {
            /// The settings of WT-GP-Hodge, with weak priors.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// The settings of a method of the literature.
            #[must_use]
            pub fn method(method: Method) -> Self {
                Self::from(method.params())
            }

            /// From a dataset to features.
            #[must_use]
            pub fn space(mut self, space: SpaceParams) -> Self {
                self.params.space = space;
                self
            }

            /// The kernel of each block.
            #[must_use]
            pub fn kernel(mut self, kernel: KernelParams) -> Self {
                self.params.kernel = kernel;
                self
            }

            /// Deviation, in the logarithm, of the priors around the initial hyperparameters; none turns them off.
            #[must_use]
            pub fn prior_deviation(mut self, deviation: Option<f64>) -> Self {
                self.params.prior_deviation = deviation;
                self
            }

            /// Starts from different initial scales.
            #[must_use]
            pub fn restarts(mut self, restarts: usize) -> Self {
                self.params.restarts = restarts;
                self
            }

            /// Seed of the initial scales.
            #[must_use]
            pub fn seed(mut self, seed: u64) -> Self {
                self.params.seed = seed;
                self
            }

            /// All settings.
            #[must_use]
            pub fn params(&self) -> &ModelParams {
                &self.params
            }
        }

        impl From<ModelParams> for $door {
            fn from(params: ModelParams) -> Self {
                Self { params }
            }
        }
    };
}

settings!(HodgeletClassifier);
settings!(HodgeletRegressor);

impl HodgeletClassifier {
    /// The likelihood of classes.
    #[must_use]
    pub fn likelihood(mut self, likelihood: ClassLikelihood) -> Self {
        self.params.likelihood = likelihood;
        self
    }

    /// How the final posterior is found.
    #[must_use]
    pub fn inference(mut self, inference: Inference) -> Self {
        self.params.inference = inference;
        self
    }

    /// Learns the classes of the complexes `train` of `dataset`; `callback` follows and may stop it.
    ///
    /// # Errors
    ///
    /// [`ModelError::Targets`] when the dataset has no classes, otherwise as [`ModelParams::fit`].
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        callback: impl FnMut(Stage) -> ControlFlow<()>,
    ) -> Result<Model, ModelError> {
        match dataset.targets() {
            Targets::Classes { .. } => self.params.fit(dataset, train, callback),
            _ => Err(wrong("classes", dataset.targets())),
        }
    }
}

impl HodgeletRegressor {
    /// Learns the real targets of the complexes `train` of `dataset`; `callback` follows and may stop it.
    ///
    /// # Errors
    ///
    /// [`ModelError::Targets`] when the dataset has no real targets, otherwise as [`ModelParams::fit`].
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        callback: impl FnMut(Stage) -> ControlFlow<()>,
    ) -> Result<Model, ModelError> {
        match dataset.targets() {
            Targets::Real(_) => self.params.fit(dataset, train, callback),
            _ => Err(wrong("real targets", dataset.targets())),
        }
    }
}

fn wrong(expected: &'static str, targets: &Targets) -> ModelError {
    let found = match targets {
        Targets::None => "no targets",
        Targets::Classes { .. } => "classes",
        Targets::Real(_) => "real targets",
    };
    ModelError::Targets { expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_door_takes_its_own_targets_only() {
        let dataset = |targets| Dataset::new("", vec![], vec![], targets).unwrap();
        let none = |_| ControlFlow::Continue(());
        let real = dataset(Targets::Real(vec![]));
        let classes = dataset(Targets::Classes { names: vec![], labels: vec![] });
        let error = HodgeletClassifier::new().fit(&real, &[], none).unwrap_err();
        assert_eq!(error.to_string(), "the dataset has real targets, expected classes");
        let error = HodgeletRegressor::new().fit(&classes, &[], none).unwrap_err();
        assert_eq!(error.to_string(), "the dataset has classes, expected real targets");
        let error = HodgeletRegressor::new().fit(&dataset(Targets::None), &[], none).unwrap_err();
        assert_eq!(error.to_string(), "the dataset has no targets, expected real targets");
    }

    #[test]
    fn settings_reach_the_pipeline() {
        let door = HodgeletClassifier::method(Method::Fourier)
            .likelihood(ClassLikelihood::Softmax)
            .inference(Inference::Laplace)
            .prior_deviation(None)
            .restarts(3)
            .seed(7);
        let expected = ModelParams {
            likelihood: ClassLikelihood::Softmax,
            inference: Inference::Laplace,
            prior_deviation: None,
            restarts: 3,
            seed: 7,
            ..Method::Fourier.params()
        };
        assert_eq!(door.params(), &expected);
    }
}
