import { describe, expect, it } from 'vitest';

import { texts } from '../../base/texts';
import {
  EMPTY_FORM,
  EMPTY_PART,
  KEPT_HOURS,
  REFRESHES,
  USUAL_SETTINGS,
  isSame,
  liveReading,
  liveSource,
  portOf,
  withPresent,
} from './livechoice';
import { shippers, socketShippers } from './shippers';

const words = texts.live.sheet;

describe('the description of a live source', () => {
  it('is a list of whole paths for files', () => {
    const follow = (paths: string) => liveSource({ ...EMPTY_FORM, paths });
    expect(follow(' /var/log/a.log \n\n/var/log/app/*.log')).toEqual({
      source: { kind: 'follow', paths: ['/var/log/a.log', '/var/log/app/*.log'] },
    });
    expect(follow('C:\\logs\\app.log')).toHaveProperty('source');
    expect(follow(' \n')).toEqual({ mistake: words.missing });
    expect(follow('/a.log\nlogs/b.log')).toEqual({ mistake: words.relative('logs/b.log') });
  });

  it('is a port for what is sent', () => {
    const syslog = { ...EMPTY_FORM, choice: 'syslog' } as const;
    expect(liveSource(syslog)).toEqual({ source: { kind: 'syslogTcp', port: 5514 } });
    expect(liveSource({ ...syslog, transport: 'udp', syslogPort: ' 514 ' })).toEqual({
      source: { kind: 'syslogUdp', port: 514 },
    });
    expect(liveSource({ ...EMPTY_FORM, choice: 'http', httpPort: '' })).toEqual({
      mistake: words.badPort,
    });
    for (const wrong of ['', '0', '65536', '-1', '5e3', '80a', '127.0.0.1']) {
      expect(portOf(wrong), wrong).toBeNull();
    }
  });
});

describe('how lines are read', () => {
  it('is nothing where nothing is chosen', () => {
    expect(liveReading(EMPTY_FORM)).toBeNull();
    expect(liveReading({ ...EMPTY_FORM, choice: 'journal', zone: 'UTC' })).toBeNull();
    expect(liveReading({ ...EMPTY_FORM, choice: 'http', format: 'access' })).toBeNull();
  });

  it('is chosen for all, for senders and for tags', () => {
    const parts = [
      { ...EMPTY_PART, name: ' 10.0.0.7 ', zone: ' Europe/Berlin ' },
      { ...EMPTY_PART, of: 'tag' as const, name: 'nginx', format: 'access' },
      { ...EMPTY_PART, name: '10.0.0.8' },
      { ...EMPTY_PART, of: 'tag' as const, format: 'json' },
    ];
    const form = { ...EMPTY_FORM, choice: 'syslog', zone: '+02:00', parts } as const;
    expect(liveReading(form)).toEqual({
      zone: '+02:00',
      parts: [
        { part: '10.0.0.7', zone: 'Europe/Berlin' },
        { part: 'tag:nginx', format: 'access' },
      ],
    });
    expect(liveReading({ ...form, choice: 'follow' })).toEqual({ zone: '+02:00', parts: [] });
  });
});

describe('a Unix socket', () => {
  it('is a whole path', () => {
    const unix = { ...EMPTY_FORM, choice: 'syslog', transport: 'unix' } as const;
    expect(liveSource({ ...unix, socket: ' /run/app/log ' })).toEqual({
      source: { kind: 'syslogUnix', path: '/run/app/log' },
    });
    expect(liveSource(unix)).toEqual({ mistake: words.missingSocket });
    expect(liveSource({ ...unix, socket: 'log' })).toEqual({ mistake: words.relative('log') });
    expect(
      socketShippers('/run/app/log').every(({ lines }) => lines.includes('/run/app/log')),
    ).toBe(true);
  });
});

describe('the settings of a case', () => {
  it('offer the present ones too, and are compared by value', () => {
    expect(withPresent(REFRESHES, 1_000)).toEqual(REFRESHES);
    expect(withPresent(KEPT_HOURS, 48)).toEqual([...KEPT_HOURS, 48]);
    expect(isSame(USUAL_SETTINGS, { ...USUAL_SETTINGS })).toBe(true);
    for (const other of [
      { refreshMs: 200 },
      { keepHours: 24 },
      { keepBytes: 1e9 },
      { compressHours: 24 },
    ]) {
      expect(isSame(USUAL_SETTINGS, { ...USUAL_SETTINGS, ...other })).toBe(false);
    }
    expect(words.keepTimes(168)).toBe('7 days');
    expect(words.refreshAfter(200)).toBe('200 ms');
  });
});

describe('the lines for shippers', () => {
  it('name the port of the form', () => {
    for (const kind of ['syslogUdp', 'syslogTcp', 'http'] as const) {
      const lines = shippers(kind, 4711);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.every(({ lines }) => lines.includes('4711'))).toBe(true);
    }
    expect(shippers('http', 9200).map(({ client }) => client)).toContain('Filebeat');
    expect(shippers('follow', 9200)).toEqual([]);
  });
});
