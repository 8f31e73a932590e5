import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull, objectOrNull, smallCountOrNull, textOrNull } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { sourceTime } from '../source-times.ts';
import { verifiersSampling } from './verifiers-sampling.ts';
import { spanPlace } from './verifiers-times.ts';
import { failureOf } from './verifiers-v1-calls.ts';
import { addNodes } from './verifiers-v1-nodes.ts';
import { lateReason, type TraceOutcome, traceOutcome, traceReasons, traceVerdict } from './verifiers-v1-verdict.ts';

/** What an episode says of each of its traces. */
export interface EpisodeFacts {
  /** Of the episode itself, for extra_json. */
  readonly extra: JsonObject | undefined;
  /** The environment's own hooks failed, after or beside the traces. */
  readonly error: JsonObject | null;
  /** The weights that sampled all of it; null: several, or unknown, or not those of the policy. */
  readonly version: string | null;
}

const TRACE_KEYS = [
  ...['version', 'id', 'task', 'tools', 'nodes', 'calls', 'rewards', 'metrics', 'stop_condition', 'agent'],
];

/** All events of one trace: start, boot, set-up, its nodes and calls, end, finalize, scoring, verdict. */
export function addTraceEvents(
  out: AttemptEvents,
  trace: JsonObject,
  path: string,
  location: string,
  episode: EpisodeFacts,
  odd: JsonObject | undefined,
): void {
  const timing = objectOrNull(trace.timing, `${path}.timing`) ?? {};
  addStart(out, trace, path, timing, episode, odd);
  addPhase(out, 'sandbox_setup', 'boot', timing.boot);
  addPhase(out, 'agent_setup', 'setup', timing.setup);
  const { finalText, extra } = addNodes(out, trace, path, location, episode.version);
  addPhase(out, 'other', 'agent', timing.agent);
  const outcome = traceOutcome(trace, path);
  addEnd(out, trace, outcome, { path, timing, episode, finalText, extra });
  addPhase(out, 'cleanup', 'finalize', timing.finalize, true);
  addPhase(out, 'verify', 'scoring', timing.scoring, true);
  out.addAfterEnd('verdict', { verdict: traceVerdict(trace, outcome, path) });
}

function addStart(
  out: AttemptEvents,
  trace: JsonObject,
  path: string,
  timing: JsonObject,
  episode: EpisodeFacts,
  odd: JsonObject | undefined,
): void {
  const task = objectOrNull(trace.task, `${path}.task`) ?? {};
  const agent = objectOrNull(trace.agent, `${path}.agent`) ?? {};
  const config = isObject(agent.config) ? agent.config : {};
  const { data, ...taskRest } = task;
  const prompt = isObject(data) ? data.prompt : undefined;
  out.add(
    'start',
    {
      start: {
        prompt: typeof prompt === 'string' ? bytesOfText(prompt) : null,
        task_metadata_json: data === undefined ? null : jsonText(data),
        tools_json: Array.isArray(trace.tools) && trace.tools.length > 0 ? jsonText(trace.tools) : null,
        sampling: verifiersSampling(config.sampling),
        limits: {
          max_tokens: countOrNull(config.max_total_tokens),
          max_turns: smallCountOrNull(config.max_turns),
        },
        weights_version: episode.version,
      },
    },
    {
      ...odd,
      task: unlessEmpty(taskRest),
      tools: Array.isArray(trace.tools) ? undefined : trace.tools,
      agent: unlessEmpty(agent),
      episode: episode.extra,
    },
    { startedAtUs: sourceTime(timing.start).us },
  );
}

function addPhase(
  out: AttemptEvents,
  phase: 'sandbox_setup' | 'agent_setup' | 'other' | 'cleanup' | 'verify',
  detail: string,
  span: JsonValue | undefined,
  isAfterEnd = false,
): void {
  const place: EventPlace | null = spanPlace(span);
  if (place === null) return;
  const body = { phase: { phase, detail } };
  if (isAfterEnd) out.addAfterEnd('phase', body, undefined, place);
  else out.add('phase', body, undefined, place);
}

interface EndFacts {
  readonly path: string;
  readonly timing: JsonObject;
  readonly episode: EpisodeFacts;
  readonly finalText: string | null;
  readonly extra: JsonObject | undefined;
}

function addEnd(out: AttemptEvents, trace: JsonObject, outcome: TraceOutcome, facts: EndFacts): void {
  const { path, timing, episode, finalText, extra } = facts;
  const { error, isLate } = outcome;
  const reasons = traceReasons(outcome, path);
  if (episode.error !== null) reasons.push(lateReason(episode.error, 'errors'));
  const reply = textOrNull(trace.root_reply, `${path}.root_reply`) ?? finalText;
  const errors = Array.isArray(trace.errors) && trace.errors.length === 0 ? undefined : trace.errors;
  out.add(
    'end',
    {
      end: {
        reasons,
        final_response: reply === null ? null : bytesOfText(reply),
        exception: error === null || isLate ? null : failureOf(error, `${path}.errors`),
      },
    },
    { ...leftover(trace, TRACE_KEYS), ...extra, errors },
    { endedAtUs: spanPlace(timing.agent)?.endedAtUs ?? null },
  );
}
