import type { CallForm } from '../call-form.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { TruthCall } from '../truth.ts';
import type { Conversations } from './conversations.ts';
import type { FramesCache } from './frames-cache.ts';
import type { TruthLog } from './truth-log.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What all requests of an engine share. */
export interface EngineState {
  readonly vocabulary: Vocabulary;
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly calls: CallForm;
  readonly conversations: Conversations;
  readonly framesCache: FramesCache;
  readonly seed: number;
  readonly model: string;
  readonly tokensPerSecond: number | null;
  readonly incrementalStreaming: boolean;
  readonly now: () => number;
  readonly log: TruthLog | null;
  /** Place of the next call. */
  readonly nextCall: () => number;
  readonly keep: (call: TruthCall) => void;
}
