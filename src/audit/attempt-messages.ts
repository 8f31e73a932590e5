import type { Attempt } from '../../processors/model/attempt.ts';
import type { StepEvent } from '../../schemas/generated/step-event.ts';

/** What prompts of an attempt are rendered from, as the source tells it. A lane does not keep it: here it is noted while events pass. */
export interface AttemptMessages {
  /** Task as text, where the source tells no messages; null: it tells none. */
  readonly task: Uint8Array | null;
  readonly toolsJson: string | null;
  /** What came before a model call, in its part of the attempt; absent: the call is not known. */
  readonly before: (turn: number) => readonly Told[] | undefined;
  /** More was told than is kept: what a prompt was rendered from is not known. */
  readonly isTooMuch: boolean;
}

/** A message, a model call as the turn that it is, or what a tool answered. */
export type Told =
  | { readonly kind: 'message'; readonly role: string; readonly partsJson: string; readonly extraJson: string | null }
  | { readonly kind: 'call'; readonly turn: number }
  | { readonly kind: 'result'; readonly name: string | null; readonly output: Uint8Array | null };

export interface MessageNotes {
  readonly watch: (attempt: Attempt, event: StepEvent) => void;
  /** Forgotten with the attempt. */
  readonly of: (attempt: Attempt) => AttemptMessages | undefined;
}

interface Notes {
  task: Uint8Array | null;
  toolsJson: string | null;
  /** By segment_id of the events: sub-agents have prompts of their own. */
  readonly told: Map<string, Told[]>;
  /** Where in the list of its segment a call stands. */
  readonly calls: Map<number, { readonly list: readonly Told[]; readonly at: number }>;
  /** Holds: nothing is kept once it is above the limit. */
  bytes: number;
}

/** Of one attempt. */
const MOST_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 64;

export function createMessageNotes(mostBytes = MOST_BYTES): MessageNotes {
  const all = new WeakMap<Attempt, Notes>();

  function notesOf(attempt: Attempt): Notes {
    const known = all.get(attempt);
    if (known !== undefined) return known;
    const fresh: Notes = { task: null, toolsJson: null, told: new Map(), calls: new Map(), bytes: 0 };
    all.set(attempt, fresh);
    return fresh;
  }

  return {
    watch(attempt, event) {
      const { start, segment_id } = event;
      const told = start === null ? toldBy(attempt, event) : null;
      if (start === null && told === null) return;
      const notes = notesOf(attempt);
      if (notes.bytes > mostBytes) return;
      notes.bytes += ENTRY_BYTES + sizeOf(event);
      if (notes.bytes > mostBytes) {
        notes.task = notes.toolsJson = null;
        notes.told.clear();
        notes.calls.clear();
        return;
      }
      if (start !== null) [notes.task, notes.toolsJson] = [start.prompt, start.tools_json];
      if (told === null) return;
      const list = notes.told.get(segment_id) ?? [];
      notes.told.set(segment_id, list);
      if (told.kind === 'call') notes.calls.set(told.turn, { list, at: list.length });
      list.push(told);
    },
    of(attempt) {
      const notes = all.get(attempt);
      if (notes === undefined) return undefined;
      const { task, toolsJson, calls, bytes } = notes;
      return {
        ...{ task, toolsJson, isTooMuch: bytes > mostBytes },
        before: (turn) => {
          const place = calls.get(turn);
          return place?.list.slice(0, place.at);
        },
      };
    },
  };
}

function toldBy(attempt: Attempt, { message, model_call, tool_result, extra_json }: StepEvent): Told | null {
  if (message !== null)
    return { kind: 'message', role: message.role, partsJson: message.parts_json, extraJson: extra_json };
  // The call was folded before: its number is the last one.
  if (model_call !== null) return { kind: 'call', turn: attempt.calls - 1 };
  return tool_result === null ? null : { kind: 'result', name: tool_result.name, output: tool_result.output };
}

/** Bytes that are kept of it; a character counts as one, which is what most take. */
function sizeOf({ start, message, tool_result, extra_json }: StepEvent): number {
  if (start !== null) return (start.prompt?.length ?? 0) + (start.tools_json?.length ?? 0);
  if (message !== null) return message.parts_json.length + (extra_json?.length ?? 0);
  return tool_result?.output?.length ?? 0;
}
