/** The tabs of a case. A new one is a line here, with its component. */
import type { Component } from 'svelte';

import type { KeyId } from '../../base/keys';
import { texts } from '../../base/texts';
import type { FollowUp } from '../../state/view/viewstate';
import ChartsTab from '../charts/ChartsTab.svelte';
import CompareTab from '../compare/CompareTab.svelte';
import DetectorsTab from '../detectors/DetectorsTab.svelte';
import ContextTab from '../followups/ContextTab.svelte';
import FollowTab from '../followups/FollowTab.svelte';
import InboxTab from '../inbox/InboxTab.svelte';
import NotesTab from '../notes/NotesTab.svelte';
import MapTab from '../servicemap/MapTab.svelte';
import PatternsTab from '../patterns/PatternsTab.svelte';

export interface TabKind {
  readonly id: KeyId extends infer Id ? (Id extends `tab-${infer Tab}` ? Tab : never) : never;
  readonly name: string;
  /** Null for the events, whose list keeps its position while another tab is shown. */
  readonly panel: Component<{ reading: boolean }> | null;
}

/** The permanent tabs, in their order. */
export const TABS: readonly TabKind[] = [
  { id: 'events', name: texts.tabs.events, panel: null },
  { id: 'charts', name: texts.tabs.charts, panel: ChartsTab },
  { id: 'patterns', name: texts.tabs.patterns, panel: PatternsTab },
  { id: 'compare', name: texts.compare.tab, panel: CompareTab },
  { id: 'detectors', name: texts.detectors.tab, panel: DetectorsTab },
  { id: 'alerts', name: texts.inbox.tab, panel: InboxTab },
  { id: 'notes', name: texts.notes.tab, panel: NotesTab },
  { id: 'map', name: texts.servicemap.tab, panel: MapTab },
];

/** The component for each kind of follow-up. */
export const FOLLOW_UPS: Readonly<Record<string, Component<{ followUp: FollowUp }>>> = {
  context: ContextTab,
  follow: FollowTab,
};
