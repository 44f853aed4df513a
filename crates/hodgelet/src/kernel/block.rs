//! A term of the Hodgelet kernel: a variance times a base kernel on one block of columns.

use super::{Family, KernelError, Lengthscales};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bounds of every hyperparameter: products of a few of them stay far from overflow.
pub(crate) const RANGE: (f64, f64) = (1e-100, 1e100);

/// A family with its lengthscales and shape; validated when a [`SumKernel`](super::SumKernel) is made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaseKernel {
    /// The covariance function.
    pub family: Family,
    /// What columns are divided by.
    pub lengthscales: Lengthscales,
    /// α of a rational quadratic, offset of a polynomial; without meaning elsewhere.
    pub shape: f64,
}

impl BaseKernel {
    /// A family with shape 1; half-integer Matérn functions take their closed form.
    #[must_use]
    pub fn new(family: Family, lengthscales: Lengthscales) -> Self {
        Self { family: family.simplified(), lengthscales, shape: 1.0 }
    }

    /// The same with another α or offset.
    #[must_use]
    pub fn with_shape(self, shape: f64) -> Self {
        Self { shape, ..self }
    }

    /// The hyperparameters with their names, in the order of the parameters.
    fn hyperparameters(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        let scales = self.lengthscales.values.iter().enumerate();
        let scales = scales.map(|(g, &value)| (format!("lengthscale {g}"), value));
        scales.chain(self.family.shape_name().map(|name| (name.to_owned(), self.shape)))
    }

    /// The hyperparameters without their names.
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.lengthscales.values.iter().copied().chain(self.family.shape_name().map(|_| self.shape))
    }

    fn n_params(&self) -> usize {
        self.lengthscales.values.len() + usize::from(self.family.shape_name().is_some())
    }

    fn hyperparameters_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let shape = self.family.shape_name().map(|_| &mut self.shape);
        self.lengthscales.values.iter_mut().chain(shape)
    }
}

/// `σ² k(z, z')` on one block of columns; validated when a [`SumKernel`](super::SumKernel) is made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockKernel {
    /// The variance `σ²`.
    pub variance: f64,
    /// The base kernel `k`.
    #[serde(rename = "factors", serialize_with = "write_factors", deserialize_with = "read_factors")]
    pub base: BaseKernel,
}

/// Model files hold the base kernel as a list of one factor.
fn write_factors<S: Serializer>(base: &BaseKernel, serializer: S) -> Result<S::Ok, S::Error> {
    [base].serialize(serializer)
}

fn read_factors<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BaseKernel, D::Error> {
    let factors = Vec::<BaseKernel>::deserialize(deserializer)?;
    let found = factors.len();
    let one = <[BaseKernel; 1]>::try_from(factors).map(|[base]| base);
    one.map_err(|_| serde::de::Error::custom(format!("a kernel of {found} factors, expected 1")))
}

impl BlockKernel {
    /// `σ² k(z, z')`.
    #[must_use]
    pub fn new(variance: f64, base: BaseKernel) -> Self {
        Self { variance, base }
    }

    /// Checks the settings and values; `block` is for the message.
    pub(super) fn check(&self, block: usize) -> Result<(), KernelError> {
        self.base.family.check()?;
        let lengthscales = &self.base.lengthscales;
        let (expected, found) = (lengthscales.n_expected(), lengthscales.values.len());
        if expected != found {
            return Err(KernelError::Lengthscales { block, expected, found });
        }
        self.hyperparameters(block).try_for_each(|(name, value)| check_value(|| name, value))
    }

    /// Variance, then the lengthscales and shape of the base kernel, with their names.
    pub(crate) fn hyperparameters(&self, block: usize) -> impl Iterator<Item = (String, f64)> + '_ {
        let all = std::iter::once(("variance".to_owned(), self.variance)).chain(self.base.hyperparameters());
        all.map(move |(name, value)| (format!("block {block} {name}"), value))
    }

    /// The same hyperparameters without their names.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.variance).chain(self.base.values())
    }

    /// The same hyperparameters in the same order, to be set.
    pub(super) fn hyperparameters_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        std::iter::once(&mut self.variance).chain(self.base.hyperparameters_mut())
    }

    pub(crate) fn n_params(&self) -> usize {
        1 + self.base.n_params()
    }
}

pub(super) fn check_value(name: impl FnOnce() -> String, found: f64) -> Result<(), KernelError> {
    let (lowest, highest) = RANGE;
    if (lowest..=highest).contains(&found) {
        Ok(())
    } else {
        Err(KernelError::Hyperparameter { name: name(), found, lowest, highest })
    }
}
