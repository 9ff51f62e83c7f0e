//! Event rates.

use store::Scalar;

/// Events per `per_ns` nanoseconds, given their number in a span.
pub fn value(count: u64, span_ns: i64, per_ns: i64) -> Option<Scalar> {
    (span_ns > 0).then(|| Scalar::Float(count as f64 * per_ns as f64 / span_ns as f64))
}
