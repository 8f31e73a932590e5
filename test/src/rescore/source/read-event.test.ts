import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelCall, StepEvent } from '../../../../schemas/generated/step-event.ts';
import type { BulkReader } from '../../../../src/clickhouse/port.ts';
import { RowBinaryReader } from '../../../../src/clickhouse/row-binary-reader.ts';
import { encodeStepFaults } from '../../../../src/clickhouse/tables/step-faults.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { createEventRows } from '../../../../src/rescore/source/read-event.ts';
import { sampleEvents } from '../../clickhouse/tables/sample-events.ts';
import { sampleStep } from '../../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
let bulk: BulkReader;
beforeAll(async () => {
  temporary = await temporaryStore();
  bulk = await temporary.store.openBulkReader();
});
afterAll(async () => {
  await bulk.close();
  await temporary.remove();
});

const owner = { topic: 'rollout.steps', term: 1 };

async function read(table: string, run: string, withTokens: boolean) {
  const rows = createEventRows({ withTokens });
  const bytes = await bulk.read(
    `SELECT ${rows.select.join(', ')} FROM rollstream.${table} WHERE unit = {unit:String} ORDER BY offset`,
    { unit: run },
  );
  const reader = new RowBinaryReader(bytes);
  const found = [];
  while (!reader.isAtEnd) found.push(rows.read(reader));
  return found;
}

function zeros(bytes: Buffer | null): Buffer | null {
  return bytes === null ? null : Buffer.alloc(bytes.length);
}
/** What is left of an event without tokens, by hand: see createEventRows. */
function lightOf(event: StepEvent): StepEvent {
  const { start, model_call: call, tool_result: result, end, message, phase } = event;
  const isBound = start !== null || end !== null;
  return {
    ...event,
    extra_json: null,
    source: { format: '', version: '', location: null },
    started_at: isBound ? event.started_at : null,
    ended_at: end === null ? null : event.ended_at,
    start: start && { ...start, prompt: null, tools_json: null, weights_version: null },
    model_call: call && {
      ...call,
      model: null,
      replica: null,
      prompt_delta_ids: zeros(call.prompt_delta_ids),
      completion_ids: zeros(call.completion_ids),
      completion_logprobs: zeros(call.completion_logprobs),
      raw_text: null,
      tool_calls: call.tool_calls.map(({ call_id, parse_status }) => ({ ...NO_TOOL_CALL, call_id, parse_status })),
      error: call.error && NO_WORDS,
      ...(isTold(call) ? {} : { sampling: null, usage: null, aux_ref: null }),
    },
    tool_result: result && {
      ...result,
      ...{ name: null, executed_arguments: null, output: null, output_ref: null, error: result.error && NO_WORDS },
    },
    phase: phase && { ...phase, detail: null, error: phase.error && NO_WORDS },
    end: end && { ...end, final_response: null },
    message: message && { role: '', parts_json: '' },
  };
}

/** Whether it was cut off is told by its own limit of tokens, or by what it says it sampled where its ids are not there. */
function isTold(call: ModelCall): boolean {
  return call.completion_ids === null || call.aux_ref !== null || (call.sampling?.max_tokens ?? null) !== null;
}

const NO_WORDS = { type: null, message: null };
const NO_TOOL_CALL = {
  ...{ name: null, arguments_raw: null, arguments_parsed: null },
  ...{ char_start: null, char_end: null, parser: null },
};

describe('an event out of the store', () => {
  it('is the one that was written, whatever its kind: lone surrogates, empty lists, null and absent', async () => {
    const rows = sampleEvents({ count: 600, seed: 11 }).map((event, offset) => ({
      ...{ event: { ...event, rollout_id: `${event.rollout_id}${offset}` }, unit: 'any', partition: 2 },
      ...{ offset: offset + 2 ** 40, cause: offset, appendedAtMs: 1_700_000_000_123 },
    }));
    expect(new Set(rows.map(({ event }) => event.kind)).size).toBe(8);
    await temporary.store.insert(encodeSteps(rows, owner));
    await temporary.store.insert(
      encodeStepFaults(
        rows.map((row) => ({ ...row, reason: 'late', detail: '' })),
        owner,
      ),
    );
    const wanted = rows.map(({ event, unit, offset, appendedAtMs }) => ({
      unit,
      event,
      cause: { offset, appendedAtMs },
    }));
    expect(await read('steps', 'any', true)).toEqual(wanted);
    expect(await read('step_faults', 'any', true)).toEqual(wanted);
    expect(await read('steps', 'any', false)).toEqual(
      wanted.map((record) => ({ ...record, event: lightOf(record.event) })),
    );
  });

  it('keeps numbers that JSON cannot hold apart from texts that say the same', async () => {
    const odd = Number.NEGATIVE_INFINITY;
    const inits: Parameters<typeof sampleStep>[1][] = [
      {
        kind: 'end',
        seq: 3,
        end: { reasons: [], env_reward: Number.NaN, limit: { kind: 'NaN', limit: Number.NaN, used: -0 } },
      },
      {
        kind: 'verdict',
        verdict: {
          ...{ scorer: 'Infinity', scorer_version: '-0', status: 'scored', report_json: 'NaN' },
          rewards: { a: Number.NaN, b: odd, c: null, NaN: -0, d: Number.POSITIVE_INFINITY },
        },
      },
      {
        kind: 'model_call',
        seq: 1,
        model_call: { call_id: 'c', sampling: { temperature: Number.NaN, extra_json: 'NaN' }, usage: {} },
      },
      { kind: 'start', seq: 0, start: { sampling: { top_p: odd }, tokenizer_id: 'Infinity', seeds: { a: 7 } } },
      {
        kind: 'control',
        control: { type: 'deadline', deadline: { name: 'idle', unit: 'NaN', unit_start: 2 ** 50, saw: '-0' } },
      },
    ];
    const rows = inits.map((init, index) => ({ ...sampleStep(index, init), unit: 'odd' }));
    await temporary.store.insert(encodeSteps(rows, owner));
    expect((await read('steps', 'odd', true)).map(({ event }) => event)).toEqual(rows.map(({ event }) => event));
  });

  it('brings back a field that the schema has and no column', async () => {
    const row = sampleStep(1, { kind: 'phase', phase: { phase: 'queue' } });
    const newer = Object.assign({}, row.event.phase, { gained: { later: 1 } });
    await temporary.store.insert(
      encodeSteps([{ ...row, unit: 'newer', event: { ...row.event, phase: newer } }], owner),
    );
    expect((await read('steps', 'newer', true))[0]?.event.phase).toEqual(newer);
  });
});
