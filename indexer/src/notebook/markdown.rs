//! Markdown as a tree of plain data. Every screen and every export is made from this tree, so a page looks alike
//! everywhere, and what was written as HTML is text like any other.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag};

use super::cell::{Cell, read_cell};
use base::limits::MARKDOWN_DEPTH;

/// A piece of a page, block or inline.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Heading {
        level: u8,
        children: Vec<Node>,
    },
    Paragraph {
        children: Vec<Node>,
    },
    Quote {
        children: Vec<Node>,
    },
    /// With the number that it begins with, where it is numbered.
    List {
        start: Option<u64>,
        children: Vec<Node>,
    },
    /// Of a list; whether it is done, where it is a task.
    Item {
        done: Option<bool>,
        children: Vec<Node>,
    },
    Table {
        children: Vec<Node>,
    },
    Row {
        head: bool,
        children: Vec<Node>,
    },
    Column {
        align: Align,
        children: Vec<Node>,
    },
    CodeBlock {
        language: String,
        text: String,
    },
    /// A fenced block that asks the case.
    Cell {
        cell: Cell,
    },
    Rule,
    Text {
        text: String,
    },
    Code {
        text: String,
    },
    Strong {
        children: Vec<Node>,
    },
    Emphasis {
        children: Vec<Node>,
    },
    Strike {
        children: Vec<Node>,
    },
    Link {
        to: String,
        children: Vec<Node>,
    },
    Break,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Start,
    Middle,
    End,
}

/// The schemes of links that are kept; other links are only their text. `event:` leads to an event of the case.
const SCHEMES: [&str; 4] = ["https:", "http:", "mailto:", "event:"];

/// Reads a page. Any text is a page.
#[must_use]
pub fn parse(text: &str) -> Vec<Node> {
    blocks(text).into_iter().map(|(node, _)| node).collect()
}

/// The blocks of a page, each with the bytes it was made from.
#[must_use]
pub fn blocks(text: &str) -> Vec<(Node, Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut tree = MarkdownTree::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        tree.event(event, range);
    }
    tree.done
}

/// A node under construction.
struct OpenBlock<'t> {
    /// None where the page is nested too deep: then the children go to whom it is in.
    tag: Option<Tag<'t>>,
    children: Vec<Node>,
    task: Option<bool>,
}

#[derive(Default)]
struct MarkdownTree<'t> {
    open: Vec<OpenBlock<'t>>,
    done: Vec<(Node, Range<usize>)>,
    aligns: Vec<Alignment>,
    column: usize,
    head: bool,
}

impl<'t> MarkdownTree<'t> {
    fn event(&mut self, event: Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(range),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text, range),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, range);
            }
            Event::Code(text) => self.put(Node::Code { text: text.into_string() }, range),
            Event::SoftBreak => self.text("\n", range),
            Event::HardBreak => self.put(Node::Break, range),
            Event::Rule => self.put(Node::Rule, range),
            Event::TaskListMarker(done) => {
                if let Some(open) =
                    self.open.iter_mut().rev().find(|open| matches!(open.tag, Some(Tag::Item)))
                {
                    open.task = Some(done);
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'t>) {
        match &tag {
            Tag::Table(aligns) => self.aligns.clone_from(aligns),
            Tag::TableHead => (self.head, self.column) = (true, 0),
            Tag::TableRow => (self.head, self.column) = (false, 0),
            _ => {}
        }
        let deep = self.open.len() >= MARKDOWN_DEPTH;
        self.open.push(OpenBlock { tag: (!deep).then_some(tag), children: Vec::new(), task: None });
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        // Entities and escapes come as pieces of their own; together they are one text.
        if let Some(Node::Text { text: before }) =
            self.open.last_mut().and_then(|open| open.children.last_mut())
        {
            before.push_str(text);
        } else {
            self.put(Node::Text { text: text.to_owned() }, range);
        }
    }

    fn put(&mut self, node: Node, range: Range<usize>) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.done.push((node, range)),
        }
    }

    fn end(&mut self, range: Range<usize>) {
        let Some(OpenBlock { tag, children, task }) = self.open.pop() else { return };
        let Some(tag) = tag else {
            for child in children {
                self.put(child, range.clone());
            }
            return;
        };
        let node = match tag {
            Tag::Heading { level, .. } => Node::Heading { level: level as u8, children },
            Tag::BlockQuote(_) => Node::Quote { children },
            Tag::List(start) => Node::List { start, children },
            Tag::Item => Node::Item { done: task, children },
            Tag::Table(_) => Node::Table { children },
            Tag::TableHead | Tag::TableRow => Node::Row { head: self.head, children },
            Tag::TableCell => self.table_cell(children),
            Tag::CodeBlock(kind) => code_block(&kind, &children),
            Tag::Emphasis => Node::Emphasis { children },
            Tag::Strong => Node::Strong { children },
            Tag::Strikethrough => Node::Strike { children },
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => link(&dest_url, children),
            // What else there is, is shown as what is in it.
            _ => Node::Paragraph { children },
        };
        self.put(node, range);
    }

    fn table_cell(&mut self, children: Vec<Node>) -> Node {
        let align = match self.aligns.get(self.column) {
            Some(Alignment::Right) => Align::End,
            Some(Alignment::Center) => Align::Middle,
            _ => Align::Start,
        };
        self.column += 1;
        Node::Column { align, children }
    }
}

fn code_block(kind: &CodeBlockKind<'_>, children: &[Node]) -> Node {
    let text: String = children
        .iter()
        .filter_map(|child| if let Node::Text { text } = child { Some(text.as_str()) } else { None })
        .collect();
    let info = if let CodeBlockKind::Fenced(info) = kind { info.trim() } else { "" };
    match read_cell(info, &text) {
        Some(cell) => Node::Cell { cell },
        None => Node::CodeBlock {
            language: info.split_whitespace().next().unwrap_or_default().to_owned(),
            text: text.trim_end_matches('\n').to_owned(),
        },
    }
}

/// A link to somewhere a link may lead to, else what it says. Images are links: nothing is fetched for a page.
fn link(to: &str, children: Vec<Node>) -> Node {
    let lower = to.trim().to_ascii_lowercase();
    let allowed = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
    if allowed { Node::Link { to: to.trim().to_owned(), children } } else { Node::Emphasis { children } }
}

/// All cells of a tree, in the order of the page.
#[must_use]
pub fn cells(nodes: &[Node]) -> Vec<&Cell> {
    let mut found = Vec::new();
    for node in nodes {
        match node {
            Node::Cell { cell } => found.push(cell),
            other => found.extend(cells(children(other))),
        }
    }
    found
}

/// What a node is made of.
#[must_use]
pub fn children(node: &Node) -> &[Node] {
    match node {
        Node::Heading { children, .. }
        | Node::Paragraph { children }
        | Node::Quote { children }
        | Node::List { children, .. }
        | Node::Item { children, .. }
        | Node::Table { children }
        | Node::Row { children, .. }
        | Node::Column { children, .. }
        | Node::Strong { children }
        | Node::Emphasis { children }
        | Node::Strike { children }
        | Node::Link { children, .. } => children,
        Node::CodeBlock { .. }
        | Node::Cell { .. }
        | Node::Rule
        | Node::Text { .. }
        | Node::Code { .. }
        | Node::Break => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::Text { text: text.to_owned() }
    }

    #[test]
    fn page_is_parsed_into_a_tree() {
        let page = "# One *two*\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| `c` | d |\n\n> said\n\n```sh\nls\n```\n";
        let nodes = parse(page);
        assert_eq!(
            nodes[0],
            Node::Heading {
                level: 1,
                children: vec![text("One "), Node::Emphasis { children: vec![text("two")] }]
            }
        );
        let Node::List { start: None, children } = &nodes[1] else { panic!("{:?}", nodes[1]) };
        assert!(matches!(&children[0], Node::Item { done: Some(true), .. }));
        assert!(matches!(&children[1], Node::Item { done: Some(false), .. }));
        let Node::Table { children } = &nodes[2] else { panic!("{:?}", nodes[2]) };
        assert!(matches!(&children[0], Node::Row { head: true, .. }));
        let Node::Row { head: false, children } = &children[1] else { panic!("{children:?}") };
        assert_eq!(
            children[0],
            Node::Column { align: Align::Start, children: vec![Node::Code { text: "c".into() }] }
        );
        assert_eq!(children[1], Node::Column { align: Align::End, children: vec![text("d")] });
        assert_eq!(
            nodes[3],
            Node::Quote { children: vec![Node::Paragraph { children: vec![text("said")] }] }
        );
        assert_eq!(nodes[4], Node::CodeBlock { language: "sh".into(), text: "ls".into() });
    }

    #[test]
    fn html_becomes_text_and_links_are_restricted() {
        let nodes = parse("<script>alert(1)</script>\n\na <b onclick=x>bold</b> &amp; &lt;i&gt;");
        let Node::Paragraph { children } = &nodes[0] else { panic!("{nodes:?}") };
        assert_eq!(children[0], text("<script>alert(1)</script>\n"));
        assert_eq!(nodes[1], Node::Paragraph { children: vec![text("a <b onclick=x>bold</b> & <i>")] });
        for bad in [
            "javascript:alert(1)",
            " JavaScript:x",
            "data:text/html,x",
            "file:///etc/passwd",
            "//host/x",
            "x.html",
        ] {
            let nodes = parse(&format!("[shown](<{bad}>) ![picture](<{bad}>)"));
            let Node::Paragraph { children } = &nodes[0] else { panic!("{nodes:?}") };
            assert!(children.iter().all(|node| !matches!(node, Node::Link { .. })), "{bad}: {children:?}");
        }
        let nodes = parse("[it](https://example.org/a?b=c) [here](event:0@34)");
        let Node::Paragraph { children } = &nodes[0] else { panic!("{nodes:?}") };
        assert_eq!(
            children[0],
            Node::Link { to: "https://example.org/a?b=c".into(), children: vec![text("it")] }
        );
        assert!(matches!(&children[2], Node::Link { to, .. } if to == "event:0@34"));
    }

    fn depth(nodes: &[Node]) -> usize {
        nodes.iter().map(|node| 1 + depth(children(node))).max().unwrap_or(0)
    }

    fn says(nodes: &[Node]) -> String {
        let own = |node: &Node| {
            if let Node::Text { text } = node { text.clone() } else { says(children(node)) }
        };
        nodes.iter().map(own).collect()
    }

    #[test]
    fn deep_nesting_is_bounded_and_loses_no_text() {
        let nodes = parse(&format!("{}deep", "> ".repeat(10_000)));
        assert!(depth(&nodes) <= MARKDOWN_DEPTH + 1);
        assert!(says(&nodes).contains("deep"));
    }
}
