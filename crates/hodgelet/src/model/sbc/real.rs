//! Posterior simulation-based calibration \[Sailynoja25\]: around the posterior of real data rather than the prior.
//!
//! Hyperparameters and latent values are drawn from the posterior given real targets, and further targets of the same
//! complexes from these. Given the real and the further targets together, ranks of what was drawn are uniform again.
//!
//! Features are fixed here, by `--method fourier`. Scales of filters have separate modes on these molecules, between which
//! chains hardly move: no chain then says how often the truth is in which mode, and ranks of a band-pass scale were not
//! uniform (p = 0.0002 of 40 simulations) where those of all else were.

use super::*;
use crate::complex::Complex;
use crate::dataset::Targets;
use crate::settings::Method;
use crate::train::{NutsParams, sample};
use faer::linalg::solvers::Solve;
use std::io::Write;
use std::path::Path;

/// Molecules of FreeSolv that are looked at.
const MOLECULES: usize = 16;

/// Simulations, and draws of the chain that each takes its truth from, the last of them.
const SIMULATIONS: usize = 40;
const FIRST_DRAWS: usize = 150;

/// Molecules with different numbers of atoms or bonds, as bare graphs, with their free energies of hydration.
fn molecules(folder: &Path) -> Dataset {
    let lines = |file: &str| std::fs::read_to_string(folder.join(format!("FreeSolv_{file}.txt"))).unwrap();
    let graph_of: Vec<usize> =
        lines("graph_indicator").lines().map(|line| line.trim().parse::<usize>().unwrap() - 1).collect();
    let energies: Vec<f64> =
        lines("graph_attributes").lines().map(|line| line.trim().parse().unwrap()).collect();
    let (mut starts, mut sizes) = (vec![usize::MAX; energies.len()], vec![0; energies.len()]);
    for (atom, &graph) in graph_of.iter().enumerate() {
        starts[graph] = starts[graph].min(atom);
        sizes[graph] += 1;
    }
    let mut bonds: Vec<Vec<[u32; 2]>> = vec![Vec::new(); energies.len()];
    for line in lines("A").lines() {
        let ends: Vec<usize> = line.split(',').map(|end| end.trim().parse::<usize>().unwrap() - 1).collect();
        let graph = graph_of[ends[0]];
        if ends[0] < ends[1] {
            bonds[graph].push([ends[0], ends[1]].map(|end| (end - starts[graph]) as u32));
        }
    }
    let (mut complexes, mut targets, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for graph in 0..energies.len() {
        let key = (sizes[graph], bonds[graph].len());
        if key.1 > 2 && !seen.contains(&key) && seen.len() < MOLECULES {
            complexes.push(Complex::graph(sizes[graph], &bonds[graph]).unwrap());
            targets.push(energies[graph]);
            seen.push(key);
        }
    }
    assert_eq!(complexes.len(), MOLECULES);
    Dataset::new("molecules", complexes, vec![], Targets::Real(targets)).unwrap()
}

/// Means and covariance of the latent values given `targets`, with `gram` and `noise` known.
fn latent_posterior(gram: &Mat<f64>, noise: f64, targets: &[f64]) -> (Vec<f64>, Mat<f64>) {
    let n = targets.len();
    let noisy = gram + Mat::from_fn(n, n, |i, j| if i == j { noise } else { 0.0 });
    let factor = noisy.llt(faer::Side::Lower).unwrap();
    let y = Mat::from_fn(n, 1, |i, _| targets[i]);
    let mean = gram * factor.solve(&y);
    (mean.col(0).iter().copied().collect(), gram - gram * factor.solve(gram))
}

/// A draw from the posterior given the real targets, by a chain of its own from a draw of the prior.
fn first_posterior(problem: &Problem, parameters: &Parameters, seed: u64) -> Vec<f64> {
    let (mut objective, _) = problem.start_of(0).unwrap();
    let density = |z: &[f64], gradient: &mut [f64]| {
        super::super::averaging::density(&mut objective, parameters, z, gradient)
    };
    let params = NutsParams { warmup: FIRST_DRAWS - 1, draws: 1, ..NutsParams::default() };
    let start = normals(parameters.len(), &mut ChaCha8Rng::seed_from_u64(seed));
    sample(&params, &start, seed, density, |_| ControlFlow::Continue(())).unwrap().draws.remove(0)
}

#[test]
fn ranks_are_uniform_around_the_posterior_of_real_molecules() {
    let Some(folder) = std::env::var_os("HODGELET_DATA") else {
        let message = "SKIPPED: calibration around real molecules, because HODGELET_DATA is not set";
        writeln!(std::io::stderr(), "{message}").unwrap();
        return;
    };
    let data = molecules(&Path::new(&folder).join("FreeSolv"));
    let settings = Settings { method: Method::Fourier, ..settings(0) };
    let first = problem(&settings, &data);
    let Observations::Reals(observed) = &first.observations else { panic!("energies are numbers") };
    let observed = observed.values().to_vec();
    let one = |s: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + s as u64);
        let mut again = problem(&settings, &data);
        again.settings.seed = s as u64; // of the chains alone: the priors are those of the first
        let parameters = again.parameters().unwrap();
        let z = first_posterior(&first, &parameters, s as u64);
        let (gram, noise) = covariances(&first, &parameters.at_standard(&z).unwrap().0).unwrap();
        let (mean, covariance) = latent_posterior(&gram, noise, &observed);
        let latent = multivariate(&mean, &covariance, &mut rng);
        let further = latent.iter().zip(normals(latent.len(), &mut rng)).map(|(f, e)| f + noise.sqrt() * e);
        let targets: Vec<f64> = observed.iter().copied().chain(further).collect();
        let points: Vec<usize> = (0..targets.len()).map(|o| o % MOLECULES).collect();
        again.observations = Observations::grouped_reals(&targets, &points, MOLECULES).unwrap();
        ranks(&again, &Truth { z, latent }, &mut rng)
    };
    let found: Vec<_> = (0..SIMULATIONS).into_par_iter().map(one).collect();
    uniform(&quantities(&first), &p_values(&found, |ranks| &ranks.right));
}
