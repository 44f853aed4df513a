//! The sum of the objectives of several problems over the values that they share.

use super::super::fit::{End, Outcome, call};
use super::super::objective::Objective;
use super::super::{ModelError, Problem, Stage};
use crate::settings::Settings;
use crate::train::{MinimizeError, minimize, restarts};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The objective of one problem, and where its values stand among those of all.
struct Member<'a> {
    objective: Objective<'a>,
    places: Vec<usize>,
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
            let mut places = Vec::with_capacity(theta.len());
            for (p, &value) in theta.iter().enumerate() {
                let shared = objective.parameters().shared_name(p).map(str::to_owned);
                let place = match shared.as_ref().and_then(|name| known.get(name)) {
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
            members.push(Member { objective, places });
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
            .map(|Member { objective, places }| {
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
