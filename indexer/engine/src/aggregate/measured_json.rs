//! A measure's figures as JSON.

use serde::{Serialize, Serializer};

use super::request::Measured;
use store::Scalar;

/// Whole numbers up to here are exact as JSON numbers.
const EXACT: u64 = 1 << 53;

/// Figures as numbers, which a chart draws as they are; what no number says is there as text too.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Measured"))]
pub struct MeasuredJson {
    /// Such as `p95(duration_ms)`.
    pub name: String,
    pub values: Vec<Option<f64>>,
    /// The same as text, where they are no numbers or whole ones beyond 2^53.
    pub texts: Option<Vec<Option<String>>>,
    /// Matching events without the field, and those whose value is no number.
    pub missing: u64,
    pub mistyped: u64,
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MeasuredJson::from(self).serialize(serializer)
    }
}

impl From<&Measured> for MeasuredJson {
    fn from(measured: &Measured) -> MeasuredJson {
        let as_text = measured.values.iter().flatten().any(|value| match value {
            Scalar::Float(_) => false,
            Scalar::Int(value) => value.unsigned_abs() > EXACT,
            _ => true,
        });
        let text = |value: &Option<Scalar>| value.as_ref().map(ToString::to_string);
        MeasuredJson {
            values: measured.values.iter().map(|value| value.as_ref().and_then(Scalar::finite)).collect(),
            texts: as_text.then(|| measured.values.iter().map(text).collect()),
            name: measured.name.clone(),
            missing: measured.missing,
            mistyped: measured.mistyped,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_have_texts_where_numbers_lose_digits() {
        let written = |values: Vec<Option<Scalar>>| {
            let measured = Measured { name: "max(n)".to_owned(), values, missing: 1, mistyped: 0 };
            serde_json::to_value(measured).expect("JSON")
        };
        let small =
            json!({ "name": "max(n)", "values": [7.0, null], "texts": null, "missing": 1, "mistyped": 0 });
        assert_eq!(written(vec![Some(Scalar::Int(7)), None]), small);
        let large = written(vec![Some(Scalar::Int(1 << 53 | 1)), None]);
        assert_eq!(large["texts"], json!(["9007199254740993", null]));
        assert_eq!(written(vec![Some(Scalar::Text("a".into()))])["values"], json!([null]));
    }
}
