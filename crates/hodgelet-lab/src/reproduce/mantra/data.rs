//! Surfaces, what is to be predicted of them, and which of them are trained on.

use super::{MantraArgs, TASKS, Times, TypeCount};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet_cli::error::CommandError;
use hodgelet_data::generate::{TriangulationsParams, manifold_targets};
use hodgelet_data::mantra::{self, ManifoldTarget};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

/// Surfaces with the targets of all tasks.
pub struct Data {
    /// The surfaces, with their types as targets.
    pub surfaces: Dataset,
    /// Targets by task.
    tasks: Vec<(ManifoldTarget, Targets)>,
}

impl Data {
    /// Enumerates or reads the surfaces.
    pub fn new(args: &MantraArgs, times: &mut Times) -> Result<Self, CommandError> {
        let began = Instant::now();
        let surfaces = match &args.from {
            Some(path) => {
                mantra::read_file(path, ManifoldTarget::Type).map_err(hodgelet_data::OpenError::from)?.dataset
            }
            None => {
                let max_vertices = args.max_vertices.unwrap_or(if args.quick { 8 } else { 10 });
                TriangulationsParams { max_vertices, ..Default::default() }.check()?.generate()
            }
        };
        times.enumerate = began.elapsed().as_secs_f64();
        let targets = |task: ManifoldTarget| {
            let found = manifold_targets(surfaces.complexes(), task).filter(|_| is_of_surfaces(&surfaces));
            let message = "a triangulation is not a closed surface";
            found.map(|targets| (task, targets)).ok_or_else(|| CommandError::usage(message, None))
        };
        let tasks = TASKS.into_iter().map(targets).collect::<Result<Vec<_>, _>>()?;
        let types = tasks[0].1.clone();
        Ok(Self { surfaces: surfaces.with_targets(types)?, tasks })
    }

    /// The targets of a task.
    pub fn targets(&self, task: ManifoldTarget) -> &Targets {
        let found = self.tasks.iter().find(|(other, _)| *other == task);
        &found.expect("targets of all tasks were computed").1
    }

    /// Names of the types and the type of each surface.
    pub fn labels(&self) -> (&[String], &[u32]) {
        classes(self.surfaces.targets())
    }

    /// How many surfaces there are of each type.
    pub fn members(&self) -> Vec<usize> {
        let (names, labels) = self.labels();
        let mut counts = vec![0; names.len()];
        labels.iter().for_each(|&label| counts[label as usize] += 1);
        counts
    }

    /// At most `cap` surfaces of each type, and at most half of it, drawn by the seed.
    pub fn sample(&self, cap: usize, seed: u64) -> Vec<usize> {
        let (names, labels) = self.labels();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut chosen = Vec::new();
        for class in 0..names.len() {
            let mut of_type: Vec<usize> =
                (0..labels.len()).filter(|&i| labels[i] as usize == class).collect();
            of_type.shuffle(&mut rng);
            let n = cap.min(of_type.len() / 2);
            chosen.extend(&of_type[..n]);
        }
        chosen.sort_unstable();
        chosen
    }

    /// `n` of the surfaces that are not in `train`, drawn by the seed.
    pub fn others(&self, train: &[usize], n: usize, seed: u64) -> Vec<usize> {
        let mut others = self.held_out(train);
        others.shuffle(&mut ChaCha8Rng::seed_from_u64(seed.wrapping_add(1)));
        others.truncate(n);
        others.sort_unstable();
        others
    }

    /// The surfaces that are not in `train`, which is ascending.
    pub fn held_out(&self, train: &[usize]) -> Vec<usize> {
        (0..self.surfaces.len()).filter(|i| train.binary_search(i).is_err()).collect()
    }

    /// Types with their numbers.
    pub fn types(&self, train: &[usize]) -> Vec<TypeCount> {
        let (names, labels) = self.labels();
        let trained = |class: usize| train.iter().filter(|&&i| labels[i] as usize == class).count();
        let count = |(class, surfaces): (usize, usize)| TypeCount {
            name: names[class].clone(),
            surfaces,
            trained: trained(class),
        };
        self.members().into_iter().enumerate().map(count).collect()
    }
}

fn is_of_surfaces(dataset: &Dataset) -> bool {
    dataset.complexes().iter().all(|complex| complex.dim() == 2)
}

/// The classes of targets that are classes.
pub fn classes(targets: &Targets) -> (&[String], &[u32]) {
    match targets {
        Targets::Classes { names, labels } => (names, labels),
        _ => (&[], &[]),
    }
}
