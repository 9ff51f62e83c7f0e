//! The line before a document: what to do with it, in which index, under which id.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What an action line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Index,
    Create,
    Update,
    Delete,
}

impl Operation {
    pub fn name(self) -> &'static str {
        match self {
            Operation::Index => "index",
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Delete => "delete",
        }
    }

    fn named(name: &str) -> Option<Operation> {
        let all = [Operation::Index, Operation::Create, Operation::Update, Operation::Delete];
        all.into_iter().find(|operation| operation.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Action<'a> {
    pub operation: Operation,
    pub index: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
}

/// Reads an action line. Parameters that mean nothing here, such as `_type` and `routing`, are passed over.
pub fn parse(line: &[u8]) -> Result<Action<'_>, serde_json::Error> {
    serde_json::from_slice(line)
}

impl<'de> Deserialize<'de> for Action<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ActionVisitor)
    }
}

struct ActionVisitor;

impl<'de> Visitor<'de> for ActionVisitor {
    type Value = Action<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object such as {\"index\": {\"_index\": \"logs\"}}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Action<'de>, M::Error> {
        let Some(Text(name)) = map.next_key::<Text<'de>>()? else {
            return Err(M::Error::custom("an action such as index or create is missing"));
        };
        let operation = Operation::named(&name)
            .ok_or_else(|| M::Error::custom(format!("no action [{name}]; there are index and create")))?;
        let Target { index, id } = map.next_value()?;
        match map.next_key::<IgnoredAny>()? {
            None => Ok(Action { operation, index, id }),
            Some(_) => Err(M::Error::custom("one line has one action")),
        }
    }
}

/// Text, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(|text| Text(text.unwrap_or_default()))
    }
}

/// Text, or a number as text, or nothing.
struct OptionalText<'a>(Option<Cow<'a, str>>);

impl<'de> Deserialize<'de> for OptionalText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(OptionalText)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

#[derive(Default)]
struct Target<'a> {
    index: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
}

impl<'de> Deserialize<'de> for Target<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TargetVisitor)
    }
}

struct TargetVisitor;

impl<'de> Visitor<'de> for TargetVisitor {
    type Value = Target<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object such as {\"_index\": \"logs\"}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Target<'de>, M::Error> {
        let mut target = Target::default();
        while let Some(Text(name)) = map.next_key::<Text<'de>>()? {
            match name.as_ref() {
                "_index" => target.index = map.next_value::<OptionalText<'de>>()?.0,
                "_id" => target.id = map.next_value::<OptionalText<'de>>()?.0,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_in_all_their_spellings() {
        let read = |line: &str| {
            let action = parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
            (action.operation, action.index.map(Cow::into_owned), action.id.map(Cow::into_owned))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read(r#"{"index":{}}"#), (Operation::Index, None, None));
        assert_eq!(
            read(r#" { "create" : { "_index" : "a-b", "_id" : "x\"y", "routing": {"a": [1]} } } "#),
            (Operation::Create, some("a-b"), some("x\"y"))
        );
        assert_eq!(
            read(r#"{"index":{"_id":17,"_index":"system","_type":"events","pipeline":null}}"#),
            (Operation::Index, some("system"), some("17"))
        );
        assert_eq!(read(r#"{"delete":{"_id":null}}"#), (Operation::Delete, None, None));
    }

    #[test]
    fn what_is_no_action_is_refused() {
        for line in [
            "",
            "{}",
            "[]",
            "x",
            r#"{"index":{}"#,
            r#"{"index":1}"#,
            r#"{"upsert":{}}"#,
            r#"{"index":{},"create":{}}"#,
            r#"{"index":{"_id":{}}}"#,
            r#"{"index":{}} {}"#,
        ] {
            assert!(parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
