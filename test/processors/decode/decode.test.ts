import { describe, expect, it } from 'vitest';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, float32, uint32 } from '../events.ts';
import { createTestLane, rawRecord, recordOf } from '../harness.ts';

const of = attemptOf();
const letterOf = (event: StepEventInit) => {
  const lane = createTestLane();
  const record = recordOf(event, 0);
  lane.foldRecords([record]);
  const [letter] = lane.effects().rows.dead_letters;
  if (letter !== undefined) expect(letter.value).toBe(record.value);
  return letter?.fault.field ?? null;
};
const call = (model_call: Partial<NonNullable<StepEventInit['model_call']>>) =>
  of.call(1, {}, { model_call: { call_id: 'c', ...model_call } });

describe('poison', () => {
  it('goes to dead-letter byte for byte, with its offset, and the lane goes on (cases 117, 119)', () => {
    const lane = createTestLane();
    // 2^53 - 1 as the varint of its zigzag, and the same one bit longer.
    const most =
      recordOf(of.start({ event_id: 'long', duration_us: Number.MAX_SAFE_INTEGER }), 5).value ?? Buffer.alloc(0);
    const at = most.indexOf(Buffer.from('feffffffffffff1f', 'hex')) + 7;
    const beyond = Buffer.from(most);
    beyond[at] = 0x3f;
    const poison = [
      rawRecord(Buffer.from([0, 0, 0, 1, 0, 1]), 1),
      rawRecord(Buffer.from([0x30, 1, 2]), 2),
      rawRecord(Buffer.alloc(0), 3),
      rawRecord(null, 4),
      rawRecord(beyond, 5),
    ];
    lane.foldRecords([
      recordOf(of.start(), 0),
      ...poison,
      ...of
        .whole(1)
        .slice(1)
        .map((event, i) => recordOf(event, 6 + i)),
    ]);
    const { dead_letters, decisions } = lane.effects().rows;
    expect(dead_letters.map(({ offset, value }) => [offset, value.toString('hex')])).toEqual([
      [1, '000000010001'],
      [2, '300102'],
      [3, ''],
      [4, ''],
      [5, beyond.toString('hex')],
    ]);
    expect(lane.effects().records.map(({ topic, offset }) => [topic, offset])).toEqual([
      ['dead_letter', 1],
      ['dead_letter', 2],
      ['dead_letter', 3],
      ['dead_letter', 4],
      ['dead_letter', 5],
      ['ready', 8],
    ]);
    expect(decisions).toHaveLength(1);
  });

  it('is an event under a key that is not its unit’s, and one on a wrong partition, with advice', () => {
    const lane = createTestLane();
    lane.foldRecords([recordOf(of.start(), 0, 'run/0/r/another')]);
    const right = recordOf(of.start(), 1);
    lane.foldRecords([{ ...right, partition: 3 }]);
    const faults = lane.effects().rows.dead_letters.map(({ fault }) => fault);
    expect(faults.map(({ code, expected }) => [code, expected])).toEqual([
      ['wrong_key', 'run/0/r/r'],
      ['wrong_partition', '0, the murmur2 partition of run/0/r/r (with librdkafka set partitioner=murmur2_random)'],
    ]);
  });

  it('names the field', () => {
    expect(letterOf(of.start())).toBeNull();
    expect(letterOf(of.start({ run_id: '' }))).toBe('run_id');
    expect(letterOf(of.start({ event_id: '' }))).toBe('event_id');
    expect(letterOf(of.start({ attempt: -1 }))).toBe('attempt');
    expect(letterOf(of.start({ group_size: 4 }))).toBe('group_id');
    expect(letterOf(of.start({ group_id: 'g', group_size: 0 }))).toBe('group_size');
    expect(letterOf(of.start({ kind: 'unknown' }))).toBe('kind');
    expect(letterOf(of.start({ kind: 'end', seq: 1 }))).toBe('start');
    expect(letterOf(of.start({ seq: 1 }))).toBe('seq');
    expect(letterOf(of.call(0))).toBe('seq');
    expect(letterOf(of.call(1, {}, { seq: null }))).toBe('seq');
    expect(letterOf(of.verdict(1, {}, { seq: 4 }))).toBe('seq');
    expect(letterOf(call({ prompt_prefix_len: -1 }))).toBe('model_call.prompt_prefix_len');
    expect(letterOf(call({ prompt_delta_ids: Buffer.alloc(3) }))).toBe('model_call.prompt_delta_ids');
    expect(letterOf(call({ prompt_delta_ids: uint32([1]) }))).toBe('model_call.completion_ids');
    const tokens = { prompt_delta_ids: uint32([1]), completion_ids: uint32([2, 3]) };
    expect(letterOf(call({ ...tokens, completion_logprobs: float32([0]) }))).toBe('model_call.completion_logprobs');
    for (const starts of [[2], [1, 1], [1, 0], [-1]])
      expect(letterOf(call({ ...tokens, weight_spans: starts.map((start) => ({ start, version: '7' })) }))).toBe(
        'model_call.weight_spans',
      );
  });
});
