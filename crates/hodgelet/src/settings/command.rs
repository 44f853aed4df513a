//! Settings as flags of a command, by clap.

use super::Settings;
use super::field::{Field, Fields, Kind, former_names};
use crate::wavelet::ScaleSpread;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::Value;

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        augment(command, Settings::FIELDS)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        update(self, matches)
    }
}

/// Some of the settings as flags: those that `$has` says, then finished by `$finish`.
macro_rules! subset {
    ($(#[$doc:meta])* $name:ident, $has:expr, $finish:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name(pub Settings);

        impl $name {
            /// Whether a setting is one of these.
            #[must_use]
            pub fn has(field: &Field<Settings>) -> bool {
                let has: fn(&Field<Settings>) -> bool = $has;
                has(field)
            }
        }

        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                augment(command, Settings::FIELDS.iter().filter(|field| Self::has(field)))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                let finish: fn(Settings) -> Settings = $finish;
                Settings::from_arg_matches(matches).map(finish).map(Self)
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                update(&mut self.0, matches)
            }
        }
    };
}

subset! {
    /// The settings that features without training have: all but those of kernel and training, with scales as drawn.
    FeatureSettings,
    Settings::shapes_features,
    |settings| Settings { scales: settings.scales.or(Some(ScaleSpread::Reference)), ..settings }
}

subset! {
    /// The settings that signals and spectra have.
    SignalSettings,
    |field| ["vertices", "edges", "higher", "max_degree", "lift", "laplacian"].contains(&field.name),
    |settings| settings
}

subset! {
    /// The settings that energy measures depend on.
    MeasureSettings,
    Settings::shapes_measures,
    |settings| settings
}

/// Adds a flag for each field, and a hidden one for each name that a field had before.
fn augment<S: Fields>(command: Command, fields: impl IntoIterator<Item = &'static Field<S>>) -> Command {
    fields.into_iter().fold(command, |command, field| {
        let command = former_names(field).fold(command, |command, former| {
            // Whatever follows it, so that the message about the name comes first.
            let flag = former.replace('_', "-");
            command.arg(Arg::new(former_id(former)).long(flag).hide(true).num_args(0..=1))
        });
        match field.attribute("global") {
            Some(_) => command, // the command has it for the dataset too
            None => command.arg(flag(field)),
        }
    })
}

fn former_id(name: &str) -> String {
    format!("former {name}")
}

fn flag<S: Fields>(field: &'static Field<S>) -> Arg {
    let help = field.help();
    let first = help.split_inclusive(['.', ';']).next().unwrap_or_default();
    let mut arg = Arg::new(field.name)
        .long(field.flag())
        .help(first.trim_end_matches(['.', ';']).to_owned())
        .long_help(help.trim_end_matches('.').to_owned())
        .help_heading(field.group)
        .hide_short_help(field.attribute("common").is_none());
    arg = match field.attribute("value") {
        Some(name) => arg.value_name(name),
        None => arg.value_name(field.name.to_uppercase()),
    };
    let kind = match (field.kind)() {
        Kind::Optional(kind) => *kind,
        kind => kind,
    };
    arg = match &kind {
        Kind::Flag => {
            arg.value_name("BOOL").num_args(0..=1).require_equals(true).default_missing_value("true")
        }
        Kind::Choice(names) => {
            let none = matches!((field.kind)(), Kind::Optional(_)) && has_none(field, names);
            let names = names.iter().cloned().chain(none.then(|| "none".to_owned()));
            arg.value_parser(PossibleValuesParser::new(names))
        }
        _ => arg.value_parser(move |text: &str| check(field, text)),
    };
    match ((field.kind)(), (field.get)(&S::default())) {
        (Kind::Optional(_), Value::Null) | (Kind::Flag, Value::Bool(false)) => arg,
        (_, Value::Array(values)) if values.is_empty() => arg,
        (_, default) => arg.default_value(shown(&default)),
    }
}

/// Whether an optional choice is turned off by `none`, rather than left to other settings.
fn has_none<S: Fields>(field: &Field<S>, names: &[String]) -> bool {
    !(field.get)(&S::default()).is_null() && !names.iter().any(|name| name == "none")
}

fn check<S: Fields>(field: &Field<S>, text: &str) -> Result<String, String> {
    let parsed = field.assign(&mut S::default(), &Value::String(text.to_owned()));
    parsed.map(|()| text.to_owned()).map_err(|expected| format!("expected {expected}"))
}

/// A value as it is typed.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn update<S: Fields>(settings: &mut S, matches: &ArgMatches) -> Result<(), Error> {
    for field in S::FIELDS {
        for former in former_names(field) {
            if matches.try_contains_id(&former_id(former)).unwrap_or(false) {
                return Err(renamed(former, field.attribute("now").unwrap_or(field.name)));
            }
        }
        let given = matches.try_get_one::<String>(field.name).ok().flatten();
        let Some(text) = given else { continue };
        let failed = |error| Error::raw(ErrorKind::ValueValidation, format!("{error}\n"));
        settings.set(field.name, &Value::String(text.clone())).map_err(failed)?;
    }
    Ok(())
}

fn renamed(former: &str, now: &str) -> Error {
    let (name, value) = now.split_once('=').unwrap_or((now, ""));
    let (former, name) = (former.replace('_', "-"), name.replace('_', "-"));
    let value = if value.is_empty() { String::new() } else { format!("={value}") };
    let message = format!("`--{former}` was renamed, use `--{name}{value}`\n");
    Error::raw(ErrorKind::UnknownArgument, message)
}
