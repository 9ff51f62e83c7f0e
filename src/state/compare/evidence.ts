/** A comparison as a part of a page that is not answered again: with its sides, its date and what each row says. */
import { formatCount } from '../../base/format';
import { numberFormat } from '../../base/locale';
import { texts } from '../../base/texts';
import { formatTimeFull, type Time } from '../../base/time';
import type { Compared, Difference, Volume } from '../../ipc/generated';
import type { ShownPattern } from '../patterns/patternlist';
import { sentence, sinceText, subjectText, volumeText } from './rowtext';
import { filterOfSide, SIDE_NAMES, type ComparedSides, type SideName } from './sides';

const words = texts.compare;
/** Under the names of eight columns; numbers are on the right. */
const RULE = '|---|---|---|---|--:|--:|--:|---|';
const score = numberFormat({ maximumSignificantDigits: 3 });

export interface Evidence {
  readonly sides: ComparedSides;
  readonly answer: Compared;
  /** What the case of a side is called. */
  readonly placeOf: (name: SideName) => string;
  /** When it was answered. */
  readonly at: Time;
  readonly title: string;
  /** Rows of the table at most. */
  readonly rows: number;
  readonly shown?: ShownPattern;
}

/** Markdown: a heading, the sides, and a table of the rows. Texts of logs are texts in it, whatever they contain. */
export function evidenceOfSides(asked: Evidence): string {
  const { sides, answer, placeOf, at, title, rows, shown } = asked;
  const { evidence } = words;
  const utc = (time: Time) => `${formatTimeFull(time)} UTC`;
  const side = (name: SideName, place: number) =>
    `- ${words.sides[name].letter}: ${evidence.side(
      words.count(answer.events[place] ?? 0),
      plain(placeOf(name)),
      plain(filterOfSide(sides[name])),
    )}`;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const row = (difference: Difference, place: number) => {
    const { change, subject, counts, filter, sideFilters } = difference;
    const says = `${sentence(difference, utc)} ${sinceText(difference, utc)}`.trim();
    const filters = sideFilters === null ? [filter] : [...new Set(sideFilters)];
    const found = [words.changes[change], subjectText(subject, shown), says];
    const figures = [...counts.map(formatCount), score.format(difference.score)];
    return line([String(place + 1), ...[...found, ...figures, filters.join(' / ')].map(plain)]);
  };
  const listed = answer.differences.slice(0, rows);
  const unlisted = answer.unlisted + answer.differences.length - listed.length;
  return [
    `### ${title}`,
    '',
    plain(evidence.at(utc(at))),
    '',
    ...SIDE_NAMES.map(side),
    '',
    ...(answer.volume === null ? [] : [`- ${plain(volumeSentence(answer.volume))}`]),
    ...answer.notes.map((note) => `- ${plain(note)}.`),
    '',
    ...(listed.length === 0 ? [words.nothing] : [evidence.columns, RULE]),
    ...listed.map(row),
    '',
    ...(unlisted === 0 ? [] : [words.unlisted(unlisted), '']),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

function volumeSentence(volume: Volume): string {
  const { short, sentence } = volumeText(volume);
  return `${short}. ${sentence}`;
}

/** Text in which nothing is markup, on one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}
