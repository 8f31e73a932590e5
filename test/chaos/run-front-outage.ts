import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../../src/broker/port.ts';
import type { Cluster } from './cluster.ts';
import { lagOf } from './until-drained.ts';
import type { Workers } from './workers.ts';

/** Load before the outage, so that the processes are warm. */
const BEFORE_S = 20;
const ASK_EVERY_MS = 1_000;
/** Of the first half of the outage: room for the collector's rhythm. */
const FLAT = 1.15;

interface Sample {
  readonly residentMb: number;
  readonly lag: number;
}

/** ClickHouse is gone under load: memory must not grow, the lag must. */
export async function runFrontOutage(deps: {
  readonly cluster: Cluster;
  readonly workers: Workers;
  readonly broker: Broker;
  readonly outageS: number;
  readonly onMoment: (text: string) => void;
}): Promise<{ readonly figures: Record<string, string>; readonly wrong: string[] }> {
  const { cluster, workers, broker, outageS, onMoment } = deps;

  async function watch(seconds: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    const until = performance.now() + 1000 * seconds;
    while (performance.now() < until) {
      const bytes = await workers.residentBytes();
      samples.push({ residentMb: Math.max(...bytes) / 2 ** 20, lag: await lagOf(broker) });
      await sleep(ASK_EVERY_MS);
    }
    return samples;
  }

  const before = await watch(BEFORE_S);
  onMoment(`ClickHouse is killed, and gone for ${outageS} s`);
  await cluster.stopFront();
  const during = await watch(outageS);
  onMoment('ClickHouse comes back');
  await cluster.startFront();
  const half = Math.floor(during.length / 2);
  const [early, late] = [during.slice(0, half), during.slice(half)];
  const most = (samples: readonly Sample[]): number => Math.max(...samples.map(({ residentMb }) => residentMb));
  const lags = (samples: readonly Sample[]): number => Math.max(...samples.map(({ lag }) => lag));
  const figures = {
    'MB of the largest worker, before': most(before).toFixed(0),
    '  first half of the outage': most(early).toFixed(0),
    '  second half of the outage': most(late).toFixed(0),
    'lag in records, before': `${lags(before)}`,
    '  lag, first half of the outage': `${lags(early)}`,
    '  lag, second half of the outage': `${lags(late)}`,
  };
  const wrong: string[] = [];
  if (most(late) > FLAT * most(early)) wrong.push(`memory grows: ${most(early)} MB, then ${most(late)} MB`);
  if (lags(late) <= lags(before)) wrong.push('the lag did not grow: the outage was none');
  return { figures, wrong };
}
