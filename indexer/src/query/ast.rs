//! What a query means.

/// A condition on events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    Everything,
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    /// The pattern occurs anywhere in the event's text.
    Text(Pattern),
    /// A test on a field. The span is where the field is named in the query, for messages.
    Field {
        field: String,
        test: Test,
        span: (usize, usize),
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    Exists,
    /// Any of the patterns occurs in the value.
    Matches(Vec<Pattern>),
    Compare(Op, String),
}

/// What is looked for in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Whole tokens, one after the other, whatever stands between them: a word or a phrase.
    Tokens(String),
    /// `*` stands for any run of characters but spaces, `?` for one; both ends at the end of a token.
    Glob(String),
    /// Anywhere, inside of words too.
    Substring(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Op {
    pub const ALL: [(Op, &'static str); 6] = [
        (Op::NotEqual, "!="),
        (Op::LessOrEqual, "<="),
        (Op::GreaterOrEqual, ">="),
        (Op::Equal, "="),
        (Op::Less, "<"),
        (Op::Greater, ">"),
    ];

    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Op::Equal => order.is_eq(),
            Op::NotEqual => order.is_ne(),
            Op::Less => order.is_lt(),
            Op::LessOrEqual => order.is_le(),
            Op::Greater => order.is_gt(),
            Op::GreaterOrEqual => order.is_ge(),
        }
    }
}
