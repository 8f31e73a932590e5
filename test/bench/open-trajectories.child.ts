import { createStreamAudits } from '../../processors/audit/stream-audits.ts';
import { takeCut } from '../../processors/cut/cut.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { createPipeline } from '../../processors/pipeline.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { createSampleSteps, TOKENS } from './sample-steps.ts';
import { shippedDocuments } from './shipped-documents.ts';

/** Opens trajectories of a start and four calls of 512 tokens, through the pipeline from bytes on, and prints what they hold. */
const trajectories = Number(process.argv[2]);
const CALLS = 4;
const BATCH = 200;
const EVENTS_A_CUT = 20_000;

const codecs = createCodecs({ register: async () => 1, schemaOf: async () => stepEventSchema });
const encode = await codecs.encoderOf<StepEventInit>('steps-value', stepEventSchema);
await codecs.prepare([1]);
const documents = shippedDocuments();
const state = createLaneState({
  ...{ topic: 'steps', partition: 0, restored: 0, starts: new Set(), inForce: documents.inForce },
});
const pipeline = createPipeline({
  state,
  decodeEvent: codecs.decoderOf<StepEvent>(stepEventSchema),
  partitionOfKey: () => 0,
  documents,
  audits: createStreamAudits(),
  limits: { reorderEvents: 256 },
});
const next = createSampleSteps('memory', { atOnce: trajectories });

const before = measure();
let offset = 0;
let packedBytes = 0;
while (offset < trajectories * (1 + CALLS)) {
  const records = Array.from({ length: BATCH }, () => {
    const event = next();
    packedBytes += event.kind === 'model_call' ? TOKENS * 8 : 0;
    const key = Buffer.from(unitOf({ epoch: 0, group_id: null, ...event }));
    // As a chunk of the log gives it: a part of larger bytes.
    return { partition: 0, offset: offset++, timestampMs: 0, key, value: encode(event), headers: {} };
  });
  pipeline.fold({ records, found: new Map() });
  state.opened.length = 0;
  // A cut names all that is open: as seldom as a flush takes one.
  if (offset % EVENTS_A_CUT === 0) takeCut(state, 1, offset);
}
takeCut(state, 1, offset);
const after = measure();
process.stdout.write(
  JSON.stringify({
    trajectories: state.openAttempts,
    packedBytes,
    heapBytes: after.heap - before.heap,
    bufferBytes: after.buffers - before.buffers,
    residentBytes: after.resident - before.resident,
  }),
);

function measure(): { heap: number; buffers: number; resident: number } {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, buffers: external, resident: rss };
}
