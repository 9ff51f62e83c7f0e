import { counted, formatBytes, formatCount, formatSeconds, formatShare, plural } from '../format';

const events = (count: number) => counted(count, 'event');

/** The texts of sending events to a cluster. */
export const push = {
  name: 'Push to a cluster',
  open: 'Push to a cluster…',
  command: 'Push the matching events to a cluster…',
  note: 'The matching events as documents of an index',

  what: 'Events',
  all: 'All events',
  remote: 'Cluster',
  noRemotes: 'No cluster can be written to. Add one, or switch one on.',
  remotes: 'Clusters…',
  index: 'Index',
  dataStream: 'Data stream',
  dataStreamHint: 'A data stream instead of an index: documents are only added',
  withOriginal: 'Keep the original text',
  withOriginalHint:
    'Adds event.original, in which the text is searched exactly; about twice the size',
  rate: 'Events a second',
  rateExample: 'no limit',
  senders: 'Requests at once',
  packed:
    'Requests are packed with gzip, and grow from 1 MB as long as that is faster. An event that is there already is never stored twice.',

  look: 'Dry run',
  lookHint: 'Count the events and show the index template; nothing is sent',
  looking: 'Counting the events and measuring their fields…',
  lookFirst:
    'A dry run shows what would be sent and the index template before anything is created.',
  changed: 'The choices have changed. Run the dry run again to see what would be sent.',
  start: (count: number) => `Push ${events(count)}`,
  startUnknown: 'Push',
  stop: 'Stop',
  file: 'Write a file for _bulk…',
  fileHint: 'Write the same documents to a file instead; nothing connects to a cluster',
  fileEnding: 'bulk.ndjson',

  plan: {
    sent: (count: number, index: string, url: string) =>
      `${events(count)} would be sent to ${index} at ${url}. Nothing has been sent yet.`,
    none: 'No event matches, so there is nothing to send.',
    rest: (left: number, count: number, index: string, url: string) =>
      `${formatCount(left)} of ${events(count)} would be sent to ${index} at ${url}.`,
    resumes: (count: number) =>
      `An earlier push has sent the first ${formatCount(count)}. This one continues after them.`,
    template: (index: string) => `Index template timberline-${index}`,
    measured: (count: number) =>
      `Types come from the values of the first ${events(count)}. An index that exists keeps its mapping; the template is for a new one.`,
    heads: { name: 'Field or setting', value: 'Mapping', why: 'Why' },
    renamed: (name: string) => `${name} in the case`,
    json: 'The template as JSON',
    copy: 'template',
  },

  running: {
    name: (index: string, remote: string) => `Sending to ${index} at ${remote}`,
    sent: 'Sent',
    sentOf: (done: number, total: number) => `${formatCount(done)} of ${events(total)}`,
    rate: 'Rate',
    perSecond: (rate: number) => `${formatCount(Math.round(rate))} events a second`,
    left: 'Left',
    seconds: (seconds: number) => formatSeconds(seconds),
    unknown: 'not known yet',
    again: 'Sent again',
    againOf: (documents: number, requests: number) =>
      `${events(documents)}, ${counted(requests, 'request')}`,
    size: 'Request size',
    sizeOf: (bytes: number) => `${formatBytes(bytes)} before it is packed`,
    comparing: 'All events are sent. Counting them by hour…',
    busy: 'The cluster is busy, or the connection broke. Requests are sent again after a pause.',
    continues: 'You can close this sheet; the push continues.',
    status: (share: number) => `Pushing ${formatShare(share)}`,
    show: 'Show',
  },

  done: {
    name: (index: string, remote: string) => `The events are in ${index} at ${remote}`,
    stopped: 'The push was stopped',
    created: 'Created',
    known: 'Were there already',
    skipped: 'Sent by an earlier push',
    refused: 'Refused by the cluster',
    refusedNote: 'Refused events are not there. Correct the mapping, and push again.',
    again: 'Sent again',
    size: 'Size before packing',
    same: (hours: number) =>
      hours === 1
        ? 'The one hour has the same count in the case and at the cluster.'
        : `All ${formatCount(hours)} hours have the same count in the case and at the cluster.`,
    different: (different: number, hours: number) =>
      `${formatCount(different)} of ${counted(hours, 'hour')} ${plural(different, 'differs', 'differ')}. An index with other events of the same sources has more.`,
    noTimes: 'No event has a time, so there are no hours to compare.',
    notCompared: 'The events are there. Their hours were not compared:',
    heads: { hour: 'Hour', case: 'Case', remote: 'Cluster' },
    listed: (listed: number, hours: number) =>
      `${formatCount(listed)} of ${formatCount(hours)} hours are listed.`,
    statusDone: 'Push done',
    statusFailed: 'Push ended early',
  },

  ended: {
    name: 'Push',
    done: (count: number, index: string) => `${events(count)} created in ${index}`,
    failed: 'It ended early. What was sent is kept; push again to continue.',
  },
} as const;
