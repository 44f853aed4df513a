//! Branches of a molecule that stress leaves inside a ring, or on top of another branch, are turned around their bond.

use super::{Point, distance};

/// Largest part whose branches are looked at.
const MAX_VERTICES: usize = 150;
/// Directions that a branch is tried in.
const DIRECTIONS: usize = 24;
/// Vertices two bonds apart are √3 from each other; where others come nearer than this, a branch is looked at.
const NEAR: f64 = 1.2;
/// How much more room a branch must find to be turned.
const GAIN: f64 = 0.8;

/// A branch: the vertex it hangs on, and its own vertices.
struct Branch {
    root: usize,
    members: Vec<usize>,
}

/// Turns branches to where there is most room; whether one was turned.
pub fn untangle(points: &mut [Point], neighbors: &[Vec<u32>]) -> bool {
    if points.len() > MAX_VERTICES {
        return false;
    }
    let mut turned = false;
    for branch in branches(neighbors) {
        let mut inside = vec![false; points.len()];
        branch.members.iter().for_each(|&v| inside[v] = true);
        let others: Vec<usize> = (0..points.len()).filter(|&v| !inside[v] && v != branch.root).collect();
        let near = |&v: &usize| others.iter().any(|&w| distance(points[v], points[w]) < NEAR);
        if !branch.members.iter().any(near) {
            continue;
        }
        let now = crowding(points, &branch.members, &others, |p| p);
        let around = points[branch.root];
        let turn = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / DIRECTIONS as f64;
            let (sin, cos) = angle.sin_cos();
            move |p: Point| {
                let [x, y] = [p[0] - around[0], p[1] - around[1]];
                [around[0] + cos * x - sin * y, around[1] + sin * x + cos * y]
            }
        };
        let best = (1..DIRECTIONS)
            .map(|k| (crowding(points, &branch.members, &others, turn(k)), k))
            .fold((f64::INFINITY, 0), |best, found| if found.0 < best.0 { found } else { best });
        if best.0 < GAIN * now {
            let turn = turn(best.1);
            branch.members.iter().for_each(|&v| points[v] = turn(points[v]));
            turned = true;
        }
    }
    turned
}

/// How near the moved members come to the others.
fn crowding(points: &[Point], members: &[usize], others: &[usize], moved: impl Fn(Point) -> Point) -> f64 {
    let of = |&v: &usize| {
        let p = moved(points[v]);
        others.iter().map(|&w| 1.0 / (distance(p, points[w]).powi(4) + 1e-3)).sum::<f64>()
    };
    members.iter().map(of).sum()
}

/// The smaller sides of all bonds whose loss would part the graph, the largest first.
fn branches(neighbors: &[Vec<u32>]) -> Vec<Branch> {
    let n = neighbors.len();
    let mut found = Vec::new();
    for (v, list) in neighbors.iter().enumerate() {
        for &u in list {
            let members = beyond(neighbors, v, u as usize);
            if !members.contains(&v) && (2 * members.len() < n || 2 * members.len() == n && v < u as usize) {
                found.push(Branch { root: v, members });
            }
        }
    }
    found.sort_by(|a, b| b.members.len().cmp(&a.members.len()).then(a.members[0].cmp(&b.members[0])));
    found
}

/// What can be reached from `u` without the edge to `v`.
fn beyond(neighbors: &[Vec<u32>], v: usize, u: usize) -> Vec<usize> {
    let mut seen = vec![false; neighbors.len()];
    let (mut found, mut open) = (Vec::new(), vec![u]);
    seen[u] = true;
    while let Some(at) = open.pop() {
        found.push(at);
        for &next in &neighbors[at] {
            let next = next as usize;
            if !(seen[next] || at == u && next == v) {
                seen[next] = true;
                open.push(next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leaf in the middle of the hexagon that it hangs on.
    #[test]
    fn a_leaf_inside_a_ring_is_turned_out() {
        let mut neighbors: Vec<Vec<u32>> = (0..6).map(|v| vec![(v + 5) % 6, (v + 1) % 6]).collect();
        neighbors[0].push(6);
        neighbors.push(vec![0]);
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::FRAC_PI_3 * k as f64).sin_cos();
            [cos, sin]
        };
        let mut points: Vec<Point> = (0..6).map(corner).chain([[0.0, 0.0]]).collect();
        assert!(untangle(&mut points, &neighbors));
        assert!(distance(points[6], [2.0, 0.0]) < 1e-9, "{:?}", points[6]);
        assert!(!untangle(&mut points, &neighbors), "it stays there");
    }
}
