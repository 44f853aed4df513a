//! The types that settings have: how each is read from JSON or from the shell, and written.

use super::field::{Kind, Setting};
use crate::choice::Choice;
use crate::feature::SignedParams;
use serde_json::{Value, json};

impl<T: Choice> Setting for T {
    fn kind() -> Kind {
        Kind::Choice(T::ALL.iter().map(|choice| choice.name()).collect())
    }

    fn to_json(&self) -> Value {
        Value::String(self.name())
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let found = value.as_str().and_then(T::named);
        found.ok_or_else(|| T::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", "))
    }
}

impl Setting for bool {
    fn kind() -> Kind {
        Kind::Flag
    }

    fn to_json(&self) -> Value {
        json!(self)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            Value::String(text) if text == "true" => Ok(true),
            Value::String(text) if text == "false" => Ok(false),
            _ => Err("true or false".to_owned()),
        }
    }
}

/// Numbers, which JSON has; a string is one as it is typed.
macro_rules! number {
    ($($type:ty, $kind:expr, $expected:literal;)+) => {$(
        impl Setting for $type {
            fn kind() -> Kind {
                $kind
            }

            fn to_json(&self) -> Value {
                json!(self)
            }

            fn from_json(value: &Value) -> Result<Self, String> {
                let found = match value {
                    Value::String(text) => text.trim().parse().ok(),
                    // A whole number written as 3.0 is one.
                    Value::Number(number) => number.to_string().trim_end_matches(".0").parse().ok(),
                    _ => None,
                };
                found.ok_or_else(|| $expected.to_owned())
            }
        }
    )+};
}

number! {
    usize, Kind::Count, "a whole number from 0";
    u64, Kind::Count, "a whole number from 0";
    u32, Kind::Count, "a whole number from 0";
    f64, Kind::Number, "a number";
}

impl<T: Setting> Setting for Option<T> {
    fn kind() -> Kind {
        Kind::Optional(Box::new(T::kind()))
    }

    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match (value, T::from_json(value)) {
            (_, Ok(found)) => Ok(Some(found)),
            (Value::Null, _) => Ok(None),
            (Value::String(text), _) if text == "none" => Ok(None),
            (_, Err(expected)) => Err(expected),
        }
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn kind() -> Kind {
        Kind::List(Box::new(T::kind()))
    }

    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match value {
            Value::Array(values) => values.iter().map(T::from_json).collect(),
            Value::String(text) => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.map(|word| T::from_json(&json!(word))).collect()
            }
            _ => Err("a list".to_owned()),
        }
    }
}

impl Setting for (f64, f64) {
    fn kind() -> Kind {
        Kind::Pair
    }

    fn to_json(&self) -> Value {
        json!([self.0, self.1])
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match Vec::<f64>::from_json(value).as_deref() {
            Ok(&[low, high]) => Ok((low, high)),
            _ => Err("two numbers".to_owned()),
        }
    }
}

/// What text says which signed features there are.
const SIGNED: &str = "harmonic, harmonic:EXACT,COEXACT, cycles=FILE or a list of closed walks";

impl Setting for SignedParams {
    fn kind() -> Kind {
        Kind::Text(SIGNED)
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Harmonic { dim: 1, exact: 0, coexact: 0 } => json!("harmonic"),
            Self::Harmonic { dim: 1, exact, coexact } => json!(format!("harmonic:{exact},{coexact}")),
            Self::Cycles(cycles) => json!(cycles),
            // Other dimensions have no text.
            Self::Harmonic { dim, exact, coexact } => json!([dim, exact, coexact]),
        }
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
            serde_json::from_value(value.clone()).map_err(|_| SIGNED.to_owned())
        }
        match value {
            Value::String(text) => signed(text),
            Value::Array(items) if items.first().is_some_and(Value::is_number) => {
                read::<(usize, usize, usize)>(value).map(|(dim, exact, coexact)| Self::Harmonic {
                    dim,
                    exact,
                    coexact,
                })
            }
            Value::Array(_) => read(value).map(Self::Cycles),
            _ => Err(SIGNED.to_owned()),
        }
    }
}

fn signed(text: &str) -> Result<SignedParams, String> {
    if text == "harmonic" {
        return Ok(SignedParams::HARMONIC);
    }
    if let Some(counts) = text.strip_prefix("harmonic:") {
        let (exact, coexact) = counts.split_once(',').ok_or(SIGNED)?;
        let count = |text: &str| text.trim().parse().map_err(|_| SIGNED.to_owned());
        return Ok(SignedParams::Harmonic { dim: 1, exact: count(exact)?, coexact: count(coexact)? });
    }
    let file = text.strip_prefix("cycles=").ok_or(SIGNED)?;
    let lines =
        std::fs::read_to_string(file).map_err(|error| format!("a file of cycles ({file}: {error})"))?;
    let mut cycles = Vec::new();
    for (line, number) in lines.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let vertex = |word: &str| {
            word.parse().map_err(|_| format!("a vertex from 0 ({file}, line {number}: found `{word}`)"))
        };
        let words = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        cycles.push(words.map(vertex).collect::<Result<Vec<u32>, _>>()?);
    }
    Ok(SignedParams::Cycles(cycles))
}

/// Values that are text of a form of their own, by `Display` and `FromStr`.
macro_rules! text {
    ($($type:ty, $form:literal;)+) => {$(
        impl Setting for $type {
            fn kind() -> Kind {
                Kind::Text($form)
            }

            fn to_json(&self) -> Value {
                Value::String(self.to_string())
            }

            fn from_json(value: &Value) -> Result<Self, String> {
                let parse = |text: &str| text.parse().map_err(|_| $form.to_owned());
                value.as_str().ok_or_else(|| $form.to_owned()).and_then(parse)
            }
        }
    )+};
}

text! {
    crate::kernel::Family, "se, matern12, matern32, matern52, matern:NU, rq, linear or poly:DEGREE";
    crate::feature::Block, "a block such as `edge exact`";
    super::ThresholdRule, "cost=RATIO, prevalence or recall=SHARE";
    crate::complex::Lift, "none, cliques:DIM, rings, rings:LENGTH, cycles:LENGTH or line-graph";
}
