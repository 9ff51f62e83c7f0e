//! Calendar arithmetic: days since 1970-01-01 and back, for the proleptic Gregorian calendar.

pub(crate) const SECOND_NS: i64 = 1_000_000_000;
pub(crate) const DAY_NS: i64 = 86_400 * SECOND_NS;

/// The day number of a date. The year begins in March here, so that the leap day is its last.
pub(crate) fn days_from_civil(year: i32, month: u8, day: u8) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date of a day number: year, month, day.
pub(crate) fn civil_from_days(days: i64) -> (i32, u8, u8) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u8;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u8;
    ((year_of_era + era * 400 + i64::from(month <= 2)) as i32, month, day)
}

pub(crate) fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The last day of a month; February without a year may have its 29th.
pub(crate) fn last_day(year: Option<i16>, month: u8) -> u8 {
    match month {
        2 if year.is_none_or(|year| is_leap(i32::from(year))) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2026, 11, 21), 20_778);
        for days in -200_000..200_000 {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
            assert!(day <= last_day(Some(year as i16), month));
        }
    }
}
