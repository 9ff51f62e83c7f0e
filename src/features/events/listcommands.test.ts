import { expect, it } from 'vitest';

import { texts } from '../../base/texts';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { listCommands, type ListParts } from './listcommands';

it('says in tooltips the keys that the commands have', () => {
  const opened = { explorer: {}, display: {}, selection: {}, detail: {} } as unknown as OpenCase;
  const commands = listCommands(opened, {} as ListParts);
  const { next, previous, findHint, jump, unpick } = texts.listing;
  const tooltips = {
    ...Object.fromEntries(Object.entries(next).map(([mark, text]) => [`next-${mark}`, text])),
    ...Object.fromEntries(
      Object.entries(previous).map(([mark, text]) => [`previous-${mark}`, text]),
    ),
    find: findHint,
    jump,
    unpick,
    fields: texts.fields.show,
  };
  const named = Object.fromEntries(
    Object.entries(tooltips).map(([id, text]) => [id, /\(([^()]*)\)$/.exec(text)?.[1]]),
  );
  const bound = Object.fromEntries(
    commands
      .filter(({ id }) => id in tooltips)
      .map(({ id, keys }) => [id, keys?.[0]?.replace('+', ' ').replace('Escape', 'Esc')]),
  );
  expect(named).toEqual(bound);
});
