import type { Attempt } from '../../processors/model/attempt.ts';
import type { StepEvent } from '../../schemas/generated/step-event.ts';

/** Completions before any parser, by model call. A lane does not keep them: here they are noted while events pass. */
export type RawTexts = ReadonlyMap<number, Uint8Array>;

export interface TextNotes {
  readonly watch: (attempt: Attempt, event: StepEvent) => void;
  /** Forgotten with the attempt. */
  readonly of: (attempt: Attempt) => RawTexts | undefined;
}

export function createTextNotes(): TextNotes {
  const notes = new WeakMap<Attempt, Map<number, Uint8Array>>();
  return {
    watch(attempt, { model_call }) {
      if (!model_call?.raw_text) return;
      const texts = notes.get(attempt) ?? new Map<number, Uint8Array>();
      notes.set(attempt, texts);
      // The call was folded before: its number is the last one.
      texts.set(attempt.calls - 1, model_call.raw_text);
    },
    of: (attempt) => notes.get(attempt),
  };
}
