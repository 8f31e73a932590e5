import { expect, test } from 'vitest';
import { verifiers } from '../../src/ingest/importers/verifiers.ts';
import { verifiersV1 } from '../../src/ingest/importers/verifiers-v1.ts';
import { findPython } from '../python-with.ts';
import { firstRow, middleRow, row } from '../src/ingest/importers/verifiers-rows.ts';
import { assistant, episode, lineOfNodes, node, trace, user } from '../src/ingest/importers/verifiers-v1-lines.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = (await findPython()) ?? 'python3';

const rows = [
  ...[row(), row({ reward: 0 }), row({ reward: 0, metrics: {} }), row({ reward: null }), firstRow(), middleRow()],
  row({ reward: 0, error: { error: 'ModelError', message: 'down' }, completion: null }),
];

test('events of results hold what their rows hold, counted by Python', async () => {
  const counted = await countedBy(python, 'verifiers_counts.py', rows);
  expect(counted).toEqual({ rollouts: 7, model_calls: 11, tool_results: 5, rewards: [0, 0.5, 0.75, 1.25] });
  expect(await countsOf(verifiers, rows)).toEqual(counted);
});

const branched = [
  ...lineOfNodes(),
  node(3, user('again'), [9]),
  node(5, assistant('no'), [5, 16], 1),
  node(null, { role: 'tool', tool_call_id: 'x', content: 'given' }, [7]),
];
const error = { type: 'ProviderError', message: 'busy' };
const episodes = [
  episode({ traces: [trace(), trace({ id: 'b', nodes: branched, calls: [{ error }], rewards: { a: null } })] }),
  episode({ traces: [trace({ id: 'c', ok: false, errors: [error], stop_condition: 'provider_error' })] }),
  episode({ traces: [trace({ id: 'd', rewards: { a: { score: 0 }, b: { score: -1, weight: 0.5 } } })] }),
];

test('events of traces hold what their nodes hold, counted by Python', async () => {
  const counted = await countedBy(python, 'verifiers_counts.py', episodes);
  expect(counted).toEqual({ rollouts: 4, model_calls: 10, tool_results: 4, rewards: [-0.5, 0, 0.5, 0.5] });
  expect(await countsOf(verifiersV1, episodes)).toEqual(counted);
});
