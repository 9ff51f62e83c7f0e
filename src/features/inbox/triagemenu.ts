/** Decisions about alerts, as items of a menu. */
import { texts } from '../../base/texts';
import type { AlertChoice, TriageStatus } from '../../ipc/generated';
import type { Inbox } from '../../state/inbox/inbox.svelte';
import type { MenuItem } from '../controls/Menu.svelte';

const HOUR_MS = 3_600_000;

/** Items that mute, unmute and reopen; `may` is false where nothing can be written. */
export function triageItems(
  inbox: Inbox,
  choice: AlertChoice | null,
  may: boolean,
  status: TriageStatus | null = null,
): MenuItem[] {
  const words = texts.inbox;
  const run = (decide: () => unknown) => (may && choice !== null ? () => void decide() : null);
  const mute = (hours: number) =>
    run(() => inbox.decide('mute', { untilMs: Date.now() + hours * HOUR_MS }, choice));
  const items: (MenuItem & { readonly of: readonly TriageStatus[] })[] = [
    { id: 'hour', label: words.mutedFor.hour, run: mute(1), of: ['new', 'acknowledged'] },
    { id: 'day', label: words.mutedFor.day, run: mute(24), of: ['new', 'acknowledged'] },
    { id: 'week', label: words.mutedFor.week, run: mute(168), of: ['new', 'acknowledged'] },
    {
      id: 'unmute',
      label: words.unmute,
      run: run(() => inbox.decide('unmute', {}, choice)),
      of: ['muted'],
    },
    {
      id: 'reopen',
      label: words.reopen,
      run: run(() => inbox.decide('reopen', {}, choice)),
      of: ['acknowledged', 'muted', 'closed'],
    },
  ];
  return items
    .filter(({ of }) => status === null || of.includes(status))
    .map(({ id, label, run }) => ({ id, label, run }));
}
