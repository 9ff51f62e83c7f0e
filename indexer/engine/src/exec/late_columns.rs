//! Late materialisation: predicates on columns whose values are stored as byte ranges into the raw text and
//! are not in memory, such as columns of ids. The text index finds the few candidate rows, and only their
//! values are read. Materialising the whole column means unpacking the whole segment.

use super::bitmap::Bitmap;
use super::candidates::Candidates;
use super::explain::Path;
use super::field_filter;
use super::matcher::Matcher;
use super::phrase;
use super::select::{ClauseRows, SegmentQuery};
use super::value_predicate::{Probe, ValueTest};
use base::error::Result;

/// Up to this many runs of rows, each about the size of a frame, reading single values is faster than
/// materialising the whole column.
const FEW_RUNS: usize = 64;

/// A token with at most this many rows is selective enough to narrow the candidates.
const SELECTIVE_ROWS: usize = 1 << 13;

/// After this many lookups without a selective token the column is materialised. Materialising takes some
/// tens of milliseconds for ten million events; a lookup in the materialised column takes two.
const UNSELECTIVE_LOOKUPS: u32 = 2;

/// The rows that pass, or `None` when the whole column should be materialised.
pub fn select_rows(query: &SegmentQuery<'_>, column: &str, test: &ValueTest) -> Result<Option<ClauseRows>> {
    let segment = query.segment;
    let others = || {
        let passing = segment.escaped_values(column)?.map(|rest| field_filter::passing(&rest, test));
        Result::Ok(passing.unwrap_or_else(|| Bitmap::none(query.rows())))
    };
    if test.texts.is_exists() {
        let rows = phrase::rows_stored_verbatim(segment, column, &Bitmap::all(query.rows()))?.or(&others()?);
        return Ok(Some(ClauseRows { rows, path: Path::Column }));
    }
    let has_tokens = |probe: &Probe| !probe.tokens.is_empty();
    let Some(probes) = test.texts.probes().filter(|probes| probes.iter().all(has_tokens)) else {
        return Ok(None);
    };
    // In an event the token of a value may be part of a longer token; the index knows only the longer one.
    if !segment.meta.fields.iter().any(|field| field.column == column && field.delimited) {
        return Ok(None);
    }
    let mut candidates = Bitmap::none(query.rows());
    for probe in probes {
        let Some(rows) = rows_with_tokens(query, column, &probe.tokens)? else { return Ok(None) };
        candidates = candidates.or(&rows);
    }
    let candidates: Vec<u32> = candidates.iter().collect();
    let mut found = others()?;
    if candidates.is_empty() {
        return Ok(Some(ClauseRows { rows: found, path: Path::Index }));
    }
    let raw = segment.raw();
    let values = segment.verbatim_values_at(column, &candidates, &mut raw.cursor(), query.cancel)?;
    for (&row, value) in candidates.iter().zip(&values) {
        if value.as_ref().is_some_and(|value| test.texts.passes(value)) {
            found.insert(row);
        }
    }
    Ok(Some(ClauseRows { rows: found, path: Path::IndexAndText }))
}

/// The rows that may have all of these tokens, or `None` when there are too many.
fn rows_with_tokens(query: &SegmentQuery<'_>, column: &str, tokens: &[String]) -> Result<Option<Bitmap>> {
    let segment = query.segment;
    let Some(index) = segment.text()? else { return Ok(None) };
    let mut postings_by_token = Vec::with_capacity(tokens.len());
    for token in tokens {
        postings_by_token
            .extend(segment.or_missing(index.postings(token))?.flatten().map(|found| (token, found)));
    }
    postings_by_token.sort_by_key(|(_, found)| found.cost());
    let Some((_, first)) = postings_by_token.first() else { return Ok(None) };
    if first.cost() > (0, SELECTIVE_ROWS) && segment.lookups_before(column)? >= UNSELECTIVE_LOOKUPS {
        return Ok(None);
    }
    let mut rows = Bitmap::all(query.rows());
    for (token, found) in postings_by_token {
        rows = Candidates::from_postings(query, found, token, &Matcher::Tokens(vec![token.clone()]))?
            .candidate_rows(&rows);
    }
    Ok((rows.runs() <= FEW_RUNS).then_some(rows))
}

#[cfg(test)]
mod tests {
    use super::UNSELECTIVE_LOOKUPS;
    use crate::test_case::{ImportOptions, TestCase};
    use crate::{Direction, RunOptions, Shown, View};
    use base::Cancel;
    use store::Profile;

    /// Ids that differ, some next to letters in their event, some spelled with escapes there.
    fn id(n: usize) -> String {
        match n % 9 {
            0 => format!("request {n:08x} of user-{}", n % 50),
            1 => format!("{n:030}"),
            2 => format!("caf\\u00e9 {n:x} \\u0041b{n}"),
            _ => format!("{:032x}", n * 7_777_777),
        }
    }

    fn case(log: &str, profile: Profile, definition: Option<&str>) -> (tempfile::TempDir, TestCase) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ids.log");
        std::fs::write(&file, log).expect("a log");
        let mut options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
        if let Some(definition) = definition {
            let path = folder.path().join("own.toml");
            std::fs::write(&path, definition).expect("a definition");
            options.ingest.definitions = crate::test_case::definitions(&path).expect("a definition");
            options.ingest.format = Some("own".to_owned());
        }
        let case = TestCase::create(&folder.path().join("p.case")).expect("a case");
        case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
        (folder, case)
    }

    /// What a query matches, and the ids of its last events, as a page and as a table.
    fn answers(case: &TestCase, query: &str) -> (usize, Vec<Option<String>>, Vec<String>) {
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        let view = View::parse(query, None, None).expect("a query");
        let count = case.count(&snapshot, &view, &never).expect("a count");
        let (cut, columns) = (1_000, ["id".to_owned()]);
        let shown = Shown { cut, columns: &columns };
        let page =
            case.page(&snapshot, &view, Direction::NewestFirst, (0, 9), &shown, &never).expect("a page");
        let pipe = query::parse_query(&format!("{query} | sort -n | limit 7 | table id, n"));
        let options = RunOptions::default();
        let pipe = pipe.expect("a pipe");
        let table = case.run(&snapshot, &pipe, (None, None), &options, &mut |_| {}, &never).expect("a table");
        let cells =
            (0..table.rows()).flat_map(|row| [0, 1].map(|column| table.cell(row, column).to_string()));
        (count, page.events.into_iter().flat_map(|event| event.values).collect(), cells.collect())
    }

    #[test]
    fn late_materialised_values_equal_the_whole_column() {
        let json = |n: usize| format!("{{\"n\":{n},\"id\":\"{}\",\"level\":\"info\"}}\n", id(n));
        let glued = |n: usize| format!("{n} x{}y end\n", id(n));
        let own = "name = \"own\"\nregex = '^(?<n>\\d+) x(?<id>.*)y end$'\n";
        let logs =
            [((0..9_000).map(json).collect::<String>(), None), ((0..9_000).map(glued).collect(), Some(own))];
        for (log, definition) in logs {
            // Without columns, every field is made from the text of its event.
            let (_plain_folder, plain) = case(&log, Profile::Raw, definition);
            for profile in [Profile::Full, Profile::Bloom, Profile::Fields] {
                for query in [
                    format!("id:{}", id(4_003)),
                    format!("id=\"{}\"", id(4_003)),
                    format!("id:({} OR {})", id(3), id(8_005)),
                    "id:\"request 00001194 of user-0\"".to_owned(),
                    "id:*1194*".to_owned(),
                    "id:/^request 0000.*user-7$/".to_owned(),
                    "id:Ab2".to_owned(),
                    "id:caf\u{e9}".to_owned(),
                    "id:*".to_owned(),
                    "id:nowhere".to_owned(),
                    "NOT id:request".to_owned(),
                ] {
                    let (_folder, case) = case(&log, profile, definition);
                    let segment = &case.snapshot().segments[0];
                    assert!(segment.is_late("id"), "the ids are stored as byte ranges");
                    assert_eq!(answers(&case, &query), answers(&plain, &query), "{query}, {profile:?}");
                    if query == format!("id:{}", id(4_003)) {
                        let by_index = definition.is_none() && profile != Profile::Fields;
                        assert_eq!(segment.is_late("id"), by_index, "{profile:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn common_tokens_narrow_candidates_when_combined() {
        // The tokens of most are in a quarter of the events, and no two events have the same eight.
        let token = |n: usize, at: u8| format!("{}{}", char::from(b'a' + at), n >> (2 * at) & 3);
        let id = |n: usize| (0..8).map(|at| token(n, at)).collect::<Vec<_>>().join(".");
        let line = |n: usize| format!("{{\"n\":{n},\"id\":\"{}\",\"level\":\"info\"}}\n", id(n));
        let log: String = (0..40_000).map(line).collect();
        let (_plain_folder, plain) = case(&log, Profile::Raw, None);
        for profile in [Profile::Full, Profile::Bloom] {
            let (_folder, case) = case(&log, profile, None);
            let segment = &case.snapshot().segments[0];
            for (asked, wanted) in (0..).zip([id(7), id(20_303), id(20_202), id(40_000)]) {
                if profile == Profile::Full {
                    assert_eq!(segment.is_late("id"), asked <= UNSELECTIVE_LOOKUPS, "{asked}");
                }
                let query = format!("id:\"{wanted}\"");
                let view = View::parse(&query, None, None).expect("a query");
                let count = |case: &TestCase| {
                    case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
                };
                assert_eq!(count(&case), count(&plain), "{query}, {profile:?}");
            }
        }
    }
}
