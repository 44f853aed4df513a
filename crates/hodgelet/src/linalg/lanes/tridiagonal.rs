//! Householder reduction of symmetric matrices to tridiagonal form, one matrix per lane.

use super::Lanes;

/// Squared norm, relative to entries of at most one, below which a column counts as reduced already.
const TINY: f64 = 1e-290;

/// Householder reduction of `v` `[n, n]` from the last column down. The reflectors stay in the columns of `v`, their
/// scales in `d`, the off-diagonal entries in `e`, one place too late.
#[inline(always)]
pub(super) fn tridiagonalize(v: &mut [Lanes], d: &mut [Lanes], e: &mut [Lanes]) {
    let n = d.len();
    for j in 0..n {
        d[j] = v[j * n + n - 1];
    }
    for i in (1..n).rev() {
        let mut h = Lanes::ZERO;
        for dk in &d[..i] {
            h = h + *dk * *dk;
        }
        let active = h.0.map(|h| h > TINY);
        for dk in &mut d[..i] {
            *dk = dk.or(active, Lanes::ZERO);
        }
        h = h.or(active, Lanes::ZERO);
        let f = d[i - 1];
        let g = h.zip(f, |h, f| if f > 0.0 { -h.sqrt() } else { h.sqrt() });
        e[i] = g;
        h = h - f * g;
        d[i - 1] = f - g;
        e[..i].fill(Lanes::ZERO);
        // e = A d, from the lower triangle
        for j in 0..i {
            let f = d[j];
            v[i * n + j] = f;
            let mut g = e[j] + v[j * n + j] * f;
            let (column, dk, ek) = (&v[j * n + j + 1..j * n + i], &d[j + 1..i], &mut e[j + 1..i]);
            for ((a, d), e) in column.iter().zip(dk).zip(ek) {
                g = g + *a * *d;
                *e = *e + *a * f;
            }
            e[j] = g;
        }
        let inverse = h.map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
        let mut f = Lanes::ZERO;
        for (e, d) in e[..i].iter_mut().zip(&d[..i]) {
            *e = *e * inverse;
            f = f + *e * *d;
        }
        let half = f * inverse.map(|x| 0.5 * x);
        for (e, d) in e[..i].iter_mut().zip(&d[..i]) {
            *e = *e - half * *d;
        }
        // A ← A − d eᵀ − e dᵀ, lower triangle
        for j in 0..i {
            let (f, g) = (d[j], e[j]);
            let column = &mut v[j * n + j..j * n + i];
            for ((a, e), d) in column.iter_mut().zip(&e[j..i]).zip(&d[j..i]) {
                *a = *a - (f * *e + g * *d);
            }
            d[j] = v[j * n + i - 1];
            v[j * n + i] = Lanes::ZERO;
        }
        d[i] = h;
    }
}

/// Multiplies the reflectors together: afterwards the columns of `v` hold `Q` with `A = Q T Qᵀ`, and `d` the diagonal of `T`.
#[inline(always)]
pub(super) fn accumulate(v: &mut [Lanes], d: &mut [Lanes]) {
    let n = d.len();
    for i in 0..n - 1 {
        v[i * n + n - 1] = v[i * n + i];
        v[i * n + i] = Lanes::ONE;
        let inverse = d[i + 1].map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
        let (left, right) = v.split_at_mut((i + 1) * n);
        let reflector = &mut right[..=i];
        for (d, u) in d[..=i].iter_mut().zip(&*reflector) {
            *d = *u * inverse;
        }
        for j in 0..=i {
            let column = &mut left[j * n..j * n + i + 1];
            let mut g = Lanes::ZERO;
            for (u, a) in reflector.iter().zip(&*column) {
                g = g + *u * *a;
            }
            for (a, d) in column.iter_mut().zip(&d[..=i]) {
                *a = *a - g * *d;
            }
        }
        reflector.fill(Lanes::ZERO);
    }
    for j in 0..n {
        d[j] = v[j * n + n - 1];
        v[j * n + n - 1] = Lanes::ZERO;
    }
    v[n * n - 1] = Lanes::ONE;
}

/// Applies the reflectors in `v` to `columns` `[n, width]`, `Qᵀ C`; afterwards `d` holds the diagonal of `T`.
#[inline(always)]
pub(super) fn reflect(v: &[Lanes], d: &mut [Lanes], columns: &mut [Lanes], width: usize) {
    let n = d.len();
    for i in (1..n).rev() {
        let inverse = d[i].map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
        let reflector = &v[i * n..i * n + i];
        for j in 0..width {
            let mut g = Lanes::ZERO;
            for (k, u) in reflector.iter().enumerate() {
                g = g + *u * columns[k * width + j];
            }
            g = g * inverse;
            for (k, u) in reflector.iter().enumerate() {
                let at = k * width + j;
                columns[at] = columns[at] - g * *u;
            }
        }
    }
    for j in 0..n {
        d[j] = v[j * n + j];
    }
}
