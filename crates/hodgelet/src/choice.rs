//! Settings with a few named answers: an enum whose names on the shell, in JSON and in Python are one list.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// An enum without fields whose variants have a name each.
pub trait Choice: Copy + PartialEq + Serialize + DeserializeOwned + 'static {
    /// Every variant, in the order in which they are documented.
    const ALL: &'static [Self];

    /// The name of this variant, in kebab case.
    fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            _ => unreachable!("`choices!` makes enums that serialize as strings"),
        }
    }

    /// The variant called `name`.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name)
    }
}

/// Defines an enum and its list of variants at once.
macro_rules! choices {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        $vis enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $crate::choice::Choice for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
    };
}

pub(crate) use choices;
