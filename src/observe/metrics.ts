import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadyState } from '../../processors/model/delivery.ts';
import type { LaneStatus } from '../lanes/lanes.ts';
import { createFirstNames, OTHER } from './first-names.ts';
import { METRICS } from './metric-table.ts';
import type { Recorder } from './recorder.ts';
import { createReplayRate } from './replay-rate.ts';

/** Delivery over all runs. */
export interface DeliveryQueue {
  readonly waiting: number;
  readonly states: Readonly<Record<ReadyState, number>>;
}

/** Runs that are told by their name: each is a series of its own for ever. */
const MOST_RUNS = 200;

/** The metrics of one process: what records them, and their exposition. */
export interface Metrics {
  readonly recorder: Recorder;
  /** Gauges of the lanes are read from here at each scrape. */
  watchLanes(status: () => readonly LaneStatus[]): void;
  /** Who waits for leases, and what is ready; null: this process does not grant. */
  watchDelivery(status: () => DeliveryQueue | null): void;
  /** By name: whether a service answers. */
  watchServices(status: () => ReadonlyMap<string, boolean>): void;
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A registry of its own, so that two pipelines in one process do not mix. `now` in ms since the epoch. */
export function createMetrics(now: () => number = Date.now): Metrics {
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
  const transactionSeconds = new Histogram({ ...METRICS.transactionSeconds, registers });
  const restoreSeconds = new Histogram({ ...METRICS.restoreSeconds, registers });
  const bytesInFlight = new Gauge({ ...METRICS.bytesInFlight, registers });
  const gateChanges = new Counter({ ...METRICS.gateChanges, registers });
  const gateLooks = new Counter({ ...METRICS.gateLooks, registers });
  const gateRuns = new Gauge({ ...METRICS.gateRuns, registers });
  const httpSeconds = new Histogram({ ...METRICS.httpSeconds, registers });
  const ingestBodies = new Counter({ ...METRICS.ingestBodies, registers });
  const ingestRecords = new Counter({ ...METRICS.ingestRecords, registers });
  const runRecords = new Counter({ ...METRICS.runRecords, registers });
  const runQuota = new Counter({ ...METRICS.runQuota, registers });
  const runName = createFirstNames(MOST_RUNS);
  const ingestBytesInFlight = new Gauge({ ...METRICS.ingestBytesInFlight, registers });
  const leasesGranted = new Counter({ ...METRICS.leasesGranted, registers });
  const trajectoriesDelivered = new Counter({ ...METRICS.trajectoriesDelivered, registers });
  const trajectoriesEnded = new Counter({ ...METRICS.trajectoriesEnded, registers });
  const queueSeconds = new Histogram({ ...METRICS.queueSeconds, registers });
  const trainerWaitSeconds = new Histogram({ ...METRICS.trainerWaitSeconds, registers });
  const takenSeconds = new Histogram({ ...METRICS.takenSeconds, registers });
  const rebalances = new Counter({ ...METRICS.rebalances, registers });
  const attemptsLost = new Counter({ ...METRICS.attemptsLost, registers });
  const recordsLost = new Counter({ ...METRICS.recordsLost, registers });
  const rate = createReplayRate(() => performance.now());

  let status: () => readonly LaneStatus[] = () => [];
  /** null: not known of this lane. */
  const laneGauge = (facts: (typeof METRICS)['lag'], gaugeOf: (lane: LaneStatus) => number | null) =>
    new Gauge({
      ...facts,
      registers,
      collect() {
        // A lane that went to another worker is that one's to report.
        this.reset();
        for (const lane of status()) {
          const value = gaugeOf(lane);
          if (value !== null) this.set({ partition: lane.partition }, value);
        }
      },
    });
  laneGauge(METRICS.lag, (lane) => lane.logEnd - lane.frontier);
  laneGauge(METRICS.frontier, (lane) => lane.frontier);
  laneGauge(METRICS.watermark, ({ watermark }) => watermark ?? null);
  laneGauge(METRICS.watermarkAge, ({ oldestOpenAtMs }) => {
    if (oldestOpenAtMs === undefined) return null;
    return oldestOpenAtMs === null ? 0 : Math.max(0, now() - oldestOpenAtMs) / 1000;
  });
  laneGauge(METRICS.recoverySeconds, ({ watermark, frontier }) => {
    const recordsPerSecond = rate.recordsPerSecond();
    if (watermark === undefined || recordsPerSecond === null) return null;
    return Math.max(0, frontier - watermark) / recordsPerSecond;
  });
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

  let queue: () => DeliveryQueue | null = () => null;
  new Gauge({
    ...METRICS.leaseWaiters,
    registers,
    collect() {
      const now = queue();
      if (now === null) this.reset();
      else this.set(now.waiting);
    },
  });
  new Gauge({
    ...METRICS.readyTrajectories,
    registers,
    collect() {
      this.reset();
      for (const [state, count] of Object.entries(queue()?.states ?? {})) this.set({ state }, count);
    },
  });

  return {
    recorder: {
      recordsRead(partition, records, bytes) {
        recordsRead.inc({ partition }, records);
        bytesRead.inc({ partition }, bytes);
        rate.read(partition, records);
      },
      decided: (disposition, category, reason = '') => decisions.inc({ disposition, category, reason }),
      stepFault: (reason) => stepFaults.inc({ reason }),
      deadLetter: (stage, code) => deadLetters.inc({ stage, code }),
      rowsInserted: (table, rows) => rowsInserted.inc({ table }, rows),
      flushed: (partition, seconds) => flushSeconds.observe({ partition }, seconds),
      transacted: (partition, seconds) => transactionSeconds.observe({ partition }, seconds),
      restored(partition, seconds) {
        restoreSeconds.observe({ partition }, seconds);
        rate.rebuilt(partition, seconds);
      },
      rebalanced: () => rebalances.inc(),
      lost(partition, attempts, records) {
        attemptsLost.inc({ partition }, attempts);
        recordsLost.inc({ partition }, records);
      },
      bytesInFlight: (bytes) => bytesInFlight.set(bytes),
      gateChanged: (state, by) => gateChanges.inc({ state, by }),
      gateRuns(runs) {
        gateLooks.inc();
        gateRuns.reset();
        for (const [state, count] of runs) gateRuns.set({ state }, count);
      },
      granted(queued, waited) {
        leasesGranted.inc();
        trajectoriesDelivered.inc(queued.length);
        for (const seconds of queued) queueSeconds.observe(seconds);
        trainerWaitSeconds.observe(waited);
      },
      delivered(state, trajectories, taken) {
        trajectoriesEnded.inc({ state }, trajectories);
        if (taken !== null) takenSeconds.observe(taken);
      },
      ingested(route, outcome, accepted, refused) {
        ingestBodies.inc({ route, outcome });
        if (accepted > 0) ingestRecords.inc({ route, outcome: 'accepted' }, accepted);
        if (refused > 0) ingestRecords.inc({ route, outcome: 'refused' }, refused);
      },
      ingestedOfRun(runId, { accepted, refused, limited }) {
        const run = runId === null ? OTHER : runName(runId);
        if (accepted > 0) runRecords.inc({ run, outcome: 'accepted' }, accepted);
        if (refused > 0) runRecords.inc({ run, outcome: 'refused' }, refused);
        if (limited !== '') runQuota.inc({ run, quota: limited });
      },
      ingestBytesInFlight: (bytes) => ingestBytesInFlight.set(bytes),
      answered: (route, httpStatus, seconds) => httpSeconds.observe({ route, status: httpStatus }, seconds),
    },
    watchLanes(next) {
      status = next;
    },
    watchDelivery(next) {
      queue = next;
    },
    watchServices(next) {
      services = next;
    },
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
