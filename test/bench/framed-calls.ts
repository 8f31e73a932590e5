import type { Schema } from 'avsc';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { type Codecs, createCodecs, type Encode } from '../../src/registry/codecs.ts';
import { createSampleSteps } from './sample-steps.ts';

export interface FramedCalls {
  readonly codecs: Codecs;
  readonly encode: Encode<StepEventInit>;
  readonly events: readonly StepEventInit[];
  readonly framed: readonly Buffer[];
  /** Of one record, on average. */
  readonly bytes: number;
}

/** Model calls of 512 tokens and about 2 KB of text: 6.5 KB each, schema id 1. */
export async function framedCalls(count: number): Promise<FramedCalls> {
  const codecs = createCodecs({ register: async () => 1, schemaOf: async (): Promise<Schema> => stepEventSchema });
  const encode = await codecs.encoderOf<StepEventInit>('steps-value', stepEventSchema);
  const next = createSampleSteps('codec', { textBytes: 2100 });
  const events: StepEventInit[] = [];
  while (events.length < count) {
    const event = next();
    if (event.kind === 'model_call') events.push(event);
  }
  const framed = events.map(encode);
  const bytes = Math.round(framed.reduce((sum, record) => sum + record.length, 0) / count);
  return { codecs, encode, events, framed, bytes };
}
