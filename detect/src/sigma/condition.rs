//! Conditions: `selection and not 1 of filter_*`.

use crate::limits::CONDITION_DEPTH;
use crate::problem::Fault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr<L> {
    And(Vec<Expr<L>>),
    Or(Vec<Expr<L>>),
    Not(Box<Expr<L>>),
    /// At least so many of them hold.
    AtLeast(usize, Vec<Expr<L>>),
    Leaf(L),
    Always(bool),
}

impl<L> Expr<L> {
    /// The same with other leaves.
    pub fn map<M, E>(&self, leaf: &mut impl FnMut(&L) -> Result<Expr<M>, E>) -> Result<Expr<M>, E> {
        let mut all =
            |parts: &[Expr<L>]| parts.iter().map(|part| part.map(leaf)).collect::<Result<Vec<_>, E>>();
        Ok(match self {
            Expr::And(parts) => Expr::And(all(parts)?),
            Expr::Or(parts) => Expr::Or(all(parts)?),
            Expr::AtLeast(count, parts) => Expr::AtLeast(*count, all(parts)?),
            Expr::Not(part) => Expr::Not(Box::new(part.map(leaf)?)),
            Expr::Leaf(value) => leaf(value)?,
            Expr::Always(truth) => Expr::Always(*truth),
        })
    }

    pub fn holds(&self, leaf: &mut impl FnMut(&L) -> bool) -> bool {
        match self {
            Expr::And(parts) => parts.iter().all(|part| part.holds(leaf)),
            Expr::Or(parts) => parts.iter().any(|part| part.holds(leaf)),
            Expr::AtLeast(count, parts) => {
                let mut found = 0;
                parts.iter().any(|part| {
                    found += usize::from(part.holds(leaf));
                    found >= *count
                })
            }
            Expr::Not(part) => !part.holds(leaf),
            Expr::Leaf(value) => leaf(value),
            Expr::Always(truth) => *truth,
        }
    }

    pub fn each_leaf<'e>(&'e self, each: &mut impl FnMut(&'e L)) {
        match self {
            Expr::And(parts) | Expr::Or(parts) | Expr::AtLeast(_, parts) => {
                for part in parts {
                    part.each_leaf(each);
                }
            }
            Expr::Not(part) => part.each_leaf(each),
            Expr::Leaf(value) => each(value),
            Expr::Always(_) => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Open,
    Close,
    Name(String),
}

/// Reads a condition over searches of these names.
pub fn parse(text: &str, names: &[String], line: usize) -> Result<Expr<String>, Fault> {
    let mut parser = Parser { words: words(text), at: 0, names, line, depth: 0 };
    if text.contains('|') {
        return Err(parser
            .fault("aggregations after `|` are no longer part of Sigma")
            .hint("write a correlation rule: a second document with `correlation:` that names this rule"));
    }
    let expr = parser.or()?;
    match parser.words.get(parser.at) {
        None => Ok(expr),
        Some(Word::Close) => Err(parser.fault("a `)` in the condition has no `(`")),
        Some(_) => {
            Err(parser.fault(&format!("the condition `{text}` lacks `and` or `or` between two searches")))
        }
    }
}

fn words(text: &str) -> Vec<Word> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let word = |word: &str| match word {
        "(" => Word::Open,
        ")" => Word::Close,
        name => Word::Name(name.to_owned()),
    };
    spaced.split_whitespace().map(word).collect()
}

struct Parser<'n> {
    words: Vec<Word>,
    at: usize,
    names: &'n [String],
    line: usize,
    depth: usize,
}

impl Parser<'_> {
    fn fault(&self, message: &str) -> Fault {
        Fault::new(self.line, message)
    }

    fn takes(&mut self, keyword: &str) -> bool {
        let is =
            matches!(self.words.get(self.at), Some(Word::Name(name)) if name.eq_ignore_ascii_case(keyword));
        self.at += usize::from(is);
        is
    }

    fn or(&mut self) -> Result<Expr<String>, Fault> {
        let mut parts = vec![self.and()?];
        while self.takes("or") {
            parts.push(self.and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn and(&mut self) -> Result<Expr<String>, Fault> {
        let mut parts = vec![self.not()?];
        while self.takes("and") {
            parts.push(self.not()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn not(&mut self) -> Result<Expr<String>, Fault> {
        self.depth += 1;
        if self.depth > CONDITION_DEPTH {
            return Err(self.fault(&format!("the condition is nested more than {CONDITION_DEPTH} deep")));
        }
        let expr = if self.takes("not") { Expr::Not(Box::new(self.not()?)) } else { self.primary()? };
        self.depth -= 1;
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr<String>, Fault> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        match word {
            None => Err(self.fault("the condition ends where a search is expected")),
            Some(Word::Close) => Err(self.fault("a `)` is where a search is expected")),
            Some(Word::Open) => {
                let inner = self.or()?;
                if self.words.get(self.at) != Some(&Word::Close) {
                    return Err(self.fault("a `(` in the condition is not closed"));
                }
                self.at += 1;
                Ok(inner)
            }
            Some(Word::Name(name)) => {
                let is_of =
                    matches!(self.words.get(self.at), Some(Word::Name(of)) if of.eq_ignore_ascii_case("of"));
                let is_name = self.names.contains(&name);
                if is_of && !is_name { self.quantified(&name) } else { self.name(name) }
            }
        }
    }

    fn name(&self, name: String) -> Result<Expr<String>, Fault> {
        if self.names.contains(&name) {
            return Ok(Expr::Leaf(name));
        }
        let fault = self.fault(&format!("the condition names `{name}`, which the rule does not define"));
        Err(match indexer::query::nearest(&name, self.names.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean `{near}`?")),
            None => fault.hint(format!("it defines {}", self.names.join(", "))),
        })
    }

    /// `1 of them`, `all of selection_*`.
    fn quantified(&mut self, count: &str) -> Result<Expr<String>, Fault> {
        self.at += 1;
        let Some(Word::Name(pattern)) = self.words.get(self.at).cloned() else {
            return Err(self
                .fault("`of` is followed by no name")
                .hint("write `1 of them` or `all of selection*`"));
        };
        self.at += 1;
        let chosen: Vec<Expr<String>> = if pattern.eq_ignore_ascii_case("them") {
            self.names.iter().filter(|name| !name.starts_with('_')).cloned().map(Expr::Leaf).collect()
        } else {
            let wild = super::pattern::Wild::parse(&pattern);
            self.names.iter().filter(|name| wild.matches(name)).cloned().map(Expr::Leaf).collect()
        };
        if chosen.is_empty() {
            return Err(self
                .fault(&format!("`{count} of {pattern}` names no search of the rule"))
                .hint(format!("it defines {}", self.names.join(", "))));
        }
        if count.eq_ignore_ascii_case("all") {
            return Ok(Expr::And(chosen));
        }
        let least = if count.eq_ignore_ascii_case("any") { Some(1) } else { count.parse::<usize>().ok() };
        match least {
            Some(1) => Ok(Expr::Or(chosen)),
            Some(least) if least > 1 && least <= chosen.len() => Ok(Expr::AtLeast(least, chosen)),
            Some(_) => {
                Err(self.fault(&format!("`{count} of {pattern}` can never hold: it names {}", chosen.len())))
            }
            None => Err(self
                .fault(&format!("`{count} of {pattern}` begins with no number"))
                .hint("write `1 of`, `any of`, `all of` or a number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["sel_a", "sel_b", "filter", "_hidden"].map(str::to_owned).to_vec()
    }

    fn holds(text: &str, on: &[&str]) -> bool {
        parse(text, &names(), 1).expect("it reads").holds(&mut |name| on.contains(&name.as_str()))
    }

    #[test]
    fn precedence_parentheses_and_quantifiers() {
        assert!(holds("sel_a or sel_b and filter", &["sel_a"]));
        assert!(!holds("(sel_a or sel_b) and filter", &["sel_a"]));
        assert!(
            holds("sel_a AND NOT filter", &["sel_a"]) && !holds("sel_a and not filter", &["sel_a", "filter"])
        );
        assert!(holds("not not sel_a", &["sel_a"]));
        assert!(holds("1 of sel_*", &["sel_b"]) && !holds("all of sel_*", &["sel_b"]));
        assert!(holds("2 of them", &["sel_b", "filter"]) && !holds("2 of them", &["sel_b", "_hidden"]));
        assert!(holds("all of them", &["sel_a", "sel_b", "filter"]));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("sel_c", "sel_c"),
            ("sel_a sel_b", "lacks"),
            ("(sel_a", "not closed"),
            ("sel_a)", "no `("),
            ("sel_a and", "ends"),
            ("1 of x*", "names no search"),
            ("4 of them", "never hold"),
            ("many of them", "no number"),
            ("sel_a | count() > 5", "correlation"),
            ("", "ends"),
        ] {
            let fault = parse(text, &names(), 7).expect_err(text);
            let shown = format!("{} {}", fault.message, fault.hint.clone().unwrap_or_default());
            assert!(shown.contains(part) && fault.line == 7, "{text}: {shown}");
        }
        let deep = format!("{}sel_a", "not ".repeat(CONDITION_DEPTH + 1));
        assert!(parse(&deep, &names(), 1).is_err());
        let deep = format!("{}sel_a", "(".repeat(100_000));
        assert!(parse(&deep, &names(), 1).is_err());
    }
}
