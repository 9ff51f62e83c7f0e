//! The contract as TypeScript: `src/ipc/generated.ts` is this text, and a test proves it fresh.

use ts_rs::{Config, TS};

use crate::contract::rows;
use crate::language::{
    CheckRequest, CompleteRequest, Completion, QueryCheck, QueryDiagnostic, QueryWord, Suggestion,
    SuggestionKind, WordClass,
};
use crate::patterns::{
    Granularity, LevelCount, Pattern, PatternVariable, Patterns, PatternsRequest, ValueCount,
};
use crate::sources::{
    Account, AccountRequest, AdjustRequest, Alternative, Estimate, Example, FileReading, ImportChoices,
    PasteRequest, Piece, Preview, PreviewFile, PreviewRequest, PreviewRow, Reading, RereadRequest, Unparsed,
};
use crate::types::{
    CancelRequest, CasePath, CaseSummary, CompactReport, DeleteRequest, Empty, ErrorCode, EventDetail,
    EventId, EventRequest, FieldKind, FieldValue, FileProgress, FileState, Hello, HostKind, ImportPhase,
    ImportProgress, ImportReport, ImportRequest, Level, LevelSeries, LocateRequest, Located, Order, Page,
    PageRequest, Paths, Profile, RecentCase, ReprofileRequest, Rewriting, Row, Source, Timeline,
    TimelineRequest, Verification, View, WireError,
};

const HEAD: &str = "// Made from src-tauri/wire by `npm run bless`. Do not edit.\n\n\
/** Nanoseconds since 1970-01-01 UTC as a decimal string; `src/base/time.ts` turns it into a bigint. */\n\
export type Nanos = string & { readonly __nanos: unique symbol };\n";

/// The whole generated file.
#[must_use]
pub fn generate() -> String {
    let config = Config::default().with_large_int("number");
    let mut text = String::from(HEAD);
    macro_rules! declare {
        ($($type:ty),* $(,)?) => { $( declare::<$type>(&config, &mut text); )* };
    }
    declare![
        Level,
        HostKind,
        Empty,
        Hello,
        RecentCase,
        Paths,
        CasePath,
        CancelRequest,
        Profile,
        CaseSummary,
        Source,
        ReprofileRequest,
        DeleteRequest,
        Rewriting,
        CompactReport,
        Verification,
        Reading,
        FileReading,
        ImportChoices,
        ImportRequest,
        PreviewRequest,
        Preview,
        Estimate,
        PreviewFile,
        PreviewRow,
        Piece,
        Account,
        Alternative,
        Unparsed,
        Example,
        AccountRequest,
        AdjustRequest,
        RereadRequest,
        PasteRequest,
        ImportPhase,
        FileState,
        ImportProgress,
        FileProgress,
        ImportReport,
        View,
        TimelineRequest,
        Timeline,
        LevelSeries,
        Order,
        PageRequest,
        Page,
        EventId,
        Row,
        LocateRequest,
        Located,
        EventRequest,
        EventDetail,
        FieldValue,
        FieldKind,
        CheckRequest,
        QueryCheck,
        QueryDiagnostic,
        WordClass,
        QueryWord,
        CompleteRequest,
        Completion,
        SuggestionKind,
        Suggestion,
        Granularity,
        PatternsRequest,
        Patterns,
        Pattern,
        LevelCount,
        PatternVariable,
        ValueCount,
        ErrorCode,
        WireError,
    ];
    text.push_str("\n/** Every call: what it takes, what it reports meanwhile, what it gives back. */\n");
    text.push_str("export interface Contract {\n");
    for row in rows(&config) {
        text.push_str("  ");
        text.push_str(&row);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

fn declare<T: TS>(config: &Config, text: &mut String) {
    text.push_str("\nexport ");
    text.push_str(&T::decl(config));
    text.push('\n');
}
