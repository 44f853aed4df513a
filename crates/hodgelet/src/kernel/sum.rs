//! The Hodgelet kernel: a sum over blocks, its parameters, its Gram matrix and derivatives.

use super::backward::{KernelGradient, block_gradient};
use super::block::{BlockKernel, check_value};
use super::forward::{GramWorkspace, add_block};
use super::points::{RESOLUTION, center, lengthscale_floors};
use super::{Input, KernelError};
use crate::linalg::dense::{mirror_lower, reshape};
use crate::linalg::simd::is_finite;
use faer::{Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

/// Name of the variance of the constant.
const CONSTANT: &str = "constant variance";

/// A sum of kernels, each on its own block of columns, and perhaps a constant; settings and parameters are valid.
///
/// Parameters are the logarithms of the hyperparameters: block by block the variance, then the lengthscales and the α or
/// offset; last the variance of the constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct SumKernel {
    blocks: Vec<BlockKernel>,
    constant: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    blocks: Vec<BlockKernel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constant: Option<f64>,
}

impl TryFrom<Unchecked> for SumKernel {
    type Error = KernelError;

    fn try_from(raw: Unchecked) -> Result<Self, KernelError> {
        let kernel = Self::new(raw.blocks)?;
        raw.constant.map_or(Ok(kernel.clone()), |variance| kernel.with_constant(variance))
    }
}

impl From<SumKernel> for Unchecked {
    fn from(kernel: SumKernel) -> Self {
        Self { blocks: kernel.blocks, constant: kernel.constant }
    }
}

impl SumKernel {
    /// A kernel of these blocks.
    ///
    /// # Errors
    ///
    /// [`KernelError`] names the first setting or hyperparameter that is invalid.
    pub fn new(blocks: Vec<BlockKernel>) -> Result<Self, KernelError> {
        if blocks.is_empty() {
            return Err(KernelError::NoBlocks);
        }
        blocks.iter().enumerate().try_for_each(|(b, block)| block.check(b))?;
        Ok(Self { blocks, constant: None })
    }

    /// The same with a constant: a function that has one value everywhere, normal with this variance.
    ///
    /// # Errors
    ///
    /// [`KernelError`] for an extreme variance.
    pub fn with_constant(self, variance: f64) -> Result<Self, KernelError> {
        check_value(|| CONSTANT.to_owned(), variance)?;
        Ok(Self { constant: Some(variance), ..self })
    }

    /// The variance of the constant, if there is one.
    #[must_use]
    pub fn constant(&self) -> Option<f64> {
        self.constant
    }

    /// The blocks with their hyperparameters.
    #[must_use]
    pub fn blocks(&self) -> &[BlockKernel] {
        &self.blocks
    }

    /// Number of parameters.
    #[must_use]
    pub fn n_params(&self) -> usize {
        self.blocks.iter().map(BlockKernel::n_params).sum::<usize>() + usize::from(self.constant.is_some())
    }

    fn hyperparameters(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        let blocks = self.blocks.iter().enumerate().flat_map(|(b, block)| block.hyperparameters(b));
        blocks.chain(self.constant.map(|variance| (CONSTANT.to_owned(), variance)))
    }

    /// Names of the parameters, such as `block 0 lengthscale 0`.
    #[must_use]
    pub fn param_names(&self) -> Vec<String> {
        self.hyperparameters().map(|(name, _)| name).collect()
    }

    /// Logarithms of the hyperparameters.
    #[must_use]
    pub fn params(&self) -> Vec<f64> {
        self.blocks.iter().flat_map(BlockKernel::values).chain(self.constant).map(f64::ln).collect()
    }

    /// Sets the hyperparameters from their logarithms.
    ///
    /// # Errors
    ///
    /// [`KernelError`] for a wrong number or an extreme value; the kernel then stays as it was.
    pub fn set_params(&mut self, params: &[f64]) -> Result<(), KernelError> {
        let expected = self.n_params();
        if params.len() != expected {
            return Err(KernelError::Params { expected, found: params.len() });
        }
        for (p, log) in params.iter().enumerate() {
            check_value(|| self.param_names().swap_remove(p), log.exp())?;
        }
        let all = self.blocks.iter_mut().flat_map(BlockKernel::hyperparameters_mut);
        all.chain(&mut self.constant).zip(params).for_each(|(value, log)| *value = log.exp());
        Ok(())
    }

    /// Lower bounds of the parameters: lengthscales below them are finer than the rounding of the distances
    /// between these points. Minus infinity where there is no bound.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when the inputs do not fit the kernel.
    pub fn lower_bounds<'a, I>(&self, inputs: &[I]) -> Result<Vec<f64>, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let inputs = self.checked(inputs)?;
        let mut bounds = Vec::with_capacity(self.n_params());
        for (block, z) in self.blocks.iter().zip(inputs) {
            bounds.push(f64::NEG_INFINITY);
            bounds.extend(finest(block, z).into_iter().map(f64::ln));
            bounds.extend(block.base.family.shape_name().map(|_| f64::NEG_INFINITY));
        }
        bounds.extend(self.constant.map(|_| f64::NEG_INFINITY));
        Ok(bounds)
    }

    /// The first parameter below its [lower bound](Self::lower_bounds), where `workspace` was last filled with the Gram matrix
    /// of the same inputs.
    pub(crate) fn unresolved(&self, inputs: &[Input<'_>], workspace: &GramWorkspace) -> Option<usize> {
        let mut first = 0;
        for (b, (block, &z)) in self.blocks.iter().zip(inputs).enumerate() {
            let scales = &block.base.lengthscales.values;
            let known = match (z, &scales[..]) {
                (Input::Columns(_), [_]) if workspace.keeps && block.base.family.is_stationary() => {
                    // Distances are known in units of the only lengthscale.
                    Some((RESOLUTION * workspace.blocks[b].points.reach() > 1.0).then_some(0))
                }
                _ => None,
            };
            let found = known.unwrap_or_else(|| {
                finest(block, z).into_iter().zip(scales).position(|(least, scale)| *scale < least)
            });
            if let Some(found) = found {
                return Some(first + 1 + found);
            }
            first += block.n_params();
        }
        None
    }

    /// The Gram matrix `[n, n]` of the points whose features are `inputs`, one matrix for each block.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when the inputs do not fit the kernel or are not finite.
    pub fn gram<'a, I>(&self, inputs: &[I], par: Par) -> Result<Mat<f64>, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let mut out = Mat::new();
        self.gram_lower(inputs, &mut GramWorkspace::for_values(), &mut out, par)?;
        mirror_lower(out.as_mut());
        Ok(out)
    }

    /// The lower triangle of the Gram matrix into `out`, keeping in `workspace` what
    /// [`backward`](Self::backward) needs. Above the diagonal `out` holds whatever it held, or 0.
    ///
    /// # Errors
    ///
    /// As [`gram`](Self::gram).
    ///
    /// # Complexity
    ///
    /// `n² n_columns` multiplications per block, by matrix products, and `n²/2` evaluations of its family.
    pub fn gram_lower<'a, I>(
        &self,
        inputs: &[I],
        workspace: &mut GramWorkspace,
        out: &mut Mat<f64>,
        par: Par,
    ) -> Result<(), KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let inputs = self.checked(inputs)?;
        let n = inputs[0].nrows();
        workspace.prepare(self.blocks.len(), n);
        reshape(out, n, n);
        for (b, block) in self.blocks.iter().enumerate() {
            add_block(block, b, inputs[b], workspace.block(b), out.as_mut(), b == 0, par)?;
        }
        if let Some(constant) = self.constant {
            (0..n).for_each(|j| out.col_as_slice_mut(j)[j..].iter_mut().for_each(|value| *value += constant));
        }
        if !self.blocks.iter().all(|block| block.base.family.is_stationary()) {
            let lower = (0..n).flat_map(|j| &out.col_as_slice(j)[j..]);
            all_finite(lower, "gram matrix")?;
        }
        if workspace.keeps {
            workspace.params = self.params();
        }
        Ok(())
    }

    /// Derivatives of a function `f` of the Gram matrix last put in `workspace`, where `sensitivities` is the
    /// symmetric matrix `∂f/∂K` with all entries of `K` taken as independent; its lower triangle is read.
    ///
    /// Derivatives in the features come with `with_inputs`; they cost about as much as the Gram matrix.
    ///
    /// # Errors
    ///
    /// [`KernelError::Stale`] when the workspace belongs to other parameters, [`KernelError::Sensitivities`] for
    /// another shape, [`KernelError::Overflow`] when a derivative is not finite.
    pub fn backward(
        &self,
        workspace: &mut GramWorkspace,
        sensitivities: MatRef<'_, f64>,
        with_inputs: bool,
        gradient: &mut KernelGradient,
        par: Par,
    ) -> Result<(), KernelError> {
        self.backward_where(workspace, sensitivities, |_| with_inputs, gradient, par)
    }

    /// As [`backward`](Self::backward), with derivatives in the features of the blocks that are wanted.
    pub(crate) fn backward_where(
        &self,
        workspace: &mut GramWorkspace,
        sensitivities: MatRef<'_, f64>,
        wanted: impl Fn(usize) -> bool,
        gradient: &mut KernelGradient,
        par: Par,
    ) -> Result<(), KernelError> {
        let n = self.filled_with(workspace).ok_or(KernelError::Stale)?;
        let (rows, cols) = (sensitivities.nrows(), sensitivities.ncols());
        if (rows, cols) != (n, n) {
            return Err(KernelError::Sensitivities { rows, cols, n });
        }
        let copy;
        let sensitivities = match sensitivities.try_as_col_major() {
            Some(_) => sensitivities,
            None => {
                copy = sensitivities.to_owned();
                copy.as_ref()
            }
        };
        gradient.params.clear();
        let some = (0..self.blocks.len()).any(&wanted);
        gradient.inputs.resize_with(if some { self.blocks.len() } else { 0 }, Mat::new);
        for (b, block) in self.blocks.iter().enumerate() {
            let mut inputs = gradient.inputs.get_mut(b).filter(|_| wanted(b));
            if let Some(inputs) = &mut inputs {
                reshape(inputs, n, workspace.blocks[b].points.n_columns());
            }
            block_gradient(block, b, workspace, sensitivities, &mut gradient.params, inputs, par);
        }
        if let Some(constant) = self.constant {
            let column = |j: usize| {
                let entry = |i: usize| if i == j { 1.0 } else { 2.0 } * sensitivities[(i, j)];
                (j..n).map(entry).sum::<f64>()
            };
            gradient.params.push(constant * (0..n).map(column).sum::<f64>());
        }
        all_finite(&gradient.params, "gradient of the kernel parameters")?;
        let columns = |z: &Mat<f64>| (0..z.ncols()).all(|c| is_finite(z.col_as_slice(c)));
        match gradient.inputs.iter().all(columns) {
            true => Ok(()),
            false => Err(KernelError::Overflow { what: "gradient of the features" }),
        }
    }

    /// Number of points in the workspace, if this kernel filled it with its present parameters.
    fn filled_with(&self, workspace: &GramWorkspace) -> Option<usize> {
        let fits = workspace.params == self.params() && workspace.blocks.len() == self.blocks.len();
        fits.then_some(workspace.n)
    }

    /// The inputs as they are, if they fit the kernel.
    pub(super) fn checked<'a, I>(&self, inputs: &[I]) -> Result<Vec<Input<'a>>, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let inputs: Vec<Input<'a>> = inputs.iter().map(|&z| z.into()).collect();
        self.check_inputs(&inputs)?;
        Ok(inputs)
    }

    fn check_inputs(&self, inputs: &[Input<'_>]) -> Result<(), KernelError> {
        let (expected, found) = (self.blocks.len(), inputs.len());
        if expected != found {
            return Err(KernelError::Blocks { expected, found });
        }
        for (b, (block, z)) in self.blocks.iter().zip(inputs).enumerate() {
            let (expected, found) = (inputs[0].nrows(), z.nrows());
            if expected != found {
                return Err(KernelError::Rows { block: b, expected, found });
            }
            check_columns(block, b, *z)?;
        }
        Ok(())
    }
}

/// The finest lengthscales that the distances between these points resolve.
fn finest(block: &BlockKernel, inputs: Input<'_>) -> Vec<f64> {
    match inputs {
        Input::Columns(z) => lengthscale_floors(&block.base, z, &center(z)),
        Input::Fixed(rows, _) => {
            let least = if block.base.family.is_stationary() { RESOLUTION * rows.reach() } else { 0.0 };
            vec![least; block.base.lengthscales.values.len()]
        }
    }
}

pub(super) fn check_columns(block: &BlockKernel, index: usize, z: Input<'_>) -> Result<(), KernelError> {
    let z = match (z, block.base.lengthscales.n_columns()) {
        (Input::Columns(z), _) => z,
        (Input::Fixed(..), None) => return Ok(()),
        (Input::Fixed(..), Some(_)) => return Err(KernelError::Kinds),
    };
    match block.base.lengthscales.n_columns() {
        Some(expected) if expected != z.ncols() => {
            Err(KernelError::Columns { block: index, expected, found: z.ncols() })
        }
        _ => Ok(()),
    }
}

pub(super) fn all_finite<'a>(
    values: impl IntoIterator<Item = &'a f64>,
    what: &'static str,
) -> Result<(), KernelError> {
    if values.into_iter().all(|v| v.is_finite()) { Ok(()) } else { Err(KernelError::Overflow { what }) }
}
