import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { wholeEvent } from '../../../src/audit/whole-event.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { importerNamed } from '../../../src/ingest/importers.ts';
import { readLines } from '../../../src/ingest/line-reader.ts';
import { readRecord } from '../../../src/ingest/read-record.ts';
import { CONTEXT } from '../ingest/importers/imported.ts';

const type = avroTypeOf(stepEventSchema);
const decoded = (init: StepEventInit): unknown => type.fromBuffer(type.toBuffer(init));
/** avsc's records have a class of their own. */
const plain = (value: unknown): unknown => structuredClone(value);

const EXAMPLES = [
  ['strands-env', 'calculator-strands/results.jsonl'],
  ['strands-env', 'recipe-strands/results.jsonl'],
  ['nemo-gym', 'kv-nemo/rollouts.jsonl'],
  ['nemo-gym', 'kv-nemo/rollouts_failures.jsonl'],
  ['rollstream', 'files-events/steps.jsonl'],
  ['rollstream', 'calculator-eval/steps.jsonl'],
] as const;

it.each(EXAMPLES)('%s, %s: an event is what encoding and decoding it would give', async (format, path) => {
  const bytes = await readFile(packageFile('examples/rollouts', path));
  const map = importerNamed(format)?.open(CONTEXT);
  let compared = 0;
  for await (const line of readLines(once(bytes))) {
    const record = readRecord(line);
    if ('refused' in record) continue;
    const { sha256 } = line;
    const mapped = map?.take({ ...record, sha256, location: `${path}:${line.number}` });
    if (mapped === undefined || 'refused' in mapped) continue;
    for (const init of mapped.events) {
      expect(plain(wholeEvent(init))).toEqual(plain(decoded(init)));
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(2);
});

it('fills what an event leaves out as the schema says', () => {
  const base = {
    ...{ run_id: 'r', env_name: 'e', task_id: 't', rollout_id: 'x', event_id: 'i', producer_id: 'p' },
    source: { format: 'test' },
  };
  const bodies: Partial<StepEventInit>[] = [
    { kind: 'start', start: { sampling: {}, limits: {}, seeds: { task: 7 } } },
    { kind: 'model_call', model_call: { call_id: 'c', usage: {}, sampling: { top_k: 5 }, error: {} } },
    {
      kind: 'model_call',
      model_call: {
        ...{ call_id: 'c', tool_calls: [{ call_id: 'a' }], aux_ref: { name: 'n', uri: 'u' } },
        ...{ completion_ids: Buffer.from([1, 0, 0, 0]), weight_spans: [{ start: 0, version: 'v' }] },
      },
    },
    { kind: 'message', message: { role: 'user', parts_json: '"half \ud83c"' } },
    { kind: 'tool_result', tool_result: { call_id: 'c', error: { type: 'E' } } },
    { kind: 'phase', phase: { phase: 'cleanup', error: { message: 'm' } } },
    { kind: 'verdict', verdict: { scorer: 's', status: 'scored', rewards: { a: Number.NaN, b: null } } },
    { kind: 'end', end: { reasons: [{ raw: 'x', system: 'y' }], limit: { kind: 'turns' }, exception: {} } },
  ];
  for (const body of bodies) {
    const init: StepEventInit = { ...base, kind: 'start', ...body };
    expect(plain(wholeEvent(init))).toEqual(plain(decoded(init)));
  }
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
