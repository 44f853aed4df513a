//! What a model was like: its posterior, and where its hyperparameters come from.

use hodgelet::model::Summary;
use serde::{Deserialize, Serialize};

/// What is chosen by the number of training items: the kind of posterior, and what hyperparameters come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelKind {
    /// Inducing items of a sparse posterior; none of a full one.
    pub inducing: Option<usize>,
    /// Items that hyperparameters were trained on; none where they were all of them.
    pub sample: Option<usize>,
    /// States of the hyperparameters that predictions are averaged over; none at the most probable one.
    pub states: Option<usize>,
}

impl ModelKind {
    /// That of a model.
    #[must_use]
    pub fn of(summary: &Summary) -> Self {
        Self {
            inducing: summary.sparse.as_ref().map(|sparse| sparse.inducing.len()),
            sample: summary.n_sample,
            states: summary.exploration.as_ref().map(|found| found.states),
        }
    }

    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let posterior = match self.inducing {
            Some(inducing) => format!("sparse, {inducing} inducing graphs"),
            None => "full".to_owned(),
        };
        let hyperparameters = match (self.states, self.sample) {
            (Some(states), _) => format!("averaged over {states} states"),
            (None, Some(sample)) => format!("most probable, from a sample of {sample}"),
            (None, None) => "most probable".to_owned(),
        };
        format!("{posterior}; hyperparameters {hyperparameters}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_said_in_words() {
        let kind = ModelKind { inducing: Some(800), sample: Some(1000), states: None };
        let text = "sparse, 800 inducing graphs; hyperparameters most probable, from a sample of 1000";
        assert_eq!(kind.text(), text);
        let kind = ModelKind { states: Some(32), ..ModelKind::default() };
        assert_eq!(kind.text(), "full; hyperparameters averaged over 32 states");
        assert_eq!(ModelKind::default().text(), "full; hyperparameters most probable");
    }
}
