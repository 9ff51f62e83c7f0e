//! Learns which number of a source's dates is the day.

use super::civil::days_from_civil;
use super::find::{FoundTime, Spelling};
use super::month_names::word_end;
use super::numeric_date::{DateOrder, NumericDate, numbers};
use super::time_first::date_numbers;

/// Finds out which number is the day: an order in which a date does not exist is excluded, and of two orders
/// the one in which times rise is right.
pub(super) fn date_order(
    lines: &[&[u8]],
    found: &[Option<(FoundTime, Spelling)>],
) -> (DateOrder, Option<&'static str>) {
    let dates: Vec<NumericDate> = lines
        .iter()
        .zip(found)
        .filter_map(|(line, found)| match found {
            Some((time, Spelling::Numeric)) => numbers(line, time.start),
            Some((time, Spelling::TimeFirst)) => date_numbers(line, time.start),
            Some((time, Spelling::Weekday)) => {
                let name_end = word_end(line, time.start);
                let gap = line[name_end..].iter().take_while(|byte| !byte.is_ascii_digit()).take(3).count();
                numbers(line, name_end + gap)
            }
            _ => None,
        })
        .collect();
    let Some(sample) = dates.first() else { return (DateOrder::Customary, None) };
    let orders = [DateOrder::MonthFirst, DateOrder::DayFirst, DateOrder::YearFirst];
    let exist = |order: DateOrder| dates.iter().filter(|date| date.in_order(order).is_some()).count();
    let most = orders.into_iter().map(exist).max().unwrap_or(0);
    let mut possible: Vec<DateOrder> = orders.into_iter().filter(|&order| exist(order) == most).collect();
    if let [only] = possible[..] {
        return (only, Some("a number over 12 shows which one is the day"));
    }
    let falls: Vec<usize> = possible.iter().map(|&order| falls(&dates, order)).collect();
    let fewest = falls.iter().copied().min().unwrap_or(0);
    // Lines out of order are few; a wrong order falls back at the end of every month.
    let clear = falls.iter().filter(|&&falls| falls > fewest).count() > 0;
    let mut kept = falls.iter().map(|&falls| falls == fewest);
    possible.retain(|_| kept.next().unwrap_or(false));
    if let ([only], true) = (&possible[..], clear) {
        return (*only, Some("only in this order do the times rise"));
    }
    // A log goes on from day to day: in a wrong order it leaps over months or years.
    let spans: Vec<i64> = possible.iter().map(|&order| span(&dates, order)).collect();
    let shortest = spans.iter().copied().min().unwrap_or(0);
    if shortest > 0
        && let [nearest] =
            possible.iter().zip(&spans).filter(|(_, span)| **span < shortest * LEAP).collect::<Vec<_>>()[..]
    {
        return (*nearest.0, Some("in this order the days are closest to one another"));
    }
    let customary_order = sample.customary_order();
    let order = if possible.contains(&customary_order) { customary_order } else { possible[0] };
    (order, Some("the dates leave it open, so it is assumed"))
}

/// A wrong order makes months or years of days.
const LEAP: i64 = 20;

/// How many days are between the first and the last date.
fn span(dates: &[NumericDate], order: DateOrder) -> i64 {
    let day = |date: &NumericDate| {
        let (year, month, day) = date.in_order(order)?;
        Some(days_from_civil(year.map_or(2000, i32::from), month, day))
    };
    let days = || dates.iter().filter_map(day);
    days().max().unwrap_or(0) - days().min().unwrap_or(0)
}

fn falls(dates: &[NumericDate], order: DateOrder) -> usize {
    let key = |date: &NumericDate| date.in_order(order).map(|date_in_order| (date_in_order, date.time.ns()));
    let keys: Vec<_> = dates.iter().filter_map(key).collect();
    keys.windows(2).filter(|pair| pair[1] < pair[0]).count()
}
