import { texts } from '../../base/texts';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Session } from '../../state/workbench/session.svelte';
import { THEME_CHOICES, type Theme } from '../../state/workbench/theme.svelte';
import type { Command, Group } from '../commands/commands.svelte';
import { TABS } from './tabs';

/** The parts of the screen that the commands need. */
export interface Parts {
  focusQuery(): void;
  listKey(key: string): void;
  showSheet(): void;
  showPalette(): void;
  showShare(): void;
}

const words = texts.commands;

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
  ];
}

function anywhere(session: Session, opened: OpenCase, parts: Parts): Command[] {
  const { explorer, detail } = opened;
  const { history } = explorer;
  const group = 'anywhere';
  return [
    {
      id: 'palette',
      name: words.showPalette,
      group,
      keys: ['Ctrl+K'],
      whileWriting: true,
      hidden: true,
      run: () => parts.showPalette(),
    },
    { id: 'sheet', name: words.showSheet, group, keys: ['?'], run: () => parts.showSheet() },
    { id: 'query', name: words.toQuery, group, keys: ['/'], run: () => parts.focusQuery() },
    {
      id: 'ask',
      name: words.ask,
      group,
      keys: ['Ctrl+Enter'],
      whileWriting: true,
      run: () => explorer.ask(),
    },
    {
      id: 'undo',
      name: words.undo,
      group,
      keys: ['Ctrl+Z'],
      can: () => history.canUndo,
      run: () => void history.undo(),
    },
    {
      id: 'redo',
      name: words.redo,
      group,
      keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
      can: () => history.canRedo,
      run: () => void history.redo(),
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
    { id: 'sources', name: words.sources, group, run: () => session.showSources() },
    { id: 'all-cases', name: words.allCases, group, run: () => void session.leave() },
    {
      id: 'leave',
      name: words.leave,
      group,
      keys: ['Escape'],
      can: () => detail.open,
      hidden: true,
      run: () => detail.close(),
    },
  ];
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
  const always = TABS.map(({ id, name }, at): Command => ({
    id: `tab-${id}`,
    name: words.showTab(name),
    group: 'anywhere',
    keys: [`Alt+${at + 1}`],
    whileWriting: true,
    run: () => history.change({ tab: id }),
  }));
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

/** Keys that a component handles itself, for the keyboard sheet. */
function shortcutIn(group: Group) {
  return (id: string, name: string, ...keys: string[]): Command => ({
    id: `${group}-${id}`,
    name,
    group,
    keys,
    run: null,
  });
}

function inQuery({ explorer }: OpenCase): Command[] {
  const group = 'query';
  const shortcut = shortcutIn(group);
  return [
    shortcut('ask', words.askInBar, 'Enter'),
    shortcut('suggest', words.suggest, 'Ctrl+Space'),
    shortcut('take', words.take, 'Tab'),
    shortcut('mend', words.mend, 'Alt+Enter'),
    shortcut('recent', words.recent, 'Alt+ArrowUp'),
    {
      id: 'query-clear',
      name: words.clearQuery,
      group,
      can: () => explorer.query !== '',
      run: () => explorer.replace(''),
    },
  ];
}

function inEvents({ explorer }: OpenCase, { listKey }: Parts): Command[] {
  const can = () => explorer.history.current.tab === 'events';
  const shortcut = shortcutIn('events');
  const step = (id: string, name: string, ...keys: string[]): Command => ({
    id: `event-${id}`,
    name,
    group: 'events',
    keys,
    can,
    hidden: true,
    run: () => listKey(keys[0]!),
  });
  return [
    step('next', words.next, 'j', 'ArrowDown'),
    step('before', words.before, 'k', 'ArrowUp'),
    step('page', words.page, 'PageDown'),
    step('page-back', words.pageBack, 'PageUp'),
    step('first', words.first, 'g', 'Home'),
    step('last', words.last, 'G', 'End'),
    step('open', words.open, 'Enter'),
    shortcut('pick', words.pick, 'Space'),
    shortcut('pick-on', words.pickOn, 'Shift+ArrowDown'),
    shortcut('keep-picked', words.keepPicked, 'Ctrl+ArrowDown'),
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

function inTimeline({ explorer, fit }: OpenCase): Command[] {
  const { history } = explorer;
  const group = 'timeline';
  const shortcut = shortcutIn(group);
  return [
    {
      id: 'range-before',
      name: words.rangeBefore,
      group,
      keys: ['['],
      can: () => history.canZoomOut,
      run: () => void history.zoomOut(),
    },
    {
      id: 'range-after',
      name: words.rangeAfter,
      group,
      keys: [']'],
      can: () => history.canZoomIn,
      run: () => void history.zoomIn(),
    },
    {
      id: 'range-all',
      name: words.showAllTime,
      group,
      can: () => explorer.range !== null,
      run: () => explorer.zoom(null),
    },
    {
      id: 'range-fit',
      name: words.fit,
      group,
      keys: ['z'],
      can: () => fit.isWorthwhile,
      run: () => fit.run(),
    },
    shortcut('bars', words.bars, 'ArrowLeft', 'ArrowRight'),
    shortcut('select', words.selectBars, 'Shift+ArrowLeft', 'Shift+ArrowRight'),
    shortcut('zoom', words.zoomIn, 'Enter'),
  ];
}
