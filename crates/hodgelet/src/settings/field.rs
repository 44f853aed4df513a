//! A setting as data: its name, group, help, kind of value, and how it is read and written.
//!
//! The macro `settings!` writes a struct together with the list of its fields. Flags, JSON keys, Python parameters and
//! reference pages are made from that list, so a new setting is named in one place.

use serde_json::Value;

/// One field of a settings struct `S`.
pub struct Field<S: 'static> {
    /// The name, in snake case: the JSON key; in kebab case the flag.
    pub name: &'static str,
    /// Heading under which help shows it.
    pub group: &'static str,
    /// Help, line by line; the first sentence stands alone.
    pub doc: &'static [&'static str],
    /// `alias`: scikit-learn's name; `was`, `now`: former names, and what to write in their place; `common`: shown in short
    /// help; `value`: what help calls the value; `least`: the smallest number; `training`: of no use without training;
    /// `classes`: of no use to regression; `global`: the command has a flag of this name for all its work.
    pub attributes: &'static [(&'static str, &'static str)],
    /// What values it takes.
    pub kind: fn() -> Kind,
    /// The value in `S`.
    pub get: fn(&S) -> Value,
    /// Puts a value into `S`.
    pub set: fn(&mut S, &Value) -> Result<(), String>,
}

impl<S> Field<S> {
    /// The value of an attribute, if the field has it.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&'static str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Help as one paragraph.
    #[must_use]
    pub fn help(&self) -> String {
        self.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }

    /// Puts a value into `settings`, unless it is below the least that the field takes.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub fn assign(&self, settings: &mut S, value: &Value) -> Result<(), String> {
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        match (number, self.attribute("least")) {
            (Some(number), Some(least)) if !least.parse().is_ok_and(|least: f64| number >= least) => {
                Err(format!("a number from {least}"))
            }
            _ => (self.set)(settings, value),
        }
    }

    /// The flag, without its dashes.
    #[must_use]
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The name in Python: scikit-learn's where it has one.
    #[must_use]
    pub fn python_name(&self) -> &'static str {
        self.attribute("alias").unwrap_or(self.name)
    }
}

/// What values a setting takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Yes or no.
    Flag,
    /// A whole number from 0.
    Count,
    /// A real number.
    Number,
    /// One of these names.
    Choice(Vec<String>),
    /// Text of a form that is said here.
    Text(&'static str),
    /// Two numbers.
    Pair,
    /// A list.
    List(Box<Kind>),
    /// Nothing, or a value.
    Optional(Box<Kind>),
}

/// A type that a setting may have.
pub(crate) trait Setting: Sized {
    /// What values it takes.
    fn kind() -> Kind;
    /// The value as JSON.
    fn to_json(&self) -> Value;
    /// The value from JSON; a string is read as it is typed on the shell.
    ///
    /// # Errors
    ///
    /// What was expected.
    fn from_json(value: &Value) -> Result<Self, String>;
}

/// Writes a settings struct, its defaults, and the list of its fields.
macro_rules! settings {
    (
        $(#[$struct_doc:meta])*
        $vis:vis struct $name:ident;
        $($group:literal: {
            $(
                $(#[doc = $doc:literal])+
                $([$attribute:ident $($attribute_value:literal)?])*
                $field:ident: $type:ty = $default:expr;
            )+
        })+
    ) => {
        $(#[$struct_doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($($(#[doc = $doc])+ pub $field: $type,)+)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($($field: $default,)+)+ }
            }
        }

        impl $crate::settings::Fields for $name {
            const FIELDS: &'static [$crate::settings::Field<Self>] = &[$($($crate::settings::Field {
                name: stringify!($field),
                group: $group,
                doc: &[$($doc),+],
                attributes: &[$((stringify!($attribute), concat!($($attribute_value)?))),*],
                kind: <$type as $crate::settings::Setting>::kind,
                get: |settings| $crate::settings::Setting::to_json(&settings.$field),
                set: |settings, value| {
                    settings.$field = $crate::settings::Setting::from_json(value)?;
                    Ok(())
                },
            },)+)+];
        }

        $crate::settings::serialize_fields!($name);
    };
}

pub(crate) use settings;

/// A struct of settings whose fields are known.
pub trait Fields: Default + 'static {
    /// The fields, in the order of their documentation.
    const FIELDS: &'static [Field<Self>];

    /// Sets the field called `name` (or by its alias) from JSON. Null is the default of a setting that is not optional.
    ///
    /// # Errors
    ///
    /// [`SettingError`] for a name that is not a setting, or a value that it does not take.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        let field = Self::field(name)?;
        let refused =
            |expected| SettingError::Value { name: name.to_owned(), found: value.to_string(), expected };
        match (value, (field.kind)()) {
            (Value::Null, Kind::Optional(_)) => field.assign(self, value).map_err(refused),
            (Value::Null, _) => field.assign(self, &(field.get)(&Self::default())).map_err(refused),
            _ => field.assign(self, value).map_err(refused),
        }
    }

    /// The field called `name`, or that has it as an alias.
    ///
    /// # Errors
    ///
    /// [`SettingError::Unknown`], or [`SettingError::Renamed`] for a name that a field had before.
    fn field(name: &str) -> Result<&'static Field<Self>, SettingError> {
        let known = |field: &&Field<Self>| field.name == name || field.attribute("alias") == Some(name);
        if let Some(field) = Self::FIELDS.iter().find(known) {
            return Ok(field);
        }
        let had = |field: &&Field<Self>| former_names(field).any(|former| former == name);
        match Self::FIELDS.iter().find(had) {
            Some(field) => Err(SettingError::Renamed { name: name.to_owned(), now: now(field) }),
            None => Err(SettingError::Unknown { name: name.to_owned() }),
        }
    }
}

/// Names that a field had in earlier versions, in snake case.
pub fn former_names<S>(field: &Field<S>) -> impl Iterator<Item = &'static str> + use<S> {
    field.attribute("was").unwrap_or_default().split(' ').filter(|name| !name.is_empty())
}

/// What is written in place of a former name.
pub fn now<S>(field: &Field<S>) -> String {
    field.attribute("now").unwrap_or(field.name).to_owned()
}

/// Serialization by the list of fields: a map of names, defaults where one is left out.
macro_rules! serialize_fields {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use $crate::settings::Fields;
                serializer.collect_map(Self::FIELDS.iter().map(|field| (field.name, (field.get)(self))))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use $crate::settings::Fields;
                let map = serde_json::Map::<String, serde_json::Value>::deserialize(deserializer)?;
                let mut settings = Self::default();
                for (name, value) in &map {
                    settings.set(name, value).map_err(serde::de::Error::custom)?;
                }
                Ok(settings)
            }
        }
    };
}

pub(crate) use serialize_fields;

/// What can be wrong with a setting given by name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No setting has this name.
    #[error("there is no setting `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The setting has another name now.
    #[error("the setting `{name}` was renamed, use `{now}`")]
    Renamed {
        /// The name found.
        name: String,
        /// What is written today.
        now: String,
    },
    /// A value that the setting does not take.
    #[error("setting `{name}` is {found}, expected {expected}")]
    Value {
        /// The setting.
        name: String,
        /// What was found.
        found: String,
        /// What it takes.
        expected: String,
    },
}
