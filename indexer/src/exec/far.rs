//! Tests on columns that are told by places and not in memory, as those of ids: the index leads to the few events
//! that may pass, and only their values are read. The whole column takes as long as unpacking all of its segment.

use super::explain::Path;
use super::field;
use super::holders::Holders;
use super::matcher::Matcher;
use super::phrase;
use super::rows::Rows;
use super::select::{Found, Question};
use super::values::{ValueTest, Way};
use crate::error::Result;

/// So many runs of rows, each about what a frame holds, are read sooner than the whole column is made.
const FEW_RUNS: usize = 64;

/// A token in no more rows leads to them at once.
const LEADING: usize = 1 << 13;

/// So often tokens are asked of which none leads, which takes some tens of milliseconds over ten million events. Who
/// asks on wants the column, with which an answer takes two.
const ASKED_WITHOUT: u32 = 2;

/// The rows that pass, where it takes no more than few values to tell.
pub fn rows(question: &Question<'_>, column: &str, test: &ValueTest) -> Result<Option<Found>> {
    let segment = question.segment;
    let others = || {
        let passing = segment.rest(column)?.map(|rest| field::passing(&rest, test));
        Result::Ok(passing.unwrap_or_else(|| Rows::none(question.rows())))
    };
    if test.texts.is_exists() {
        let rows = phrase::standing(segment, column, &Rows::all(question.rows()))?.or(&others()?);
        return Ok(Some(Found { rows, path: Path::Column }));
    }
    let is_told = |way: &Way| !way.tokens.is_empty();
    let Some(ways) = test.texts.ways().filter(|ways| ways.iter().all(is_told)) else { return Ok(None) };
    // In an event the token of a value may be a part of a longer one, which the index knows.
    if !segment.meta.fields.iter().any(|field| field.column == column && field.delimited) {
        return Ok(None);
    }
    let mut candidates = Rows::none(question.rows());
    for way in ways {
        let Some(rows) = having(question, column, &way.tokens)? else { return Ok(None) };
        candidates = candidates.or(&rows);
    }
    let candidates: Vec<u32> = candidates.iter().collect();
    let mut found = others()?;
    if candidates.is_empty() {
        return Ok(Some(Found { rows: found, path: Path::Index }));
    }
    let raw = segment.raw();
    let values = segment.standing_at(column, &candidates, &mut raw.cursor(), question.cancel)?;
    for (&row, value) in candidates.iter().zip(&values) {
        if value.as_ref().is_some_and(|value| test.texts.passes(value)) {
            found.insert(row);
        }
    }
    Ok(Some(Found { rows: found, path: Path::IndexAndText }))
}

/// The rows that may have all of these tokens, where they are few.
fn having(question: &Question<'_>, column: &str, tokens: &[String]) -> Result<Option<Rows>> {
    let segment = question.segment;
    let Some(index) = segment.text()? else { return Ok(None) };
    let mut told = Vec::with_capacity(tokens.len());
    for token in tokens {
        told.extend(segment.or_missing(index.rows(token))?.flatten().map(|found| (token, found)));
    }
    told.sort_by_key(|(_, found)| found.cost());
    let Some((_, first)) = told.first() else { return Ok(None) };
    if first.cost() > (0, LEADING) && segment.asked_before(column)? >= ASKED_WITHOUT {
        return Ok(None);
    }
    let mut rows = Rows::all(question.rows());
    for (token, found) in told {
        rows = Holders::of(question, found, token, &Matcher::Tokens(vec![token.clone()]))?.possible(&rows);
    }
    Ok((rows.runs() <= FEW_RUNS).then_some(rows))
}

#[cfg(test)]
mod tests {
    use super::ASKED_WITHOUT;
    use crate::storage::Profile;
    use crate::{Cancel, Case, Direction, ImportOptions, RunOptions, Shown, View};

    /// Ids that differ, some beside letters in their event, some spelled with escapes there.
    fn id(n: usize) -> String {
        match n % 9 {
            0 => format!("request {n:08x} of user-{}", n % 50),
            1 => format!("{n:030}"),
            2 => format!("caf\\u00e9 {n:x} \\u0041b{n}"),
            _ => format!("{:032x}", n * 7_777_777),
        }
    }

    fn case(log: &str, profile: Profile, definition: Option<&str>) -> (tempfile::TempDir, Case) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ids.log");
        std::fs::write(&file, log).expect("a log");
        let mut options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
        if let Some(definition) = definition {
            let path = folder.path().join("own.toml");
            std::fs::write(&path, definition).expect("a definition");
            options.ingest.definitions = crate::definitions(&path).expect("a definition");
            options.ingest.format = Some("own".to_owned());
        }
        let case = Case::create(&folder.path().join("p.case")).expect("a case");
        case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
        (folder, case)
    }

    /// What a query matches, and the ids of its last events, as a page and as a table.
    fn answers(case: &Case, query: &str) -> (usize, Vec<Option<String>>, Vec<String>) {
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        let view = View::parse(query, None, None).expect("a query");
        let count = case.count(&snapshot, &view, &never).expect("a count");
        let (cut, columns) = (1_000, ["id".to_owned()]);
        let shown = Shown { cut, columns: &columns };
        let page =
            case.page(&snapshot, &view, Direction::NewestFirst, (0, 9), &shown, &never).expect("a page");
        let pipe = crate::query::parse_query(&format!("{query} | sort -n | limit 7 | table id, n"));
        let options = RunOptions::default();
        let pipe = pipe.expect("a pipe");
        let table = case.run(&snapshot, &pipe, (None, None), &options, &mut |_| {}, &never).expect("a table");
        let cells =
            (0..table.rows()).flat_map(|row| [0, 1].map(|column| table.cell(row, column).to_string()));
        (count, page.events.into_iter().flat_map(|event| event.values).collect(), cells.collect())
    }

    #[test]
    fn few_values_are_those_of_the_whole_column() {
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
                    assert!(segment.is_far("id"), "the ids are told by their places");
                    assert_eq!(answers(&case, &query), answers(&plain, &query), "{query}, {profile:?}");
                    if query == format!("id:{}", id(4_003)) {
                        let by_index = definition.is_none() && profile != Profile::Fields;
                        assert_eq!(segment.is_far("id"), by_index, "{profile:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn tokens_that_are_common_lead_where_they_are_together() {
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
                    assert_eq!(segment.is_far("id"), asked <= ASKED_WITHOUT, "{asked}");
                }
                let query = format!("id:\"{wanted}\"");
                let view = View::parse(&query, None, None).expect("a query");
                let count =
                    |case: &Case| case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count");
                assert_eq!(count(&case), count(&plain), "{query}, {profile:?}");
            }
        }
    }
}
