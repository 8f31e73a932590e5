import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LaneStatus } from '../lanes/lanes.ts';
import { METRICS } from './metric-table.ts';
import type { Recorder } from './recorder.ts';

/** The metrics of one process: what records them, and their exposition. */
export interface Metrics {
  readonly recorder: Recorder;
  /** Gauges of the lanes are read from here at each scrape. */
  watchLanes(status: () => readonly LaneStatus[]): void;
  /** By name: whether a service answers. */
  watchServices(status: () => ReadonlyMap<string, boolean>): void;
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A registry of its own, so that two pipelines in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const recordsRead = new Counter({ ...METRICS.recordsRead, registers });
  const bytesRead = new Counter({ ...METRICS.bytesRead, registers });
  const decisions = new Counter({ ...METRICS.decisions, registers });
  const stepFaults = new Counter({ ...METRICS.stepFaults, registers });
  const deadLetters = new Counter({ ...METRICS.deadLetters, registers });
  const rowsInserted = new Counter({ ...METRICS.rowsInserted, registers });
  const flushSeconds = new Histogram({ ...METRICS.flushSeconds, registers });
  const restoreSeconds = new Histogram({ ...METRICS.restoreSeconds, registers });
  const bytesInFlight = new Gauge({ ...METRICS.bytesInFlight, registers });
  const httpSeconds = new Histogram({ ...METRICS.httpSeconds, registers });

  let status: () => readonly LaneStatus[] = () => [];
  const laneGauge = (facts: (typeof METRICS)['lag'], gaugeOf: (lane: LaneStatus) => number) =>
    new Gauge({
      ...facts,
      registers,
      collect() {
        // A lane that went to another worker is that one's to report.
        this.reset();
        for (const lane of status()) this.set({ partition: lane.partition }, gaugeOf(lane));
      },
    });
  laneGauge(METRICS.lag, (lane) => lane.logEnd - lane.frontier);
  laneGauge(METRICS.frontier, (lane) => lane.frontier);
  laneGauge(METRICS.openUnits, (lane) => lane.openUnits);
  laneGauge(METRICS.openAttempts, (lane) => lane.openAttempts);
  laneGauge(METRICS.restored, (lane) => (lane.restored ? 1 : 0));

  let services: () => ReadonlyMap<string, boolean> = () => new Map();
  new Gauge({
    ...METRICS.serviceUp,
    registers,
    collect() {
      for (const [service, isUp] of services()) this.set({ service }, isUp ? 1 : 0);
    },
  });

  return {
    recorder: {
      recordsRead(partition, records, bytes) {
        recordsRead.inc({ partition }, records);
        bytesRead.inc({ partition }, bytes);
      },
      decided: (disposition, category) => decisions.inc({ disposition, category }),
      stepFault: (reason) => stepFaults.inc({ reason }),
      deadLetter: (stage, code) => deadLetters.inc({ stage, code }),
      rowsInserted: (table, rows) => rowsInserted.inc({ table }, rows),
      flushed: (partition, seconds) => flushSeconds.observe({ partition }, seconds),
      restored: (partition, seconds) => restoreSeconds.observe({ partition }, seconds),
      bytesInFlight: (bytes) => bytesInFlight.set(bytes),
      answered: (route, httpStatus, seconds) => httpSeconds.observe({ route, status: httpStatus }, seconds),
    },
    watchLanes(next) {
      status = next;
    },
    watchServices(next) {
      services = next;
    },
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
