//! Bulk bodies, read piece by piece: an action line, a document line, and so on. However a body is cut into
//! pieces, the same items come of it.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memchr;

use super::action::{self, Operation};
use crate::Record;
use crate::http::document::{self, Fault};
use crate::http::limits::{ACTION_BYTES, BULK_ITEMS, DOCUMENT_BYTES};

/// One item of a request, in the order of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub operation: Operation,
    /// Its place among the names of the request; `NO_INDEX` where none was given.
    pub index: u32,
    pub id: Option<Box<str>>,
    pub outcome: Outcome,
}

pub const NO_INDEX: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Not appended yet.
    Waiting,
    Created,
    /// There is a document with this id.
    Exists,
    /// A mistake of the sender's, or what `Refused` says with its status.
    Failed(Box<(u16, Fault)>),
}

/// Documents of one index that wait to be appended.
#[derive(Debug, Default)]
pub struct Group {
    pub records: Vec<Record>,
    /// The items they belong to.
    pub items: Vec<u32>,
}

/// What comes next.
enum Expected {
    Action,
    Document {
        operation: Operation,
        index: u32,
        id: Option<Box<str>>,
    },
    /// After a line that was no action: an action, or the document of the failed one.
    Either,
}

pub struct Parser {
    default_index: Option<u32>,
    names: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, u32>,
    /// The last action line without an id, and what it says: senders repeat it.
    last: Option<(Vec<u8>, Operation, u32)>,
    expected: Expected,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    /// The line is longer than any may be; the rest of it is passed over.
    is_too_long: bool,
    pub items: Vec<Item>,
    groups: Vec<Group>,
    /// Bytes of documents that wait to be appended.
    waiting_bytes: usize,
    /// Bytes of the names of indices and of what is said of items that failed.
    said_bytes: usize,
}

/// The request as a whole cannot be served.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManyItems;

impl Parser {
    /// With the index of the request's path, which was checked.
    pub fn new(default_index: Option<&str>) -> Parser {
        let mut parser = Parser {
            default_index: None,
            names: Vec::new(),
            by_name: HashMap::new(),
            last: None,
            expected: Expected::Action,
            begun: Vec::new(),
            is_too_long: false,
            items: Vec::new(),
            groups: Vec::new(),
            waiting_bytes: 0,
            said_bytes: 0,
        };
        parser.default_index = default_index.map(|name| parser.name(name));
        parser
    }

    /// The names of indices that items point into.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// All memory that it holds, about.
    pub fn held_bytes(&self) -> usize {
        self.waiting_bytes
            + self.said_bytes
            + self.begun.capacity()
            + self.items.capacity() * size_of::<Item>()
    }

    /// Reads the next piece of the body.
    pub fn feed(&mut self, mut piece: &[u8]) -> Result<(), TooManyItems> {
        while let Some(end) = memchr(b'\n', piece) {
            let (line, rest) = (&piece[..end], &piece[end + 1..]);
            if self.begun.is_empty() && !self.is_too_long {
                self.line(line)?;
            } else {
                self.begin(line);
                let begun = std::mem::take(&mut self.begun);
                self.line(&begun)?;
                self.begun = begun;
                self.begun.clear();
                self.is_too_long = false;
            }
            piece = rest;
        }
        self.begin(piece);
        Ok(())
    }

    /// Ends the body. The last line may lack its line end.
    pub fn finish(&mut self) -> Result<(), TooManyItems> {
        if !self.begun.is_empty() {
            self.feed(b"\n")?;
        }
        if let Expected::Document { operation, index, id } = self.take_expected() {
            self.fail(operation, index, id, Fault::parsing("the document after the last action is missing"))?;
        }
        Ok(())
    }

    /// Takes what waits, an index after the other.
    pub fn take_waiting(&mut self) -> Vec<(u32, Group)> {
        self.waiting_bytes = 0;
        let groups = std::mem::take(&mut self.groups);
        (0..).zip(groups).filter(|(_, group)| !group.records.is_empty()).collect()
    }

    fn begin(&mut self, part: &[u8]) {
        // One byte more than a document may have tells that it is too long.
        let room = (DOCUMENT_BYTES + 1).saturating_sub(self.begun.len());
        self.is_too_long |= part.len() > room;
        self.begun.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn take_expected(&mut self) -> Expected {
        std::mem::replace(&mut self.expected, Expected::Action)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), TooManyItems> {
        match self.take_expected() {
            Expected::Action => self.action(line, false),
            Expected::Either => self.action(line, true),
            Expected::Document { operation, index, id } => self.document(line, operation, index, id),
        }
    }

    fn action(&mut self, line: &[u8], may_be_document: bool) -> Result<(), TooManyItems> {
        let parsed = if line.len() > ACTION_BYTES {
            Err(format!("an action line is longer than {ACTION_BYTES} bytes"))
        } else if line.trim_ascii().is_empty() {
            if may_be_document {
                self.expected = Expected::Either;
            }
            return Ok(());
        } else if let Some((known, operation, index)) = &self.last
            && known == line
        {
            self.expected = Expected::Document { operation: *operation, index: *index, id: None };
            return Ok(());
        } else {
            action::parse(line).map_err(|error| error.to_string())
        };
        let action = match parsed {
            Ok(action) => action,
            // It belongs to the action before, which failed already.
            Err(_) if may_be_document => return Ok(()),
            Err(error) => {
                self.expected = Expected::Either;
                let reason = format!("Malformed action/metadata line: {error}");
                return self.fail(Operation::Index, NO_INDEX, None, Fault::argument(reason));
            }
        };
        let operation = action.operation;
        let index = match action.index {
            Some(name) => match document::check_index(&name) {
                Ok(()) => Ok(self.name(&name)),
                Err(fault) => Err((self.name(&name), fault)),
            },
            None => self.default_index.ok_or_else(|| (NO_INDEX, Fault::argument("index is missing"))),
        };
        let id: Option<Box<str>> = action.id.map(|id| id.into_owned().into_boxed_str());
        let checked = index.and_then(|index| match id.as_deref().map_or(Ok(()), document::check_id) {
            Ok(()) => Ok(index),
            Err(fault) => Err((index, fault)),
        });
        match (operation, checked) {
            (Operation::Delete, checked) => {
                let index = checked.unwrap_or_else(|(index, _)| index);
                self.fail(
                    operation,
                    index,
                    id,
                    Fault::argument("what a case has received stays in it: delete is not supported"),
                )
            }
            (_, Ok(index)) => {
                if id.is_none() && operation != Operation::Update {
                    self.last = Some((line.to_vec(), operation, index));
                }
                self.expected = Expected::Document { operation, index, id };
                Ok(())
            }
            (_, Err((index, fault))) => {
                self.expected = Expected::Either;
                self.fail(operation, index, id, fault)
            }
        }
    }

    fn document(
        &mut self,
        line: &[u8],
        operation: Operation,
        index: u32,
        id: Option<Box<str>>,
    ) -> Result<(), TooManyItems> {
        if operation == Operation::Update {
            let fault = Fault::argument("what a case has received stays as it is: update is not supported");
            return self.fail(operation, index, id, fault);
        }
        let checked = if self.is_too_long { Err(Fault::too_long()) } else { document::check(line) };
        if let Err(fault) = checked {
            return self.fail(operation, index, id, fault);
        }
        let record = document::record(line, id.as_deref());
        let place = index as usize;
        if self.groups.len() <= place {
            self.groups.resize_with(place + 1, Group::default);
        }
        self.waiting_bytes += record.bytes.len() + size_of::<Record>();
        let group = &mut self.groups[place];
        group.records.push(record);
        group.items.push(self.items.len() as u32);
        self.add(Item { operation, index, id, outcome: Outcome::Waiting })
    }

    fn fail(
        &mut self,
        operation: Operation,
        index: u32,
        id: Option<Box<str>>,
        fault: Fault,
    ) -> Result<(), TooManyItems> {
        self.said_bytes += size_of::<(u16, Fault)>() + fault.reason.len();
        self.add(Item { operation, index, id, outcome: Outcome::Failed(Box::new((400, fault))) })
    }

    fn add(&mut self, item: Item) -> Result<(), TooManyItems> {
        if self.items.len() >= BULK_ITEMS {
            return Err(TooManyItems);
        }
        self.items.push(item);
        Ok(())
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.by_name.get(name) {
            return place;
        }
        let name: Arc<str> = name.into();
        let place = self.names.len() as u32;
        self.said_bytes += name.len() + size_of::<Group>() + 2 * size_of::<Arc<str>>();
        self.names.push(Arc::clone(&name));
        self.by_name.insert(name, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every item and, by index, every line.
    type Read = (Vec<(&'static str, String, Option<String>, String)>, Vec<(String, Vec<String>)>);

    fn read(pieces: &[&[u8]]) -> Read {
        let mut parser = Parser::new(Some("default"));
        for piece in pieces {
            parser.feed(piece).expect("few items");
        }
        parser.finish().expect("few items");
        let names = parser.names().to_vec();
        let name = |index: u32| names.get(index as usize).map_or_else(String::new, ToString::to_string);
        let groups = parser.take_waiting().into_iter().map(|(index, group)| {
            assert_eq!(group.records.len(), group.items.len());
            let lines =
                group.records.iter().map(|record| String::from_utf8_lossy(&record.bytes).into_owned());
            (name(index), lines.collect())
        });
        let groups = groups.collect();
        let items = parser.items.iter().map(|item| {
            let outcome = match &item.outcome {
                Outcome::Failed(failed) => format!("{} {}", failed.0, failed.1.kind),
                other => format!("{other:?}"),
            };
            (item.operation.name(), name(item.index), item.id.as_deref().map(str::to_owned), outcome)
        });
        (items.collect(), groups)
    }

    fn outcomes(body: &str) -> Vec<String> {
        let (items, _) = read(&[body.as_bytes()]);
        items
            .into_iter()
            .map(|(operation, index, _, outcome)| format!("{operation} {index}: {outcome}"))
            .collect()
    }

    #[test]
    fn documents_are_put_together_by_index_in_their_order() {
        let body = "{\"index\":{}}\n{\"a\":1}\r\n{\"create\":{\"_index\":\"b\",\"_id\":\"7\"}}\n{\"a\":2}\n\n\
                    {\"index\":{}}\n{\"a\":3}";
        let (items, groups) = read(&[body.as_bytes()]);
        let waiting = || "Waiting".to_owned();
        assert_eq!(
            items,
            [
                ("index", "default".to_owned(), None, waiting()),
                ("create", "b".to_owned(), Some("7".to_owned()), waiting()),
                ("index", "default".to_owned(), None, waiting()),
            ]
        );
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            groups,
            [
                ("default".to_owned(), lines(&["{\"a\":1}", "{\"a\":3}"])),
                ("b".to_owned(), lines(&["{\"a\":2}"]))
            ]
        );
    }

    #[test]
    fn a_malformed_item_fails_alone() {
        let body = "{\"index\":{}}\nnot json\n{\"index\":{}}\n{\"a\":1}\n{\"index\":{\"_index\":\"BAD\"}}\n{\"a\":2}\n\
                    gibberish\n{\"a\":3}\n{\"index\":{}}\n{\"a\":4}\n{\"delete\":{\"_id\":\"1\"}}\n\
                    {\"update\":{\"_id\":\"1\"}}\n{\"doc\":{}}\n{\"index\":{}}\n{\"a\":5}\n{\"index\":{}}\n";
        assert_eq!(
            outcomes(body),
            [
                "index default: 400 document_parsing_exception",
                "index default: Waiting",
                "index BAD: 400 invalid_index_name_exception",
                "index : 400 illegal_argument_exception",
                "index default: Waiting",
                "delete default: 400 illegal_argument_exception",
                "update default: 400 illegal_argument_exception",
                "index default: Waiting",
                "index default: 400 document_parsing_exception",
            ]
        );
    }

    #[test]
    fn an_action_after_a_malformed_one_counts() {
        assert_eq!(
            outcomes("oops\n{\"index\":{}}\n{\"a\":1}\n"),
            ["index : 400 illegal_argument_exception", "index default: Waiting"]
        );
    }

    #[test]
    fn a_line_beyond_the_limit_fails_alone_and_takes_no_memory() {
        let mut parser = Parser::new(Some("default"));
        parser.feed(b"{\"index\":{}}\n{\"a\":\"").expect("few items");
        for _ in 0..64 {
            parser.feed(&vec![b'x'; 1 << 16]).expect("few items");
            assert!(parser.held_bytes() < 3 * DOCUMENT_BYTES);
        }
        parser.feed(b"\"}\n{\"index\":{}}\n{\"a\":1}\n").expect("few items");
        parser.finish().expect("few items");
        assert!(matches!(&parser.items[0].outcome, Outcome::Failed(failed) if failed.1 == Fault::too_long()));
        assert_eq!(parser.items[1].outcome, Outcome::Waiting);
        assert_eq!(parser.items.len(), 2);
    }

    #[test]
    fn too_many_items_are_refused() {
        let mut parser = Parser::new(Some("default"));
        let pair = b"{\"index\":{}}\n{}\n";
        for _ in 0..BULK_ITEMS {
            parser.feed(pair).expect("as many as allowed");
        }
        assert_eq!(parser.feed(pair), Err(TooManyItems));
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => Just("{\"index\":{}}".to_owned()),
            2 => Just("{\"create\":{\"_index\":\"other\",\"_id\":\"a\\u00e9\"}}".to_owned()),
            1 => Just("{\"delete\":{\"_id\":\"x\"}}".to_owned()),
            1 => Just("{\"update\":{\"_id\":\"x\"}}".to_owned()),
            4 => "[a-z ]{0,12}".prop_map(|text| format!("{{\"message\":\"{text}\"}}")),
            1 => Just("{\"message\":\"é\"}\r".to_owned()),
            1 => Just(String::new()),
            1 => "[a-z{}\"]{0,9}",
        ]
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_items(
            lines in prop::collection::vec(line(), 0..24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
            ends in any::<bool>(),
        ) {
            let mut body = lines.join("\n");
            if ends {
                body.push('\n');
            }
            let body = body.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
            places.extend([0, body.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> = places.windows(2).map(|ends| &body[ends[0]..ends[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[body]));
            let bytes: Vec<&[u8]> = body.chunks(1).collect();
            prop_assert_eq!(read(&bytes), read(&[body]));
        }
    }
}
