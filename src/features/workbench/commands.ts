import { shortcut, type KeyId } from '../../base/keys';
import { texts } from '../../base/texts';
import { asTime } from '../../base/time';
import { domainOf } from '../../state/charts/charts.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Session } from '../../state/workbench/session.svelte';
import { THEME_CHOICES, type Theme } from '../../state/workbench/theme.svelte';
import { keyCommand, type Command } from '../commands/commands.svelte';
import { compareCommands } from '../compare/takes';
import { exportCommands } from '../events/exportcommands';
import { MOVES } from '../events/listkeys';
import { newDetector } from '../detectors/newdetector';
import { liveCommands } from '../live/livecommands';
import { offeredZones } from '../query/rangechoices';
import { zoomed } from '../timeline/wheel';
import { connectCommands } from './connectitems';
import { TABS } from './tabs';

/** The parts of the screen that the commands need. */
export interface Parts {
  focusQuery(): void;
  listKey(key: string): void;
  showSheet(): void;
  showPalette(): void;
  showShare(): void;
  showReference(): void;
}

const words = texts.commands;
/** Zooming once halves or doubles the range. */
const ZOOM_PX = 310;

/** The commands of every case. Features register theirs in addition. */
export function workbenchCommands(
  session: Session,
  opened: OpenCase,
  theme: Theme,
  parts: Parts,
): Command[] {
  return [
    ...anywhere(session, opened, parts),
    ...themes(theme),
    ...tabs(opened),
    ...inQuery(opened),
    ...inEvents(opened, parts),
    ...inTimeline(opened),
    ...compareCommands(opened),
    ...exportCommands(opened),
    ...connectCommands(session, opened),
    ...liveCommands(opened),
    ...ofCase(session, opened),
  ];
}

function anywhere(session: Session, opened: OpenCase, parts: Parts): Command[] {
  const { explorer, detail } = opened;
  const { history } = explorer;
  const group = 'anywhere';
  return [
    keyCommand('palette', { whileWriting: true, hidden: true, run: () => parts.showPalette() }),
    keyCommand('sheet', { run: () => parts.showSheet() }),
    keyCommand('reference', { whileWriting: true, run: () => parts.showReference() }),
    keyCommand('query', { run: () => parts.focusQuery() }),
    keyCommand('ask', { whileWriting: true, run: () => explorer.run() }),
    keyCommand('undo', { can: () => history.canUndo, run: () => void history.undo() }),
    keyCommand('redo', { can: () => history.canRedo, run: () => void history.redo() }),
    keyCommand('back', { can: () => history.canGoBack, run: () => void history.back() }),
    keyCommand('forward', { can: () => history.canGoForward, run: () => void history.forward() }),
    {
      id: 'detector',
      name: texts.detectors.command,
      group,
      can: () => opened.summary.first !== null && !opened.isRemote,
      run: () => newDetector(opened),
    },
    { id: 'share', name: words.shareView, group, run: () => parts.showShare() },
    {
      id: 'add-files',
      name: words.addFiles,
      group,
      can: () => opened.summary.readOnly === null,
      run: () => void session.choose('files'),
    },
    {
      id: 'look-first',
      name: words.lookFirst,
      group,
      can: () => opened.summary.readOnly === null,
      run: () => void session.choose('files', 'look'),
    },
    {
      id: 'sources',
      name: words.sources,
      group,
      can: () => !opened.isRemote,
      run: () => session.showSources(),
    },
    {
      id: 'links',
      name: words.links,
      group,
      can: () => !opened.isRemote,
      run: () => session.showLinks(),
    },
    keyCommand('leave', { can: () => detail.open, hidden: true, run: () => detail.close() }),
  ];
}

/** Commands for the case as a whole. */
function ofCase(session: Session, opened: OpenCase): Command[] {
  const { cases } = session;
  const names = texts.workbench.cases;
  const group = 'anywhere';
  const can = () => opened.summary.readOnly === null;
  return [
    {
      id: 'case-rename',
      name: names.commands.rename,
      group,
      can,
      run: () => cases.ask({ kind: 'rename', about: opened.summary }),
    },
    {
      id: 'case-duplicate',
      name: names.commands.duplicate,
      group,
      can,
      run: () => void cases.duplicate(opened.summary, names.copyOf(opened.summary.name)),
    },
    {
      id: 'case-delete',
      name: names.commands.delete,
      group,
      can,
      run: () => cases.ask({ kind: 'delete', about: opened.summary }),
    },
    { id: 'all-cases', name: names.commands.close, group, run: () => void session.leave() },
  ];
}

/** A command for each zone that the picker offers first. */
export function zoneCommands({ summary, explorer: { history } }: OpenCase): Command[] {
  return offeredZones(summary.sources.map(({ zone }) => zone)).map((zone) => ({
    id: `zone-${zone}`,
    name: words.zone(zone),
    group: 'timeline',
    can: () => history.current.zone !== zone,
    run: () => history.change({ zone }),
  }));
}

/** The saved views of a case, by their names. */
export function savedViewCommands({ queries, explorer }: OpenCase): Command[] {
  return queries.saved.map((saved) => ({
    id: `saved-${saved.name}`,
    name: words.savedView(saved.name),
    group: 'query',
    run: () => void explorer.show(saved),
  }));
}

function themes(theme: Theme): Command[] {
  return THEME_CHOICES.map((choice) => ({
    id: `theme-${choice}`,
    name: texts.bar.theme[choice],
    group: 'anywhere',
    can: () => theme.choice !== choice,
    run: () => theme.choose(choice),
  }));
}

function tabs({ explorer: { history } }: OpenCase): Command[] {
  const always = TABS.map(({ id }) =>
    keyCommand(`tab-${id}`, { whileWriting: true, run: () => history.change({ tab: id }) }),
  );
  const isOpen = () => history.current.followUps.some(({ id }) => id === history.current.tab);
  const close: Command = {
    id: 'close-tab',
    name: words.closeTab,
    group: 'anywhere',
    can: isOpen,
    run: () => history.closeFollowUp(history.current.tab),
  };
  return [...always, close];
}

function inQuery({ explorer, explaining, isRemote }: OpenCase): Command[] {
  const group = 'query';
  return [
    {
      id: 'query-clear',
      name: words.clearQuery,
      group,
      can: () => explorer.query !== '',
      run: () => explorer.run(''),
    },
    {
      id: 'query-explain',
      name: texts.explore.explain.command,
      group,
      can: () => !isRemote,
      run: () => (explaining.isOpen = true),
    },
  ];
}

function inEvents({ explorer }: OpenCase, { listKey }: Parts): Command[] {
  const can = () => explorer.history.current.tab === 'events';
  const step = (id: KeyId) =>
    keyCommand(id, { can, hidden: true, run: () => listKey(shortcut(id).keys[0]!) });
  return [
    ...MOVES.map(step),
    {
      id: 'event-order',
      name: words.toggleOrder,
      group: 'events',
      run: () => explorer.toggleOrder(),
    },
    {
      id: 'best-match',
      name: words.bestMatch,
      group: 'events',
      run: () => explorer.toggleBestMatch(),
    },
  ];
}

function inTimeline(opened: OpenCase): Command[] {
  const { explorer, fit, display } = opened;
  const { history } = explorer;
  const timeline = () => history.current.timeline;
  const zoomBy = (px: number) => () => {
    const whole = domainOf(null, opened.summary);
    const shown = explorer.range ?? whole;
    const middle = asTime((shown.from + shown.to) / 2n);
    explorer.zoom(zoomed(shown, middle, px, whole));
  };
  const group = 'timeline';
  return [
    keyCommand('range-before', {
      can: () => history.canZoomOut,
      run: () => void history.zoomOut(),
    }),
    keyCommand('range-after', { can: () => history.canZoomIn, run: () => void history.zoomIn() }),
    {
      id: 'range-all',
      name: words.showAllTime,
      group,
      can: () => explorer.range !== null,
      run: () => explorer.zoom(null),
    },
    keyCommand('range-fit', { can: () => fit.isWorthwhile, run: () => fit.run() }),
    {
      id: 'zoom-in',
      name: words.zoomInTime,
      group,
      can: () => opened.summary.first !== null,
      run: zoomBy(-ZOOM_PX),
    },
    {
      id: 'zoom-out',
      name: words.zoomOutTime,
      group,
      can: () => explorer.range !== null,
      run: zoomBy(ZOOM_PX),
    },
    {
      id: 'lanes',
      name: words.lanes,
      group,
      run: () => history.change({ timeline: { ...timeline(), lanes: !timeline().lanes } }),
    },
    {
      id: 'fold',
      name: words.fold,
      group,
      run: () => history.change({ timeline: { ...timeline(), folded: !timeline().folded } }),
    },
    {
      id: 'log-scale',
      name: words.logScale,
      group,
      run: () => {
        const scale = timeline().scale === 'linear' ? 'logarithmic' : 'linear';
        history.change({ timeline: { ...timeline(), scale } });
      },
    },
    keyCommand('timeline-open', {
      run: () => display.change({ timelineOpen: !display.timelineOpen }),
    }),
    {
      id: 'difference',
      name: texts.workbench.difference.command,
      group,
      can: () => !display.difference && !opened.isRemote,
      run: () => display.change({ difference: true }),
    },
    {
      id: 'difference-off',
      name: texts.workbench.difference.commandOff,
      group,
      can: () => display.difference,
      run: () => display.change({ difference: false }),
    },
  ];
}
