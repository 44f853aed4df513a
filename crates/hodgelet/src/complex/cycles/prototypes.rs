//! Families of short cycles: two shortest paths from a vertex that meet at an edge or at a vertex.
//!
//! With vertices in a fixed order, every relevant cycle consists of two shortest paths from its highest vertex `r`
//! through lower vertices, and of an edge (odd length) or a vertex (even length) between their ends. Cycles that
//! differ in the choice of the paths alone form a family; they are relevant together or not at all. Vismara (1997).

use super::CoreGraph;
use std::collections::VecDeque;

/// Shortest paths from one vertex through lower ones.
pub(super) struct Paths<'a> {
    graph: &'a CoreGraph,
    root: u32,
    steps: Vec<u32>,  // in the whole graph
    below: Vec<u32>,  // through vertices below the root
    branch: Vec<u32>, // first vertex after the root of one of those paths
    order: Vec<u32>,  // vertices reached through lower ones, nearest first
    queue: VecDeque<u32>,
}

/// The ends of the two paths of a family and, for even cycles, the vertex between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    pub left: u32,
    pub right: u32,
    pub middle: Option<u32>,
}

impl<'a> Paths<'a> {
    pub fn new(graph: &'a CoreGraph) -> Self {
        let far = || vec![u32::MAX; graph.len()];
        let (steps, below, branch) = (far(), far(), far());
        Self { graph, root: 0, steps, below, branch, order: Vec::new(), queue: VecDeque::new() }
    }

    /// Turns to another root; paths longer than `reach` do not matter.
    pub fn set_root(&mut self, root: u32, reach: usize) {
        self.root = root;
        self.steps.fill(u32::MAX);
        self.below.fill(u32::MAX);
        self.search(root, reach, u32::MAX);
        std::mem::swap(&mut self.steps, &mut self.below);
        self.search(root, reach, root);
        self.find_branches();
    }

    /// Passes the first vertices of paths on, breadth first.
    fn find_branches(&mut self) {
        let root = self.root;
        self.branch.fill(u32::MAX);
        self.order.clear();
        self.order.push(root);
        let mut at = 0;
        while at < self.order.len() {
            let v = self.order[at];
            at += 1;
            let graph = self.graph;
            for &(w, _) in graph.at(v) {
                let is_child = w < root
                    && self.branch[w as usize] == u32::MAX
                    && self.is_shortest(w)
                    && self.below[w as usize] == self.below[v as usize] + 1;
                if is_child {
                    self.branch[w as usize] = if v == root { w } else { self.branch[v as usize] };
                    self.order.push(w);
                }
            }
        }
        self.order.remove(0);
    }

    /// Fills `below` with steps from `root` through vertices below `limit`.
    fn search(&mut self, root: u32, reach: usize, limit: u32) {
        self.below[root as usize] = 0;
        self.queue.clear();
        self.queue.push_back(root);
        while let Some(v) = self.queue.pop_front() {
            let next = self.below[v as usize] + 1;
            if next as usize > reach {
                break;
            }
            for &(w, _) in self.graph.at(v) {
                if w < limit && self.below[w as usize] == u32::MAX {
                    self.below[w as usize] = next;
                    self.queue.push_back(w);
                }
            }
        }
    }

    /// Whether a shortest path to `v` runs through lower vertices.
    fn is_shortest(&self, v: u32) -> bool {
        self.below[v as usize] != u32::MAX && self.below[v as usize] == self.steps[v as usize]
    }

    /// Calls `act` for every family of this root with its length.
    pub fn families(&self, mut act: impl FnMut(usize, Family)) {
        for &y in &self.order {
            let steps = self.below[y as usize];
            let list = self.graph.at(y);
            let among = |z: u32| z < self.root && self.is_shortest(z);
            let apart = |a: u32, b: u32| self.branch[a as usize] != self.branch[b as usize];
            for (i, &(z, _)) in list.iter().enumerate().filter(|(_, entry)| among(entry.0)) {
                if self.below[z as usize] == steps {
                    if z < y && apart(z, y) {
                        let length = 2 * steps as usize + 1;
                        act(length, Family { left: z, right: y, middle: None });
                    }
                } else if self.below[z as usize] + 1 == steps {
                    for &(q, _) in list[i + 1..].iter().filter(|entry| among(entry.0)) {
                        if self.below[q as usize] + 1 == steps && apart(z, q) {
                            let length = 2 * steps as usize;
                            act(length, Family { left: z, right: q, middle: Some(y) });
                        }
                    }
                }
            }
        }
    }

    /// All shortest paths from `v` down to the root, without the root, through lower vertices; `false` when there are
    /// more than `limit`.
    pub fn all_paths(&self, v: u32, limit: usize, out: &mut Vec<Vec<u32>>) -> bool {
        let mut open = vec![vec![v]];
        while let Some(path) = open.pop() {
            let last = *path.last().expect("paths are not empty");
            let steps = self.below[last as usize];
            if steps == 1 {
                out.push(path);
                if out.len() > limit {
                    return false;
                }
                continue;
            }
            for &(w, _) in self.graph.at(last).iter().rev() {
                if w < self.root && self.is_shortest(w) && self.below[w as usize] + 1 == steps {
                    open.push(path.iter().copied().chain([w]).collect());
                }
            }
        }
        true
    }

    /// The first of those paths.
    pub fn path(&self, v: u32) -> Vec<u32> {
        let mut path = vec![v];
        let mut at = v;
        while self.below[at as usize] > 1 {
            let steps = self.below[at as usize];
            let branch = self.branch[at as usize];
            let next = self.graph.at(at).iter().map(|entry| entry.0).find(|&w| {
                w < self.root
                    && self.is_shortest(w)
                    && self.below[w as usize] + 1 == steps
                    && self.branch[w as usize] == branch
            });
            at = next.expect("a vertex is reached through its branch");
            path.push(at);
        }
        path
    }

    /// The cycle of two paths: root, left, (middle,) right.
    pub fn cycle(&self, left: &[u32], middle: Option<u32>, right: &[u32]) -> Vec<u32> {
        let mut cycle = vec![self.root];
        cycle.extend(left.iter().rev());
        cycle.extend(middle);
        cycle.extend(right);
        cycle
    }
}
