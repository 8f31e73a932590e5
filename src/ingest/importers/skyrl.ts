import { createHash } from 'node:crypto';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import type { JsonObject } from '../exact-number.ts';
import { booleanOr } from '../fields.ts';
import { createHeldRollouts, heldBytes } from '../held-rollouts.ts';
import { type ImportContext, type Importer, oddities, type ParsedLine, refusable } from '../importer.ts';
import { addSkyrlEvents, flatRow } from './skyrl-events.ts';
import { type SkyrlRow, skyrlRows, type Trajectory } from './skyrl-rows.ts';

const FORMAT = 'skyrl';

/** Rows of one trajectory whose last step has not come yet. */
interface Waiting {
  readonly rows: SkyrlRow[];
  readonly lines: ParsedLine[];
}

/** Dumps of SkyRL's GeneratorOutput: a row a line, or a batch of parallel arrays. Steps of a trajectory are rows of their own. */
export const skyrl: Importer = {
  name: FORMAT,
  interleaved: true,

  detect(first) {
    const found = first.find((line) => Array.isArray(line.prompt_token_ids) && Array.isArray(line.response_ids));
    if (found === undefined) return null;
    const isMasked = 'loss_masks' in found || 'loss_mask' in found;
    return isMasked ? { score: 0.9, why: 'prompt_token_ids, response_ids and loss masks, as SkyRL has them' } : null;
  },

  open(context) {
    const lineId = createLineIds();
    const waiting = createHeldRollouts<Waiting>();

    function take(line: ParsedLine): readonly StepEventInit[] {
      const { rows, batch } = skyrlRows(line.value);
      return batch === null ? rows.flatMap((row) => takeLine(row, line)) : takeBatch(rows, batch, line);
    }

    function takeLine(row: SkyrlRow, line: ParsedLine): readonly StepEventInit[] {
      const key = row.trajectory?.id;
      const isLast = booleanOr(row.values.is_last_step, row.path('is_last_step'), true);
      const before = key === undefined ? undefined : waiting.get(key);
      const rollout = { rows: [...(before?.rows ?? []), row], lines: [...(before?.lines ?? []), line] };
      if (key !== undefined && !isLast) {
        // What is wrong with it is said of its own line, not of the last one.
        flatRow(row);
        waiting.touch(key, rollout, heldBytes(line.value));
        return waiting.overflow().flatMap((held) => eventsOfLines(held, false));
      }
      const events = eventsOfLines(rollout, isLast);
      if (key !== undefined) waiting.remove(key);
      return events;
    }

    function eventsOfLines({ rows, lines }: Waiting, isWhole: boolean): readonly StepEventInit[] {
      const [line] = lines;
      const trajectory = rows[0]?.trajectory ?? null;
      if (line === undefined) return [];
      const sha256 = lines.length === 1 ? line.sha256 : hashOf(lines.map((each) => each.sha256).join('\n'));
      const rolloutId = trajectory ? `${trajectory.id}.${sha256.slice(0, 12)}` : lineId(sha256);
      const out = eventsFor(context, { rolloutId, groupId: trajectory?.instance ?? null, trajectory }, line, sha256);
      addSkyrlEvents(out, { rows, isWhole }, line.location, { ...oddities(line) });
      return out.list;
    }

    function takeBatch(rows: readonly SkyrlRow[], batch: JsonObject, line: ParsedLine): readonly StepEventInit[] {
      const hash = line.sha256.slice(0, 12);
      return rolloutsOf(rows).flatMap(({ first, ...rollout }, i) => {
        const trajectory = rollout.rows[0]?.trajectory ?? null;
        const rolloutId = trajectory ? `${trajectory.id}.${hash}.${first}` : `${line.sha256}.${first}`;
        // A batch holds whole groups: another one with the same instances is another pass over them.
        const groupId = trajectory?.instance ? `${trajectory.instance}.${hash}` : null;
        const out = eventsFor(context, { rolloutId, groupId, trajectory }, line, line.sha256);
        addSkyrlEvents(out, rollout, line.location, i === 0 ? { ...oddities(line), batch } : {});
        return out.list;
      });
    }

    return {
      take: (line) => refusable(() => take(line)),
      *end() {
        for (const held of waiting.drain()) {
          const [line] = held.lines;
          const place = /:(\d+)$/.exec(line?.location ?? '');
          const result = refusable(() => eventsOfLines(held, false));
          yield { result, line: Number(place?.[1] ?? 1), sha256: line?.sha256 ?? '' };
        }
      },
    };
  },
};

/** Rows that follow each other and are steps of one trajectory. */
function rolloutsOf(rows: readonly SkyrlRow[]) {
  const rollouts: { readonly first: number; readonly rows: SkyrlRow[]; isWhole: boolean }[] = [];
  for (const [i, row] of rows.entries()) {
    const open = rollouts.at(-1);
    const isNext = open !== undefined && !open.isWhole && open.rows[0]?.trajectory?.id === row.trajectory?.id;
    const rollout = isNext ? open : { first: i, rows: [], isWhole: false };
    rollout.rows.push(row);
    rollout.isWhole = booleanOr(row.values.is_last_step, row.path('is_last_step'), true);
    if (!isNext) rollouts.push(rollout);
  }
  return rollouts;
}

interface Names {
  readonly rolloutId: string;
  readonly groupId: string | null;
  readonly trajectory: Trajectory | null;
}

function eventsFor(
  context: ImportContext,
  { rolloutId, groupId, trajectory }: Names,
  line: ParsedLine,
  sha256: string,
) {
  const identity = attemptIdentity(context, {
    rolloutId,
    taskId: trajectory?.instance ?? null,
    envName: FORMAT,
    groupId,
  });
  return createAttemptEvents(identity, { format: FORMAT, location: line.location }, sha256);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
