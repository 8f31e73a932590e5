import type { Schema } from 'avsc';
import { describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { frame } from '../../../processors/decode/wire-format.ts';
import type { Outcome } from '../../../processors/model/outcome.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { RollstreamError } from '../../../src/errors.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import type { Registry } from '../../../src/registry/port.ts';

const SUBJECT = 'rollout.steps-value';
const event: StepEventInit = {
  run_id: 'run',
  env_name: 'env',
  task_id: 'task',
  rollout_id: 'rollout',
  event_id: 'event',
  producer_id: 'test',
  kind: 'end',
  source: { format: 'test' },
  end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] },
};

/** Ids by hand, and how often each was asked for. */
function registryOf(schemas: Record<number, Schema>): Registry & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    async register(_subject, schema) {
      const id = Object.keys(schemas).length + 1;
      schemas[id] = schema;
      return id;
    },
    async schemaOf(id) {
      asked.push(id);
      return schemas[id] ?? null;
    },
  };
}

async function decodeOne<T>(registry: Registry, schema: Schema, record: Buffer, id = 1): Promise<Outcome<T>> {
  const codecs = createCodecs(registry);
  await codecs.prepare([id]);
  return codecs.decoderOf<T>(schema)(record);
}

const parsed = (): { fields: { name: string; type: unknown; default?: unknown }[] } =>
  JSON.parse(JSON.stringify(stepEventSchema));
const changed = (change: (schema: ReturnType<typeof parsed>) => void): Schema => {
  const schema = parsed();
  change(schema);
  return JSON.parse(JSON.stringify(schema));
};

describe('a value', () => {
  it('comes back with its defaults filled in', async () => {
    const registry = registryOf({});
    const record = (await createCodecs(registry).encoderOf<StepEventInit>(SUBJECT, stepEventSchema))(event);
    expect(await decodeOne<StepEvent>(registry, stepEventSchema, record)).toMatchObject({
      kind: 'ok',
      value: { ...event, purpose: 'train', epoch: 0, segment_id: 'main', seq: null, model_call: null },
    });
  });

  it('that does not fit its schema is refused with the field named', async () => {
    const encode = await createCodecs(registryOf({})).encoderOf<unknown>(SUBJECT, stepEventSchema);
    const wrong = { ...event, end: { reasons: [{ raw: 7, system: 'x' }] } };
    const refusal = expect.objectContaining({ code: 'RS_INPUT_REFUSED', facts: { field: 'end.reasons.0.raw' } });
    expect(() => encode(wrong)).toThrow(refusal);
    expect(() => encode(wrong)).toThrow('io.rollstream.v1.StepEvent.end.reasons.0.raw: not of type "string"');
    expect(() => encode({ ...event, seq: 2 ** 31 })).toThrow('StepEvent.seq');
  });
});

describe('another version', () => {
  it('one ahead is read: a field and a symbol that this build does not know', async () => {
    const ahead = changed((schema) => {
      schema.fields.splice(3, 0, { name: 'colour', type: ['null', 'string'], default: null });
      const kind = schema.fields.find((field) => field.name === 'kind');
      if (kind) kind.type = { type: 'enum', name: 'EventKind', symbols: ['start', 'tea_break'], default: 'start' };
    });
    const record = frame(1, avroTypeOf(ahead), { ...event, colour: 'blue', kind: 'tea_break' });
    const outcome = await decodeOne<StepEvent>(registryOf({ 1: ahead }), stepEventSchema, record);
    expect(outcome).toMatchObject({ kind: 'ok', value: { kind: 'unknown', task_id: 'task', end: event.end } });
    expect(outcome).not.toHaveProperty('value.colour');
  });

  it('one behind is read: the field it lacks has its default', async () => {
    const behind = changed((schema) => {
      schema.fields = schema.fields.filter((field) => field.name !== 'epoch');
    });
    const record = frame(1, avroTypeOf(behind), event);
    expect(await decodeOne<StepEvent>(registryOf({ 1: behind }), stepEventSchema, record)).toMatchObject({
      kind: 'ok',
      value: { epoch: 0, rollout_id: 'rollout' },
    });
  });
});

describe('what cannot be read is a fault, never an exception', () => {
  const type = avroTypeOf(stepEventSchema);
  const good = frame(1, type, event);
  const registry = () => registryOf({ 1: stepEventSchema });

  it('an empty value', async () => {
    const outcome = await decodeOne(registry(), stepEventSchema, Buffer.alloc(0));
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'too_short', got: '0 bytes' } });
  });

  it('JSON', async () => {
    const outcome = await decodeOne(registry(), stepEventSchema, Buffer.from('{"run_id": 1}'));
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'bad_magic', got: '123' } });
  });

  it('an id that nobody registered', async () => {
    const outcome = await decodeOne(registry(), stepEventSchema, frame(77, type, event), 77);
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'unknown_schema', got: '77' } });
  });

  it('a record cut anywhere', async () => {
    const codecs = createCodecs(registry());
    await codecs.prepare([1]);
    const decode = codecs.decoderOf(stepEventSchema);
    for (let length = 5; length < good.length; length++) {
      expect(decode(good.subarray(0, length))).toMatchObject({ kind: 'dead_letter', fault: { stage: 'decode' } });
    }
    expect(decode(good.subarray(0, good.length - 1))).toMatchObject({ fault: { code: 'truncated' } });
  });

  it('trailing bytes', async () => {
    const outcome = await decodeOne(registry(), stepEventSchema, Buffer.concat([good, Buffer.from([0])]));
    expect(outcome).toMatchObject({
      kind: 'dead_letter',
      fault: { code: 'trailing_bytes', expected: `${good.length} bytes`, got: `${good.length + 1} bytes` },
    });
  });

  it('a symbol that the writer does not have', async () => {
    const broken = Buffer.from(good);
    // run_id "run" is 4 bytes after the header; the purpose follows it.
    broken[9] = 0x7e;
    const outcome = await decodeOne(registry(), stepEventSchema, broken);
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'undecodable' } });
  });

  it('another record', async () => {
    const other: Schema = { type: 'record', name: 'Other', fields: [{ name: 'run_id', type: 'string' }] };
    const outcome = await decodeOne(
      registryOf({ 1: other }),
      stepEventSchema,
      frame(1, avroTypeOf(other), { run_id: '' }),
    );
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'incompatible_schema' } });
  });

  it('what is registered but no schema', async () => {
    const outcome = await decodeOne(registryOf({ 1: 'nonsense' }), stepEventSchema, good);
    expect(outcome).toMatchObject({ kind: 'dead_letter', fault: { code: 'unusable_schema' } });
  });
});

describe('the registry', () => {
  it('is asked once for an id, by however many batches at once', async () => {
    const registry = registryOf({ 1: stepEventSchema });
    const codecs = createCodecs(registry);
    await Promise.all([codecs.prepare([1, 1, 2]), codecs.prepare([2, 1])]);
    await codecs.prepare([1, 2]);
    expect(registry.asked).toEqual([1, 2]);
  });

  it('is asked again for an unknown id after a while: somebody may have registered it', async () => {
    const schemas: Record<number, Schema> = {};
    const registry = registryOf(schemas);
    let now = 0;
    const codecs = createCodecs(registry, { now: () => now, unknownForMs: 1_000 });
    const decode = codecs.decoderOf(stepEventSchema);
    const record = frame(1, avroTypeOf(stepEventSchema), event);
    await codecs.prepare([1]);
    expect(decode(record)).toMatchObject({ kind: 'dead_letter' });
    schemas[1] = stepEventSchema;
    now = 999;
    await codecs.prepare([1]);
    expect(decode(record)).toMatchObject({ kind: 'dead_letter' });
    now = 1_000;
    await codecs.prepare([1]);
    expect(decode(record)).toMatchObject({ kind: 'ok' });
  });

  it('that is down is an outage: prepare rejects, nothing is called unknown, the next try asks again', async () => {
    const down = new RollstreamError('RS_REGISTRY_UNREACHABLE', 'connection refused');
    let reachable = false;
    const codecs = createCodecs({
      register: async () => 1,
      schemaOf: async () => {
        if (!reachable) throw down;
        return stepEventSchema;
      },
    });
    const record = frame(1, avroTypeOf(stepEventSchema), event);
    const decode = codecs.decoderOf(stepEventSchema);
    await expect(codecs.prepare([1])).rejects.toBe(down);
    expect(() => decode(record)).toThrow('schema 1 was not loaded');
    reachable = true;
    await codecs.prepare([1]);
    expect(decode(record)).toMatchObject({ kind: 'ok' });
  });
});
