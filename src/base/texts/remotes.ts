import { formatCount } from '../format';

/** The texts of clusters: the list of them, and one that is open like a case. */
export const remotes = {
  name: 'Clusters',
  open: 'Clusters…',
  command: 'Show the clusters',
  hint: 'Clusters that are searched in place',
  mark: 'cluster',
  markHint: (url: string, index: string, server: string) =>
    `Searched in place, read-only: ${index} at ${url} (${server})`,
  reload: 'Reload',
  reloadHint: 'Query the cluster again: events added since it was opened are not shown yet',

  together: {
    command: 'Show with a cluster…',
    /** The lane of the case itself. */
    own: 'case',
    show: (name: string) => `Show with ${name}`,
    hide: (name: string) => `Show without ${name}`,
    hint: (name: string) =>
      `Events of the case and of ${name} on one timeline, in one list, and in all counts`,
    mark: (url: string, index: string, server: string) =>
      `Shown with the case: ${index} at ${url} (${server})`,
  },

  sheet: {
    note: 'Elasticsearch and OpenSearch, opened like a case',
    none: 'No cluster has been added. Nothing connects to another machine.',
    promise:
      'Timberline connects only to the addresses in this list, and only when you open one, test it or push to it.',
    allOff: 'Turn all connections off',
    allOffNote: 'All connections are off. Nothing connects to another machine.',
    on: 'On',
    switch: (name: string) => `Connections to ${name}`,
    test: 'Test',
    testHint: (name: string) => `Connect to ${name} and check what queries need`,
    testing: 'Testing…',
    usable: 'Ready for queries.',
    unusable: 'Not ready for queries.',
    openIt: 'Open',
    remove: 'Remove',
    removeHint: (name: string) =>
      `Remove ${name} from the list; the files with its credentials stay`,
    add: 'Add a cluster',
    fields: {
      name: 'Name',
      url: 'Address',
      index: 'Indexes',
      timeField: 'Time field',
      apiKeyFile: 'File with an API key',
      user: 'User',
      passwordFile: 'File with the password',
      ca: 'File with certificates (CA)',
      fingerprint: 'or its fingerprint (SHA-256)',
    },
    examples: {
      name: 'prod',
      url: 'https://logs.example:9200',
      index: 'logs-*',
      timeField: 'found in the mapping',
    },
    credentials: 'Credentials and certificates',
    credentialsNote:
      'Credentials stay in files of yours that only you can read (mode 600). Timberline keeps their paths, never their content. Without a file, the password is read from TIMBERLINE_REMOTE_PASSWORD.',
    save: 'Add',
    findings: {
      settings: 'Settings',
      server: 'Server',
      health: 'Health',
      indexes: 'Indexes',
      fields: 'Fields',
      events: 'Events',
    } as Readonly<Record<string, string>>,
  },

  says: {
    name: 'Notes from the cluster about its answers',
    partial: (missing: string) => `The answers are not complete: ${missing}.`,
    partialHint: 'Counts and lists contain only the parts that answered.',
    again: 'Try again',
    inexact: (clause: string) => `Not exact: ${clause}.`,
    note: (note: string) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`,
    exact: 'Calculate exactly',
    exactHint: 'Fetch the needed fields of up to a million events, and calculate here',
    figures: 'The cluster estimates distinct counts and percentiles.',
    more: (count: number) => `and ${formatCount(count)} more`,
  },

  unavailable: {
    name: (what: string) => `${what}: not available for a cluster`,
    bytes: 'Not available: a cluster keeps documents, not the bytes of a log.',
    control: 'Not available for a cluster',
    together: (what: string) => `${what}: not available for a case that is shown with a cluster`,
    reasons: {
      compare: 'Comparisons read every event. Import the events to compare them.',
      detectors: 'Detectors read every event of a case. Import the events to run them.',
      notes: 'Notes are kept in cases. Import the events to write about them.',
    } as Readonly<Record<string, string>>,
    alone: 'Show the case without the cluster to use this.',
  },
} as const;
