import { createHash } from 'node:crypto';
import type { Type } from 'avsc';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { eventFault } from '../../../processors/decode/event-faults.ts';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import { RollstreamError } from '../../errors.ts';
import { type AvroBlock, readAvroContainer } from './avro-container.ts';
import { BodyFault, type ReadStep } from './read-step.ts';
import { type StepEncoder, stepEventType } from './step-encoder.ts';

/** How to read what a writer wrote. */
interface Writer {
  /** undefined: it wrote the very schema. */
  readonly resolver: ReturnType<Type['createResolver']> | undefined;
}

/** Producers of one version write one schema; a few versions live beside each other. */
const WRITERS_KEPT = 16;
const writers = new Map<string, Writer>();

/** The events of an Avro object container file. Those of the newest schema go onto the log byte for byte. */
export async function* readAvroSteps(chunks: AsyncIterable<Buffer>, encoder: StepEncoder): AsyncGenerator<ReadStep> {
  const { schemaText, blocks } = await readAvroContainer(chunks);
  const writer = writerOf(schemaText);
  for await (const block of blocks) yield* eventsOf(block, writer, encoder);
}

function* eventsOf({ count, bytes }: AvroBlock, { resolver }: Writer, encoder: StepEncoder): Generator<ReadStep> {
  let from = 0;
  for (let n = 0; n < count; n++) {
    const { value, offset } = decodeAt(bytes, from, resolver);
    const avro = bytes.subarray(from, offset);
    from = offset;
    const source = { bytes: avro, sha256: sha256(avro), length: avro.length };
    const refused = refusalOf(value);
    const run = value.run_id;
    if (refused !== null) yield { source, run, refused };
    else {
      const record = resolver === undefined ? encoder.recordOfBytes(value, avro) : encoder.recordOf(value);
      yield { source, run, record };
    }
  }
  if (from < bytes.length)
    throw new BodyFault(`a block of the Avro container has ${bytes.length - from} bytes too many`);
}

/** Where one value cannot be read, nobody knows where the next begins. */
function decodeAt(bytes: Buffer, from: number, resolver: Writer['resolver']): { value: StepEvent; offset: number } {
  let decoded: { value: StepEvent; offset: number };
  try {
    decoded = stepEventType.decode(bytes, from, resolver);
  } catch (cause) {
    throw new BodyFault(`a record is no StepEvent: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  if (decoded.offset < 0) throw new BodyFault('a record goes on behind the end of its block');
  return decoded;
}

function refusalOf(event: StepEvent) {
  if (event.kind === 'control') {
    const [expected, got] = ['a kind that producers write', 'control'];
    return { field: 'kind', expected, got, message: `kind: expected ${expected}, got ${got}` };
  }
  const found = eventFault(event);
  if (found?.kind !== 'dead_letter') return null;
  const { field, expected, got } = found.fault;
  return { field, expected, got, message: `${field}: expected ${expected}, got ${got}` };
}

function writerOf(schemaText: string): Writer {
  const known = writers.get(schemaText);
  if (known !== undefined) return known;
  const writer = { resolver: resolverOf(schemaText) };
  if (writers.size >= WRITERS_KEPT) writers.clear();
  writers.set(schemaText, writer);
  return writer;
}

function resolverOf(schemaText: string): Writer['resolver'] {
  try {
    const type = avroTypeOf(JSON.parse(schemaText));
    return stepEventType.equals(type) ? undefined : stepEventType.createResolver(type);
  } catch (cause) {
    const why = (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
    throw new RollstreamError('RS_USAGE', `avro.schema: it cannot be read as io.rollstream.v1.StepEvent: ${why}`, {
      cause,
      facts: { field: 'avro.schema' },
    });
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
