//! Chordless cycles by extending chordless paths from their lowest vertex.

use super::super::edge_index::EdgeIndex;
use super::super::{ComplexError, MAX_CYCLES};
use std::collections::VecDeque;

/// All chordless cycles of up to `max_length` vertices, in canonical form.
pub(super) fn find(graph: &EdgeIndex, max_length: usize) -> Result<Vec<Vec<u32>>, ComplexError> {
    let n = graph.n_vertices();
    let mut search = Search {
        graph,
        max_length,
        back: vec![u32::MAX; n],
        near: vec![0; n],
        path: Vec::new(),
        cycles: Vec::new(),
    };
    for start in 0..n as u32 {
        search.from(start)?;
    }
    Ok(search.cycles)
}

struct Search<'a> {
    graph: &'a EdgeIndex,
    max_length: usize,
    /// Steps back to the start among higher vertices.
    back: Vec<u32>,
    /// Vertices of the path without its first and last that are neighbors, and more on the path itself.
    near: Vec<u32>,
    path: Vec<u32>,
    cycles: Vec<Vec<u32>>,
}

impl Search<'_> {
    /// The cycles whose lowest vertex is `start`.
    fn from(&mut self, start: u32) -> Result<(), ComplexError> {
        let reached = self.measure(start);
        self.path.push(start);
        let first: Vec<u32> = self.higher(start, start).collect();
        for v in first {
            self.path.push(v);
            self.extend()?;
            self.path.pop();
        }
        self.path.pop();
        reached.into_iter().for_each(|v| self.back[v as usize] = u32::MAX);
        Ok(())
    }

    /// Steps from `start` through higher vertices, as far as a cycle may reach.
    fn measure(&mut self, start: u32) -> Vec<u32> {
        self.back[start as usize] = 0;
        let mut reached = vec![start];
        let mut queue = VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            let steps = self.back[v as usize] + 1;
            if steps as usize > self.max_length / 2 {
                break;
            }
            let graph = self.graph;
            for &(to, _, _) in graph.at(v).iter().filter(|entry| entry.0 > start) {
                if self.back[to as usize] == u32::MAX {
                    self.back[to as usize] = steps;
                    reached.push(to);
                    queue.push_back(to);
                }
            }
        }
        reached
    }

    /// Distinct neighbors of `v` above `start`.
    fn higher(&self, v: u32, start: u32) -> impl Iterator<Item = u32> + use<'_> {
        let list = self.graph.at(v);
        let mut last = None;
        list.iter().map(|entry| entry.0).filter(move |&to| to > start && last.replace(to) != Some(to))
    }

    /// Lengthens the path from its last vertex, which is joined to none of the path but the one before it.
    fn extend(&mut self) -> Result<(), ComplexError> {
        let (start, second) = (self.path[0], self.path[1]);
        let last = *self.path.last().expect("a path has vertices");
        let next: Vec<u32> = self.higher(last, start).collect();
        // those next to `last` will be next to an inner vertex of the longer path
        for &w in &next {
            self.near[w as usize] += 1;
        }
        let length = self.path.len() + 1;
        let mut result = Ok(());
        for &w in &next {
            // 1 for `last` itself
            if self.near[w as usize] > 1 || self.path.contains(&w) {
                continue;
            }
            match self.back[w as usize] {
                1 => {
                    // a cycle is met in both directions, and counts in one
                    if w > second && length <= self.max_length {
                        self.cycles.push([&self.path[..], &[w]].concat());
                    }
                    if self.cycles.len() > MAX_CYCLES {
                        result = Err(ComplexError::TooManyCycles);
                    }
                }
                steps if steps != u32::MAX && length + steps as usize - 1 <= self.max_length => {
                    self.path.push(w);
                    result = self.extend();
                    self.path.pop();
                }
                _ => {}
            }
            if result.is_err() {
                break;
            }
        }
        for &w in &next {
            self.near[w as usize] -= 1;
        }
        result
    }
}
