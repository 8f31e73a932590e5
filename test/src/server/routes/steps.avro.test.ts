import avsc, { type Schema } from 'avsc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../../../processors/decode/avro-type.ts';
import { type StepEventInit, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { AVRO, type IngestServer, startIngestServer } from '../../ingest/http/ingest-server.ts';

let server: IngestServer;
beforeAll(async () => {
  server = await startIngestServer();
});
afterAll(() => server.stop());

const steps = (body: Buffer, headers: Record<string, string> = AVRO) =>
  server.post('/v1/steps', new Uint8Array(body), headers);

/** A container as another implementation writes it, a few events a block. */
async function containerOf(
  events: readonly unknown[],
  { codec = 'null', schema = stepEventSchema }: { codec?: 'null' | 'deflate'; schema?: Schema } = {},
): Promise<Buffer> {
  const encoder = new avsc.streams.BlockEncoder(avroTypeOf(schema), { codec, blockSize: 256 });
  const parts: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve) => {
    encoder.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
  });
  for (const event of events) encoder.write(event);
  encoder.end();
  return whole;
}

const words = (values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer);
/** Bits of float32, so that none of them is a rounding: among them the smallest, -0 and -infinity. */
const LOGPROB_BITS = [0xbf000000, 0x80000000, 0x80000001, 0xff800000];

function eventsOf(rollout: string): StepEventInit[] {
  const of = {
    run_id: 'avro',
    rollout_id: rollout,
    env_name: 'e',
    task_id: 't',
    producer_id: 'p',
    source: { format: 'test' },
  };
  return [
    { ...of, event_id: `${rollout}-0`, kind: 'start', seq: 0, start: {} },
    {
      ...{ ...of, event_id: `${rollout}-1`, kind: 'model_call', seq: 1 },
      model_call: {
        ...{ call_id: 'c', prompt_delta_ids: words([1, 4_294_967_295]), completion_ids: words([0, 2, 3, 128]) },
        ...{ completion_logprobs: words(LOGPROB_BITS), raw_text: Buffer.from([0xed, 0xa0, 0xbd]) },
      },
    },
    {
      ...of,
      event_id: `${rollout}-2`,
      kind: 'end',
      seq: 2,
      end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] },
    },
  ];
}

describe('events in an Avro container', () => {
  it('come out of the table bit by bit as they went in', async () => {
    expect(await steps(await containerOf(eventsOf('bits')))).toMatchObject({
      status: 200,
      body: { accepted: 3, refused: [] },
    });
    const [row] = await server.query(
      `SELECT completion_ids AS ids, arrayMap(x -> reinterpretAsUInt32(x), completion_logprobs) AS logprobs, hex(text) AS raw_text
       FROM rollstream.steps FINAL WHERE rollout_id = 'bits' AND kind = 'model_call'`,
    );
    expect(row).toEqual({ ids: [0, 2, 3, 128], logprobs: LOGPROB_BITS, raw_text: 'EDA0BD' });
  });

  it('that are not sound are named among the others', async () => {
    const [start, call, end] = eventsOf('mixed');
    const body = await containerOf([
      start,
      { ...call, run_id: '' },
      call,
      { ...start, event_id: 'x', kind: 'control', start: null, seq: null, control: { type: 'unknown' } },
      end,
    ]);
    expect(await steps(body)).toMatchObject({
      status: 200,
      body: {
        accepted: 3,
        refused: [
          { index: 1, field: 'run_id', expected: 'an id', got: 'empty text' },
          { index: 3, field: 'kind', got: 'control' },
        ],
      },
    });
  });

  it('of an older schema get the defaults of the fields it lacks', async () => {
    const later = ['extra_json', 'duration_us'];
    const schema: Schema = JSON.parse(JSON.stringify(stepEventSchema), (key, value) =>
      key === 'fields' ? value.filter(({ name }: { name: string }) => !later.includes(name)) : value,
    );
    expect(await steps(await containerOf(eventsOf('older'), { schema }))).toMatchObject({
      status: 200,
      body: { accepted: 3 },
    });
    const rows = await server.query("SELECT duration_us FROM rollstream.steps FINAL WHERE rollout_id = 'older'");
    expect(rows).toEqual([{ duration_us: null }, { duration_us: null }, { duration_us: null }]);
  });
});

describe('a container is refused', () => {
  it('with a codec, and told what to do instead', async () => {
    const { status, body } = await steps(await containerOf(eventsOf('packed'), { codec: 'deflate' }));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { field: 'avro.codec', message: expect.stringContaining('content-encoding gzip') },
      accepted: 0,
    });
  });

  it.each([
    ['that is not of step events', { type: 'record', name: 'Other', fields: [{ name: 'run_id', type: 'string' }] }],
    [
      'that lacks what an event needs',
      { type: 'record', name: 'StepEvent', namespace: 'io.rollstream.v1', fields: [] },
    ],
  ] as const)('with a schema %s', async (_, schema) => {
    const { status, body } = await steps(
      await containerOf([{ run_id: 'x' }], { schema: JSON.parse(JSON.stringify(schema)) }),
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'RS_USAGE', field: 'avro.schema' }, accepted: 0 });
    expect(body.error?.message).toContain('io.rollstream.v1.StepEvent');
  });
});

describe('of a damaged container what came before stands', () => {
  const many = Array.from({ length: 20 }, (_, n) => eventsOf(`damaged-${n}`)).flat();

  it('where it is cut', async () => {
    const whole = await containerOf(many);
    const { status, body } = await steps(whole.subarray(0, -30));
    expect(status).toBe(400);
    expect(body.error?.message).toMatch(/^the Avro container is cut short; nothing was read from record \d+ on$/);
    expect(body.accepted).toBe(body.error?.record);
    expect(body.accepted).toBeGreaterThan(50);
  });

  it('where a byte of a block is another', async () => {
    const whole = await containerOf(many);
    // The sync marker ends the file; the byte before it belongs to the last block.
    const last = whole.length - 17;
    const damaged = Buffer.from(whole);
    damaged[last] = 0x7f;
    const { status, body } = await steps(damaged);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'RS_USAGE', record: body.accepted });
  });
});
