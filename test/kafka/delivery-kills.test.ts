import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runDeliveryChaos } from '../chaos/delivery/run-delivery-chaos.ts';
import { startFront } from '../clickhouse-front/start-front.ts';

/** Fewer kills than test/chaos/delivery-chaos.ts, each time at other moments: the seed is among the figures where it fails. */
it('whoever grants and whoever trains is killed: the weights hold each trajectory once, as it was sent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-delivery-kills-'));
  const front = await startFront({ writable: true });
  onTestFinished(async () => {
    await front.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const { kafka: brokers, registry: registryUrl } = inject('services');
  const moments: string[] = [];
  const { wrong, figures } = await runDeliveryChaos({
    services: { brokers, registryUrl, clickhouseUrl: front.url },
    ...{ folder, prefix: `kills-${randomUUID()}.`, kills: 4, seed: String(Date.now()), rate: 80 },
    say: (text) => moments.push(text),
  });
  expect(wrong, [...figures, ...moments].join('\n')).toEqual([]);
}, 600_000);
