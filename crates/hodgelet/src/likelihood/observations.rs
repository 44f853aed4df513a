//! What was observed at each latent point: one or several labels, or one or several real values.
//!
//! After duplicate rows are collapsed one latent value carries all the observations of its group, perhaps
//! contradicting ones. Likelihood terms are sums over them, so equal labels are kept as counts and real values
//! as count, mean and spread.

use faer::MatRef;

/// Least and largest weight of an observation.
pub const WEIGHT_RANGE: (f64, f64) = (1e-6, 1e6);

/// Observations of `n_points` latent points, in their original order and summed up per point.
#[derive(Clone, Debug, PartialEq)]
pub enum Observations {
    /// Class labels.
    Classes(Labels),
    /// Real values.
    Reals(Reals),
}

/// Class labels of latent points.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    n_classes: usize,
    points: Vec<usize>,        // [n_observations]
    labels: Vec<u32>,          // [n_observations]
    weights: Option<Vec<f64>>, // [n_observations]
    starts: Vec<usize>,        // [n_points + 1]
    counts: Vec<(usize, f64)>, // (class, sum of weights), point after point
}

/// Real values at latent points.
#[derive(Clone, Debug, PartialEq)]
pub struct Reals {
    points: Vec<usize>,        // [n_observations]
    values: Vec<f64>,          // [n_observations]
    weights: Option<Vec<f64>>, // [n_observations]
    groups: Vec<RealGroup>,
    starts: Vec<usize>,        // [n_points + 1]
    by_point: Vec<(f64, f64)>, // values and weights, point after point
    n_covariates: usize,
    covariates: Vec<f64>, // [n_points, n_covariates], row by row
}

/// The real values of one point, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealGroup {
    /// Number of values, or the sum of their weights.
    pub count: f64,
    /// Their mean; 0 when there is none.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub spread: f64,
}

impl Observations {
    /// One label at each latent point.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] when a label is not below `n_classes`, or there is no observation.
    pub fn classes(n_classes: usize, labels: &[u32]) -> Result<Self, ObservationError> {
        let points: Vec<usize> = (0..labels.len()).collect();
        Self::grouped_classes(n_classes, labels, &points, labels.len())
    }

    /// Labels of which observation `o` belongs to latent point `points[o]`.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] when a label is not below `n_classes`, a point is not below `n_points`, the
    /// lengths differ, or there is no observation.
    pub fn grouped_classes(
        n_classes: usize,
        labels: &[u32],
        points: &[usize],
        n_points: usize,
    ) -> Result<Self, ObservationError> {
        Self::weighted_classes(n_classes, labels, points, n_points, None)
    }

    fn weighted_classes(
        n_classes: usize,
        labels: &[u32],
        points: &[usize],
        n_points: usize,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, ObservationError> {
        check_points(points, labels.len(), n_points)?;
        if let Some(index) = labels.iter().position(|&label| label as usize >= n_classes) {
            return Err(ObservationError::Label { index, label: labels[index], n_classes });
        }
        let weight = |o: usize| weights.as_ref().map_or(1.0, |weights| weights[o]);
        let mut pairs: Vec<(usize, usize, usize)> = points
            .iter()
            .zip(labels)
            .enumerate()
            .map(|(o, (&point, &label))| (point, label as usize, o))
            .collect();
        pairs.sort_unstable();
        let (mut starts, mut counts) = (vec![0; n_points + 1], Vec::<(usize, f64)>::new());
        let mut previous = None;
        for (point, class, o) in pairs {
            match counts.last_mut() {
                Some(last) if previous == Some((point, class)) => last.1 += weight(o),
                _ => {
                    counts.push((class, weight(o)));
                    starts[point + 1] += 1;
                }
            }
            previous = Some((point, class));
        }
        for i in 0..n_points {
            starts[i + 1] += starts[i];
        }
        let (points, labels) = (points.to_vec(), labels.to_vec());
        Ok(Self::Classes(Labels { n_classes, points, labels, weights, starts, counts }))
    }

    /// One real value at each latent point.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] when a value is not finite, or there is no observation.
    pub fn reals(values: &[f64]) -> Result<Self, ObservationError> {
        let points: Vec<usize> = (0..values.len()).collect();
        Self::grouped_reals(values, &points, values.len())
    }

    /// Real values of which observation `o` belongs to latent point `points[o]`.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] when a value is not finite, a point is not below `n_points`, the lengths differ,
    /// or there is no observation.
    pub fn grouped_reals(
        values: &[f64],
        points: &[usize],
        n_points: usize,
    ) -> Result<Self, ObservationError> {
        Self::weighted_reals(values, points, n_points, None)
    }

    fn weighted_reals(
        values: &[f64],
        points: &[usize],
        n_points: usize,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, ObservationError> {
        check_points(points, values.len(), n_points)?;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(ObservationError::NotFinite { index, value: values[index] });
        }
        let mut groups = vec![RealGroup::default(); n_points];
        let weight = |o: usize| weights.as_ref().map_or(1.0, |weights| weights[o]);
        for (o, (&point, &value)) in points.iter().zip(values).enumerate() {
            // Welford's update keeps the spread free of cancellation.
            let group = &mut groups[point];
            group.count += weight(o);
            let from_old = value - group.mean;
            group.mean += from_old * (weight(o) / group.count);
            group.spread += weight(o) * from_old * (value - group.mean);
        }
        let mut starts = vec![0; n_points + 1];
        points.iter().for_each(|&point| starts[point + 1] += 1);
        (0..n_points).for_each(|i| starts[i + 1] += starts[i]);
        let (mut next, mut by_point) = (starts.clone(), vec![(0.0, 0.0); values.len()]);
        for (o, (&point, &value)) in points.iter().zip(values).enumerate() {
            by_point[next[point]] = (value, weight(o));
            next[point] += 1;
        }
        Ok(Self::Reals(Reals {
            points: points.to_vec(),
            values: values.to_vec(),
            weights,
            groups,
            starts,
            by_point,
            n_covariates: 0,
            covariates: vec![],
        }))
    }

    /// The same observations with a weight each, by which its term of the log likelihood is multiplied.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] for another number of weights, or one that is not within [`WEIGHT_RANGE`].
    pub fn with_weights(self, weights: &[f64]) -> Result<Self, ObservationError> {
        let (found, expected) = (weights.len(), self.len());
        if found != expected {
            return Err(ObservationError::Weights { found, expected });
        }
        let is_weight = |weight: f64| (WEIGHT_RANGE.0..=WEIGHT_RANGE.1).contains(&weight);
        if let Some(index) = weights.iter().position(|&weight| !is_weight(weight)) {
            return Err(ObservationError::Weight { index, weight: weights[index] });
        }
        let (n_points, weights) = (self.n_points(), Some(weights.to_vec()));
        match self {
            Self::Classes(own) => {
                Self::weighted_classes(own.n_classes, &own.labels, &own.points, n_points, weights)
            }
            Self::Reals(own) => {
                let Self::Reals(reals) = Self::weighted_reals(&own.values, &own.points, n_points, weights)?
                else {
                    unreachable!("reals come of reals")
                };
                Ok(Self::Reals(Reals { n_covariates: own.n_covariates, covariates: own.covariates, ..reals }))
            }
        }
    }

    /// The weight of each observation, if they have any.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        match self {
            Self::Classes(labels) => labels.weights.as_deref(),
            Self::Reals(reals) => reals.weights.as_deref(),
        }
    }

    /// The weight of observation `o`; 1 where they have none.
    #[must_use]
    pub(crate) fn weight(&self, o: usize) -> f64 {
        self.weights().map_or(1.0, |weights| weights[o])
    }

    /// Real values with covariates of their points, `[n_points, n_covariates]`, on which the noise may depend. Class
    /// labels have no noise: they stay as they are.
    ///
    /// # Errors
    ///
    /// [`ObservationError`] for another number of points, or a covariate that is not finite.
    pub fn with_covariates(self, covariates: MatRef<'_, f64>) -> Result<Self, ObservationError> {
        let Self::Reals(mut reals) = self else { return Ok(self) };
        let (rows, expected) = (covariates.nrows(), reals.groups.len());
        if rows != expected {
            return Err(ObservationError::Covariates { rows, expected });
        }
        reals.n_covariates = covariates.ncols();
        reals.covariates = covariates.row_iter().flat_map(|row| row.iter().copied()).collect();
        match reals.covariates.iter().position(|value| !value.is_finite()) {
            Some(at) => {
                let (point, value) = (at / reals.n_covariates, reals.covariates[at]);
                Err(ObservationError::Covariate { point, value })
            }
            None => Ok(Self::Reals(reals)),
        }
    }

    /// Number of latent points.
    #[must_use]
    pub fn n_points(&self) -> usize {
        match self {
            Self::Classes(labels) => labels.starts.len() - 1,
            Self::Reals(reals) => reals.groups.len(),
        }
    }

    /// Number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points().len()
    }

    /// Whether there is no observation; never for a value that was made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Latent point of each observation, `[n_observations]`.
    #[must_use]
    pub fn points(&self) -> &[usize] {
        match self {
            Self::Classes(labels) => &labels.points,
            Self::Reals(reals) => &reals.points,
        }
    }
}

impl Labels {
    /// Number of points.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Label of each observation, `[n_observations]`.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The classes seen at point `i`, each with its count, or the sum of its weights.
    #[must_use]
    pub fn counts(&self, i: usize) -> &[(usize, f64)] {
        &self.counts[self.starts[i]..self.starts[i + 1]]
    }
}

impl Reals {
    /// Value of each observation, `[n_observations]`.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Latent point of each observation, `[n_observations]`.
    #[must_use]
    pub fn points(&self) -> &[usize] {
        &self.points
    }

    /// The place of each observation among all when they are taken point after point.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        let mut next = self.starts.clone();
        self.points.iter().map(move |&point| {
            next[point] += 1;
            next[point] - 1
        })
    }

    /// The weight of observation `o`; 1 where they have none.
    pub(crate) fn weight(&self, o: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[o])
    }

    /// Covariates of point `i`; empty if there are none.
    #[must_use]
    pub fn covariates(&self, i: usize) -> &[f64] {
        &self.covariates[i * self.n_covariates..(i + 1) * self.n_covariates]
    }

    /// The values at point `i`, with their weights.
    #[must_use]
    pub fn at(&self, i: usize) -> &[(f64, f64)] {
        &self.by_point[self.starts[i]..self.starts[i + 1]]
    }

    /// The values of each point, summed up, `[n_points]`.
    #[must_use]
    pub fn groups(&self) -> &[RealGroup] {
        &self.groups
    }
}

fn check_points(points: &[usize], n_targets: usize, n_points: usize) -> Result<(), ObservationError> {
    if points.len() != n_targets {
        return Err(ObservationError::Length { expected: n_targets, found: points.len() });
    }
    if points.is_empty() {
        return Err(ObservationError::Empty);
    }
    match points.iter().position(|&point| point >= n_points) {
        Some(index) => Err(ObservationError::Point { index, point: points[index], n_points }),
        None => Ok(()),
    }
}

/// What can be wrong with observations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObservationError {
    /// Weights are given for another number of observations.
    #[error("{found} weights are given for {expected} observations")]
    Weights {
        /// Weights given.
        found: usize,
        /// Observations.
        expected: usize,
    },
    /// A weight is not a positive number of a moderate size.
    #[error("weight of observation {index} is {weight}, expected a number from 1e-6 to 1e6")]
    Weight {
        /// Index of the observation.
        index: usize,
        /// What was found.
        weight: f64,
    },
    /// There is nothing to learn from.
    #[error("there are no observations, expected at least one")]
    Empty,
    /// A label is out of range.
    #[error("label of observation {index} is {label}, expected a class below {n_classes}")]
    Label {
        /// Index of the observation.
        index: usize,
        /// What was found.
        label: u32,
        /// Number of classes.
        n_classes: usize,
    },
    /// A real value is NaN or infinite.
    #[error("value of observation {index} is {value}, expected a finite number")]
    NotFinite {
        /// Index of the observation.
        index: usize,
        /// What was found.
        value: f64,
    },
    /// An observation belongs to a latent point that does not exist.
    #[error("observation {index} belongs to point {point}, but there are {n_points} points")]
    Point {
        /// Index of the observation.
        index: usize,
        /// What was found.
        point: usize,
        /// Number of latent points.
        n_points: usize,
    },
    /// Covariates are of another number of points.
    #[error("covariates are given for {rows} points, expected {expected}")]
    Covariates {
        /// Rows found.
        rows: usize,
        /// Number of latent points.
        expected: usize,
    },
    /// A covariate is NaN or infinite.
    #[error("covariate of point {point} is {value}, expected a finite number")]
    Covariate {
        /// Index of the point.
        point: usize,
        /// What was found.
        value: f64,
    },
    /// Targets and points differ in number.
    #[error("{found} points are given for {expected} observations")]
    Length {
        /// Number of targets.
        expected: usize,
        /// Number of points.
        found: usize,
    },
}

#[cfg(test)]
mod tests;
