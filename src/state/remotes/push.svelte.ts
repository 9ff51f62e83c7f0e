import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  PlanPushRequest,
  PushPlan,
  PushProgress,
  PushReport,
  View,
} from '../../ipc/generated';
import { keyOf, Request } from '../request.svelte';

const words = texts.push.ended;

/** What a person fills in. An empty number of a field is null or undefined. */
export interface PushForm {
  remote: string;
  index: string;
  dataStream: boolean;
  withOriginal: boolean;
  rate: number | null | undefined;
  senders: number | null | undefined;
}

/** The command's own number of requests at once. */
const SENDERS = 2;

export type PushPhase = 'choosing' | 'running' | 'ended';

/** The name of a case as that of an index: lower-case letters, digits and signs that both servers take. */
export function indexNameFrom(name: string): string {
  const taken = name
    .toLowerCase()
    .replaceAll(/[^\p{Ll}\p{Lo}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-_.]+|-+$/g, '');
  return taken === '' ? 'timberline' : taken;
}

/** Sends the matching events to a cluster. It continues while the sheet is closed, and ends with the case. */
export class Push {
  form = $state<PushForm>({
    remote: '',
    index: '',
    dataStream: false,
    withOriginal: false,
    rate: null,
    senders: SENDERS,
  });
  /** The events, as they were chosen when the sheet was opened. */
  view = $state.raw<View | null>(null);
  phase = $state<PushPhase>('choosing');
  progress = $state.raw<PushProgress | null>(null);
  report = $state.raw<PushReport | null>(null);

  readonly #client: Client;
  /** The dry run: it asks the cluster, so a person begins it. */
  readonly #planned: Request<PlanPushRequest, { readonly key: string; readonly plan: PushPlan }>;
  /** Why a push has ended early. */
  #ended = $state.raw<EngineError | null>(null);
  #abort: AbortController | null = null;

  constructor(lifetime: Lifetime, client: Client) {
    this.#client = client;
    this.#planned = new Request(
      lifetime,
      async (what, { signal }) => ({
        key: keyOf(what),
        plan: await client.call('planPush', what, { signal }),
      }),
      { ignoresGrowth: true },
    );
    lifetime.onEnd(() => this.stop());
  }

  get planning(): boolean {
    return this.#planned.busy;
  }

  /** Why there is no plan, or why a push has ended early. */
  get failure(): EngineError | null {
    return this.#ended ?? this.#planned.error;
  }

  /** The sheet is opened: for these events, unless others are being sent. */
  open(view: View, caseName: string): void {
    if (this.phase !== 'choosing') return;
    this.view = view;
    this.#ended = null;
    this.#planned.failure = null;
    if (this.form.index === '') this.form.index = indexNameFrom(caseName);
  }

  /** The sheet is closed. What runs continues. */
  close(): void {
    this.#planned.stop();
    if (this.phase === 'ended') this.phase = 'choosing';
  }

  /** What would be sent; null as long as something is not chosen. */
  get what(): PlanPushRequest | null {
    const { remote, dataStream, withOriginal } = this.form;
    const index = this.form.index.trim();
    if (this.view === null || remote === '' || index === '') return null;
    return { view: this.view, remote, index, dataStream, withOriginal };
  }

  /** The last dry run; null if it is not of what is chosen now. */
  get plan(): PushPlan | null {
    const { value } = this.#planned;
    return value?.key === keyOf(this.what) ? value.plan : null;
  }

  /** Whether something else was chosen since the dry run. */
  get isChanged(): boolean {
    return this.#planned.value !== null && this.plan === null;
  }

  /** The events that are still to be sent; null without a dry run. */
  get left(): number | null {
    return this.plan === null ? null : this.plan.events - this.plan.sentBefore;
  }

  /** Whether all of what is chosen has just been sent. */
  get isDone(): boolean {
    return this.phase === 'ended' && this.report !== null;
  }

  /** The share that is sent; null before the first report. */
  get share(): number | null {
    if (this.progress === null) return null;
    return this.progress.total === 0 ? 1 : this.progress.done / this.progress.total;
  }

  /** The dry run: what would be sent, and the index template. Nothing is sent. */
  look(): void {
    if (this.phase === 'running') return;
    this.phase = 'choosing';
    this.#ended = null;
    this.#plan();
  }

  #plan(): void {
    const { what } = this;
    if (what === null) return;
    this.#planned.forget();
    this.#planned.ask(what);
  }

  /** Sends what the dry run has shown, with the template that it has shown. */
  async start(): Promise<void> {
    const { what, plan } = this;
    if (what === null || plan === null || this.phase === 'running') return;
    const { rate, senders } = this.form;
    const abort = new AbortController();
    this.#abort = abort;
    this.phase = 'running';
    this.progress = null;
    this.report = null;
    this.#ended = null;
    try {
      const report = await this.#client.call(
        'push',
        { ...what, rate: rate ?? null, senders: senders ?? SENDERS, template: plan.template.body },
        { signal: abort.signal, progress: (progress) => (this.progress = progress) },
      );
      this.report = report;
      this.#client.callBack(words.name, words.done(report.pushed.created, what.index));
    } catch (cause) {
      this.#ended = engineError(cause);
      if (this.#ended.code !== 'cancelled') this.#client.callBack(words.name, words.failed);
      // Less is left to be sent now.
      this.#plan();
    } finally {
      this.#abort = null;
      this.phase = 'ended';
    }
  }

  /** Ends a push that is running; the next one continues after what was sent. */
  stop(): void {
    this.#abort?.abort();
  }
}
