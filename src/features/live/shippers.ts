/** What to write into the settings of programs so that they send to a live source. */
import type { LiveKind } from '../../ipc/generated';

export interface Shipper {
  readonly client: string;
  readonly lines: string;
}

/** The clients of a socket at this path. */
export function socketShippers(path: string): readonly Shipper[] {
  return [
    { client: 'syslog-ng', lines: `destination d_timberline { unix-dgram("${path}"); };` },
    { client: 'logger', lines: `logger --socket ${path} "hello"` },
  ];
}

/** The clients of a kind, each with its lines for this port; none where nothing is sent. */
export function shippers(kind: LiveKind['kind'], port: number): readonly Shipper[] {
  const at = `127.0.0.1:${port}`;
  switch (kind) {
    case 'syslogTcp':
      return [
        {
          client: 'rsyslog',
          lines: `*.* action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" tcp_framing="octet-counted" queue.type="LinkedList")`,
        },
        {
          client: 'logger',
          lines: `logger --server 127.0.0.1 --port ${port} --tcp --octet-count "hello"`,
        },
        {
          client: 'syslog-ng',
          lines: `destination d_timberline { syslog("127.0.0.1" port(${port}) transport("tcp")); };`,
        },
      ];
    case 'syslogUdp':
      return [
        {
          client: 'rsyslog',
          lines: `*.* action(type="omfwd" target="127.0.0.1" port="${port}" protocol="udp")`,
        },
        { client: 'logger', lines: `logger --server 127.0.0.1 --port ${port} --udp "hello"` },
      ];
    case 'http':
      return [
        {
          client: 'rsyslog',
          lines: `action(type="omelasticsearch" server="127.0.0.1" serverport="${port}" bulkmode="on" searchIndex="syslog" template="json")`,
        },
        { client: 'Filebeat', lines: `output.elasticsearch.hosts: ["http://${at}"]` },
        {
          client: 'OpenTelemetry',
          lines: `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://${at}/v1/logs`,
        },
        {
          client: 'curl',
          lines: `curl -H 'Content-Type: application/json' -d '{"message":"hello"}' http://${at}/logs/_doc`,
        },
      ];
    default:
      return [];
  }
}
