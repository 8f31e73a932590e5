import { expect, it } from 'vitest';
import { judgeRefusals } from '../../../../../src/conform/report/judges/refusals.ts';
import { again, call, following, judged, record } from '../hand-made.ts';

const refused = call({
  status: 429,
  completionIds: [],
  logprobs: [],
  rawText: '',
  finishReason: null,
  weightSpans: [],
});
const answered = { ...call(), call: 1, attempt: 1 };

it('an engine that was too busy is faithful where it was asked again until it answered', () => {
  expect(judged(judgeRefusals, [refused, again(refused, { call: 1, status: 503 }), { ...answered, call: 2 }])).toEqual([
    'faithful',
  ]);
});

it('it is laundered where the refusal became a turn, a finish or a failure of the policy', () => {
  expect(judged(judgeRefusals, [refused, following(refused, 'x')])).toEqual(['laundered refusal_as_turn']);
  expect(judged(judgeRefusals, [refused], record('task_complete', 'completion'))).toEqual([
    'laundered refusal_as_finish',
  ]);
  expect(judged(judgeRefusals, [refused], record('unclassified_error', 'unknown'))).toEqual([
    'laundered refusal_as_failure',
  ]);
});

it('it is faithful where the record names it, in its word or in its detail', () => {
  expect(judged(judgeRefusals, [refused], record('throttled', 'infra_fault'))).toEqual(['faithful']);
  const named = record('unclassified_error', 'unknown');
  const ending = { raw: 'error', system: 's', category: 'unknown', detail: 'HTTP 429: too many requests' };
  expect(judged(judgeRefusals, [refused], { ...named, ending })).toEqual(['faithful']);
});

it('it is not observable where nobody says how it ended', () => {
  expect(judged(judgeRefusals, [refused])).toEqual(['not_observable']);
});
