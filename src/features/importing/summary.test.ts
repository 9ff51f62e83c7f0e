import { describe, expect, it } from 'vitest';

import type { FileProgress, ImportProgress, WireError } from '../../ipc/generated';
import { byUrgency, headline, pace, share, shownState } from './summary';

const note: WireError = { code: 'binary', message: 'm', hint: null, path: 'p', span: null };

function file(index: number, state: FileProgress['state'], given: WireError | null = null) {
  return { index, path: `/${index}`, state, note: given, format: null } as FileProgress;
}

function progress(part: Partial<ImportProgress>): ImportProgress {
  return {
    phase: 'landing',
    stages: [],
    waitsFor: null,
    revision: 1,
    events: 0,
    bytesRead: 0,
    bytesTotal: 0,
    elapsedMs: 0,
    filesTotal: 1,
    filesDone: 0,
    changed: [],
    ...part,
  };
}

describe('the state of a file', () => {
  it('is not just done if there is a note, nor waiting after the end', () => {
    expect(shownState(file(0, 'done'), true)).toBe('done');
    expect(shownState(file(0, 'done', note), true)).toBe('warned');
    expect(shownState(file(0, 'waiting'), true)).toBe('waiting');
    expect(shownState(file(0, 'waiting'), false)).toBe('skipped');
  });

  it('sorts urgent files first and handles files that are not reported yet', () => {
    const files: FileProgress[] = [];
    files[0] = file(0, 'done');
    files[2] = file(2, 'reading');
    files[3] = file(3, 'failed', note);
    files[4] = file(4, 'done');
    expect(byUrgency(files, true).map(({ index }) => index)).toEqual([3, 2, 0, 4]);
  });
});

describe('the line of an import', () => {
  it('says what was imported and how long that took', () => {
    const files = [
      { ...file(0, 'done'), events: 2500, unparsed: 12, outcome: 'new' },
      { ...file(1, 'done'), events: 0, unparsed: 0, outcome: 'known' },
    ];
    const report = { events: 2500, problems: [] };
    const job = {
      state: 'done',
      files,
      report,
      reread: null,
      progress: progress({ elapsedMs: 1234 }),
    };
    expect(headline(job as never)).toBe(
      'Imported 2,500 events from 2 files · 1 already imported · 12 not parsed · 1.2 s',
    );
    const longer = { ...job, progress: progress({ elapsedMs: 125_000 }), files: [files[1]] };
    expect(headline(longer as never)).toBe(
      'Imported 2,500 events from 1 file · 1 already imported · 2 min 5 s',
    );
  });

  it('says why an import failed', () => {
    const failure = { message: 'The disk is full.' };
    const job = { state: 'failed', files: [], report: null, reread: null, progress: null, failure };
    expect(headline(job as never)).toBe('The disk is full.');
    expect(headline({ ...job, progress: progress({ events: 5 }) } as never)).toBe(
      'The disk is full. Events imported before the failure are kept.',
    );
  });

  it('does not count archives and unreadable files as sources of events', () => {
    const files = [
      { ...file(0, 'done'), events: 13, unparsed: 0, outcome: 'new' },
      { ...file(1, 'done'), events: 0, unparsed: 0, outcome: 'new' },
      { ...file(2, 'failed', note), events: 0, unparsed: 0, outcome: 'new' },
    ];
    const report = { events: 13, problems: [note] };
    const job = { state: 'done', files, report, reread: null, progress: null };
    expect(headline(job as never)).toBe('Imported 13 events from 1 file');
  });
});

describe('the line of a re-import', () => {
  const job = { state: 'running', files: [], report: null, reread: 2, progress: null };

  it('counts the sources that are read again, not new events', () => {
    expect(headline(job as never)).toBe('Re-importing 2 sources');
    const ended = { ...job, state: 'done', report: { events: 0, problems: [] } };
    expect(headline({ ...ended, progress: progress({ elapsedMs: 1234 }) } as never)).toBe(
      'Re-imported 2 sources · 1.2 s',
    );
  });

  it('says that the events stay if it ends early', () => {
    expect(headline({ ...job, state: 'cancelled' } as never)).toBe(
      'Stopped; the events stay as they were',
    );
    const failed = { ...job, state: 'failed', failure: { message: 'The disk is full.' } };
    expect(headline(failed as never)).toBe('The disk is full. The events stay as they were.');
  });
});

describe('the rate', () => {
  it('shows rate and time left once they are meaningful', () => {
    const job = { files: [] };
    expect(pace(job, progress({ bytesRead: 50e6, bytesTotal: 150e6, elapsedMs: 1000 }))).toBe(
      '50.0 MB / 150 MB · 50.0 MB/s · 2 s left',
    );
    expect(pace(job, progress({ bytesRead: 5e6, bytesTotal: 150e6, elapsedMs: 50 }))).toBe(
      '5.00 MB / 150 MB',
    );
  });

  it('promises nothing while a compressed file turns out to be larger than estimated', () => {
    const files = [{ ...file(0, 'reading'), bytesRead: 86e6, bytesTotal: 86e6 }];
    const now = progress({ bytesRead: 86e6, bytesTotal: 150e6, elapsedMs: 1000 });
    expect(pace({ files }, now)).toBe('86.0 MB · 86.0 MB/s');
  });

  it('has no share if nothing can be measured, and never more than 100 %', () => {
    expect(share(null)).toBeNull();
    expect(share(progress({ bytesTotal: 0 }))).toBeNull();
    expect(share(progress({ phase: 'indexing', bytesTotal: 5, bytesRead: 5 }))).toBeNull();
    expect(share(progress({ bytesTotal: 5, bytesRead: 9 }))).toBe(1);
  });
});
