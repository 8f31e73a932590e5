import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, idOrNull, objectAt } from '../fields.ts';
import { type Importer, oddities, type ParsedLine, refusable } from '../importer.ts';
import { leftover } from '../json-text.ts';
import { addSlimeEvents } from './slime-events.ts';

const FORMAT = 'slime';
const SAMPLE = 'samples as slime keeps them: tokens, response_length, status';

/** Samples of slime as JSON Lines, one a line or several with the step of the trainer: `{rollout_id, samples: […]}`. */
export const slime: Importer = {
  name: FORMAT,

  detect(first) {
    if (first.some((line) => isSample(line))) return { score: 0.9, why: SAMPLE };
    const isDump = first.some((line) => Array.isArray(line.samples) && line.samples.some(isSample));
    return isDump ? { score: 0.9, why: `documents with ${SAMPLE}` } : null;
  },

  open(context) {
    const lineId = createLineIds();
    return {
      take: (line) =>
        refusable(() => {
          const { samples, ...dump } = line.value;
          // A sample of its own may have any field besides.
          if (samples === undefined || isSample(line.value)) return eventsOf([line.value], null, '', line);
          const list = arrayAt(samples, 'samples').map((sample, i) => objectAt(sample, `samples[${i}]`));
          return eventsOf(list, dump, 'samples', line);
        }),
    };

    function eventsOf(
      samples: readonly JsonObject[],
      dump: JsonObject | null,
      field: string,
      line: ParsedLine,
    ): StepEventInit[] {
      const nameOf = createNames(dump, line.sha256, lineId);
      return samples.flatMap((sample, i) => {
        const path = field === '' ? '' : `${field}[${i}].`;
        const names = nameOf(sample, path);
        const { rolloutId, groupId } = names;
        const identity = attemptIdentity(context, { rolloutId, taskId: groupId, envName: FORMAT, groupId });
        const out = createAttemptEvents(identity, { format: FORMAT, location: line.location }, line.sha256);
        const ofDump = i === 0 ? { ...oddities(line), dump: dump ? leftover(dump, ['rollout_id']) : undefined } : {};
        const extra = { ...ofDump, dump_rollout_id: dump?.rollout_id ?? undefined };
        addSlimeEvents(out, sample, { path, location: line.location }, extra);
        return out.list;
      });
    }
  },
};

function isSample(value: JsonValue): boolean {
  if (!isObject(value) || !Array.isArray(value.tokens)) return false;
  return 'response_length' in value && ('status' in value || 'rollout_log_probs' in value || 'loss_mask' in value);
}

interface SampleNames {
  readonly rolloutId: string;
  readonly groupId: string | null;
}

/**
 * The indices of slime count over a run, but an evaluation begins again at 0, and so does another run in the same folder: a
 * rollout's id holds a part of its record's hash, too, and the step where the dump says it.
 */
function createNames(dump: JsonObject | null, sha256: string, lineId: (sha256: string) => string) {
  const step = dump === null ? null : idOrNull(dump.rollout_id, 'rollout_id');
  const prefix = step === null ? '' : `${step}/`;
  const given = new Map<string, number>();
  return (sample: JsonObject, path: string): SampleNames => {
    const index = idOrNull(sample.index, `${path}index`);
    const group = idOrNull(sample.group_index, `${path}group_index`);
    const groupId = group === null ? null : `${prefix}${group}`;
    const name = index === null ? lineId(sha256) : `${prefix}${index}.${sha256.slice(0, 12)}`;
    const before = given.get(name) ?? 0;
    given.set(name, before + 1);
    // Several samples of one run of the agent may share its index.
    return { rolloutId: before === 0 ? name : `${name}.${before}`, groupId };
  };
}
