/** Days of a calendar: midnights of a wall clock, expressed as if that were UTC. */
import { asTime, DAY, dateOf, floorDiv, floorTo, timeFromDate, type Time } from './time';

const WEEK = 7n;

export function dayOf(wall: Time): Time {
  return floorTo(wall, DAY);
}

export function daysLater(day: Time, days: number): Time {
  return asTime(day + BigInt(days) * DAY);
}

/** The same day of another month; the last one of a month that is too short. */
export function monthsLater(day: Time, months: number): Time {
  const date = dateOf(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return timeFromDate(new Date(Date.UTC(year, month, Math.min(date.getUTCDate(), length))));
}

export function startOfMonth(day: Time): Time {
  return daysLater(day, 1 - dateOf(day).getUTCDate());
}

export function startOfYear(day: Time): Time {
  return monthsLater(startOfMonth(day), -dateOf(day).getUTCMonth());
}

/** How many days after Monday a day is. */
function weekday(day: Time): number {
  // 1970-01-01 was a Thursday.
  const days = floorDiv(day, DAY) + 3n;
  return Number(days - floorDiv(days, WEEK) * WEEK);
}

/** The weeks of a month, from Monday on. Days of other months are null. */
export function weeksOf(month: Time): (Time | null)[][] {
  const next = monthsLater(month, 1);
  const monday = daysLater(month, -weekday(month));
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => {
      const day = daysLater(monday, week * 7 + at);
      return day >= month && day < next ? day : null;
    }),
  ).filter((week) => week.some((day) => day !== null));
}

/** The day that a key moves to in a grid of days. */
export function dayByKey(day: Time, key: string): Time {
  switch (key) {
    case 'ArrowLeft':
      return daysLater(day, -1);
    case 'ArrowRight':
      return daysLater(day, 1);
    case 'ArrowUp':
      return daysLater(day, -7);
    case 'ArrowDown':
      return daysLater(day, 7);
    case 'Home':
      return daysLater(day, -weekday(day));
    case 'End':
      return daysLater(day, 6 - weekday(day));
    case 'PageUp':
      return monthsLater(day, -1);
    case 'PageDown':
      return monthsLater(day, 1);
    default:
      return day;
  }
}
