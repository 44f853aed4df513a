//! Products with symmetric and triangular matrices of which one triangle is stored.

use super::{clear_upper_registers, dense};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::matmul::{self};
use faer::{Accum, MatMut, MatRef, Par};

/// Copies the lower triangle of `lower` into both triangles of `full`.
pub fn mirror_lower(lower: MatRef<'_, f64>, mut full: MatMut<'_, f64>) {
    full.copy_from_triangular_lower(lower);
    dense::mirror_lower(full);
}

/// `out = a b`.
pub fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    matmul::matmul(out, Accum::Replace, a, b, 1.0, par);
    clear_upper_registers();
}

/// `out = T b` for a lower triangular `T`, with zeros above its diagonal: half the work of a product.
pub fn lower_product(t: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    structured(out, (t, BlockStructure::TriangularLower), (b, BlockStructure::Rectangular), par);
}

/// `out = Tᵀ b` for a lower triangular `T`.
pub fn lower_transpose_product(t: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    structured(out, (t.transpose(), BlockStructure::TriangularUpper), (b, BlockStructure::Rectangular), par);
}

/// `out = a T` for a lower triangular `T`.
pub fn product_lower(a: MatRef<'_, f64>, t: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    structured(out, (a, BlockStructure::Rectangular), (t, BlockStructure::TriangularLower), par);
}

fn structured(
    out: MatMut<'_, f64>,
    (a, a_structure): (MatRef<'_, f64>, BlockStructure),
    (b, b_structure): (MatRef<'_, f64>, BlockStructure),
    par: Par,
) {
    let whole = BlockStructure::Rectangular;
    triangular::matmul(out, whole, Accum::Replace, a, a_structure, b, b_structure, 1.0, par);
    clear_upper_registers();
}

/// Adds the lower triangle of `a bᵀ` to that of `out`.
pub fn add_lower_of_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular::matmul(out, lower, Accum::Add, a, whole, b.transpose(), whole, 1.0, par);
    clear_upper_registers();
}

/// Adds `scale · TᵀT` to the lower triangle of `out`, for a lower triangular `T`.
pub fn add_lower_gram(t: MatRef<'_, f64>, scale: f64, out: MatMut<'_, f64>, par: Par) {
    triangular::matmul(
        out,
        BlockStructure::TriangularLower,
        Accum::Add,
        t.transpose(),
        BlockStructure::TriangularUpper,
        t,
        BlockStructure::TriangularLower,
        scale,
        par,
    );
    clear_upper_registers();
}

/// Adds `scale · A Aᵀ` to the lower triangle of `out`.
pub fn add_outer(a: MatRef<'_, f64>, scale: f64, out: MatMut<'_, f64>, par: Par) {
    triangular::matmul(
        out,
        BlockStructure::TriangularLower,
        Accum::Add,
        a,
        BlockStructure::Rectangular,
        a.transpose(),
        BlockStructure::Rectangular,
        scale,
        par,
    );
    clear_upper_registers();
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn triangle_products_agree_with_dense_ones() {
        let n = 37;
        let t = Mat::from_fn(n, n, |i, j| if i >= j { ((i * 7 + j * 3) % 11) as f64 - 5.0 } else { 0.0 });
        let a = Mat::from_fn(n, 4, |i, j| ((i + 5 * j) % 7) as f64);
        let mut out = Mat::<f64>::zeros(n, n);
        add_lower_gram(t.as_ref(), -0.5, out.as_mut(), Par::Seq);
        add_outer(a.as_ref(), 2.0, out.as_mut(), Par::Seq);
        let mut full = Mat::zeros(n, n);
        mirror_lower(out.as_ref(), full.as_mut());
        let expected = t.transpose() * &t * faer::Scale(-0.5) + &a * a.transpose() * faer::Scale(2.0);
        assert!((full - expected).norm_max() < 1e-9);
    }

    #[test]
    fn products_with_triangles_agree_with_dense_ones() {
        for n in [1, 5, 37, 130] {
            let entry = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - 5.0;
            let t = Mat::from_fn(n, n, |i, j| if i >= j { entry(i, j) } else { 0.0 });
            let (b, c) = (Mat::from_fn(n, 9, entry), Mat::from_fn(n, 9, |i, j| entry(j, i)));
            let mut out = Mat::full(n, 9, 3.0);
            lower_product(t.as_ref(), b.as_ref(), out.as_mut(), Par::Seq);
            assert_eq!(out, &t * &b);
            lower_transpose_product(t.as_ref(), b.as_ref(), out.as_mut(), Par::Seq);
            assert_eq!(out, t.transpose() * &b);
            let mut out = Mat::full(9, n, 3.0);
            product_lower(b.transpose(), t.as_ref(), out.as_mut(), Par::Seq);
            assert_eq!(out, b.transpose() * &t);
            let mut out = Mat::full(n, n, 3.0);
            add_lower_of_product(b.as_ref(), c.as_ref(), out.as_mut(), Par::Seq);
            let expected = &b * c.transpose();
            for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                assert_eq!(out[(i, j)], 3.0 + expected[(i, j)]);
            }
        }
    }
}
