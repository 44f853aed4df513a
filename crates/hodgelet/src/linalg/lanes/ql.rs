//! The implicit QL iteration on tridiagonal matrices, one matrix per lane.

use super::{LANES, Lanes};

/// QL sweeps that one eigenvalue may take before the lane is given up; three are usual.
const MAX_SWEEPS: usize = 60;

/// Implicit QL until every off-diagonal entry is negligible against the norm of the matrix, with the diagonal `d` and the
/// off-diagonal entries in `e` from its second place. Rotations mix the rows of `rows`, `[n, width]`. Says which lanes
/// succeeded.
#[inline(always)]
pub(super) fn iterate(d: &mut [Lanes], e: &mut [Lanes], rows: &mut [Lanes], width: usize) -> [bool; LANES] {
    let n = d.len();
    e.rotate_left(1);
    e[n - 1] = Lanes::ZERO;
    let mut norm = Lanes::ZERO;
    for (d, e) in d.iter().zip(&*e) {
        norm = norm.zip(d.zip(*e, |d, e| d.abs() + e.abs()), f64::max);
    }
    let negligible = norm.map(|x| x * f64::EPSILON);
    let mut valid = [true; LANES];
    for l in 0..n {
        for round in 0.. {
            let ends = ends(e, l, negligible);
            let active: [bool; LANES] = std::array::from_fn(|lane| ends[lane] > l && valid[lane]);
            if !active.contains(&true) {
                break;
            }
            if round == MAX_SWEEPS {
                (0..LANES).for_each(|lane| valid[lane] &= !active[lane]);
                break;
            }
            sweep(d, e, l, ends, active, rows, width);
        }
    }
    std::array::from_fn(|lane| valid[lane] && d.iter().all(|d| d.0[lane].is_finite()))
}

/// For each lane, the first index from `l` whose off-diagonal entry is negligible.
#[inline(always)]
fn ends(e: &[Lanes], l: usize, negligible: Lanes) -> [usize; LANES] {
    std::array::from_fn(|lane| {
        let small = |e: &Lanes| e.0[lane].abs() <= negligible.0[lane];
        // The last entry is zero; only a NaN can pass it.
        e[l..].iter().position(small).map_or(e.len() - 1, |k| l + k)
    })
}

/// One QL sweep from `ends` up to `l` in the active lanes.
#[inline(always)]
fn sweep(
    d: &mut [Lanes],
    e: &mut [Lanes],
    l: usize,
    ends: [usize; LANES],
    mut active: [bool; LANES],
    rows: &mut [Lanes],
    width: usize,
) {
    let mut g = Lanes::ZERO;
    let mut last = l;
    for lane in 0..LANES {
        if active[lane] {
            let (dl, el) = (d[l].0[lane], e[l].0[lane]);
            let p = (d[l + 1].0[lane] - dl) / (2.0 * el);
            let r = (p * p + 1.0).sqrt();
            g.0[lane] = d[ends[lane]].0[lane] - dl + el / (if p >= 0.0 { p + r } else { p - r });
            last = last.max(ends[lane]);
        }
    }
    let (mut s, mut c, mut p) = (Lanes::ONE, Lanes::ONE, Lanes::ZERO);
    for i in (l..last).rev() {
        let at: [bool; LANES] = std::array::from_fn(|lane| active[lane] && i < ends[lane]);
        let (f, b) = (s * e[i], c * e[i]);
        let r = f.zip(g, |f, g| (f * f + g * g).sqrt());
        e[i + 1] = r.or(at, e[i + 1]);
        let turning: [bool; LANES] = std::array::from_fn(|lane| at[lane] && r.0[lane] != 0.0);
        if turning != at {
            // The rotation vanished: the matrix splits here and the sweep of that lane ends.
            for lane in 0..LANES {
                if at[lane] && !turning[lane] {
                    d[i + 1].0[lane] -= p.0[lane];
                    e[ends[lane]].0[lane] = 0.0;
                    active[lane] = false;
                }
            }
        }
        let inverse = r.map(|r| 1.0 / r);
        let sn = (f * inverse).or(turning, Lanes::ZERO);
        let cn = (g * inverse).or(turning, Lanes::ONE);
        s = sn.or(turning, s);
        c = cn.or(turning, c);
        let gg = d[i + 1] - p;
        let rr = (d[i] - gg) * s + (c * b).map(|x| 2.0 * x);
        let pp = s * rr;
        d[i + 1] = (gg + pp).or(turning, d[i + 1]);
        g = (c * rr - b).or(turning, g);
        p = pp.or(turning, p);
        let (low, high) = rows[i * width..(i + 2) * width].split_at_mut(width);
        for (x, y) in low.iter_mut().zip(high) {
            let (a, b) = (*x, *y);
            *y = sn * a + cn * b;
            *x = cn * a - sn * b;
        }
    }
    for lane in 0..LANES {
        if active[lane] {
            d[l].0[lane] -= p.0[lane];
            e[l].0[lane] = g.0[lane];
            e[ends[lane]].0[lane] = 0.0;
        }
    }
}
