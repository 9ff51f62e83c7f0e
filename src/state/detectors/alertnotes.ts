/** What people noted on alerts and detectors: seen, muted for a while, commented. Kept as notes of the case. */
import type { Alert, Nanos, Note, NoteDraft } from '../../ipc/generated';

export const DETECTOR = 'detector';
export const ALERT = 'alert';
/** Its id is the name of a detector whose alerts are not shown. */
export const MUTED = 'mute';

export interface AlertState {
  /** Somebody has seen it. */
  readonly acknowledged: boolean;
  /** Not shown before this time, in milliseconds since 1970; null for shown. */
  readonly mutedUntilMs: number | null;
  readonly comment: string;
}

export const UNTOUCHED: AlertState = { acknowledged: false, mutedUntilMs: null, comment: '' };

/** The same for the same alert of the same data, whatever its level was. */
export function alertId({ detector, start, group }: Alert): string {
  const values = group.map(([name, value]) => `${name}=${value}`);
  return [detector, start ?? '', ...values].join(' ');
}

export function alertState(note: Note | undefined): AlertState {
  if (note === undefined) return UNTOUCHED;
  const data = (note.data ?? {}) as { acknowledged?: unknown; mutedUntilMs?: unknown };
  return {
    acknowledged: data.acknowledged === true,
    mutedUntilMs: typeof data.mutedUntilMs === 'number' ? data.mutedUntilMs : null,
    comment: note.text,
  };
}

/** The note that keeps a state; null if there is nothing to keep. */
export function alertDraft(alert: Alert, state: AlertState): NoteDraft | null {
  const { acknowledged, mutedUntilMs, comment } = state;
  if (!acknowledged && mutedUntilMs === null && comment === '') return null;
  const times: { from?: Nanos; to?: Nanos } = {};
  if (alert.start !== null) times.from = alert.start;
  if (alert.end !== null) times.to = alert.end;
  const data = { acknowledged, mutedUntilMs };
  return { kind: ALERT, id: alertId(alert), ...times, text: comment, data };
}

/** Whether an alert is shown on the timeline. */
export function isShown({ acknowledged, mutedUntilMs }: AlertState, nowMs: number): boolean {
  return !acknowledged && (mutedUntilMs === null || mutedUntilMs <= nowMs);
}
