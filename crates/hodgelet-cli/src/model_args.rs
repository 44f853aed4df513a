//! Flags that say which model is trained: those of the settings, and whether settings are searched.

use crate::error::CommandError;
use crate::memory;
use clap::Args;
use hodgelet::settings::Settings;

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
