import { AttemptLog, type EventSink, type Identity, type Recording } from './attempt-log.ts';
import { callRecord } from './call-record.ts';
import {
  classOf,
  failureOf,
  integerOrNull,
  jsonOrNull,
  jsonText,
  limitsOf,
  samplingOf,
  textOrNull,
} from './event-json.ts';
import { HeldTokens } from './held-tokens.ts';
import type { End, ModelCall, PhaseDetail, PhaseName, RolloutOptions, ToolResult, Verdict } from './recorded.ts';

/** What a rollout asks of its recorder. */
export interface RolloutHost extends EventSink {
  /** How the producer is, for the events that begin and end an attempt. */
  health(): Readonly<Record<string, unknown>>;
  ended(): void;
}

/** One attempt being recorded. Its methods return at once and never throw: what cannot be recorded is counted by the recorder. */
export class Rollout {
  readonly rolloutId: string;
  readonly attempt: number;
  readonly #host: RolloutHost;
  readonly #log: AttemptLog;
  readonly #beganMs = performance.now();
  readonly #held = new Map<string, HeldTokens>();
  #calls = 0;
  #isEnded = false;
  #rateLimitUs = 0;
  #sandboxUs = 0;

  constructor(identity: Identity, options: RolloutOptions, host: RolloutHost) {
    this.rolloutId = identity.rollout_id;
    this.attempt = identity.attempt;
    this.#host = host;
    this.#log = new AttemptLog(identity, host);
    this.#log.add('start', () => ({
      body: startBody(options),
      startedAtUs: Date.now() * 1000,
      extra: { ...options.extra, producer: host.health() },
    }));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** A turn that no model call made: system, user, developer … */
  message(role: string, content: unknown, { extra }: { extra?: object | null } = {}): void {
    this.#log.add('message', () => ({ body: JSON.stringify({ role, parts_json: jsonText(content) }), extra }));
  }

  /** Returns the number of the call in the attempt, from 0: what a tool result or a verdict is bound to. */
  modelCall(call: ModelCall): number {
    const number = this.#calls++;
    this.#log.add('model_call', () => callRecord(call, number, this.#heldOf(call.segmentId ?? 'main')));
    return number;
  }

  toolResult(callId: string, output: string | object | null, result: ToolResult = {}): void {
    this.#log.add('tool_result', () => ({
      body: JSON.stringify({
        call_id: callId,
        turn: result.turn ?? null,
        name: result.name ?? null,
        executed_arguments: textOrNull(result.executedArguments),
        status: result.status ?? 'unknown',
        output: textOrNull(output),
        output_ref: result.outputRef ?? null,
        exit_code: result.exitCode ?? null,
        wait_us: integerOrNull(result.waitUs),
        exec_us: integerOrNull(result.execUs),
        error: failureOf(result.error),
      }),
      startedAtUs: integerOrNull(result.startedAtUs),
      durationUs: integerOrNull(result.durationUs),
      extra: result.extra,
    }));
  }

  /** Times what `work` does, and passes on what it returns or throws. */
  async phase<T>(name: PhaseName, work: () => Promise<T> | T, { detail = null }: PhaseDetail = {}): Promise<T> {
    const began = performance.now();
    try {
      const result = await work();
      this.phaseDone(name, (performance.now() - began) * 1000, { detail });
      return result;
    } catch (error) {
      const failure = error instanceof Error ? error : { type: classOf(error), message: String(error) };
      this.phaseDone(name, (performance.now() - began) * 1000, { detail, error: failure });
      throw error;
    }
  }

  phaseDone(name: PhaseName, durationUs: number, { detail = null, error = null }: PhaseDetail = {}): void {
    const duration = integerOrNull(durationUs);
    if (name === 'rate_limit') this.#rateLimitUs += duration ?? 0;
    if (name === 'sandbox_setup') this.#sandboxUs += duration ?? 0;
    const recording = (): Recording => ({
      body: JSON.stringify({ phase: name, detail, error: failureOf(error) }),
      durationUs: duration,
    });
    if (this.#isEnded) this.#log.addUnordered('phase', recording);
    else this.#log.add('phase', recording);
  }

  /** What a verifier said, or that it did not. Also after the end. */
  verdict(scorer: string, verdict: Verdict = {}): void {
    this.#log.addUnordered('verdict', () => {
      const given = verdict.rewards ?? (verdict.reward === undefined ? {} : { reward: verdict.reward });
      const inexact = Object.entries(given).filter(([, reward]) => reward !== null && !Number.isFinite(reward));
      return {
        body: JSON.stringify({
          scorer,
          scorer_version: verdict.scorerVersion ?? '',
          status: verdict.status ?? 'scored',
          // JSON makes null of NaN: it is missing, and what it was stands beside it.
          rewards: given,
          bound_to: verdict.boundTo ?? null,
          report_json: jsonOrNull(verdict.report),
        }),
        extra: inexact.length === 0 ? null : { inexact_rewards: Object.fromEntries(inexact) },
      };
    });
  }

  /** Why the loop ended, in the words of `system`. */
  end(reason: string, end: End = {}): void {
    const { system = 'rollstream', detail = null } = end;
    const first = { raw: reason, system, detail };
    const further = (end.reasons ?? []).map(({ afterEnd = false, ...other }) => ({ ...other, after_end: afterEnd }));
    this.#log.add('end', () => ({
      body: JSON.stringify({
        reasons: [first, ...further],
        final_response: end.finalResponse ?? null,
        env_reward: end.envReward ?? null,
        exception: failureOf(end.exception),
        limit: end.limit ?? null,
      }),
      durationUs: integerOrNull((performance.now() - this.#beganMs) * 1000),
      extra: { ...end.extra, producer: this.#healthAtEnd() },
    }));
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#held.clear();
    this.#host.ended();
  }

  /** The loop threw: the class of the error is the reason, which the taxonomy knows or calls unknown. */
  endWith(error: unknown): void {
    const exception = error instanceof Error ? error : { type: classOf(error), message: String(error) };
    this.end(classOf(error), { system: 'exception', exception });
  }

  #healthAtEnd(): object {
    return { ...this.#host.health(), rate_limit_wait_us: this.#rateLimitUs, sandbox_us: this.#sandboxUs };
  }

  #heldOf(segmentId: string): HeldTokens {
    const held = this.#held.get(segmentId) ?? new HeldTokens();
    this.#held.set(segmentId, held);
    return held;
  }
}

function startBody(options: RolloutOptions): string {
  return JSON.stringify({
    prompt: options.prompt ?? null,
    task_metadata_json: jsonOrNull(options.taskMetadata),
    tools_json: jsonOrNull(options.tools),
    tokenizer_id: options.tokenizerId ?? null,
    tokenizer_sha256: options.tokenizerSha256 ?? null,
    template_sha256: options.templateSha256 ?? null,
    template_vars_json: jsonOrNull(options.templateVars),
    sampling: samplingOf(options.sampling),
    limits: limitsOf(options.limits),
    weights_version: options.weightsVersion ?? null,
    seeds: options.seeds ?? {},
    env_image_digest: options.envImageDigest ?? null,
  });
}
