import { expect, it } from 'vitest';
import { RollstreamError } from '../../../src/errors.ts';
import { readReplayRequest } from '../../../src/rescore/read-replay-request.ts';
import { replayRequestJson } from '../../../src/rescore/replay-request-json.ts';

const read = (body: Record<string, unknown>) => readReplayRequest({ replay_id: 'r1', ...body });

it('takes what the command line takes when all but the id is left out', () => {
  expect(read({})).toEqual({
    ...{ replayId: 'r1', runs: [], from: null, to: null, where: null, policy: null, taxonomy: null, audits: false },
    ...{ source: 'store', save: false, emit: null, label: '', late: 'use', against: '', withVerdicts: false },
  });
});

it('reads a request back as it was, through JSON', () => {
  const request = read({
    ...{ runs: ['a', 'b'], from: { partition: 2, offset: 0 }, to: { offset: 70 }, where: "category = 'infra'" },
    ...{ policy: { text: 'name: x', name: 'x.yaml' }, taxonomy: { text: 'codes: {}' }, audits: true, source: 'log' },
    ...{ save: true, emit: { topic: 'again', again: true, stale: 'emit', unchanged: 'emit' }, label: 'ü' },
    ...{ late: 'ignore', against: 'r0', with_verdicts: true },
  });
  const again: Record<string, unknown> = JSON.parse(JSON.stringify(replayRequestJson(request)));
  expect(readReplayRequest(again)).toEqual(request);
  expect(request.emit).toEqual({ topic: 'again', again: true, stale: 'emit', unchanged: 'emit' });
  expect(request.taxonomy).toEqual({ text: 'codes: {}', where: 'the taxonomy' });
});

it('compares places only where they can be compared', () => {
  expect(() => read({ from: { offset: 9 }, to: { at_ms: 1 } })).not.toThrow();
  expect(() => read({ from: { partition: 0, offset: 9 }, to: { partition: 1, offset: 1 } })).not.toThrow();
  expect(() => read({ from: { offset: 9 }, to: { offset: 9 } })).not.toThrow();
});

it.each<[string, Record<string, unknown>]>([
  ['polcy', { polcy: null }],
  ['replay_id', { replay_id: '../x' }],
  ['replay_id', { replay_id: 7 }],
  ['replay_id', { replay_id: 'x'.repeat(101) }],
  ['runs', { runs: 'a' }],
  ['runs', { runs: Array.from({ length: 1_001 }, () => 'a') }],
  ['runs[1]', { runs: ['a', 1] }],
  ['runs[0]', { runs: [''] }],
  ['runs[0]', { runs: ['\ud800'] }],
  ['from', { from: 3 }],
  ['from.offset', { from: { offset: -1 } }],
  ['from.offset', { from: { offset: 1.5 } }],
  ['from.offset', { from: { offset: '7' } }],
  ['from.offset', { from: { partition: 0 } }],
  ['from.partition', { from: { partition: -1, offset: 0 } }],
  ['from.partition', { from: { partition: 1024, offset: 0 } }],
  ['from.at', { from: { at: 'now' } }],
  ['from.at_ms', { from: { at_ms: 1e300 } }],
  ['from', { from: { at_ms: 1, offset: 1 } }],
  ['to', { from: { offset: 9 }, to: { offset: 8 } }],
  ['to', { from: { partition: 1, offset: 9 }, to: { offset: 8 } }],
  ['to', { from: { at_ms: 9 }, to: { at_ms: 8 } }],
  ['where', { where: 7 }],
  ['where', { where: 'x'.repeat(10_001) }],
  ['policy', { policy: 'strict' }],
  ['policy.text', { policy: {} }],
  ['policy.text', { policy: { text: 'x'.repeat(1_000_001) } }],
  ['policy.path', { policy: { path: '/etc/passwd' } }],
  ['taxonomy.name', { taxonomy: { text: '', name: 7 } }],
  ['audits', { audits: 1 }],
  ['source', { source: 'kafka' }],
  ['save', { save: 'yes' }],
  ['emit', { emit: {} }],
  ['emit', { save: true, emit: 'ready' }],
  ['emit.topic', { save: true, emit: { topic: 'a b' } }],
  ['emit.topic', { save: true, emit: { topic: '' } }],
  ['emit.again', { save: true, emit: { again: 'yes' } }],
  ['emit.stale', { save: true, emit: { stale: 'keep' } }],
  ['emit.unchanged', { save: true, emit: { unchanged: 'keep' } }],
  ['emit.gate', { save: true, emit: { gate: 'open' } }],
  ['label', { label: 'x'.repeat(201) }],
  ['label', { label: '\udfff' }],
  ['late', { late: 'both' }],
  ['against', { against: 'r1' }],
  ['against', { against: "' OR 1" }],
  ['with_verdicts', { with_verdicts: 'all' }],
])('names %s where it is wrong: %j', (field, body) => {
  let thrown: unknown;
  try {
    read(body);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(RollstreamError);
  expect(thrown).toMatchObject({ code: 'RS_USAGE', facts: { field } });
  expect(String(thrown)).toContain(field);
});
