//! The inverse Hessian that L-BFGS keeps: the last few steps and changes of the gradient.
//!
//! [Nocedal06] Algorithm 7.4 (two-loop recursion) with the scaling of its Eq. (7.20).

use crate::linalg::simd::dot;
use std::collections::VecDeque;

/// Curvature pairs below this cosine are dominated by rounding.
const SMALLEST_COSINE: f64 = 1e-12;

/// The last steps `s` and gradient changes `y`.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pairs: VecDeque<Pair>,
    capacity: usize,
}

#[derive(Clone, Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    product: f64, // sᵀy > 0
}

impl Memory {
    pub(super) fn new(capacity: usize) -> Self {
        Self { pairs: VecDeque::with_capacity(capacity), capacity }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Stores a step, unless the function does not curve upward along it.
    pub(super) fn push(&mut self, step: Vec<f64>, change: Vec<f64>) {
        let product = dot(&step, &change);
        let norms = (dot(&step, &step) * dot(&change, &change)).sqrt();
        if !product.is_finite() || product <= SMALLEST_COSINE * norms {
            return;
        }
        if self.pairs.len() == self.capacity {
            self.pairs.pop_front();
        }
        self.pairs.push_back(Pair { step, change, product });
    }

    /// `−H g`, a direction of descent.
    pub(super) fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut weights = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let weight = dot(&pair.step, &q) / pair.product;
            add(&mut q, -weight, &pair.change);
            weights.push(weight);
        }
        if let Some(last) = self.pairs.back() {
            let scale = last.product / dot(&last.change, &last.change);
            q.iter_mut().for_each(|v| *v *= scale);
        }
        for (pair, weight) in self.pairs.iter().zip(weights.into_iter().rev()) {
            let correction = weight - dot(&pair.change, &q) / pair.product;
            add(&mut q, correction, &pair.step);
        }
        q
    }
}

fn add(out: &mut [f64], scale: f64, v: &[f64]) {
    out.iter_mut().zip(v).for_each(|(o, v)| *o += scale * v);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With as many conjugate steps as dimensions the inverse Hessian of a quadratic is exact.
    #[test]
    fn a_full_memory_of_a_quadratic_gives_the_newton_direction() {
        let scales = [1.0, 20.0, 300.0];
        let mut memory = Memory::new(3);
        for (i, scale) in scales.into_iter().enumerate() {
            let mut step = vec![0.0; 3];
            step[i] = 0.5;
            let mut change = vec![0.0; 3];
            change[i] = 0.5 * scale;
            memory.push(step, change);
        }
        let direction = memory.direction(&[1.0, 20.0, 300.0]);
        assert!(direction.iter().all(|d| (d + 1.0).abs() < 1e-14), "{direction:?}");
    }

    #[test]
    fn the_oldest_pair_makes_room_and_flat_steps_are_not_remembered() {
        let mut memory = Memory::new(2);
        for i in 1..=3 {
            memory.push(vec![f64::from(i), 0.0], vec![1.0, 0.0]);
        }
        assert_eq!(memory.pairs.len(), 2);
        assert_eq!(memory.pairs[0].step[0], 2.0);
        memory.push(vec![1.0, 0.0], vec![-1.0, 0.0]);
        memory.push(vec![1.0, 0.0], vec![0.0, 1.0]);
        assert_eq!(memory.pairs[1].step[0], 3.0);
    }
}
