//! Eigenpairs of one symmetric matrix by the dense backend, and spectral coefficients without eigenvectors.

use super::{NotConverged, clear_upper_registers};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::{self, ComputeEigenvectors, SelfAdjointEvdParams, tridiag};
use faer::linalg::householder;
use faer::{Conj, Mat, MatMut, MatRef, Par, Spec};

/// Eigenvalues (ascending) and eigenvectors (columns, contiguous) of a symmetric matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Eigenpairs {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>, // [n]
    /// Eigenvectors, one after the other.
    pub vectors: Vec<f64>, // [n, n] column-major
}

impl Eigenpairs {
    /// Eigenvector `j`.
    #[must_use]
    pub fn vector(&self, j: usize) -> &[f64] {
        let n = self.values.len();
        &self.vectors[j * n..(j + 1) * n]
    }
}

/// All eigenpairs of `a`, whose lower triangle is read.
///
/// # Errors
///
/// [`NotConverged`] when the iteration gives up, as it does on values that are not finite.
pub fn eigenpairs(a: MatRef<'_, f64>) -> Result<Eigenpairs, NotConverged> {
    let n = a.nrows();
    if n == 0 {
        return Ok(Eigenpairs::default());
    }
    let params = Spec::<SelfAdjointEvdParams, f64>::default();
    let request = evd::self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
    let mut buffer = MemBuffer::new(request);
    let (mut values, mut vectors) = (Diag::<f64>::zeros(n), vec![0.0; n * n]);
    let u = MatMut::from_column_major_slice_mut(&mut vectors, n, n);
    let stack = MemStack::new(&mut buffer);
    let solved = evd::self_adjoint_evd(a, values.as_mut(), Some(u), Par::Seq, stack, params);
    clear_upper_registers();
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    match solved {
        Ok(()) if values.iter().all(|v| v.is_finite()) => Ok(Eigenpairs { values, vectors }),
        _ => eigenpairs_by_ql(a),
    }
}

/// The same by implicit QL, where the backend gives up, as it does on rare matrices with many equal eigenvalues.
fn eigenpairs_by_ql(a: MatRef<'_, f64>) -> Result<Eigenpairs, NotConverged> {
    let n = a.nrows();
    if !(0..n).all(|j| (j..n).all(|i| a[(i, j)].is_finite())) {
        return Err(NotConverged { size: n });
    }
    // The coefficients of the identity are Vᵀ: row j is eigenvector j.
    let (values, coefficients) = spectral_coefficients(a.to_owned(), Mat::identity(n, n))?;
    let vectors = (0..n).flat_map(|j| (0..n).map(move |i| (j, i))).map(|at| coefficients[at]).collect();
    Ok(Eigenpairs { values, vectors })
}

/// Eigenvalues (ascending) of `a` and the coefficients `Vᵀ C` of `columns` in its eigenvectors `V`, which are
/// never formed: `a` is reduced to tridiagonal form, the reflections and the plane rotations of the QL iteration
/// are applied to the columns alone.
///
/// # Errors
///
/// [`NotConverged`] as for [`eigenpairs`].
///
/// # Complexity
///
/// `4/3 n³` operations for the reduction and `O(n² d)` for `d` columns, against about `9 n³` for eigenvectors.
pub fn spectral_coefficients(
    mut a: Mat<f64>,
    mut columns: Mat<f64>,
) -> Result<(Vec<f64>, Mat<f64>), NotConverged> {
    let (n, d) = (a.nrows(), columns.ncols());
    if n == 0 {
        return Ok((Vec::new(), columns));
    }
    let block = faer::linalg::qr::no_pivoting::factor::recommended_block_size::<f64>(n, n);
    let mut factor = Mat::<f64>::zeros(block, n - 1);
    let params = Spec::default();
    let mut buffer = MemBuffer::new(StackReq::any_of(&[
        tridiag::tridiag_in_place_scratch::<f64>(n, Par::Seq, params),
        householder::apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<f64>(
            n, block, d,
        ),
    ]));
    let stack = MemStack::new(&mut buffer);
    tridiag::tridiag_in_place(a.as_mut(), factor.as_mut(), Par::Seq, stack, params);
    if n > 1 {
        householder::apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
            a.submatrix(1, 0, n - 1, n - 1),
            factor.as_ref(),
            Conj::No,
            columns.as_mut().subrows_mut(1, n - 1),
            Par::Seq,
            stack,
        );
    }
    clear_upper_registers();
    let mut diagonal: Vec<f64> = (0..n).map(|i| a[(i, i)]).collect();
    let mut off: Vec<f64> = (0..n).map(|i| if i + 1 < n { a[(i + 1, i)] } else { 0.0 }).collect();
    let mut rows: Vec<f64> = (0..n).flat_map(|i| (0..d).map(move |j| (i, j))).map(|at| columns[at]).collect();
    ql(&mut diagonal, &mut off, &mut rows, d)?;

    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    let coefficients = Mat::from_fn(n, d, |i, j| rows[order[i] * d + j]);
    Ok((order.iter().map(|&i| diagonal[i]).collect(), coefficients))
}

/// Eigenvalues (ascending) of a tridiagonal matrix, and the squares of the first entries of its eigenvectors: nodes and
/// masses of the Gauss rule that the matrix stands for.
///
/// # Errors
///
/// [`NotConverged`] when the iteration gives up, as it does on values that are not finite.
pub(crate) fn tridiagonal_rule(
    mut diagonal: Vec<f64>,
    mut off: Vec<f64>,
) -> Result<(Vec<f64>, Vec<f64>), NotConverged> {
    let size = diagonal.len();
    if !diagonal.iter().chain(&off).all(|v| v.is_finite()) {
        return Err(NotConverged { size });
    }
    let mut first = vec![0.0; size];
    if let Some(start) = first.first_mut() {
        *start = 1.0;
    }
    ql(&mut diagonal, &mut off, &mut first, 1)?;
    let mut pairs: Vec<(f64, f64)> = diagonal.into_iter().zip(first.iter().map(|c| c * c)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(pairs.into_iter().unzip())
}

/// Implicit QL with Wilkinson's shift on a tridiagonal matrix; its rotations mix the `width` wide `rows`.
fn ql(d: &mut [f64], e: &mut [f64], rows: &mut [f64], width: usize) -> Result<(), NotConverged> {
    const MAX_SWEEPS: usize = 60;
    let n = d.len();
    let norm = d.iter().zip(&*e).map(|(d, e)| d.abs() + e.abs()).fold(0.0, f64::max);
    let negligible = norm * f64::EPSILON;
    for l in 0..n {
        for sweep in 0.. {
            let end = e[l..].iter().position(|e| e.abs() <= negligible).map(|k| l + k);
            let end = end.filter(|_| sweep < MAX_SWEEPS).ok_or(NotConverged { size: n })?;
            if end == l {
                break;
            }
            let p = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = p.hypot(1.0);
            let mut g = d[end] - d[l] + e[l] / (if p >= 0.0 { p + r } else { p - r });
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut split = false;
            for i in (l..end).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = (f * f + g * g).sqrt();
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[end] = 0.0;
                    split = true;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                let t = (d[i] - g) * s + 2.0 * c * b;
                p = s * t;
                d[i + 1] = g + p;
                g = c * t - b;
                let (low, high) = rows[i * width..(i + 2) * width].split_at_mut(width);
                for (x, y) in low.iter_mut().zip(high) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
            if !split {
                d[l] -= p;
                e[l] = g;
                e[end] = 0.0;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_routes_to_eigenpairs_agree() {
        // A path with a clique: simple and repeated eigenvalues.
        let n = 12;
        let linked = |i: usize, j: usize| i.abs_diff(j) == 1 || (i < 6 && j < 6 && i != j);
        let degree = |i: usize| (0..n).filter(|&j| linked(i, j)).count() as f64;
        let a =
            Mat::from_fn(n, n, |i, j| if i == j { degree(i) } else { -f64::from(u8::from(linked(i, j))) });
        let (backend, own) = (eigenpairs(a.as_ref()).unwrap(), eigenpairs_by_ql(a.as_ref()).unwrap());
        for j in 0..n {
            assert!((backend.values[j] - own.values[j]).abs() < 1e-13);
            let u = own.vector(j);
            for i in 0..n {
                let image: f64 = (0..n).map(|k| a[(i, k)] * u[k]).sum();
                assert!((image - own.values[j] * u[i]).abs() < 1e-13, "vector {j}");
            }
            for k in 0..n {
                let product: f64 = u.iter().zip(own.vector(k)).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(u8::from(j == k))).abs() < 1e-13, "{j} {k}");
            }
        }
        assert!(eigenpairs_by_ql(Mat::full(3, 3, f64::NAN).as_ref()).is_err());
    }

    /// A ring of `n` vertices with chords, whose spectrum has pairs.
    fn ring(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| match (i + n - j) % n {
            0 => 4.0,
            1 | 3 => -1.0,
            k if k == n - 1 || k == n - 3 => -1.0,
            _ => 0.0,
        })
    }

    #[test]
    fn coefficients_without_eigenvectors_give_the_energies_of_the_eigenspaces() {
        for n in [7, 8, 40, 151] {
            let columns = Mat::from_fn(n, 3, |i, j| ((i * (j + 2)) as f64).sin());
            let pairs = eigenpairs(ring(n).as_ref()).unwrap();
            let (values, coefficients) = spectral_coefficients(ring(n), columns.clone()).unwrap();
            for (a, b) in values.iter().zip(&pairs.values) {
                assert!((a - b).abs() < 1e-12);
            }
            for channel in 0..3 {
                // A smooth function of the eigenvalue: what single atoms of an eigenspace hold does not matter.
                let sum = |energy: &dyn Fn(usize) -> f64| -> f64 {
                    (0..n).map(|k| energy(k) / (1.0 + pairs.values[k])).sum()
                };
                let expected = sum(&|k| {
                    let c: f64 = (0..n).map(|i| pairs.vector(k)[i] * columns[(i, channel)]).sum();
                    c * c
                });
                let found = sum(&|k| coefficients[(k, channel)].powi(2));
                assert!((found - expected).abs() < 1e-11 * expected, "{n} {found} {expected}");
            }
        }
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let a = Mat::from_fn(3, 3, |_, _| f64::NAN);
        assert_eq!(eigenpairs(a.as_ref()).unwrap_err(), NotConverged { size: 3 });
        let error = spectral_coefficients(a, Mat::zeros(3, 1)).unwrap_err();
        assert_eq!(error.to_string(), "eigenvalues of a matrix of size 3 did not converge");
    }

    #[test]
    fn tiny_matrices_are_solved() {
        assert!(eigenpairs(Mat::<f64>::zeros(0, 0).as_ref()).unwrap().values.is_empty());
        let (values, c) = spectral_coefficients(Mat::identity(1, 1), Mat::full(1, 1, 3.0)).unwrap();
        assert_eq!((values, c[(0, 0)]), (vec![1.0], 3.0));
    }
}
