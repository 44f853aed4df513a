//! A term of the Hodgelet kernel: a variance times a product of base kernels on one block of columns.

use super::{Family, KernelError, Lengthscales};
use serde::{Deserialize, Serialize};

/// Bounds of every hyperparameter: products of a few of them stay far from overflow.
const RANGE: (f64, f64) = (1e-100, 1e100);

/// A family with its lengthscales and shape; may hold nonsense until a [`SumKernel`](super::SumKernel) is made
/// of it.
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

    pub(super) fn n_params(&self) -> usize {
        self.lengthscales.values.len() + usize::from(self.family.shape_name().is_some())
    }

    fn hyperparameters_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let shape = self.family.shape_name().map(|_| &mut self.shape);
        self.lengthscales.values.iter_mut().chain(shape)
    }
}

/// `σ² Π_f k_f(z, z')` on one block of columns; may hold nonsense until a [`SumKernel`](super::SumKernel) is
/// made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockKernel {
    /// The variance `σ²`.
    pub variance: f64,
    /// The factors of the product, usually one.
    pub factors: Vec<BaseKernel>,
}

impl BlockKernel {
    /// `σ² k(z, z')`.
    #[must_use]
    pub fn new(variance: f64, base: BaseKernel) -> Self {
        Self { variance, factors: vec![base] }
    }

    /// The product of this kernel and another base kernel on the same columns.
    #[must_use]
    pub fn times(mut self, base: BaseKernel) -> Self {
        self.factors.push(base);
        self
    }

    /// The settings, or the first that makes no sense; `block` is for the message.
    pub(super) fn check(&self, block: usize) -> Result<(), KernelError> {
        if self.factors.is_empty() {
            return Err(KernelError::NoFactors { block });
        }
        for (f, base) in self.factors.iter().enumerate() {
            base.family.check()?;
            let (expected, found) = (base.lengthscales.n_expected(), base.lengthscales.values.len());
            if expected != found {
                let name = format!("block {block} factor {f}");
                return Err(KernelError::Lengthscales { name, expected, found });
            }
        }
        self.check_columns(block)?;
        self.hyperparameters(block).try_for_each(|(name, value)| check_value(name, value))
    }

    /// All factors that fix the number of columns must agree.
    fn check_columns(&self, block: usize) -> Result<(), KernelError> {
        let mut counts = self.factors.iter().filter_map(|base| base.lengthscales.n_columns());
        let Some(expected) = counts.next() else { return Ok(()) };
        match counts.find(|&found| found != expected) {
            Some(found) => Err(KernelError::Columns { block, expected, found }),
            None => Ok(()),
        }
    }

    /// Number of columns, where a factor fixes it.
    pub(super) fn n_columns(&self) -> Option<usize> {
        self.factors.iter().find_map(|base| base.lengthscales.n_columns())
    }

    pub(super) fn is_stationary(&self) -> bool {
        self.factors.iter().all(|base| base.family.is_stationary())
    }

    /// Variance, then the lengthscales and shape of each factor, with their names.
    pub(super) fn hyperparameters(&self, block: usize) -> impl Iterator<Item = (String, f64)> + '_ {
        let several = self.factors.len() > 1;
        let of_factors = self.factors.iter().enumerate().flat_map(move |(f, base)| {
            let prefix = if several { format!("block {block} factor {f}") } else { format!("block {block}") };
            base.hyperparameters().map(move |(name, value)| (format!("{prefix} {name}"), value))
        });
        std::iter::once((format!("block {block} variance"), self.variance)).chain(of_factors)
    }

    /// The same hyperparameters in the same order, to be set.
    pub(super) fn hyperparameters_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let factors = self.factors.iter_mut().flat_map(BaseKernel::hyperparameters_mut);
        std::iter::once(&mut self.variance).chain(factors)
    }

    pub(crate) fn n_params(&self) -> usize {
        1 + self.factors.iter().map(BaseKernel::n_params).sum::<usize>()
    }
}

pub(super) fn check_value(name: String, found: f64) -> Result<(), KernelError> {
    let (lowest, highest) = RANGE;
    if (lowest..=highest).contains(&found) {
        Ok(())
    } else {
        Err(KernelError::Hyperparameter { name, found, lowest, highest })
    }
}
