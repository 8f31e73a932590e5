import { expect, it } from 'vitest';
import { judgeWeights } from '../../../../../src/conform/report/judges/weights.ts';
import { call, judged, record, recordedCall } from '../hand-made.ts';

const changed = call({ weightSpans: [7, 8].map((version, start) => ({ start, version: String(version) })) });
const held = (...spans: ReadonlyArray<readonly [number, string]>) => {
  const weightSpans = spans.map(([start, version]) => ({ start, version }));
  return record('task_complete', 'completion', [recordedCall({ completionIds: [10, 99], weightSpans })]);
};

it('versions that changed in the middle of an answer are faithful where each token keeps its own', () => {
  expect(judged(judgeWeights, [changed], held([0, '7'], [1, '8']))).toEqual(['faithful']);
});

it('they are laundered where they are lost, flattened, or others', () => {
  expect(judged(judgeWeights, [changed], held())).toEqual(['laundered versions_lost']);
  expect(judged(judgeWeights, [changed], held([0, '8']))).toEqual(['laundered versions_flattened']);
  expect(judged(judgeWeights, [changed], held([0, '7'], [2, '8']))).toEqual(['laundered other_versions']);
});

it('they are not observable without a record: no prompt shows them', () => {
  expect(judged(judgeWeights, [changed])).toEqual(['not_observable']);
  expect(judged(judgeWeights, [call()], held([0, '1']))).toEqual([]);
  // Of the other routes, answers have one version at most.
  expect(judged(judgeWeights, [{ ...changed, route: 'chat' }], held([0, '8']))).toEqual(['not_observable']);
});
