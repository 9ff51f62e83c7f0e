//! Any text is parsed, in both readings, without a panic; what parses prints, and what is printed parses to
//! the same; its words are classified, and every place in it can be completed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use query::{
    QueryContext, Reading, complete, highlight, parse_as, parse_leniently, resolve, unknown_columns,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let context =
        QueryContext { fields: Vec::new(), now: 1_715_782_000_000_000_000, zone: QueryContext::utc() };
    for reading in [Reading::Timberline, Reading::Kql] {
        let lenient = parse_leniently(&text, reading);
        for found in &lenient.diagnostics {
            assert!(found.start <= found.end && found.end <= text.len());
            assert!(text.is_char_boundary(found.start) && text.is_char_boundary(found.end));
        }
        let _ = resolve(&lenient.query.filter, &context);
        let _ = unknown_columns(&lenient.query, &context);
        let _ = lenient.query.to_string();
        if let Ok(query) = parse_as(&text, reading) {
            let printed = query.to_string();
            match parse_as(&printed, Reading::Timberline) {
                Ok(again) => assert_eq!(again, query, "{printed}"),
                Err(error) => panic!("{printed}: {error:?}"),
            }
        }
    }
    let _ = highlight(&text);
    let mut cursor = 0;
    while cursor <= text.len() {
        let _ = complete(&text, cursor, &context, &mut |_, _| Vec::new(), &mut |_| Vec::new());
        cursor += 1 + text.len() / 8;
    }
});
