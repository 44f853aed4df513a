//! JSON whose objects name every key once: of two values for one key, no reader should choose in silence.

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::map::{Entry, Map};
use std::fmt;

/// The value of a JSON text.
///
/// # Errors
///
/// [`serde_json::Error`] with line and column, also for an object that names a key twice.
///
/// ```
/// assert!(hodgelet::json::parse(br#"{"a": 1, "b": {"a": 2}}"#).is_ok());
/// let error = hodgelet::json::parse(br#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert_eq!(error.to_string(), "key `a` a second time at line 1 column 12");
/// ```
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
}

/// A value whose objects name every key once.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any).map(Self)
    }
}

struct Any;

impl<'de> DeserializeSeed<'de> for Any {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Any)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(entries.next_value_seed(Any)?);
                }
                Entry::Occupied(found) => {
                    let key = shortened(found.key());
                    return Err(A::Error::custom(format_args!("key `{key}` a second time")));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

/// The beginning of a key, for a message.
fn shortened(key: &str) -> String {
    const LONGEST: usize = 40;
    match key.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &key[..end]),
        None => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_usual_parser() {
        let text = r#"{"a": [null, true, -3, 18446744073709551615, 0.1, 1e300, "x\u0000y"], "b": {"a": {}}, "": []}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        for wrong in ["", "{", "[1,]", "{\"a\": 1} x", "nul", "1e999"] {
            assert_eq!(
                parse(wrong.as_bytes()).is_ok(),
                serde_json::from_str::<Value>(wrong).is_ok(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_refused_at_any_depth() {
        for text in
            [r#"{"a": 1, "a": 1}"#, r#"[[{"b": {"x": 1, "y": 2, "x": 3}}]]"#, r#"{"a": 1, "\u0061": 2}"#]
        {
            assert!(parse(text.as_bytes()).unwrap_err().to_string().contains("a second time"), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(deep.as_bytes()).is_err(), "no stack overflow");
    }
}
