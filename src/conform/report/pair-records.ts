import type { Conversation } from './conversations.ts';
import { commonLength } from './next-prompt.ts';
import type { RecordedRollout } from './recorded-rollout.ts';

export interface Paired {
  readonly conversation: Conversation;
  readonly record: RecordedRollout | null;
}

const MARKER = /\[\[rollstream:([\w-]+)#(\d+)\]\]/;

/**
 * Each conversation with the record of it: of its task by the marker in a text, the rollout's or the task's id, or by the ids of the
 * first prompt; of several, the one that has most of its ids, else the next.
 */
export function pairRecords(conversations: readonly Conversation[], records: readonly RecordedRollout[]): Paired[] {
  const left = new Set(records);
  return conversations.map((conversation) => {
    const own = [...left].filter((record) => isOf(record, conversation));
    let best = own[0] ?? null;
    for (const record of own)
      if (best !== null && likeness(record, conversation) > likeness(best, conversation)) best = record;
    if (best !== null) left.delete(best);
    return { conversation, record: best };
  });
}

function isOf(record: RecordedRollout, { scenario, task, turns }: Conversation): boolean {
  const marker = record.texts.map((text) => MARKER.exec(text)).find((match) => match !== null);
  if (marker !== undefined) return marker[1] === scenario && marker[2] === String(task);
  const name = `${scenario}#${task}`;
  if (record.taskId === name || record.rolloutId === name) return true;
  const ids = record.calls[0]?.promptIds ?? null;
  const sent = turns[0]?.tries[0]?.promptIds ?? [];
  return ids !== null && ids.length === sent.length && commonLength(ids, sent) === ids.length;
}

/** Ids that both have, turn by turn. */
function likeness({ calls }: RecordedRollout, { turns }: Conversation): number {
  let same = 0;
  for (const [at, { tries }] of turns.entries()) {
    const taken = tries.at(-1)?.completionIds ?? [];
    const [call] = [calls[at]];
    if (call === undefined) break;
    same +=
      commonLength(call.completionIds ?? [], taken) + commonLength(call.promptIds ?? [], tries[0]?.promptIds ?? []);
  }
  return same - Math.abs(calls.length - turns.length);
}
