import { createHash } from 'node:crypto';
import type { EventCase } from './groups/trails.ts';
import { play } from './play.ts';
import type { Qwen } from './qwen.ts';
import { createRandom } from './random.ts';
import type { StepLine } from './write/event-log.ts';
import { stepEvents } from './write/step-events.ts';

/** Writes the step events of cases as one log would have them: by time, each attempt in its own order. */
export function createEventLines(qwen: Qwen): (cases: readonly EventCase[]) => Promise<string[]> {
  const facts = { tokenizerSha256: sha256(qwen.tokenizerJson), templateSha256: sha256(qwen.template) };
  return async function eventLines(cases) {
    const attempts: StepLine[] = [];
    for (const { task, plan, script, sentTwice } of cases) {
      const random = createRandom(`${plan.rolloutId} ${plan.attempt ?? 0}`);
      const lines = stepEvents(task, await play(qwen, task, script, random), plan, facts);
      attempts.push(...lines.flatMap((line, index) => (index === sentTwice ? [line, line] : [line])));
    }
    const merged = attempts.sort((left, right) => left.atMs - right.atMs);
    return merged.map(({ event }) => JSON.stringify(event));
  };
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
