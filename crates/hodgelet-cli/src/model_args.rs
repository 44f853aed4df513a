//! Flags that say which model is trained: those of the settings, and whether settings are searched.

use crate::error::CommandError;
use crate::memory;
use clap::Args;
use hodgelet::dataset::Targets;
use hodgelet::settings::{ClassLikelihood, ClassWeight, NoiseChoice, Settings};
use hodgelet_data::Read;
use serde::Serialize;

/// Which model.
#[derive(Args, Clone, Debug)]
pub struct ModelArgs {
    /// Choose likelihood, Laplacian, signals, blocks, kernel, filters and starts on the training graphs, by the log
    /// probability of graphs left out
    #[arg(long, conflicts_with = "faithful", help_heading = "Model")]
    pub auto: bool,
    #[command(flatten)]
    settings: Settings,
}

impl ModelArgs {
    /// The settings of the model, with the seed that the dataset is drawn with.
    #[must_use]
    pub fn settings(&self, seed: u64) -> Settings {
        Settings { seed, memory: memory::asked(), ..self.settings.clone() }
    }

    /// As [`settings`](Self::settings), where settings cannot be searched.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] for `--auto`.
    pub fn given_settings(&self, seed: u64) -> Result<Settings, CommandError> {
        if self.auto {
            let hint = "`hodgelet evaluate` and `hodgelet fit` take it, and print what was chosen";
            return Err(CommandError::usage("--auto, expected the settings of one model", Some(hint)));
        }
        Ok(self.settings(seed))
    }
}

/// Refuses settings that no target has a use for: noise where all are classes, likelihoods and weights of classes where all are
/// numbers.
///
/// # Errors
///
/// [`CommandError::Usage`] names the flag and how targets are read otherwise.
pub fn check_settings<'a>(
    settings: &Settings,
    targets: impl IntoIterator<Item = &'a Targets>,
) -> Result<(), CommandError> {
    let (mut classes, mut numbers) = (false, false);
    for targets in targets {
        classes |= matches!(targets, Targets::Classes { .. });
        numbers |= matches!(targets, Targets::Real(_));
    }
    let likelihood = settings.likelihood.filter(|likelihood| *likelihood != ClassLikelihood::Auto);
    let unused = match (classes, numbers) {
        (true, false) if settings.noise != NoiseChoice::Auto => {
            Some((flag("--noise", settings.noise), "classes", "numbers"))
        }
        (false, true) => likelihood
            .map(|likelihood| flag("--likelihood", likelihood))
            .or((settings.class_weight != ClassWeight::Equal)
                .then(|| flag("--class-weight", settings.class_weight)))
            .map(|flag| (flag, "numbers", "classes")),
        _ => None,
    };
    let Some((flag, found, other)) = unused else { return Ok(()) };
    let hint = format!("--target-type {other} reads the targets of a table as {other}");
    Err(CommandError::usage(format!("{flag} is for {other}, but the targets are {found}"), Some(&hint)))
}

/// A flag as it is typed.
fn flag(name: &str, choice: impl Serialize) -> String {
    let choice = serde_json::to_value(choice).unwrap_or_default();
    format!("{name} {}", choice.as_str().unwrap_or_default())
}

/// As [`check_settings`], for all targets of a dataset.
///
/// # Errors
///
/// As for [`check_settings`].
pub fn check_read(settings: &Settings, read: &Read) -> Result<(), CommandError> {
    let goals = read.goals.iter().map(|goal| &goal.targets);
    check_settings(settings, goals.chain([read.dataset.targets()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_one_of_several_targets_uses_is_taken() {
        let classes = Targets::Classes { names: vec!["a".to_owned()], labels: vec![0] };
        let numbers = Targets::Real(vec![1.0]);
        let settings = Settings { noise: NoiseChoice::Poisson, ..Settings::default() };
        assert!(check_settings(&settings, [&classes]).is_err());
        assert!(check_settings(&settings, [&classes, &numbers]).is_ok());
        let settings = Settings { likelihood: Some(ClassLikelihood::Ordinal), ..Settings::default() };
        assert!(check_settings(&settings, [&numbers]).is_err());
        assert!(check_settings(&settings, [&classes, &numbers]).is_ok());
        assert!(check_settings(&settings, [&Targets::None]).is_ok());
    }
}
