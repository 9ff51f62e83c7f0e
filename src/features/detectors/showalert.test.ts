import { expect, it, vi } from 'vitest';

import type { Alert, Nanos } from '../../ipc/generated';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { alertFilter, alertRange } from '../../state/inbox/alertcontext.svelte';
import { showAlert } from './showalert';

const nanos = (text: string) => text as Nanos;
const alert = (part: Partial<Alert>) =>
  ({ start: '1000', end: '5000001999', events: 5, query: 'app:web', ...part }) as Alert;

it('shows the events of an alert in its times, the end included', () => {
  expect(alertRange(alert({}))).toEqual({ from: 1000n, to: 5_000_002_000n });
  expect(alertRange(alert({ start: null }))).toBeNull();
  const change = vi.fn();
  const opened = { explorer: { history: { change } } } as unknown as OpenCase;
  showAlert(opened, alert({}), 'host:a');
  expect(change.mock.calls[0]![0]).toMatchObject({ query: 'app:web', tab: 'events' });
});

it('shows what is around a silence, which has no events', () => {
  expect(alertRange(alert({ end: nanos('1999'), events: 0 }))).toEqual({ from: 500n, to: 2500n });
  const change = vi.fn();
  const opened = { explorer: { history: { change } } } as unknown as OpenCase;
  showAlert(opened, alert({ events: 0 }), 'host:a');
  expect(change.mock.calls[0]![0]).toMatchObject({ query: 'host:a' });
});

it('sets the times of an alert once, as the range and not in the query too', () => {
  const times = 'time:[2026-03-01T14:05:00Z TO 2026-03-01T14:09:59.999Z]';
  expect(alertFilter(alert({ query: `${times} AND (app:web OR app:db)` }))).toBe(
    '(app:web OR app:db)',
  );
  expect(alertFilter(alert({ query: times }))).toBe('');
  expect(alertFilter(alert({ query: `app:web AND ${times}` }))).toBe(`app:web AND ${times}`);
  // Without a range the query keeps them.
  expect(alertFilter(alert({ query: times, end: null }))).toBe(times);
});

it('shows a minute around an alert of one moment', () => {
  const moment = nanos('100000000000');
  const { from, to } = alertRange(alert({ start: moment, end: moment }))!;
  expect([from, to]).toEqual([70_000_000_000n, 130_000_000_001n]);
});
