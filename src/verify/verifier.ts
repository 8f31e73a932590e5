import type { VerdictStatus } from '../../schemas/generated/step-event.ts';

/** What a verifier is shown of an attempt, as one JSON document. */
export interface VerifierInput {
  readonly run_id: string;
  readonly env_name: string;
  readonly task_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  /** Task data as the producer gave it; null: none. */
  readonly task: unknown;
  /** What was asked; null: not kept. */
  readonly prompt: string | null;
  /** The conversation as a trainer of chat models takes it; null: it is none (several segments, a text that was not kept). */
  readonly messages: readonly unknown[] | null;
  /** Why it is none; null: it is one. */
  readonly no_messages: string | null;
  readonly final_response: string | null;
  readonly reasons: readonly { readonly raw: string; readonly system: string }[];
  readonly env_reward: number | null;
}

/** What a verifier answers. `refused`: it cannot judge this attempt (it needs the sandbox, an observation is lost). */
export interface VerifierAnswer {
  readonly status: VerdictStatus;
  /** By name; null: missing. Null is not 0. Empty unless scored. */
  readonly rewards: Readonly<Record<string, number | null>>;
  /** Why, for people: error, refusal, report; null: nothing was said. */
  readonly report: string | null;
  /** In the unit of who asks; null: unknown. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/**
 * Judges attempts: what goes wrong with one is a status. It rejects only where no attempt could be judged: RS_CONFIG, it cannot be
 * started or is none; RS_SERVER_UNREACHABLE, it may be asked again later. Order and number of calls at once are the runner's.
 */
export interface Verifier {
  /** Names of the verdicts. The version is part of the cache's key. */
  readonly scorer: string;
  readonly version: string;
  verify(input: VerifierInput, signal: AbortSignal): Promise<VerifierAnswer>;
  /** Ends its processes. */
  close(): Promise<void>;
}
