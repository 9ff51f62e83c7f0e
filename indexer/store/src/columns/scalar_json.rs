//! A value as JSON.

use serde::{Serialize, Serializer};

use super::column::Scalar;

/// As it is written, and as a number where it is one: whole numbers beyond 2^53 are exact in the text only.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Scalar"))]
pub struct ScalarJson {
    pub kind: ScalarKind,
    pub text: String,
    pub number: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ScalarKind {
    Text,
    Int,
    Float,
    Bool,
    Time,
}

impl Scalar {
    /// The number that it is, where JSON can write it.
    #[must_use]
    pub fn finite(&self) -> Option<f64> {
        self.number().filter(|number| number.is_finite())
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ScalarJson::from(self).serialize(serializer)
    }
}

impl From<&Scalar> for ScalarJson {
    fn from(value: &Scalar) -> ScalarJson {
        let kind = match value {
            Scalar::Text(_) => ScalarKind::Text,
            Scalar::Int(_) => ScalarKind::Int,
            Scalar::Float(_) => ScalarKind::Float,
            Scalar::Bool(_) => ScalarKind::Bool,
            Scalar::Time(_) => ScalarKind::Time,
        };
        ScalarJson { kind, text: value.to_string(), number: value.finite() }
    }
}

/// A field of one figure as a number alone.
pub mod scalar_number {
    use super::{Scalar, Serialize, Serializer};

    // Serde hands the field over by reference.
    #[allow(clippy::ref_option)]
    pub fn serialize<S: Serializer>(value: &Option<Scalar>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().and_then(Scalar::finite).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_text_and_a_number_where_json_has_one() {
        let written = |value: Scalar| serde_json::to_value(value).expect("JSON");
        assert_eq!(
            written(Scalar::Int(i64::MAX)),
            json!({ "kind": "int", "text": "9223372036854775807", "number": i64::MAX as f64 })
        );
        assert_eq!(
            written(Scalar::Float(f64::INFINITY)),
            json!({ "kind": "float", "text": "inf", "number": null })
        );
        assert_eq!(written(Scalar::Bool(true)), json!({ "kind": "bool", "text": "true", "number": null }));
    }
}
