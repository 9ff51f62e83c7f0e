/** Cells of a page that draw a seismograph or a service map of the view. */
import { formatTimeFull, type Time } from '../../base/time';
import type { RangeChoice } from '../view/ranges';

type Picture =
  | { readonly kind: 'seismograph'; readonly rows: number }
  | { readonly kind: 'map'; readonly id: string; readonly by: string };

export function pictureBlock(
  picture: Picture,
  title: string,
  query: string,
  range: RangeChoice,
): string {
  const { kind } = picture;
  const options = [
    ...(picture.kind === 'map'
      ? [option('id', picture.id), option('by', picture.by)]
      : [option('rows', String(picture.rows))]),
    ...(range === null
      ? []
      : [option('from', written(range.from)), option('to', written(range.to))]),
    option('title', title),
  ];
  return [`\`\`\`${kind} ${options.join(' ')}`, query, '```', ''].join('\n');
}

/** Quotes end an option, so it has none. */
function option(name: string, value: string): string {
  const text = value.replaceAll('"', '');
  return /\s/.test(text) || text === '' ? `${name}="${text}"` : `${name}=${text}`;
}

const written = (time: Time) => `${formatTimeFull(time).replace(' ', 'T')}Z`;
