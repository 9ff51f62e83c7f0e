import { expect, it, vi } from 'vitest';

import type { Alert } from '../../ipc/generated';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { alertRange, showAlert } from './showalert';

const alert = (part: Partial<Alert>) =>
  ({ start: '1000', end: '1999', events: 5, query: 'app:web', ...part }) as Alert;

it('shows the events of an alert in its times, the end included', () => {
  expect(alertRange(alert({}))).toEqual({ from: 1000n, to: 2000n });
  expect(alertRange(alert({ start: null }))).toBeNull();
  const change = vi.fn();
  const opened = { explorer: { history: { change } } } as unknown as OpenCase;
  showAlert(opened, alert({}), 'host:a');
  expect(change.mock.calls[0]![0]).toMatchObject({ query: 'app:web', tab: 'events' });
});

it('shows what is around a silence, which has no events', () => {
  expect(alertRange(alert({ events: 0 }))).toEqual({ from: 500n, to: 2500n });
  const change = vi.fn();
  const opened = { explorer: { history: { change } } } as unknown as OpenCase;
  showAlert(opened, alert({ events: 0 }), 'host:a');
  expect(change.mock.calls[0]![0]).toMatchObject({ query: 'host:a' });
});
