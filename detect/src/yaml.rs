//! YAML as a tree that knows its lines. The grammar is `saphyr-parser`'s; this makes values of its events.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::limits::{YAML_DEPTH, YAML_NODES};
use crate::problem::Fault;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Counted from 1.
    pub line: usize,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    pub text: String,
    /// Written without quotation marks, so that it may be a number or a truth.
    pub plain: bool,
}

impl Node {
    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        // Of a key that comes twice the last one counts, as in other readers of rules.
        entries.iter().rev().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The nodes of a list, or the node itself where it is a single value.
    pub fn each(&self) -> &[Node] {
        match &self.value {
            Value::List(nodes) => nodes,
            _ => std::slice::from_ref(self),
        }
    }

    pub fn entries(&self) -> &[(Node, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }
}

/// A list or map that is not complete.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<Node>,
}

/// The documents of a file.
pub fn documents(text: &str) -> Result<Vec<Node>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { documents: Vec::new(), open: Vec::new(), anchors: HashMap::new(), nodes: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Fault::new(error.marker().line(), format!("not valid YAML: {}", error.info()))
                .hint("check indentation and quotation marks there")
        })?;
        reader.event(event, span.start.line())?;
    }
    Ok(reader.documents)
}

struct Reader {
    documents: Vec<Node>,
    open: Vec<Open>,
    /// Nodes with an anchor, and how many nodes each is.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, line: usize) -> Result<(), Fault> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let is_null = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let scalar = Scalar { text: text.into_owned(), plain };
                let value = if is_null { Value::Null } else { Value::Scalar(scalar) };
                self.put(Node { line, value }, anchor, 1)
            }
            Event::SequenceStart(anchor, _) => self.begin(Value::List(Vec::new()), anchor, line),
            Event::MappingStart(anchor, _) => self.begin(Value::Map(Vec::new()), anchor, line),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.put(open.node, open.anchor, 1),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let unknown =
                    || Fault::new(line, "an alias names no anchor before it").hint("define it with & first");
                let (node, nodes) = self.anchors.get(&anchor).cloned().ok_or_else(unknown)?;
                self.put(node, 0, nodes)
            }
            Event::DocumentStart(_) => {
                self.anchors.clear();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), Fault> {
        if self.open.len() >= YAML_DEPTH {
            let message = format!("lists and maps are nested more than {YAML_DEPTH} deep");
            return Err(Fault::new(line, message).hint("no rule needs that; write it flatter"));
        }
        self.open.push(Open { node: Node { line, value }, anchor, key: None });
        Ok(())
    }

    fn put(&mut self, node: Node, anchor: usize, nodes: usize) -> Result<(), Fault> {
        self.nodes += nodes;
        if self.nodes > YAML_NODES {
            return Err(Fault::new(node.line, format!("it has more than {YAML_NODES} values"))
                .hint("split the file, and use fewer aliases"));
        }
        if anchor > 0 {
            let size = size(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            None => self.documents.push(node),
            Some(open) => match (&mut open.node.value, open.key.take()) {
                (Value::List(nodes), _) => nodes.push(node),
                (Value::Map(entries), Some(key)) => entries.push((key, node)),
                _ => open.key = Some(node),
            },
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::Null | Value::Scalar(_) => 1,
        Value::List(nodes) => 1 + nodes.iter().map(size).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|(key, value)| size(key) + size(value)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines_and_whether_they_were_quoted() {
        let read = documents("a: 1\nb:\n  - 'x'\n  - ~\n---\nc: &it {d: e}\nf: *it\n").expect("it reads");
        assert_eq!(read.len(), 2);
        let list = read[0].get("b").expect("a list").each();
        assert_eq!((list[0].line, list[0].text(), &list[1].value), (3, Some("x"), &Value::Null));
        assert_eq!(
            read[0]
                .get("a")
                .map(|node| node.value == Value::Scalar(Scalar { text: "1".into(), plain: true })),
            Some(true)
        );
        assert_eq!(read[1].get("f").and_then(|node| node.get("d")).and_then(Node::text), Some("e"));
    }

    #[test]
    fn bad_yaml_says_where() {
        let fault = documents("a: b\n  c: [1\n").expect_err("it is not closed");
        assert!(fault.line >= 2 && fault.message.contains("YAML"), "{fault:?}");
        let deep = "[".repeat(YAML_DEPTH + 1);
        assert!(documents(&deep).expect_err("too deep").message.contains("nested"));
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..9 {
            let before = format!("*a{},", level - 1).repeat(10);
            bomb = format!("{bomb}a{level}: &a{level} [{before}]\n");
        }
        assert!(documents(&bomb).expect_err("too many").message.contains("values"));
    }
}
