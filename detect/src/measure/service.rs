//! The field that names the service. It is another one in the logs of other programs, so a detector can leave it to the case.

use indexer::service_map::{SERVICE_FIELDS, service_field};

use super::Detector;

/// What the text of a detector has in place of the field.
const SERVICE: &str = "{service}";

/// The text of a detector with the field that names the services of a case.
#[must_use]
pub fn with_service(text: &str, fields: &[String]) -> String {
    text.replace(SERVICE, service_field(fields).unwrap_or(SERVICE_FIELDS[0]))
}

impl Detector {
    /// The same with the field that names the services of a case with these fields.
    #[must_use]
    pub fn for_fields(&self, fields: &[String]) -> Detector {
        let with = |text: &String| with_service(text, fields);
        Detector {
            title: with(&self.title),
            description: self.description.as_ref().map(with),
            needs: self.needs.iter().map(with).collect(),
            by: self.by.iter().map(with).collect(),
            ..self.clone()
        }
    }

    /// Whether it leaves the field to the case.
    pub(crate) fn is_by_service(&self) -> bool {
        self.needs.iter().chain(&self.by).any(|field| field == SERVICE)
    }

    /// Why it cannot say anything over a case with these fields: the field that it lacks, and what to do.
    #[must_use]
    pub fn lack(&self, fields: &[String]) -> Option<(String, String)> {
        if self.is_by_service() && service_field(fields).is_none() {
            let names = SERVICE_FIELDS.map(|name| format!("`{name}`")).join(", ");
            let hint = "import logs that have one, or name another field in `needs` and `by`".to_owned();
            return Some((format!("none of the fields that name a service is in any event: {names}"), hint));
        }
        let needed = self.for_fields(fields).missing(fields)?.to_owned();
        let hint = "import logs that have it, or name another field in `needs`".to_owned();
        Some((format!("the field `{needed}` is in no event"), hint))
    }
}
