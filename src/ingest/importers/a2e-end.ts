import type { RawReasonInit, VerdictInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';
import { type Episode, type EpisodeItem, type Exchange, isExchange, resetOf } from './a2e-episode.ts';
import { type A2eMessage, restOfMessage } from './a2e-message.ts';
import { errorCode, failureOf, placeOf, saidByFailure } from './a2e-result.ts';

const SYSTEM = 'a2e';
export const SCORER = 'a2e/env';

interface Ending {
  readonly reasons: RawReasonInit[];
  /** What said so; null: nothing but a close. */
  readonly by: A2eMessage | null;
  /** That came with it; null: none, or none that counts. */
  readonly reward: number | null;
  /** The last step failed: its reward is nobody's. */
  readonly isError: boolean;
}

/** The end and the environment's own score. An episode that nothing ended has neither: whoever follows it knows that it broke off. */
export function addA2eEnd(
  out: AttemptEvents,
  episode: Episode,
  ordered: readonly EpisodeItem[],
  version: string,
): void {
  const ending = endingOf(episode, ordered);
  if (ending === null) return;
  const failed = resetOf(episode)?.response ?? null;
  const isFailedReset = failed?.type === 'error';
  out.add(
    'end',
    { end: { reasons: ending.reasons, env_reward: ending.reward } },
    { error: isFailedReset ? restOfMessage(failed, version, ['message']) : undefined },
    { endedAtUs: ending.by?.time.us ?? closeTime(ordered) },
  );
  for (const item of ordered) if (isExchange(item) && item.kind === 'close') addClose(out, item, version);
  if (!isFailedReset) out.addAfterEnd('verdict', { verdict: verdictOf(ending, ordered) });
}

/** There is no word for why an episode ended: only what its environment said of its last step. */
function endingOf(episode: Episode, ordered: readonly EpisodeItem[]): Ending | null {
  const steps = ordered.filter((item) => isExchange(item) && item.kind === 'step').filter(isExchange);
  const reset = resetOf(episode);
  const told = [...steps, ...(reset === undefined ? [] : [reset])].find(({ observation }) => saysEnd(observation));
  if (told !== undefined) return observedEnd(told, null);
  for (const item of ordered) {
    if (item.kind !== 'push' || !item.isEnd) continue;
    const { reason, event_type } = item.value;
    const detail = [reason, event_type].find((text) => typeof text === 'string' && text !== '');
    const reasons = [reasonOf('terminal', typeof detail === 'string' ? detail : null)];
    return { reasons, by: item.message, reward: item.reward, isError: false };
  }
  const observed = ordered
    .filter(isExchange)
    .find(({ kind, observation }) => kind === 'observe' && saysEnd(observation));
  // The reward of an observation that nobody stepped to is their default.
  if (observed !== undefined) return { ...observedEnd(observed, 'env/observe'), reward: null };
  for (const item of ordered) {
    if (item.kind !== 'experience' || !item.isEnd) continue;
    const reasons = [reasonOf('done', 'learn/experience')];
    return { reasons, by: item.message, reward: item.reward, isError: false };
  }
  const closes = ordered.filter((item) => isExchange(item) && item.kind === 'close');
  const closed = closes.length > 0 ? [reasonOf('closed', null)] : [];
  const last = steps.at(-1) ?? reset;
  const failed = last?.response?.type === 'error' ? last.response : null;
  if (failed !== null) {
    const { message } = failureOf(failed);
    const detail = failed.value.retryable === true ? `${message ?? ''} (retryable)`.trim() : (message ?? null);
    return { reasons: [reasonOf(errorCode(failed), detail), ...closed], by: failed, reward: null, isError: true };
  }
  if (closed.length === 0) return null;
  return { reasons: closed, by: null, reward: steps.at(-1)?.observation?.reward ?? null, isError: false };
}

function saysEnd(observation: Exchange['observation']): boolean {
  return observation !== null && (observation.done || observation.truncated);
}

function observedEnd({ observation, response }: Exchange, detail: string | null): Ending {
  const reasons: RawReasonInit[] = [];
  if (observation?.done) reasons.push(reasonOf('done', detail));
  if (observation?.truncated) reasons.push(reasonOf('truncated', detail));
  return { reasons, by: response, reward: observation?.reward ?? null, isError: false };
}

function reasonOf(raw: string, detail: string | null): RawReasonInit {
  return { raw, system: SYSTEM, detail };
}

function closeTime(ordered: readonly EpisodeItem[]): number | null {
  const close = ordered.filter(isExchange).find(({ kind }) => kind === 'close');
  return close?.request?.time.us ?? close?.response?.time.us ?? null;
}

/**
 * The return: what the environment gave for the steps, added up. Without a reward for the last of them there is none: absent
 * is not 0. A 0 may be the protocol's default for one that was left out; the wire does not tell the two apart, and the report
 * says so.
 */
function verdictOf(ending: Ending, ordered: readonly EpisodeItem[]): VerdictInit {
  const steps: JsonObject[] = [];
  const pushed: JsonValue[] = [];
  let sum = 0;
  let hasZero = false;
  for (const item of ordered) {
    if (isExchange(item) && item.kind === 'step' && item.observation !== null) {
      const { reward, value } = item.observation;
      steps.push({ step_num: value.step_num ?? null, reward });
      if (reward === 0) hasZero = true;
      sum += reward ?? 0;
    } else if (item.kind === 'push' && item.reward !== null) {
      pushed.push({ step_id: item.value.step_id ?? null, reward: item.reward });
      if (item.message === ending.by) sum += item.reward;
    } else if (item.kind === 'experience' && steps.length === 0) sum += item.reward ?? 0;
  }
  const report = unlessEmpty({
    final: ending.reward,
    steps,
    pushed: pushed.length > 0 ? pushed : undefined,
    zero_may_be_default: hasZero ? true : undefined,
  });
  const report_json = report === undefined ? null : jsonText(report);
  if (ending.isError) return { scorer: SCORER, status: 'not_run', report_json };
  const isScored = ending.reward !== null && Number.isFinite(sum);
  return {
    scorer: SCORER,
    status: isScored ? 'scored' : 'missing',
    rewards: { env_return: isScored ? sum : null },
    report_json,
  };
}

/** A close that failed after the episode was over changes nothing of it. */
function addClose(out: AttemptEvents, close: Exchange, version: string): void {
  const { request, response } = close;
  const failed = response?.type === 'error' ? response : null;
  out.addAfterEnd(
    'phase',
    { phase: { phase: 'cleanup', detail: 'env/close', error: failed === null ? null : failureOf(failed) } },
    {
      request: request === null ? undefined : restOfMessage(request, version, ['episode_id']),
      response:
        response === null ? undefined : restOfMessage(response, version, failed === null ? [] : saidByFailure(failed)),
    },
    placeOf(close),
  );
}
