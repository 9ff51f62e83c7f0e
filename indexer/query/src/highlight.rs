//! Syntax highlighting of query text. Text that cannot be parsed is plain text, so any input works.

use serde::Serialize;

use super::ast::{JoinKind, Span};
use super::lexer::{Mode, Token, TokenKind, is_field_name, token};
use super::stages::StageName;

/// The class of a range of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WordClass"))]
pub enum Class {
    Field,
    Operator,
    Keyword,
    /// A word or phrase that is looked for, or a value.
    Text,
    Number,
    Regex,
    Time,
    Pipe,
    Stage,
    Function,
    Bracket,
    /// A character that is an error here, such as a quotation mark without its partner.
    Unknown,
}

/// A range of the query with its class. The text between two ranges is white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "QueryWord"))]
pub struct Highlight {
    pub class: Class,
    pub start: usize,
    pub end: usize,
}

/// Words that belong to the grammar of expressions and stages.
const KEYWORDS: [&str; 20] = [
    "by",
    "as",
    "in",
    "is",
    "like",
    "rlike",
    "matches",
    "where",
    "desc",
    "asc",
    "true",
    "false",
    "null",
    "on",
    "output",
    "into",
    "with",
    "previous",
    "everywhere",
    "auto",
];

/// The state of the highlighter: what surrounds the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Filter,
    /// Right of a field's `:` or operator; the span is that of the field.
    Value(Span),
    /// Within the parentheses or brackets of such a value.
    List(Span),
    /// After a pipe, before the name of the stage.
    StageName,
    /// In a stage that takes names.
    Names(StageName),
    /// In a stage that calculates.
    Expr(StageName),
}

/// A token with its class and its context.
#[derive(Clone, Debug)]
pub(super) struct SeenToken {
    pub token: Token,
    pub class: Class,
    pub within: Within,
    /// The nesting depth of queries in parentheses.
    pub nested: usize,
}

/// The classes of a query's words.
#[must_use]
pub fn highlight(query: &str) -> Vec<Highlight> {
    let of = |seen: SeenToken| Highlight {
        class: seen.class,
        start: seen.token.span.start,
        end: seen.token.span.end,
    };
    walk(query).0.into_iter().map(of).collect()
}

/// All tokens, and the context of the next one.
pub(super) fn walk(query: &str) -> (Vec<SeenToken>, Within) {
    let mut walker = Walker {
        query,
        at: 0,
        depth: 0,
        list_depth: 0,
        within: Within::Filter,
        outer: Vec::new(),
        seen: Vec::new(),
    };
    while walker.step() {}
    (walker.seen, walker.within)
}

struct Walker<'q> {
    query: &'q str,
    at: usize,
    depth: usize,
    /// How deep the list of values lies.
    list_depth: usize,
    within: Within,
    /// The context around each open parenthesis with a query, and its depth.
    outer: Vec<(Within, usize)>,
    seen: Vec<SeenToken>,
}

impl Walker<'_> {
    fn mode(&self) -> Mode {
        match self.within {
            Within::Filter => Mode::Clause,
            Within::Value(_) if matches!(self.outside(), Within::Expr(_)) => Mode::ExprValue,
            Within::Value(_) => Mode::Value,
            Within::List(_) => Mode::List,
            Within::StageName | Within::Names(_) => Mode::Name,
            Within::Expr(_) => match self.seen.last().map(|seen| seen.class) {
                Some(Class::Field | Class::Number | Class::Text | Class::Time | Class::Regex) => {
                    Mode::Operator
                }
                Some(Class::Bracket) if self.ended_with_close() => Mode::Operator,
                _ => Mode::Expr,
            },
        }
    }

    fn ended_with_close(&self) -> bool {
        self.seen.last().is_some_and(|seen| seen.token.kind == TokenKind::Close)
    }

    fn step(&mut self) -> bool {
        let mode = self.mode();
        let token = match token(self.query, self.at, mode) {
            Ok(token) => token,
            Err(error) => Token { kind: TokenKind::Stray(' '), span: error.span },
        };
        if token.kind == TokenKind::End || token.span.end <= self.at {
            return false;
        }
        self.at = token.span.end;
        let (within, nested) = (self.within, self.outer.len());
        let class = self.class(&token);
        self.seen.push(SeenToken { token, class, within, nested });
        true
    }

    /// The class of a token; moves to the context of the next one.
    fn class(&mut self, token: &Token) -> Class {
        match token.kind {
            TokenKind::Stray(_) => return Class::Unknown,
            TokenKind::Pipe => {
                (self.within, self.depth, self.list_depth) = (Within::StageName, 0, 0);
                return Class::Pipe;
            }
            TokenKind::Open => return self.open(token),
            TokenKind::Close | TokenKind::CloseRange(_) => return self.close(),
            _ => {}
        }
        match self.within {
            Within::Filter => self.in_filter(token),
            Within::Value(field) => {
                if let TokenKind::OpenRange(_) = token.kind {
                    self.list_depth = self.depth + 1;
                    self.depth += 1;
                    self.within = Within::List(field);
                    return Class::Bracket;
                }
                if matches!(
                    token.kind,
                    TokenKind::Compare(_) | TokenKind::MatchesRegex { .. } | TokenKind::Bang | TokenKind::Not
                ) {
                    return Class::Operator;
                }
                self.within = self.outside();
                value_class(token)
            }
            Within::List(_) => match token.kind {
                TokenKind::And | TokenKind::Or | TokenKind::Not => Class::Keyword,
                TokenKind::Comma | TokenKind::Compare(_) | TokenKind::Bang => Class::Operator,
                _ if token.is_word("to") => Class::Keyword,
                _ => value_class(token),
            },
            Within::StageName => {
                let Some(stage) = token.word().and_then(StageName::named) else { return Class::Unknown };
                self.within = Self::inside(stage);
                Class::Stage
            }
            Within::Names(_) => match token.kind {
                TokenKind::Phrase(_) => Class::Text,
                TokenKind::Regex { .. } => Class::Regex,
                TokenKind::Word { .. } if is_number(token) => Class::Number,
                TokenKind::Word { .. } if is_keyword(token) => Class::Keyword,
                TokenKind::Word { .. } if self.is_kind_of_join(token) => Class::Keyword,
                TokenKind::Word { .. } | TokenKind::Name(_) => Class::Field,
                _ => Class::Operator,
            },
            Within::Expr(_) => self.in_expression(token),
        }
    }

    /// True if this word is the kind of the join: directly after the stage's name.
    fn is_kind_of_join(&self, token: &Token) -> bool {
        let follows = self.seen.last().is_some_and(|last| last.class == Class::Stage);
        let names = || JoinKind::ALL.into_iter().any(|kind| token.is_word(kind.name()));
        self.within == Within::Names(StageName::Join) && follows && names()
    }

    fn inside(stage: StageName) -> Within {
        use StageName::{
            Dissect, Eval, Grok, Pivot, Rex, Sample, Search, Shift, Sort, Stats, Timechart, Where, Window,
        };
        match stage {
            Search => Within::Filter,
            Where | Eval | Stats | Timechart | Sort | Shift | Grok | Dissect | Rex | Sample | Pivot
            | Window => Within::Expr(stage),
            _ => Within::Names(stage),
        }
    }

    /// What surrounds a value that has ended: the expression of its stage, or the filter.
    fn outside(&self) -> Within {
        let nested = self.outer.len();
        // Of a query in parentheses nothing before its parenthesis counts.
        let opened = self.seen.iter().rposition(|seen| seen.nested < nested).map_or(0, |last| last + 1);
        let own = || self.seen[opened..].iter().filter(|seen| seen.nested == nested);
        let stage = own().rev().find_map(|seen| match seen.within {
            Within::StageName if seen.class == Class::Stage => seen.token.word().and_then(StageName::named),
            _ => None,
        });
        let piped = own().any(|seen| seen.class == Class::Pipe);
        stage.filter(|_| piped).map_or(Within::Filter, Self::inside)
    }

    fn in_filter(&mut self, token: &Token) -> Class {
        match &token.kind {
            TokenKind::And | TokenKind::Or | TokenKind::Not => Class::Keyword,
            TokenKind::Colon | TokenKind::Compare(_) | TokenKind::MatchesRegex { .. } => {
                let field = self.seen.last().map_or(token.span, |seen| seen.token.span);
                self.within = Within::Value(field);
                Class::Operator
            }
            TokenKind::Minus | TokenKind::Bang | TokenKind::Slop(_) => Class::Operator,
            TokenKind::Regex { .. } => Class::Regex,
            TokenKind::Word { .. } | TokenKind::Phrase(_) | TokenKind::Name(_)
                if self.operator_follows(Mode::Clause) =>
            {
                Class::Field
            }
            TokenKind::Word { .. } if token.is_word("in") && self.names_list() => {
                let field = self.seen.last().map_or(token.span, |seen| seen.token.span);
                if let Some(last) =
                    self.seen.iter_mut().rev().find(|seen| matches!(seen.token.kind, TokenKind::Word { .. }))
                {
                    last.class = Class::Field;
                }
                self.within = Within::Value(field);
                Class::Keyword
            }
            _ => Class::Text,
        }
    }

    /// True if `in` comes between a field and a list.
    fn names_list(&self) -> bool {
        let opens = token(self.query, self.at, Mode::Clause).is_ok_and(|next| next.kind == TokenKind::Open);
        opens
            && self.seen.last().is_some_and(|seen| {
                seen.token.word().is_some_and(is_field_name) || seen.class == Class::Keyword
            })
    }

    fn in_expression(&mut self, token: &Token) -> Class {
        match &token.kind {
            TokenKind::Number(_) => Class::Number,
            TokenKind::Phrase(_) => Class::Text,
            TokenKind::Regex { .. } => Class::Regex,
            TokenKind::Time(_) => Class::Time,
            TokenKind::And | TokenKind::Or | TokenKind::Not => Class::Keyword,
            TokenKind::Name(_) => Class::Field,
            TokenKind::Word { .. } if is_keyword(token) => Class::Keyword,
            TokenKind::Word { .. } => {
                let next = self.query[self.at..].chars().next();
                let is_counted = token.word().is_some_and(|word| word.eq_ignore_ascii_case("count"));
                let calculates = matches!(
                    self.within,
                    Within::Expr(
                        StageName::Stats | StageName::Timechart | StageName::Shift | StageName::Pivot
                    )
                );
                if next == Some('(') || (is_counted && calculates) { Class::Function } else { Class::Field }
            }
            TokenKind::Colon => {
                let field = self.seen.last().map_or(token.span, |seen| seen.token.span);
                self.within = Within::Value(field);
                Class::Operator
            }
            _ => Class::Operator,
        }
    }

    fn operator_follows(&self, mode: Mode) -> bool {
        let next = token(self.query, self.at, mode);
        next.is_ok_and(|next| {
            matches!(next.kind, TokenKind::Colon | TokenKind::Compare(_) | TokenKind::MatchesRegex { .. })
        })
    }

    fn open(&mut self, _: &Token) -> Class {
        if self.within == Within::Names(StageName::Join) {
            self.outer.push((self.within, self.depth));
            (self.within, self.depth, self.list_depth) = (Within::Filter, 0, 0);
            return Class::Bracket;
        }
        self.depth += 1;
        if let Within::Value(field) = self.within {
            self.list_depth = self.depth;
            self.within = Within::List(field);
        }
        Class::Bracket
    }

    fn close(&mut self) -> Class {
        if self.depth == 0
            && let Some((within, depth)) = self.outer.pop()
        {
            (self.within, self.depth, self.list_depth) = (within, depth, 0);
            return Class::Bracket;
        }
        if self.list_depth == self.depth && matches!(self.within, Within::List(_)) {
            self.within = self.outside();
            self.list_depth = 0;
        }
        self.depth = self.depth.saturating_sub(1);
        Class::Bracket
    }
}

fn value_class(token: &Token) -> Class {
    match &token.kind {
        TokenKind::Regex { .. } => Class::Regex,
        _ if is_number(token) => Class::Number,
        _ => Class::Text,
    }
}

fn is_number(token: &Token) -> bool {
    token.word().is_some_and(|word| super::ast::Amount::parse(word).is_some())
}

fn is_keyword(token: &Token) -> bool {
    KEYWORDS.iter().any(|keyword| token.is_word(keyword))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn classes(query: &str) -> String {
        let words = highlight(query)
            .into_iter()
            .map(|found| format!("{}={:?}", &query[found.start..found.end], found.class));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_have_the_class_of_their_place() {
        assert_eq!(
            classes("status>=500 NOT path:/re/i \"a b\"~2"),
            "status=Field >==Operator 500=Number NOT=Keyword path=Field :=Operator /re/i=Regex \"a b\"=Text ~2=Operator"
        );
        assert_eq!(
            classes("a:(1 OR x) b IN (2) | stats avg(c) as d by bin(time, 5m) | where d > now-1h"),
            "a=Field :=Operator (=Bracket 1=Number OR=Keyword x=Text )=Bracket b=Field IN=Keyword (=Bracket 2=Number \
             )=Bracket |=Pipe stats=Stage avg=Function (=Bracket c=Field )=Bracket as=Keyword d=Field by=Keyword \
             bin=Function (=Bracket time=Field ,=Operator 5m=Number )=Bracket |=Pipe where=Stage d=Field >=Operator \
             now-1h=Time"
        );
        assert_eq!(
            classes("a:[1 TO *} \"open"),
            "a=Field :=Operator [=Bracket 1=Number TO=Keyword *=Text }=Bracket \"open=Unknown"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_covered_in_order(query in r#"([ -~äß]|and |a:|\| |stats |where |"|\(|\)){0,24}"#) {
            let found = highlight(&query);
            let mut at = 0;
            for one in found {
                prop_assert!(one.start >= at && one.end > one.start);
                prop_assert!(query[at..one.start].trim().is_empty(), "{:?}", &query[at..one.start]);
                at = one.end;
            }
            prop_assert!(query[at..].trim().is_empty());
        }
    }
}
