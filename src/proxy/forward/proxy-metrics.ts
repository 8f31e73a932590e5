import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallEnd } from '../journal/call-head.ts';
import type { RecordingStatus } from '../record/port.ts';
import type { ModelRoute } from './model-route.ts';

/** What a proxy counts. `docs/proxy.md` names them. */
export interface ProxyMetrics {
  began(): void;
  /** Of a request that `began`. */
  over(): void;
  call(route: ModelRoute, how: CallEnd['how'], seconds: number): void;
  unrecorded(): void;
  passed(): void;
  /** By the proxy itself, with the code that it answered. */
  refused(code: string): void;
  counts(): ProxyCounts;
  exposition(recording: RecordingStatus | null): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Since the process began; `in_flight`: now. */
export interface ProxyCounts {
  readonly calls: number;
  readonly unrecorded: number;
  readonly passed: number;
  readonly refused: number;
  readonly in_flight: number;
}

export function createProxyMetrics(): ProxyMetrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: 'rollstream_proxy_calls_total',
    help: 'Model calls that ended, by route and by how.',
    labelNames: ['route', 'how'],
    registers,
  });
  const seconds = new Histogram({
    name: 'rollstream_proxy_call_seconds',
    help: 'From the head of a request to the last byte of its answer, by route.',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900],
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const unrecorded = counter(
    'rollstream_proxy_unrecorded_calls_total',
    'Model calls that went on without a record, since their file could not be written. Alarm on any.',
  );
  const passed = counter('rollstream_proxy_passed_total', 'Requests that are no model calls, passed on unrecorded.');
  const refused = new Counter({
    name: 'rollstream_proxy_refused_total',
    help: 'Requests that the proxy answered itself with an error, by its code.',
    labelNames: ['code'],
    registers,
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const inFlight = gauge('rollstream_proxy_in_flight', 'Requests that have not ended.');
  const recorded = {
    open: gauge('rollstream_proxy_open_rollouts', 'Attempts that have begun and not ended.'),
    waiting: gauge('rollstream_proxy_waiting_calls', 'Calls that ended and are not events yet.'),
    events: gauge('rollstream_proxy_spooled_events', 'Events that no server has answered for.'),
    bytes: gauge('rollstream_proxy_spooled_bytes', 'Their bytes. Alarm where it grows for long.'),
    lost: gauge('rollstream_proxy_lost_events', 'Events that were lost, since the spool was full. Alarm on any.'),
    refused: gauge(
      'rollstream_proxy_refused_events',
      'Events that the server would not have: in its dead-letter, or beside the spool. Alarm on any.',
    ),
    notAuditable: gauge('rollstream_proxy_not_auditable_calls', 'Calls that cannot be audited, by why.', ['why']),
  };
  const counted = { calls: 0, unrecorded: 0, passed: 0, refused: 0, in_flight: 0 };
  return {
    began: () => inFlight.set(++counted.in_flight),
    over: () => inFlight.set(--counted.in_flight),
    call(route, how, took) {
      counted.calls += 1;
      calls.inc({ route, how });
      seconds.observe({ route }, took);
    },
    unrecorded() {
      counted.unrecorded += 1;
      unrecorded.inc();
    },
    passed() {
      counted.passed += 1;
      passed.inc();
    },
    refused(code) {
      counted.refused += 1;
      refused.inc({ code });
    },
    counts: () => ({ ...counted }),
    async exposition(recording) {
      if (recording !== null) {
        recorded.open.set(recording.openRollouts);
        recorded.waiting.set(recording.waitingCalls);
        recorded.events.set(recording.spooledEvents);
        recorded.bytes.set(recording.spooledBytes);
        recorded.lost.set(recording.lostEvents);
        recorded.refused.set(recording.refusedEvents);
        for (const [why, count] of Object.entries(recording.notAuditable)) recorded.notAuditable.set({ why }, count);
      }
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
