import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runReplayChaos } from '../chaos/replay/run-replay-chaos.ts';
import { startFront } from '../clickhouse-front/start-front.ts';

/** Fewer kills than test/chaos/replay-chaos.ts, each time at other moments: the seed is among the figures where it fails. */
it('a replay is killed while it scores and while it emits: each group is trained once, whole, by the right verifier', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-replay-kills-'));
  const front = await startFront({ writable: true });
  onTestFinished(async () => {
    await front.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const { kafka: brokers, registry: registryUrl } = inject('services');
  const moments: string[] = [];
  const { wrong, figures } = await runReplayChaos({
    services: { brokers, registryUrl, clickhouseUrl: front.url },
    ...{ folder, prefix: `replay-${randomUUID()}.`, runNames: 'sums-', runs: 4, groups: 12 },
    ...{ kills: { scoring: 2, emitting: 4 }, seed: String(Date.now()), say: (text) => moments.push(text) },
  });
  expect(wrong, [...figures, ...moments].join('\n')).toEqual([]);
}, 600_000);
