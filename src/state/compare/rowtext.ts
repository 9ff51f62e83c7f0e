/** What a row of a comparison says, in words. */
import { formatCount, formatRareShare, formatShare } from '../../base/format';
import { numberFormat } from '../../base/locale';
import { texts } from '../../base/texts';
import { formatSpan, timeFromNanos, type Time } from '../../base/time';
import { visibleLine } from '../../base/visible';
import type {
  Beat,
  ClockChange,
  Difference,
  Moved,
  Nanos,
  Scalar,
  Subject,
} from '../../ipc/generated';
import { formatValue, unitOf } from '../charts/units';
import type { SeenValue } from '../values/valueactions';
import { SIDE_NAMES } from './sides';

const words = texts.compare;
const figure = numberFormat({ maximumSignificantDigits: 2 });
const precise = numberFormat({ maximumSignificantDigits: 3 });

/** `status=500 and region=eu-1`. */
export function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case 'pattern':
      return visibleLine(subject.text);
    case 'value':
      return `${subject.field}=${visibleLine(subject.value.text)}`;
    case 'pair':
      return words.pair(subjectText(subject.one), subjectText(subject.other));
    case 'number':
      return subject.group === null
        ? subject.field
        : words.where(subject.field, subjectText(subject.group));
    case 'clock':
      return words.clock(visibleLine(subject.source), visibleLine(subject.against));
  }
}

interface SubjectPart {
  readonly text: string;
  /** Null between values. */
  readonly seen: SeenValue | null;
}

/** The text of a subject in parts. Each value that it names is a part. */
export function subjectParts(subject: Subject): SubjectPart[] {
  const parts: SubjectPart[] = [];
  let rest = subjectText(subject);
  for (const part of valuesIn(subject)) {
    const at = rest.indexOf(part.text);
    parts.push({ text: rest.slice(0, at), seen: null }, part);
    rest = rest.slice(at + part.text.length);
  }
  return [...parts, { text: rest, seen: null }].filter(({ text }) => text !== '');
}

function valuesIn(subject: Subject): SubjectPart[] {
  switch (subject.kind) {
    case 'value': {
      const seen = { field: subject.field, value: subject.value.text };
      return [{ text: subjectText(subject), seen }];
    }
    case 'pair':
      return [...valuesIn(subject.one), ...valuesIn(subject.other)];
    case 'number':
      return subject.group === null ? [] : valuesIn(subject.group);
    case 'clock':
      return [subject.source, subject.against].map((value) => ({
        text: visibleLine(value),
        seen: { field: 'source', value },
      }));
    case 'pattern':
      return [];
  }
}

/** How much larger the higher rate is at least: `6.2`. */
export function atLeast({ atLeast }: Difference): string {
  return figure.format(atLeast);
}

/** How a row differs, in the fewest words: `11× rarer`, `changed: 27 ms → 5 s`. */
export function amountText(row: Difference): string {
  const { times, rarer, changed, changes } = texts.workbench.difference;
  if (row.change === 'more') return times(atLeast(row));
  if (row.change === 'fewer') return rarer(atLeast(row));
  if (row.moved === null) return changes[row.change];
  return changed(...movedFigures(row.subject, row.moved).half);
}

/** One sentence; `timeText` writes times in the zone of the view. */
export function sentence(row: Difference, timeText: (time: Time) => string): string {
  const [a, b] = row.shares;
  switch (row.change) {
    case 'new':
      return words.sentences.new(formatRareShare(b), formatCount(row.counts[1]));
    case 'gone':
      return words.sentences.gone(formatRareShare(a), formatCount(row.counts[0]));
    case 'more':
      return words.sentences.more(atLeast(row), formatRareShare(a), formatRareShare(b));
    case 'fewer':
      return words.sentences.fewer(atLeast(row), formatRareShare(a), formatRareShare(b));
    case 'stopped': {
      if (row.stop === null) return '';
      const { last, expected } = row.stop;
      return words.sentences.stopped(
        timeText(timeFromNanos(last)),
        formatCount(Math.round(expected)),
      );
    }
    case 'repeats':
    case 'irregular':
    case 'period': {
      const [a, b] = (row.beat?.beats ?? [null, null]).map(beatText);
      if (row.change === 'repeats') return words.sentences.repeats(b!);
      return row.change === 'irregular'
        ? words.sentences.irregular(a!)
        : words.sentences.period(a!, b!);
    }
    case 'moved':
      return row.moved === null ? '' : movedSentence(row.subject, row.moved);
    case 'later':
    case 'earlier':
      return row.clock === null ? '' : clockSentence(row.clock);
  }
}

/** `every 30 s (97% of the time)`; a period is known to three digits. */
function beatText(beat: Beat | null): string {
  if (beat === null) return words.none;
  const period = BigInt(beat.periodNs);
  const digits = period.toString().length;
  const unit = 10n ** BigInt(Math.max(0, digits - 3));
  const rounded = ((period + unit / 2n) / unit) * unit;
  return words.beat(formatSpan(rounded), formatShare(beat.share));
}

function clockSentence({ movedNs, marginNs, setNs }: ClockChange): string {
  const isLater = !movedNs.startsWith('-');
  const moved = spanText(movedNs).replace('−', '');
  return words.sentences.clock(moved, spanText(marginNs), isLater, spanText(setNs));
}

/** `−730 ms`: to a thousandth of a second. */
function spanText(nanos: Nanos): string {
  const ns = BigInt(nanos);
  const ms = ((ns < 0n ? -ns : ns) + 500_000n) / 1_000_000n;
  return `${ns < 0n && ms > 0n ? '−' : ''}${formatSpan(ms * 1_000_000n)}`;
}

/** When it begins within a side; empty where the sentence says so, or where it is there all the time. */
export function sinceText(row: Difference, timeText: (time: Time) => string): string {
  const { since, stop } = row;
  if (since === null || stop !== null) return '';
  const name = SIDE_NAMES[since.side] ?? 'b';
  return words.since(words.sides[name].letter, timeText(timeFromNanos(since.at)));
}

/** The percentiles 50 and 95, of A and of B. */
export function movedFigures(subject: Subject, { percentiles: [half, most] }: Moved) {
  const field = subject.kind === 'number' ? subject.field : '';
  const figures = (sides: readonly [Scalar | null, Scalar | null]) =>
    [value(sides[0], field), value(sides[1], field)] as const;
  return { half: figures(half), most: figures(most) };
}

function movedSentence(subject: Subject, moved: Moved): string {
  const { half, most } = movedFigures(subject, moved);
  return words.sentences.moved(half, most);
}

function value(scalar: Scalar | null, field: string): string {
  if (scalar === null) return words.none;
  return scalar.number === null ? scalar.text : formatValue(scalar.number, unitOf(field));
}

export interface ScoreFact {
  readonly id: 'score' | 'atLeast' | 'distance' | 'expected' | 'g2' | 'p';
  readonly value: string;
}

/** The figures that the order of the rows rests on. */
export function scoreFacts(row: Difference): readonly ScoreFact[] {
  const { moved, stop, beat, clock, g2, pValue, score, change } = row;
  const facts: ScoreFact[] = [{ id: 'score', value: precise.format(score) }];
  if (moved !== null) facts.push({ id: 'distance', value: precise.format(moved.distance) });
  else if (stop !== null)
    facts.push({ id: 'expected', value: formatCount(Math.round(stop.expected)) });
  else if (change !== 'stopped' && beat === null && clock === null)
    facts.push({ id: 'atLeast', value: words.times(atLeast(row)) });
  facts.push({ id: 'g2', value: precise.format(g2) });
  facts.push({ id: 'p', value: pValue < 1e-300 ? '< 1e-300' : pValue.toPrecision(2) });
  return facts;
}

/** What the bars of A and B show: numbers that moved their p50, clocks their offset, everything else its share. */
export interface SideBar {
  readonly text: string;
  /** From 0 to 1: the larger one is all of it. */
  readonly width: number;
}

export function sideBars(row: Difference): readonly [SideBar, SideBar] {
  const { shares, moved, subject, clock } = row;
  if (clock !== null) return clockBars(clock);
  const halves = moved?.percentiles[0].map((half) => half?.number ?? null);
  const numbers = halves?.every((half) => half !== null && half >= 0) ? (halves as number[]) : null;
  const [a = 0, b = 0] = numbers ?? shares;
  const most = Math.max(a, b);
  const field = subject.kind === 'number' ? subject.field : '';
  const bar = (value: number): SideBar => ({
    text: numbers === null ? formatRareShare(value) : formatValue(value, unitOf(field)),
    width: most > 0 ? value / most : 0,
  });
  return [bar(a), bar(b)];
}

function clockBars({ later: [a, b] }: ClockChange): readonly [SideBar, SideBar] {
  const size = (nanos: Nanos) => Math.abs(Number(nanos));
  const most = Math.max(size(a.offsetNs), size(b.offsetNs));
  const bar = (nanos: Nanos): SideBar => ({
    text: spanText(nanos),
    width: most > 0 ? size(nanos) / most : 0,
  });
  return [bar(a.offsetNs), bar(b.offsetNs)];
}
