//! What a driver and its workers say to each other, as bytes: numbers keep their bits.

use super::super::noise::NoiseCovariates;
use super::super::{FeatureSpace, FittedTargets, ModelError};
use crate::gp::sparse::{Moments, Term, TreeSum};
use crate::kernel::{FixedRows, GivenRows, Inputs, RowProduct, SparseRows, SumKernel};
use crate::likelihood::LikelihoodParams;
use crate::linalg::serial::Numbers;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What leaves are seen through: filters, a kernel, inducing complexes, and the units of targets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct View {
    pub space: FeatureSpace,
    pub kernel: SumKernel,
    #[serde(with = "inputs")]
    pub inputs: Vec<Inputs>, // of the inducing complexes, per block
    pub fitted: FittedTargets,
    pub covariates: Option<NoiseCovariates>,
    pub likelihood: LikelihoodParams,
    pub factors: Option<Vec<f64>>,
}

/// Which sum over leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Columns,
    Pass,
    Gradient,
    LeftOut,
}

/// What a driver asks of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Question {
    /// Moments of the columns of a feature space.
    Columns(Box<FeatureSpace>),
    /// A sum at a Gaussian over the inducing values, with these values of the likelihood, under the view shown last.
    Sum { kind: Kind, moments: Moments, learned: Vec<f64> },
}

/// The nodes of a tree that some leaves fill, and of which sum they are.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer<S> {
    pub kind: Kind,
    pub sum: S,
}

/// The kind of an answer, whatever its sum is.
#[derive(Deserialize)]
pub(super) struct AnswerKind {
    pub kind: Kind,
}

/// The answers of consecutive shards as one.
pub(super) fn joined<T: Term + DeserializeOwned>(answers: &[Vec<u8>]) -> Result<TreeSum<T>, ModelError> {
    let mut sum = TreeSum::default();
    for answer in answers {
        sum.append(unpacked::<Answer<TreeSum<T>>>(answer)?.sum);
    }
    Ok(sum)
}

/// A value as bytes.
pub(super) fn packed(value: &impl Serialize) -> Result<Vec<u8>, ModelError> {
    rmp_serde::to_vec_named(value).map_err(|error| ModelError::Store { fault: error.to_string() })
}

/// The value of bytes.
pub(super) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ModelError> {
    let fault = |error| ModelError::Store { fault: format!("a message between workers: {error}") };
    rmp_serde::from_slice(bytes).map_err(fault)
}

/// Kernel inputs as they travel.
#[derive(Serialize, Deserialize)]
enum Packed {
    Columns(Numbers),
    Dense(Numbers),
    Sparse { product: RowProduct, rows: Vec<Vec<(u64, f64)>> },
    Given { places: Vec<Option<u32>>, own: Vec<f64>, values: Numbers },
}

impl From<&Inputs> for Packed {
    fn from(inputs: &Inputs) -> Self {
        match inputs {
            Inputs::Columns(matrix) => Self::Columns(matrix.into()),
            Inputs::Fixed(rows) => match &**rows {
                FixedRows::Dense(matrix) => Self::Dense(matrix.into()),
                FixedRows::Sparse(rows) => Self::Sparse {
                    product: rows.product(),
                    rows: (0..rows.len()).map(|i| rows.row(i).collect()).collect(),
                },
                FixedRows::Given(rows) => Self::Given {
                    places: rows.places().to_vec(),
                    own: rows.own().to_vec(),
                    values: rows.values().into(),
                },
            },
        }
    }
}

impl TryFrom<Packed> for Inputs {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        Ok(match packed {
            Packed::Columns(numbers) => Self::Columns(numbers.try_into()?),
            Packed::Dense(numbers) => Self::dense(numbers.try_into()?),
            Packed::Sparse { product, rows } => {
                let mut all = SparseRows::new(product);
                for row in rows {
                    let sound = row.is_sorted_by(|a, b| a.0 < b.0) && row.iter().all(|(_, x)| x.is_finite());
                    if !sound {
                        return Err("a sparse row whose identifiers do not ascend".to_owned());
                    }
                    all.push(row);
                }
                Self::sparse(all)
            }
            Packed::Given { places, own, values } => {
                let rows = GivenRows::new(places, own, values.try_into()?);
                Self::given(rows.ok_or("rows of a Gram matrix that do not fit each other")?)
            }
        })
    }
}

mod inputs {
    use super::{Inputs, Packed};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(inputs: &[Inputs], to: S) -> Result<S::Ok, S::Error> {
        inputs.iter().map(Packed::from).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Inputs>, D::Error> {
        let all = Vec::<Packed>::deserialize(from)?;
        all.into_iter().map(|one| one.try_into().map_err(D::Error::custom)).collect()
    }
}
