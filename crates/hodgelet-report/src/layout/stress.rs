//! Stress majorization of one connected graph, one vertex at a time \[Gansner05\].

use super::branch::untangle;
use super::targets::{chord, zigzag};
use super::{Point, distance};
use std::collections::{HashMap, VecDeque};

/// Up to this many vertices every pair has a term; beyond it neighbours and pivots do.
const ALL_PAIRS: usize = 800;
/// Vertices that all others keep their distance from, where pairs are too many.
const PIVOTS: usize = 50;
/// Sweeps over all vertices.
const SWEEPS: usize = 300;
/// A sweep that moves no vertex farther than this is the last.
const STILL: f64 = 1e-4;
/// Rings keep their shape more than chains do.
const RING_WEIGHT: f64 = 6.0;
/// Vertices closer than this are pushed apart.
const CLEARANCE: f64 = 0.45;

/// One connected part of a graph, with its vertices numbered from 0.
pub struct Part {
    neighbors: Vec<Vec<u32>>,
    /// Rings of a molecule; none of another graph.
    rings: Option<Vec<Vec<u32>>>,
}

impl Part {
    /// The part of `vertices`, of a graph with these neighbours and rings.
    pub fn new(vertices: &[u32], neighbors: &[Vec<u32>], rings: Option<&[Vec<u32>]>) -> Self {
        let local: HashMap<u32, u32> = vertices.iter().zip(0..).map(|(&v, i)| (v, i)).collect();
        let of = |list: &Vec<u32>| list.iter().map(|v| local[v]).collect();
        let here = |ring: &&Vec<u32>| ring.iter().all(|v| local.contains_key(v));
        Self {
            neighbors: vertices.iter().map(|&v| of(&neighbors[v as usize])).collect(),
            rings: rings.map(|rings| rings.iter().filter(here).map(of).collect()),
        }
    }

    /// Places of its vertices.
    pub fn layout(&self) -> Vec<Point> {
        let n = self.neighbors.len();
        if n <= 2 {
            return (0..n).map(|i| [i as f64, 0.0]).collect();
        }
        let pivots = self.pivots();
        let terms = self.terms(&pivots);
        let mut points = start(&pivots, n);
        if self.rings.is_some() {
            // A chain on one line would stay there: every other vertex starts a little aside.
            let parity = |v: usize| if (pivots[0].1[v] as u64).is_multiple_of(2) { 0.25 } else { -0.25 };
            points.iter_mut().enumerate().for_each(|(v, p)| p[1] += parity(v));
        }
        settle(&mut points, &terms);
        if self.rings.is_some() && untangle(&mut points, &self.neighbors) {
            settle(&mut points, &terms);
        }
        separate(&mut points);
        self.turn(points)
    }

    /// Distances from vertices that are far from each other, the first from vertex 0.
    fn pivots(&self) -> Vec<(usize, Vec<f64>)> {
        let n = self.neighbors.len();
        let mut nearest = self.distances(0);
        let mut found: Vec<(usize, Vec<f64>)> = Vec::new();
        while found.len() < PIVOTS.min(n) {
            let far = (0..n).fold(0, |best, v| if nearest[v] > nearest[best] { v } else { best });
            if nearest[far] <= 0.0 {
                break;
            }
            let distances = self.distances(far);
            if found.is_empty() {
                nearest.clone_from(&distances);
            } else {
                nearest.iter_mut().zip(&distances).for_each(|(a, b)| *a = a.min(*b));
            }
            found.push((far, distances));
        }
        found
    }

    /// Steps from a vertex to all others.
    fn distances(&self, from: usize) -> Vec<f64> {
        let mut found = vec![f64::INFINITY; self.neighbors.len()];
        found[from] = 0.0;
        let mut queue = VecDeque::from([from]);
        while let Some(v) = queue.pop_front() {
            for &w in &self.neighbors[v] {
                let w = w as usize;
                if found[w].is_infinite() {
                    found[w] = found[v] + 1.0;
                    queue.push_back(w);
                }
            }
        }
        found
    }

    /// For each vertex: others, the distances aimed at and their weights.
    fn terms(&self, pivots: &[(usize, Vec<f64>)]) -> Vec<Vec<(u32, f64, f64)>> {
        let n = self.neighbors.len();
        let chords = self.chords();
        let aim = |i: usize, j: usize, steps: f64| {
            let key = (i.min(j) as u32, i.max(j) as u32);
            if let Some(&chord) = chords.get(&key) {
                return (j as u32, chord, RING_WEIGHT / (chord * chord));
            }
            let length = if self.rings.is_some() { zigzag(steps) } else { steps };
            (j as u32, length, 1.0 / (length * length))
        };
        let all = |i: usize| {
            let distances = self.distances(i);
            (0..n).filter(|&j| j != i).map(|j| aim(i, j, distances[j])).collect()
        };
        let some = |i: usize| {
            let near = self.neighbors[i].iter().map(|&j| aim(i, j as usize, 1.0));
            let far = pivots.iter().filter(|(p, _)| *p != i && !self.neighbors[i].contains(&(*p as u32)));
            near.chain(far.map(|(p, distances)| aim(i, *p, distances[i]))).collect()
        };
        (0..n).map(|i| if n <= ALL_PAIRS { all(i) } else { some(i) }).collect()
    }

    /// Distances of the vertices of each ring in a regular polygon; the smaller ring wins.
    fn chords(&self) -> HashMap<(u32, u32), f64> {
        let mut found = HashMap::new();
        let mut rings: Vec<&Vec<u32>> = self.rings.iter().flatten().collect();
        rings.sort_by_key(|ring| ring.len());
        for ring in rings {
            let m = ring.len();
            for a in 0..m {
                for b in a + 1..m {
                    let steps = (b - a).min(m - (b - a));
                    let key = (ring[a].min(ring[b]), ring[a].max(ring[b]));
                    found.entry(key).or_insert_with(|| chord(steps, m));
                }
            }
        }
        found
    }

    /// Turned so that it is wider than high; the edges of molecules then point along multiples of 30°.
    fn turn(&self, mut points: Vec<Point>) -> Vec<Point> {
        let n = points.len() as f64;
        let mean = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
        points.iter_mut().for_each(|p| *p = [p[0] - mean[0], p[1] - mean[1]]);
        let sum = |f: fn(&Point) -> f64| points.iter().map(f).sum::<f64>();
        let (xx, yy, xy) = (sum(|p| p[0] * p[0]), sum(|p| p[1] * p[1]), sum(|p| p[0] * p[1]));
        let round = ((xx - yy).powi(2) + 4.0 * xy * xy).sqrt() < 1e-3 * (xx + yy);
        // The main axis; a round drawing has none.
        let mut angle = if round { 0.0 } else { -0.5 * (2.0 * xy).atan2(xx - yy) };
        if self.rings.is_some() {
            angle += self.snap(&points, angle);
        }
        let (sin, cos) = angle.sin_cos();
        let turned = |p: Point| [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]];
        points.into_iter().map(turned).collect()
    }

    /// The turn, of at most 45°, after which bonds of rings (of all, where there are none) stand at 30°, 90° and 150°, and those
    /// of squares at 0° and 90°.
    fn snap(&self, points: &[Point], angle: f64) -> f64 {
        let rings: Vec<&Vec<u32>> = self.rings.iter().flatten().collect();
        let sides = |ring: &&Vec<u32>| {
            (0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]]).collect::<Vec<_>>()
        };
        let mut bonds: Vec<[u32; 2]> = rings.iter().flat_map(sides).collect();
        if bonds.is_empty() {
            let of =
                |v: u32| self.neighbors[v as usize].iter().filter(move |&&w| v < w).map(move |&w| [v, w]);
            bonds = (0..self.neighbors.len() as u32).flat_map(of).collect();
        }
        // Squares stand on a side, other rings have sides that point up.
        let squares = !rings.is_empty() && rings.iter().all(|ring| ring.len() == 4);
        let (fold, aim) = if squares { (4.0, 0.0) } else { (6.0, std::f64::consts::PI) };
        // The mean of the directions, taken modulo 60° (90° of squares).
        let (mut x, mut y) = (0.0, 0.0);
        for [a, b] in bonds {
            let (p, q) = (points[a as usize], points[b as usize]);
            let direction = fold * ((q[1] - p[1]).atan2(q[0] - p[0]) + angle);
            x += direction.cos();
            y += direction.sin();
        }
        let turn = (aim - y.atan2(x)) / fold;
        let step = std::f64::consts::TAU / fold;
        turn - step * (turn / step).round()
    }
}

/// Places to start from: the two main directions of the distances to the pivots \[Brandes07\].
fn start(pivots: &[(usize, Vec<f64>)], n: usize) -> Vec<Point> {
    let k = pivots.len();
    let square = |v: usize, p: usize| pivots[p].1[v] * pivots[p].1[v];
    let rows: Vec<f64> = (0..n).map(|v| (0..k).map(|p| square(v, p)).sum::<f64>() / k as f64).collect();
    let columns: Vec<f64> = (0..k).map(|p| (0..n).map(|v| square(v, p)).sum::<f64>() / n as f64).collect();
    let mean = rows.iter().sum::<f64>() / n as f64;
    let centered = |v: usize, p: usize| -0.5 * (square(v, p) - rows[v] - columns[p] + mean);
    let table: Vec<Vec<f64>> = (0..n).map(|v| (0..k).map(|p| centered(v, p)).collect()).collect();
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        // Any start that is not orthogonal to the answer will do; these numbers have no pattern of a graph.
        let mut vector: Vec<f64> = (0..k).map(|p| 1.0 + ((p * 37 + axis * 11) % 17) as f64 / 17.0).collect();
        for _ in 0..60 {
            let image: Vec<f64> = table.iter().map(|row| dot(row, &vector)).collect();
            vector = (0..k).map(|p| (0..n).map(|v| table[v][p] * image[v]).sum()).collect();
            for other in &axes {
                let along = dot(other, &vector);
                vector.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
            let norm = dot(&vector, &vector).sqrt();
            if norm <= 1e-12 {
                break;
            }
            vector.iter_mut().for_each(|x| *x /= norm);
        }
        axes.push(vector);
    }
    let norm = |axis: &[f64]| {
        let image: Vec<f64> = table.iter().map(|row| dot(row, axis)).collect();
        dot(&image, &image).sqrt().max(1e-12)
    };
    let scales = [norm(&axes[0]), norm(&axes[1])];
    (0..n)
        .map(|v| {
            // Vertices that look alike start at different places.
            let aside = |s: usize| 0.05 * (((v * s) % 101) as f64 / 101.0 - 0.5);
            let at = |k: usize| 0.5 * n as f64 * dot(&table[v], &axes[k]) / scales[k];
            [at(0) + aside(53), at(1) + aside(29)]
        })
        .collect()
}

/// Sweeps until nothing moves.
fn settle(points: &mut [Point], terms: &[Vec<(u32, f64, f64)>]) {
    for _ in 0..SWEEPS {
        if sweep(points, terms) < STILL {
            break;
        }
    }
}

/// Moves each vertex to where its terms want it; returns the largest move.
fn sweep(points: &mut [Point], terms: &[Vec<(u32, f64, f64)>]) -> f64 {
    let mut largest = 0.0f64;
    for i in 0..points.len() {
        let (mut sum, mut weight) = ([0.0, 0.0], 0.0);
        for &(j, aim, w) in &terms[i] {
            let (p, q) = (points[i], points[j as usize]);
            let length = distance(p, q).max(1e-9);
            for k in 0..2 {
                sum[k] += w * (q[k] + aim * (p[k] - q[k]) / length);
            }
            weight += w;
        }
        if weight > 0.0 {
            let place = [sum[0] / weight, sum[1] / weight];
            largest = largest.max(distance(place, points[i]));
            points[i] = place;
        }
    }
    largest
}

/// Pushes vertices apart that would be drawn over each other.
fn separate(points: &mut [Point]) {
    let n = points.len();
    if n > ALL_PAIRS {
        return;
    }
    for _ in 0..50 {
        let mut moved = false;
        for i in 0..n {
            for j in 0..i {
                let gap = distance(points[i], points[j]);
                if gap >= CLEARANCE {
                    continue;
                }
                moved = true;
                let away =
                    if gap > 1e-9 { [0, 1].map(|k| (points[i][k] - points[j][k]) / gap) } else { [1.0, 0.0] };
                let step = 0.51 * (CLEARANCE - gap);
                for k in 0..2 {
                    points[i][k] += step * away[k];
                    points[j][k] -= step * away[k];
                }
            }
        }
        if !moved {
            return;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
