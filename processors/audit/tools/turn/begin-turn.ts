import type { ParseStatus } from '../../../../schemas/generated/step-event.ts';
import type { TurnNotes } from '../../../model/tools-watch.ts';
import type { FoundList } from '../found-list.ts';
import type { OpensInThought } from '../parse/parse-calls.ts';
import type { Dialect } from '../parse/strict-call.ts';
import { beginFromList } from './begin-from-list.ts';
import { beginFromText } from './begin-from-text.ts';

/** What is known of a model call when it ends. */
export interface TurnFacts {
  readonly turn: number;
  /** Completion before any parser; null: the source does not have it, or not with the calls in it. */
  readonly written: WrittenTurn | null;
  /** Calls as the loop understood them. */
  readonly listed: readonly ListedCall[];
  /** false: nobody records what the loop understood. */
  readonly listsCalls: boolean;
  /** Tools that the model was offered; null: unknown. */
  readonly offered: readonly string[] | null;
  /** The sampler was stopped before the model was done; null: unknown. */
  readonly isCut: boolean | null;
  readonly opensInThought: OpensInThought;
}

export interface WrittenTurn {
  readonly text: string;
  readonly dialect: Dialect;
}

export interface ListedCall {
  readonly callId: string;
  readonly name: string | null;
  /** Arguments as the model wrote them, by the source's own word; null: it does not keep them. */
  readonly raw: string | null;
  /** Arguments after the parser, JSON text; null: the source does not say. */
  readonly parsed: string | null;
  readonly status: ParseStatus;
}

/** Looks at what a model call wrote and what the loop made of it. What becomes of the calls comes later. */
export function beginTurn(facts: TurnFacts, list: FoundList): TurnNotes {
  return facts.written === null ? beginFromList(facts, list) : beginFromText(facts, facts.written, list);
}
