import { concatAll, Subject } from 'rxjs';
import { createAssemble } from '../../processors/assemble/assemble.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import type { Decoded } from '../../processors/model/record.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { shippedDocuments } from './shipped-documents.ts';

/** Opens groups whose members have all started, and prints what the heap holds of them. */
const [groups = 0, members = 0] = process.argv.slice(2).map(Number);

const codecs = createCodecs({ register: async () => 1, schemaOf: async () => stepEventSchema });
const encode = await codecs.encoderOf<StepEventInit>('steps-value', stepEventSchema);
await codecs.prepare([1]);
const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
const { inForce } = shippedDocuments();
const state = createLaneState({ topic: 'steps', partition: 0, restored: 0, starts: new Set(), inForce });
const batches = new Subject<readonly Decoded[]>();
batches.pipe(createAssemble(state, { reorderEvents: 256, watch: () => undefined }), concatAll()).subscribe();

const before = heapUsed();
let offset = 0;
for (let group = 0; group < groups; group++) {
  batches.next(Array.from({ length: members }, (_, member) => started(group, member)));
  state.opened.length = 0;
  state.effects.rows.steps.length = 0;
  state.effects.rows.attempts.length = 0;
}
if (state.openAttempts !== groups * members) throw new Error(`${state.openAttempts} are open`);
process.stdout.write(String(heapUsed() - before));

function started(group: number, member: number): Decoded {
  const result = decode(
    encode({
      ...{ run_id: 'bench', env_name: 'sums', task_id: `task-${group}`, group_id: `group-${group}` },
      ...{ group_size: members, rollout_id: `rollout-${group}-${member}`, producer_id: 'bench' },
      ...{ source: { format: 'rollstream' }, kind: 'start', seq: 0, event_id: `${group}-${member}`, start: {} },
    }),
  );
  if (result.kind !== 'ok') throw new Error('the event cannot be read');
  return { unit: unitOf(result.value), event: result.value, cause: { offset: offset++, appendedAtMs: offset } };
}

function heapUsed(): number {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
