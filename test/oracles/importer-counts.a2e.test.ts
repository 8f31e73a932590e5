import { expect, test } from 'vitest';
import { a2e } from '../../src/ingest/importers/a2e.ts';
import { findPython } from '../python-with.ts';
import { createWire, reset, step, wholeEpisode } from '../src/ingest/importers/a2e-wire.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = await findPython();

function lines(): object[] {
  const wire = createWire();
  for (const [i, episode] of ['x', 'y', 'z'].entries()) {
    reset(wire, i, episode);
    step(wire, i + 10, episode, { action_type: 'go', payload: {} }, { reward: i / 4 });
    const req_id = wire.send('tool/call/req', i + 15, { tool_name: 'ls', arguments: {}, episode_id: episode });
    wire.send('tool/call/resp', i + 16, { req_id, data: { success: true, tool_name: 'ls', duration_ms: 1 } });
    step(
      wire,
      i + 20,
      episode,
      { action_type: 'stop', payload: {} },
      { done: true, reward: episode === 'z' ? undefined : 0.5 },
    );
  }
  return [...wire.lines, ...wholeEpisode('whole')];
}

test.runIf(python !== null)('events of A2E hold what its lines hold, counted by Python', async () => {
  const counted = await countedBy(python ?? '', 'a2e_counts.py', lines());
  expect(counted).toEqual({ rollouts: 4, model_calls: 2, tool_results: 11, rewards: [0.5, 0.75, 1] });
  expect(await countsOf(a2e, lines())).toEqual(counted);
});
