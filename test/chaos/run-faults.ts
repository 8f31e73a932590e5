import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../examples/generate/random.ts';
import type { Cluster } from './cluster.ts';
import { type Fault, planFaults } from './plan-faults.ts';
import type { Workers } from './workers.ts';

export interface FaultCounts extends Record<string, number> {
  kills: number;
  'stops of a worker': number;
  'restarts of Kafka': number;
  'outages of the registry': number;
  'outages of ClickHouse': number;
}

/** One after the other; resolves when all are over. */
export async function runFaults(deps: {
  readonly cluster: Cluster;
  readonly workers: Workers;
  readonly random: Random;
  readonly kills: number;
  readonly onMoment: (text: string) => void;
}): Promise<FaultCounts> {
  const { cluster, workers, onMoment } = deps;
  const counts: FaultCounts = {
    kills: 0,
    'stops of a worker': 0,
    'restarts of Kafka': 0,
    'outages of the registry': 0,
    'outages of ClickHouse': 0,
  };

  async function happen(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        counts.kills += 1;
        onMoment(`worker ${fault.worker} is killed`);
        return workers.kill(fault.worker);
      case 'stop':
        counts['stops of a worker'] += 1;
        onMoment(`worker ${fault.worker} is stopped for ${fault.forMs} ms`);
        workers.signal(fault.worker, 'SIGSTOP');
        await sleep(fault.forMs);
        return workers.signal(fault.worker, 'SIGCONT');
      case 'broker':
        counts['restarts of Kafka'] += 1;
        onMoment(`Kafka ${fault.hard ? 'is killed' : 'ends'}, and is started again`);
        await cluster.stopKafka(fault.hard);
        return cluster.startKafka();
      case 'registry':
        counts['outages of the registry'] += 1;
        onMoment(`the registry is gone for ${fault.forMs} ms`);
        await cluster.stopRegistry();
        await sleep(fault.forMs);
        return cluster.startRegistry();
      case 'front':
        counts['outages of ClickHouse'] += 1;
        onMoment(`ClickHouse is killed, and gone for ${fault.forMs} ms`);
        await cluster.stopFront();
        await sleep(fault.forMs);
        return cluster.startFront();
    }
  }

  for (const fault of planFaults(deps.random, deps.kills, workers.count)) {
    await sleep(fault.afterMs);
    await happen(fault);
  }
  return counts;
}
