//! The numbers of measures one by one, for files.

use super::{ComplexMeasures, DimMeasures, EnergyMeasure, SignedMeasure};
use crate::hodge::HodgeComponent;

/// The lists of an [`EnergyMeasure`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EnergyParts<'a> {
    pub eigenvalues: &'a [f64],
    pub live: &'a [u32],
    pub scales: &'a [f64],
    pub energies: &'a [f64],
    pub errors: &'a [f64],
}

impl EnergyMeasure {
    pub(crate) fn parts(&self) -> EnergyParts<'_> {
        EnergyParts {
            eigenvalues: &self.eigenvalues,
            live: &self.live,
            scales: &self.scales,
            energies: &self.energies,
            errors: &self.errors,
        }
    }

    /// The measure with these lists, if they are those of one with at most `n_channels` channels.
    pub(crate) fn from_parts(parts: EnergyParts<'_>, n_channels: usize) -> Option<Self> {
        let EnergyParts { eigenvalues, live, scales, energies, errors } = parts;
        let of_live = |list: &[f64]| list.is_empty() || list.len() == live.len();
        let is_sound = live.is_sorted_by(|a, b| a < b)
            && live.last().is_none_or(|&last| (last as usize) < n_channels)
            && energies.len() == live.len().checked_mul(eigenvalues.len())?
            && of_live(scales)
            && of_live(errors)
            && scales.iter().all(|scale| scale.is_normal() && *scale > 0.0)
            && errors.iter().all(|error| error.is_finite() && *error >= 0.0);
        let measure = Self {
            eigenvalues: eigenvalues.to_vec(),
            live: live.to_vec(),
            scales: scales.to_vec(),
            energies: energies.to_vec(),
            errors: errors.to_vec(),
        };
        (is_sound && measure.is_finite()).then_some(measure)
    }
}

impl DimMeasures {
    /// The measures of the components in the order of [`HodgeComponent::ALL`].
    pub(crate) fn from_components(parts: [EnergyMeasure; 3], n_channels: usize, betti: usize) -> Self {
        let mut found = Self { n_channels, betti, ..Self::default() };
        for (component, part) in HodgeComponent::ALL.into_iter().zip(parts) {
            match component {
                HodgeComponent::Exact => found.exact = part,
                HodgeComponent::Coexact => found.coexact = part,
                HodgeComponent::Harmonic => found.harmonic = part,
            }
        }
        found
    }
}

impl ComplexMeasures {
    /// Measures by dimension, those without a signal included.
    pub(crate) fn by_dim(&self) -> &[Option<DimMeasures>] {
        &self.by_dim
    }

    pub(crate) fn from_dims(by_dim: Vec<Option<DimMeasures>>, signed: Option<SignedMeasure>) -> Self {
        Self { by_dim, signed, ..Self::default() }
    }
}

impl SignedMeasure {
    pub(crate) fn from_atoms(dim: usize, n_channels: usize, atoms: EnergyMeasure) -> Self {
        Self { dim, n_channels, atoms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_not_those_of_a_measure_are_refused() {
        let sound = EnergyParts {
            eigenvalues: &[1.0, 2.0],
            live: &[0, 2],
            scales: &[1.0, 4.0],
            energies: &[1.0, 2.0, 3.0, 4.0],
            errors: &[0.0, 0.5],
        };
        let measure = EnergyMeasure::from_parts(sound, 3).unwrap();
        assert_eq!(measure.parts(), sound);
        assert!(EnergyMeasure::from_parts(EnergyParts { scales: &[], errors: &[], ..sound }, 3).is_some());
        let wrong = [
            EnergyParts { live: &[2, 0], ..sound },
            EnergyParts { live: &[0, 0], ..sound },
            EnergyParts { live: &[0, 3], ..sound },
            EnergyParts { energies: &[1.0, 2.0, 3.0], ..sound },
            EnergyParts { energies: &[1.0, 2.0, 3.0, f64::NAN], ..sound },
            EnergyParts { scales: &[1.0], ..sound },
            EnergyParts { scales: &[1.0, 0.0], ..sound },
            EnergyParts { scales: &[1.0, -4.0], ..sound },
            EnergyParts { errors: &[0.5], ..sound },
            EnergyParts { errors: &[0.0, -0.5], ..sound },
            EnergyParts { errors: &[0.0, f64::INFINITY], ..sound },
        ];
        for (which, parts) in wrong.into_iter().enumerate() {
            assert!(EnergyMeasure::from_parts(parts, 3).is_none(), "{which}");
        }
    }
}
