//! Connected parts side by side.

use super::Point;

/// Room between parts, in edge lengths.
const GAP: f64 = 1.0;

/// Puts parts into rows of about the width of the whole, the first part first.
pub fn pack(n: usize, parts: &[(Vec<u32>, Vec<Point>)]) -> Vec<Point> {
    let boxes: Vec<[Point; 2]> = parts.iter().map(|(_, points)| bounds(points)).collect();
    let size =
        |corners: &[Point; 2]| [corners[1][0] - corners[0][0] + GAP, corners[1][1] - corners[0][1] + GAP];
    let area: f64 = boxes.iter().map(size).map(|[w, h]| w * h).sum();
    let widest = boxes.iter().map(|b| size(b)[0]).fold(0.0, f64::max);
    let row = widest.max(1.3 * area.sqrt());
    let mut out = vec![[0.0, 0.0]; n];
    let (mut x, mut y, mut high) = (0.0, 0.0, 0.0f64);
    for ((vertices, points), corners) in parts.iter().zip(&boxes) {
        let [w, h] = size(corners);
        if x > 0.0 && x + w > row {
            (x, y, high) = (0.0, y - high, 0.0);
        }
        for (&v, p) in vertices.iter().zip(points) {
            out[v as usize] = [x + p[0] - corners[0][0], y + p[1] - corners[1][1]];
        }
        x += w;
        high = high.max(h);
    }
    out
}

/// Lower left and upper right corner.
pub fn bounds(points: &[Point]) -> [Point; 2] {
    let mut corners = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for p in points {
        for k in 0..2 {
            corners[0][k] = corners[0][k].min(p[k]);
            corners[1][k] = corners[1][k].max(p[k]);
        }
    }
    if points.is_empty() { [[0.0; 2]; 2] } else { corners }
}
