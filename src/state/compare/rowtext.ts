/** What a row of a comparison says, in words. */
import { formatCount, formatRareShare, formatShare } from '../../base/format';
import { numberFormat } from '../../base/locale';
import { texts } from '../../base/texts';
import { formatSpan, timeFromNanos, type Time } from '../../base/time';
import { visibleLine } from '../../base/visible';
import type {
  Also,
  Beat,
  ClockChange,
  Difference,
  FieldChange,
  Moved,
  Nanos,
  Scalar,
  ShareChange,
  Subject,
  Volume,
} from '../../ipc/generated';
import { formatValue, unitOf } from '../charts/units';
import { byText, type ShownPattern } from '../patterns/patternlist';
import type { SeenValue } from '../values/valueactions';
import { SIDE_NAMES } from './sides';

const words = texts.compare;
const figure = numberFormat({ maximumSignificantDigits: 2 });
const precise = numberFormat({ maximumSignificantDigits: 3 });
const tenth = numberFormat({ maximumFractionDigits: 1 });

/** `status=500 and region=eu-1`. */
export function subjectText(subject: Subject, shown: ShownPattern = byText): string {
  switch (subject.kind) {
    case 'pattern':
      return visibleLine(shown(subject.id, subject.text));
    case 'value':
      return `${subject.field}=${visibleLine(subject.value.text)}`;
    case 'pair':
      return words.pair(subjectText(subject.one, shown), subjectText(subject.other, shown));
    case 'number':
      return subject.group === null
        ? subject.field
        : words.where(subject.field, subjectText(subject.group, shown));
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
export function subjectParts(subject: Subject, shown: ShownPattern = byText): SubjectPart[] {
  const parts: SubjectPart[] = [];
  let rest = subjectText(subject, shown);
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

/** How much larger the higher rate is at least, to two digits and never rounded up: `6.2`. */
export function atLeast({ atLeast }: Pick<Difference, 'atLeast'>): string {
  const digits = 1 - Math.floor(Math.log10(Math.max(atLeast, 1)));
  const unit = 10 ** Math.abs(digits);
  // Products such as 1.2 × 10 may be a little too small.
  const down = (number: number) => Math.floor(number + 1e-9);
  return figure.format(digits < 0 ? down(atLeast / unit) * unit : down(atLeast * unit) / unit);
}

/** How the events of a difference that is listed with a row belong to those of the row. */
export function alsoText(also: Also, row: Difference, totals: readonly [number, number]): string {
  const { relation, both, counts } = also;
  const letter = (side: number) => words.sides[SIDE_NAMES[side] ?? 'b'].letter;
  switch (relation.kind) {
    case 'same': {
      const isExact = [0, 1].every((at) => both[at] === counts[at] && both[at] === row.counts[at]);
      return isExact ? words.also.same : words.also.nearly;
    }
    case 'together': {
      const share = (side: 0 | 1) => counts[side] / Math.max(1, totals[side]);
      const side = share(1) >= share(0) ? 1 : 0;
      return words.also.with(both[side], counts[side], letter(side));
    }
    case 'time':
      return words.also.time(relation.shared, relation.bins, letter(relation.side));
    case 'clock':
      return words.also.clock;
  }
}

const UNITS = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** How the number of events over time differs: a few words, and a sentence with both rates. */
export function volumeText({ perSecond, change }: Volume): { short: string; sentence: string } {
  const { volume } = words;
  const [a, b] = perSecond;
  const [unit, seconds] = UNITS.find(([, seconds]) => Math.max(a, b) * seconds >= 1) ?? UNITS[3];
  const part = formatShare(Math.abs(b / a - 1));
  const shorts = { more: volume.more(part), fewer: volume.fewer(part) };
  return {
    short: change === 'more' || change === 'fewer' ? shorts[change] : volume.unclear,
    sentence: volume.sentence(
      precise.format(a * seconds),
      precise.format(b * seconds),
      volume.units[unit],
    ),
  };
}

/** The facts of a change that is no row. */
export function otherText(row: Difference, timeText: (time: Time) => string): string {
  const { others } = words;
  if (row.moved === null) {
    const isOneSided = row.change === 'new' || row.change === 'gone';
    const [a, b] = row.shares.map(formatRareShare);
    return isOneSided ? sentence(row, timeText) : others.shares(a!, b!);
  }
  const { mix, distance } = row.moved;
  const moved = sentence(row, timeText);
  if (mix === null) return moved;
  const [within, all] = [mix.within, distance].map((each) => precise.format(each));
  return `${moved} ${others.mix(visibleLine(mix.field), within!, all!)}`;
}

/** How much a field changed, or can have changed at most. */
export function fieldText(
  { within, value: most, p50, field }: FieldChange,
  isUnchanged: boolean,
): string {
  const { unchanged } = words;
  const points = (share: number) => tenth.format(Math.ceil(1_000 * share) / 10);
  if (isUnchanged && within !== null)
    return p50 === null
      ? unchanged.withinShare(points(within))
      : unchanged.withinP50(`${points(within)}%`);
  if (p50 !== null) {
    const [a, b] = p50.map((half) => formatValue(half, unitOf(field)));
    return unchanged.p50(a!, b!);
  }
  if (most === null) return '';
  const [scalar, shares] = most;
  const [a, b] = shares.map(formatRareShare);
  return unchanged.share(visibleLine(scalar.text), a!, b!);
}

/** A difference that is there only because the rows leave it another share of the events. */
export function shareText({ shares, left, leftEvents }: ShareChange): string {
  const now = [0, 1].map((at) => formatRareShare(left[at]! / Math.max(1, leftEvents[at]!)));
  const [a, b] = shares.map(formatRareShare);
  return words.onlyShares.without(a!, b!, now[0]!, now[1]!);
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
