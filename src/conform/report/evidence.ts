import type { TruthCall } from '../truth.ts';
import type { NextPrompt } from './next-prompt.ts';
import type { RecordedCall, RecordedRollout } from './recorded-rollout.ts';
import type { Evidence } from './verdict.ts';

const IDS_BEFORE = 2;
const MOST_IDS = 12;
const MOST_CHARACTERS = 400;

export function engineText({ call }: TruthCall, text: string): Evidence {
  return { of: 'engine', call, index: null, ids: null, text: shortened(text) };
}

export function engineIds({ call, completionIds }: TruthCall, index: number): Evidence {
  return { of: 'engine', call, index, ids: idsAround(completionIds, index), text: null };
}

export function promptText({ call }: NextPrompt, text: string): Evidence {
  return { of: 'next_prompt', call, index: null, ids: null, text: shortened(text) };
}

export function recordText(text: string): Evidence {
  return { of: 'record', call: null, index: null, ids: null, text: shortened(text) };
}

export function recordIds({ completionIds }: RecordedCall, index: number): Evidence {
  return { of: 'record', call: null, index, ids: idsAround(completionIds ?? [], index), text: null };
}

export function recordEnding({ ending, where }: RecordedRollout): Evidence {
  const detail = ending?.detail ? ` (${ending.detail})` : '';
  return recordText(`${where}: ended ${ending?.raw ?? ''}${detail}, which is ${ending?.category ?? 'unknown'}`);
}

/** Both sides of a list from a little before the place where they part. */
export function idsAround(ids: readonly number[], index: number): readonly number[] {
  const from = Math.max(0, index - IDS_BEFORE);
  return ids.slice(from, from + MOST_IDS);
}

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
