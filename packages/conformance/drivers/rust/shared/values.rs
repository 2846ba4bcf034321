//! Values of the driver protocol as the types of a crate.
#![allow(dead_code)]

use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

use crate::driver_kit::{callback_name, Failure};

/// The value as a type of the crate; unsupported when the type cannot hold it.
pub fn typed<T: DeserializeOwned>(name: &str, value: &Value) -> Result<T, Failure> {
    serde_json::from_value(value.clone()).map_err(|error| Failure::unsupported(format!("option {name}: {error}")))
}

/// The same, for a type that would drop what it does not know.
pub fn whole<T: DeserializeOwned + Serialize>(name: &str, value: &Value) -> Result<T, Failure> {
    let given: T = typed(name, value)?;
    match serde_json::to_value(&given) {
        Ok(kept) if kept == *value => Ok(given),
        _ => Err(Failure::unsupported(format!("{name}: a value that its type does not have"))),
    }
}

pub fn text(name: &str, value: &Value) -> Result<String, Failure> {
    typed(name, value)
}

pub fn texts(name: &str, value: &Value) -> Result<Vec<String>, Failure> {
    typed(name, value)
}

/// Settings and the like: a text as it is, everything else as JSON.
pub fn json_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

pub fn flags(name: &str, value: &Value) -> Result<HashMap<String, Option<String>>, Failure> {
    typed(name, value)
}

/// What the description of a callback says it returns.
pub fn returned(spec: &Value) -> impl Iterator<Item = &Value> {
    spec["returns"].as_array().into_iter().flatten().map(|value| value.get("$raw").unwrap_or(value))
}

pub fn throws(spec: &Value) -> bool {
    match &spec["throws"] {
        Value::Null => false,
        Value::Array(each) => each.iter().any(|value| !value.is_null()),
        _ => true,
    }
}

pub fn name_of(what: &str, value: &Value) -> Result<String, Failure> {
    callback_name(value).map(String::from).ok_or_else(|| Failure::unsupported(format!("{what} that is no callback")))
}
