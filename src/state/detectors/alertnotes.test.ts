import { expect, it } from 'vitest';

import type { Alert, Note } from '../../ipc/generated';
import { alertDraft, alertId, alertState, isShown, UNTOUCHED } from './alertnotes';

const alert = {
  detector: 'busy',
  start: '100',
  end: '200',
  group: [['host', 'a']],
} as unknown as Alert;

it('names an alert by its detector, start and group', () => {
  expect(alertId(alert)).toBe('busy 100 host=a');
  expect(alertId({ ...alert, group: [['host', 'b']] })).not.toBe(alertId(alert));
});

it('keeps what was noted, and nothing where nothing was', () => {
  expect(alertDraft(alert, UNTOUCHED)).toBeNull();
  const state = { acknowledged: true, mutedUntilMs: 5, comment: 'known' };
  const draft = alertDraft(alert, state);
  expect(draft).toMatchObject({ kind: 'alert', id: 'busy 100 host=a', from: '100', to: '200' });
  expect(alertState(draft as unknown as Note)).toEqual(state);
  expect(alertState(undefined)).toBe(UNTOUCHED);
  expect(alertState({ data: null, text: '' } as unknown as Note)).toEqual(UNTOUCHED);
});

it('shows an alert again when its mute is over', () => {
  const muted = { ...UNTOUCHED, mutedUntilMs: 1_000 };
  expect(isShown(muted, 999)).toBe(false);
  expect(isShown(muted, 1_000)).toBe(true);
  expect(isShown({ ...muted, acknowledged: true }, 2_000)).toBe(false);
});
