//! The sum of the objectives of several problems over the values that they share.

use super::super::averaging::{Draws, Sampler, States, Walk, no_posterior, solved};
use super::super::fit::{End, Outcome, call};
use super::super::objective::Objective;
use super::super::parameters::Parameters;
use super::super::{ModelError, Problem, Stage};
use crate::gp::Sites;
use crate::settings::Settings;
use crate::train::{Chain, MinimizeError, minimize, restarts};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The objective of one problem, and where its values stand among those of all.
struct Member<'a> {
    problem: &'a Problem,
    objective: Objective<'a>,
    places: Vec<usize>,
    /// Its values with all of their priors, and which of them have theirs here.
    parameters: Parameters,
    owned: Vec<bool>,
}

/// The sum of objectives.
pub(super) struct Joint<'a> {
    members: Vec<Member<'a>>,
    n_values: usize,
}

impl<'a> Joint<'a> {
    /// The sum for start number `restart`, and where it begins: a value that several problems have begins, and has its
    /// prior, where the first of them says.
    pub fn new(problems: &[&'a Problem], restart: u64) -> Result<(Self, Vec<f64>), ModelError> {
        let (mut members, mut start) = (Vec::with_capacity(problems.len()), Vec::new());
        let mut known: HashMap<String, usize> = HashMap::new();
        for problem in problems {
            let (mut objective, theta) = problem.start_of(restart)?;
            let parameters = objective.parameters().clone();
            let (mut places, mut owned) = (Vec::with_capacity(theta.len()), Vec::new());
            for (p, &value) in theta.iter().enumerate() {
                let shared = objective.parameters().shared_name(p).map(str::to_owned);
                let earlier = shared.as_ref().and_then(|name| known.get(name));
                owned.push(earlier.is_none());
                let place = match earlier {
                    Some(&place) => {
                        objective.parameters_mut().forget_prior(p);
                        place
                    }
                    None => {
                        start.push(value);
                        known.extend(shared.map(|name| (name, start.len() - 1)));
                        start.len() - 1
                    }
                };
                places.push(place);
            }
            members.push(Member { problem, objective, places, parameters, owned });
        }
        Ok((Self { members, n_values: start.len() }, start))
    }

    /// Minus the sum, and minus its gradient. Problems are worked on side by side and summed in order, so that the number
    /// of threads changes no bit.
    pub fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        debug_assert_eq!(theta.len(), self.n_values);
        let parts: Vec<Result<(f64, Vec<f64>), ModelError>> = self
            .members
            .par_iter_mut()
            .map(|Member { objective, places, .. }| {
                let own: Vec<f64> = places.iter().map(|&place| theta[place]).collect();
                let mut part = vec![0.0; own.len()];
                Ok((objective.evaluate(&own, &mut part)?, part))
            })
            .collect();
        gradient.fill(0.0);
        let mut total = 0.0;
        for (part, member) in parts.into_iter().zip(&self.members) {
            let (value, part) = part?;
            total += value;
            member.places.iter().zip(part).for_each(|(&place, g)| gradient[place] += g);
        }
        Ok(total)
    }

    /// The log density of the values in coordinates in which their priors are standard normal, with its gradient.
    fn density(&mut self, z: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        let (theta, slopes) = self.at_standard(z)?;
        let value = self.evaluate(&theta, gradient)?;
        gradient.iter_mut().zip(slopes).for_each(|(g, slope)| *g *= -slope);
        Ok(-value)
    }

    /// The values at `z`, standard normal under the priors, and their derivatives in it.
    fn at_standard(&self, z: &[f64]) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
        let (mut theta, mut slopes) = (vec![0.0; self.n_values], vec![0.0; self.n_values]);
        for member in &self.members {
            let own: Vec<f64> = member.places.iter().map(|&place| z[place]).collect();
            let (values, derivatives) = member.parameters.at_standard(&own).ok_or_else(no_posterior)?;
            for p in (0..own.len()).filter(|&p| member.owned[p]) {
                (theta[member.places[p]], slopes[member.places[p]]) = (values[p], derivatives[p]);
            }
        }
        Ok((theta, slopes))
    }

    /// The inverse of [`at_standard`](Self::at_standard).
    fn standard_of(&self, theta: &[f64]) -> Result<Vec<f64>, ModelError> {
        let mut z = vec![0.0; self.n_values];
        for member in &self.members {
            let own: Vec<f64> = member.places.iter().map(|&place| theta[place]).collect();
            let standard = member.parameters.standard_of(&own).ok_or_else(no_posterior)?;
            for p in (0..own.len()).filter(|&p| member.owned[p]) {
                z[member.places[p]] = standard[p];
            }
        }
        Ok(z)
    }

    /// A chain from `theta`, with sites to begin with.
    fn sampled(
        &mut self,
        theta: &[f64],
        sites: &[Option<Sites>],
        sampled: Sampler<'_>,
    ) -> Result<Chain, ModelError> {
        let of = |k: usize| sites.get(k).cloned().flatten();
        self.members.iter_mut().enumerate().for_each(|(k, member)| member.objective.sites = of(k));
        let z = self.standard_of(theta)?;
        sampled(&z, &mut |z, gradient| self.density(z, gradient))
    }

    /// The places of the values of kernels and likelihoods, each once.
    fn watched(&self) -> Vec<usize> {
        let of = |member: &Member<'_>| -> Vec<usize> {
            let own = member.parameters.watched().filter(|&p| member.owned[p]);
            own.map(|p| member.places[p]).collect()
        };
        self.members.iter().flat_map(of).collect()
    }
}

/// States of all problems from the posterior of the values that they share: the chains of one problem, over the sum. A state
/// has the same shared values in each.
pub(super) fn draw(
    problems: &[&Problem],
    settings: &Settings,
    ends: &[&End],
    progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
) -> Result<Vec<Draws>, ModelError> {
    let n_points = problems.iter().map(|problem| problem.n_points()).max().unwrap_or(0);
    let walk = Walk::new(settings, n_points);
    let (first, _) = Joint::new(problems, 0)?;
    let mut mode = vec![0.0; first.n_values];
    for (member, end) in first.members.iter().zip(ends) {
        member.places.iter().zip(&end.minimum.point).for_each(|(&place, &value)| mode[place] = value);
    }
    let sites: Vec<Option<Sites>> = ends.iter().map(|end| end.sites.clone()).collect();
    let (found, exploration) = walk.run(first.watched(), progress, |chain, sampled| {
        let (mut joint, start) = Joint::new(problems, chain as u64)?;
        joint.members.iter_mut().for_each(|member| member.objective.share_nodes());
        let found = match chain {
            0 => joint.sampled(&mode, &sites, sampled)?,
            // Where training starts, the density may have no value.
            _ => joint.sampled(&start, &[], sampled).or_else(|error| match error {
                ModelError::Cancelled => Err(error),
                _ => joint.sampled(&mode, &sites, sampled),
            })?,
        };
        let thetas =
            walk.kept(&found).map(|z| Ok(joint.at_standard(z)?.0)).collect::<Result<Vec<_>, ModelError>>()?;
        let of_member = |member: &mut Member<'_>| {
            let own = thetas.iter().map(|theta| member.places.iter().map(|&place| theta[place]).collect());
            solved(member.problem, member.objective.sites.take(), own)
        };
        let states = joint.members.iter_mut().map(of_member).collect::<Result<Vec<States>, ModelError>>()?;
        Ok((found, states))
    })?;
    let mut states: Vec<States> = problems.iter().map(|_| States::new()).collect();
    for of_chain in found {
        states.iter_mut().zip(of_chain).for_each(|(all, own)| all.extend(own));
    }
    let draws = problems.iter().zip(states).map(|(problem, states)| {
        let exploration = exploration.clone().with_states(walk.n_states(), states.len());
        Draws::new(problem, states, exploration)
    });
    Ok(draws.collect())
}

/// Optimizes the sum from every start; where each problem ended, start by start.
pub(super) fn run_starts(
    problems: &[&Problem],
    settings: &Settings,
    callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()> + Send>,
) -> Result<Vec<Vec<Outcome>>, ModelError> {
    let optimizer = settings.optimizer()?.check()?;
    let cancelled = AtomicBool::new(false);
    let run = |start: usize, ()| -> Result<(f64, Vec<End>), MinimizeError<ModelError>> {
        if cancelled.load(Ordering::Relaxed) {
            return Err(MinimizeError::Start(ModelError::Cancelled));
        }
        let (mut joint, theta) = Joint::new(problems, start as u64).map_err(MinimizeError::Start)?;
        let minimum = minimize(
            &optimizer,
            &theta,
            |theta, gradient| joint.evaluate(theta, gradient),
            |progress| {
                let (step, objective) = (progress.iteration, -progress.value);
                let answer = call(callback, Stage::Training { start, step, objective });
                cancelled.fetch_or(answer.is_break(), Ordering::Relaxed);
                answer
            },
        )?;
        let total = minimum.value;
        let ends = joint.members.into_iter().zip(problems).map(|(member, problem)| {
            let mut own = minimum.clone();
            own.point = member.places.iter().map(|&place| minimum.point[place]).collect();
            own.gradient = vec![0.0; own.point.len()];
            // With all of its priors.
            let (mut objective, _) = problem.start_of(0).map_err(MinimizeError::Start)?;
            objective.sites = member.objective.sites;
            own.value = objective.evaluate(&own.point, &mut own.gradient).map_err(MinimizeError::Start)?;
            let inner_iterations = member.objective.inner_iterations + objective.inner_iterations;
            let priors = objective.parameters().priors();
            Ok(End { minimum: own, sites: objective.sites, inner_iterations, priors })
        });
        Ok((total, ends.collect::<Result<_, MinimizeError<ModelError>>>()?))
    };
    let ends = restarts(vec![(); settings.restarts.max(1)], run);
    if cancelled.into_inner() {
        return Err(ModelError::Cancelled);
    }
    // The start that is best for all is best for each.
    let mut failure = None;
    let mut best: Option<(f64, Vec<End>)> = None;
    for outcome in ends {
        match outcome {
            Ok((value, ends)) if best.as_ref().is_none_or(|(least, _)| value < *least) => {
                best = Some((value, ends));
            }
            Ok(_) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match (best, failure) {
        (Some((_, ends)), _) => Ok(ends.into_iter().map(|end| vec![Ok(end)]).collect()),
        (None, Some(MinimizeError::Start(error))) => Err(error),
        (None, error) => {
            let reason = error.map_or_else(|| "no start was tried".to_owned(), |error| error.to_string());
            Err(ModelError::Training { reason })
        }
    }
}
