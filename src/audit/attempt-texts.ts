import type { Attempt } from '../../processors/model/attempt.ts';
import type { StepEvent } from '../../schemas/generated/step-event.ts';

/** Texts of an attempt, which a lane does not keep: here they are noted while its events pass, and forgotten with it. */
export interface AttemptTexts {
  /** Completions before any parser, by model call. */
  readonly rawTexts: Map<number, Uint8Array>;
  /** Messages and tool results in order, as the events hold them. */
  readonly said: StepEvent[];
  toolsJson: string | null;
}

export interface TextNotes {
  readonly watch: (attempt: Attempt, event: StepEvent) => void;
  readonly of: (attempt: Attempt) => AttemptTexts | null;
}

export function createTextNotes(): TextNotes {
  const notes = new WeakMap<Attempt, AttemptTexts>();

  function textsOf(attempt: Attempt): AttemptTexts {
    const known = notes.get(attempt);
    if (known !== undefined) return known;
    const fresh: AttemptTexts = { rawTexts: new Map(), said: [], toolsJson: null };
    notes.set(attempt, fresh);
    return fresh;
  }

  return {
    watch(attempt, event) {
      const { start, model_call, message, tool_result } = event;
      if (start !== null) textsOf(attempt).toolsJson = start.tools_json;
      if (message !== null || tool_result !== null || model_call !== null) textsOf(attempt).said.push(event);
      // It was folded before: its number is the last one.
      if (model_call?.raw_text) textsOf(attempt).rawTexts.set(attempt.calls - 1, model_call.raw_text);
    },
    of: (attempt) => notes.get(attempt) ?? null,
  };
}
