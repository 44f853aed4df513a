//! A store of measures in place of a dataset.

use super::DatasetArgs;
use crate::error::CommandError;
use hodgelet::store::Store;
use std::path::Path;

impl DatasetArgs {
    /// The store of measures that is named in place of a dataset, if it is one.
    ///
    /// # Errors
    ///
    /// [`CommandError::Store`] when it cannot be opened, [`CommandError::Usage`] for a flag that it was to be measured with.
    pub fn store(&self) -> Result<Option<Store>, CommandError> {
        let path = Path::new(&self.dataset);
        match !self.is_drawn() && Store::is_store(path) {
            true => {
                self.check_no_flags()?;
                Ok(Some(Store::open(path)?))
            }
            false => Ok(None),
        }
    }

    /// That nothing is asked of a store that was to be asked of `measure`: it would have no effect.
    fn check_no_flags(&self) -> Result<(), CommandError> {
        let given = [
            (!self.settings.is_empty(), "--set"),
            (self.hypergraph.is_some(), "--hypergraph"),
            (!self.homology.is_empty(), "--homology"),
            (self.columns.is_some(), "--columns"),
            (self.fingerprints.is_some(), "--fingerprints"),
            (!self.grams.is_empty(), "--grams"),
            (!self.table.target.is_empty(), "--target"),
        ];
        let own = given.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag));
        match own.or_else(|| self.table.first_flag(false)) {
            Some(flag) => {
                let message =
                    format!("{flag}, but `{}` is a store, which was measured without", self.dataset);
                let hint = format!("give {flag} to `hodgelet measure`");
                Err(CommandError::usage(message, Some(&hint)))
            }
            None => Ok(()),
        }
    }

    /// That the dataset is no store, which a reader of graphs would take for a file of another kind.
    pub(super) fn check_not_store(&self) -> Result<(), CommandError> {
        if !Store::is_store(Path::new(&self.dataset)) {
            return Ok(());
        }
        let message = format!("`{}` is a store of measures, which no longer has the graphs", self.dataset);
        let hint = "fit, evaluate, predict and info take a store; give this command the dataset";
        Err(CommandError::usage(message, Some(hint)))
    }
}
