//! Laplace's approximation for several classes under the softmax, after \[Rasmussen06\] Algorithms 3.3 and 3.4.
//!
//! The curvature couples the classes at a point, `W = D − D R N⁻¹ Rᵀ D` with `D` the expected counts, `R` the
//! stacked identities and `N` the counts of a point (one each in the book). With
//! `E_c = (K + D_c⁻¹)⁻¹` and `M Mᵀ = Σ_c E_c`,
//!
//! ```text
//! (K + W⁻¹)⁻¹ = E − E R (M Mᵀ)⁻¹ Rᵀ E,      log |I + K W| = Σ_c log |B_c| + log |M Mᵀ| − Σ_i log N_i
//! ```
//!
//! (Algorithm 3.3 as printed leaves the last two terms of the determinant out.)

use super::error::GpError;
use super::factor::Factor;
use super::laplace::Laplace;
use super::posterior::{Sites, check_cross};
use super::workspace::Workspace;
use crate::likelihood::points::NormalPoints;
use crate::likelihood::{Labels, Likelihood, Observations, Softmax, log_sum_exp};
use crate::linalg::cholesky::{
    CholeskyScratch, factor_in_place, log_determinant, solve_in_place, solve_lower_in_place,
};
use faer::{Mat, MatRef, Par};

/// A Newton step is halved this often before the iteration gives up.
const MOST_HALVINGS: usize = 40;

/// Points that predictive probabilities are averaged over.
const PREDICTION_POINTS: usize = 1024;

/// The Gaussian at the mode, for several classes.
pub struct SoftmaxLaplace {
    log_evidence: f64,
    iterations: usize,
    mode: Mode,
    factors: Vec<Factor>,
    coupling: Mat<f64>, // M, lower triangle [n, n]
}

/// Latent values with `F = K A`, and the log posterior there up to a constant.
struct Mode {
    f: Mat<f64>,     // [n, n_classes]
    alpha: Mat<f64>, // [n, n_classes]
    value: f64,
}

impl Laplace {
    /// The Gaussian at the mode for the softmax likelihood.
    ///
    /// # Errors
    ///
    /// [`GpError`] for another likelihood, inputs that do not fit, or an iteration that does not converge.
    pub fn fit_softmax(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        workspace: &mut Workspace,
    ) -> Result<SoftmaxLaplace, GpError> {
        let Likelihood::Softmax(_, n_classes) = *likelihood else {
            return Err(GpError::Unsupported { method: "softmax Laplace", likelihood: "another likelihood" });
        };
        likelihood.check_observations(observations)?;
        let Observations::Classes(labels) = observations else { unreachable!("kinds were checked") };
        let n = observations.n_points();
        workspace.load(gram, n, n_classes)?;
        let counts = count_matrix(labels, n);
        let mut mode = Mode { f: Mat::zeros(n, n_classes), alpha: Mat::zeros(n, n_classes), value: 0.0 };
        mode.value = mode.objective(&counts);
        for iteration in 1..=self.0.max_iterations {
            let curvature = Curvature::new(&counts, &mode.f, workspace)?;
            let target = curvature.newton(&counts, &mode.f, workspace);
            let Some(next) = mode.step(&counts, &target, workspace) else {
                return Err(GpError::NotConverged { iterations: iteration, change: f64::NAN });
            };
            let rise = next.value - mode.value;
            mode = next;
            if rise.abs() <= self.0.tolerance * (1.0 + mode.value.abs()) {
                return finish(&counts, mode, iteration, workspace);
            }
            if iteration == self.0.max_iterations {
                return Err(GpError::NotConverged { iterations: iteration, change: rise });
            }
        }
        unreachable!("at least one iteration was asked for")
    }
}

fn finish(
    counts: &Mat<f64>,
    mode: Mode,
    iterations: usize,
    workspace: &mut Workspace,
) -> Result<SoftmaxLaplace, GpError> {
    let curvature = Curvature::new(counts, &mode.f, workspace)?;
    let log_evidence = mode.value - 0.5 * curvature.log_det;
    if !log_evidence.is_finite() {
        return Err(GpError::Overflow { quantity: "evidence", value: log_evidence });
    }
    let factors = std::mem::take(&mut workspace.factors);
    Ok(SoftmaxLaplace { log_evidence, iterations, mode, factors, coupling: curvature.coupling })
}

/// How often each class was seen at each point, `[n, n_classes]`.
fn count_matrix(labels: &Labels, n: usize) -> Mat<f64> {
    let mut counts = Mat::zeros(n, labels.n_classes());
    for i in 0..n {
        labels.counts(i).iter().for_each(|&(class, count)| counts[(i, class)] = count);
    }
    counts
}

fn row(matrix: &Mat<f64>, i: usize) -> impl Iterator<Item = f64> + Clone + '_ {
    (0..matrix.ncols()).map(move |c| matrix[(i, c)])
}

/// Expected counts `N_i softmax(f_i)_c`.
fn expected(counts: &Mat<f64>, f: &Mat<f64>) -> Mat<f64> {
    let n = f.nrows();
    let partition: Vec<f64> = (0..n).map(|i| log_sum_exp(row(f, i))).collect();
    let total: Vec<f64> = (0..n).map(|i| row(counts, i).sum()).collect();
    Mat::from_fn(n, f.ncols(), |i, c| total[i] * (f[(i, c)] - partition[i]).exp())
}

/// The curvature at some latent values: factors of each class (in the workspace), and what couples them.
struct Curvature {
    expected: Mat<f64>,
    coupling: Mat<f64>,
    log_det: f64,
}

impl Curvature {
    fn new(counts: &Mat<f64>, f: &Mat<f64>, workspace: &mut Workspace) -> Result<Self, GpError> {
        let (n, n_classes) = f.shape();
        let expected = expected(counts, f);
        let flat: Vec<f64> = expected.col_iter().flat_map(|column| column.iter().copied()).collect();
        let shifts = vec![0.0; n * n_classes];
        let sites = Sites::zeros(n, n_classes).with_values(&[flat, shifts].concat());
        let marginals = workspace.update(&sites)?;
        let mut coupling = Mat::zeros(n, n);
        for factor in &workspace.factors {
            factor.add_precision(1.0, coupling.as_mut(), Par::Seq);
        }
        let mut log_det: f64 = marginals.iter().map(|m| m.log_det).sum();
        for i in 0..n {
            let total: f64 = row(counts, i).sum();
            if total > 0.0 {
                log_det -= total.ln();
            } else {
                coupling[(i, i)] = 1.0; // Nothing was seen here: the row is empty, and 1 leaves it so.
            }
        }
        factor_in_place(coupling.as_mut(), &mut CholeskyScratch::default(), Par::Seq)?;
        log_det += log_determinant(coupling.as_ref());
        Ok(Self { expected, coupling, log_det })
    }

    /// `α` of the Newton step: `b − (K + W⁻¹)⁻¹ K b`, `b = W f + y − π`. Algorithm 3.3, lines 8–10.
    fn newton(&self, counts: &Mat<f64>, f: &Mat<f64>, workspace: &Workspace) -> Mat<f64> {
        let (n, n_classes) = f.shape();
        let mean: Vec<f64> = (0..n)
            .map(|i| {
                let total: f64 = row(counts, i).sum();
                let weighted: f64 = row(&self.expected, i).zip(row(f, i)).map(|(d, f)| d * f).sum();
                if total > 0.0 { weighted / total } else { 0.0 }
            })
            .collect();
        let b = Mat::from_fn(n, n_classes, |i, c| {
            self.expected[(i, c)] * (f[(i, c)] - mean[i]) + counts[(i, c)] - self.expected[(i, c)]
        });
        let prior = &workspace.gram * &b;
        let mut pulled = Mat::zeros(n, n_classes);
        let mut sum = Mat::zeros(n, 1);
        for (c, factor) in workspace.factors.iter().enumerate() {
            let column = factor.precision_times(prior.subcols(c, 1));
            (0..n).for_each(|i| pulled[(i, c)] = column[(i, 0)]);
            sum += &column;
        }
        solve_in_place(self.coupling.as_ref(), sum.as_mut(), Par::Seq);
        let mut alpha = b - pulled;
        for (c, factor) in workspace.factors.iter().enumerate() {
            let column = factor.precision_times(sum.as_ref());
            (0..n).for_each(|i| alpha[(i, c)] += column[(i, 0)]);
        }
        alpha
    }
}

impl Mode {
    fn objective(&self, counts: &Mat<f64>) -> f64 {
        let mut value = 0.0;
        for i in 0..self.f.nrows() {
            let total: f64 = row(counts, i).sum();
            let seen: f64 = row(counts, i).zip(row(&self.f, i)).map(|(y, f)| y * f).sum();
            let prior: f64 = row(&self.alpha, i).zip(row(&self.f, i)).map(|(a, f)| a * f).sum();
            value += seen - total * log_sum_exp(row(&self.f, i)) - 0.5 * prior;
        }
        value
    }

    /// The Newton step, halved until it does not lower the log posterior.
    fn step(&self, counts: &Mat<f64>, target: &Mat<f64>, workspace: &Workspace) -> Option<Self> {
        let mut rho = 1.0;
        for _ in 0..MOST_HALVINGS {
            let alpha = &self.alpha + (target - &self.alpha) * faer::Scale(rho);
            let mut next = Self { f: &workspace.gram * &alpha, alpha, value: 0.0 };
            next.value = next.objective(counts);
            if next.value >= self.value - 1e-12 * (1.0 + self.value.abs()) {
                return Some(next);
            }
            rho *= 0.5;
        }
        None
    }
}

impl SoftmaxLaplace {
    /// The approximate evidence `log q(y)`.
    #[must_use]
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// Newton steps it took.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Latent values at the mode, `[n, n_classes]`.
    #[must_use]
    pub fn mode(&self) -> MatRef<'_, f64> {
        self.mode.f.as_ref()
    }

    /// Latent means and class probabilities at new points, both `[n_new, n_classes]`, from the kernel between new
    /// and training points and of each new point with itself. Algorithm 3.4, its sampling replaced by fixed points.
    ///
    /// # Errors
    ///
    /// [`GpError`] when shapes differ or an evaluation is not finite.
    pub fn predict(&self, cross: MatRef<'_, f64>, diagonal: &[f64]) -> Result<(Mat<f64>, Mat<f64>), GpError> {
        let (n, n_classes) = self.mode.f.shape();
        check_cross(cross, diagonal, n)?;
        let mean = cross * &self.mode.alpha;
        let points = NormalPoints::new(PREDICTION_POINTS, n_classes);
        let mut probabilities = Mat::zeros(diagonal.len(), n_classes);
        let mut p = vec![0.0; n_classes];
        for (k, &prior) in diagonal.iter().enumerate() {
            let factor = self.latent_factor(cross.subrows(k, 1).transpose(), prior);
            let center: Vec<f64> = row(&mean, k).collect();
            Softmax::correlated_probabilities(&points, &center, factor.as_ref(), &mut p);
            (0..n_classes).for_each(|c| probabilities[(k, c)] = p[c]);
        }
        Ok((mean, probabilities))
    }

    /// A lower triangular root of the covariance of the latent values at a new point.
    fn latent_factor(&self, cross: MatRef<'_, f64>, prior: f64) -> Mat<f64> {
        let n_classes = self.factors.len();
        let mut pulled = Mat::zeros(cross.nrows(), n_classes);
        let mut covariance = Mat::zeros(n_classes, n_classes);
        for (c, factor) in self.factors.iter().enumerate() {
            let column = factor.precision_times(cross);
            let explained: f64 = (0..cross.nrows()).map(|i| cross[(i, 0)] * column[(i, 0)]).sum();
            covariance[(c, c)] = (prior - explained).max(0.0);
            (0..cross.nrows()).for_each(|i| pulled[(i, c)] = column[(i, 0)]);
        }
        solve_lower_in_place(self.coupling.as_ref(), pulled.as_mut(), Par::Seq);
        covariance += pulled.transpose() * &pulled;
        let trace: f64 = (0..n_classes).map(|c| covariance[(c, c)]).sum();
        // Semi-definite when the new point is a training point without doubt: a grain keeps the pivots positive.
        (0..n_classes).for_each(|c| covariance[(c, c)] += 1e-13 * trace + f64::MIN_POSITIVE);
        let mut factor = covariance.clone();
        if factor_in_place(factor.as_mut(), &mut CholeskyScratch::default(), Par::Seq).is_err() {
            return Mat::from_fn(n_classes, n_classes, |a, b| {
                if a == b { covariance[(a, a)].max(0.0).sqrt() } else { 0.0 }
            });
        }
        factor
    }
}
