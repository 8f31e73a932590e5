import type { IncomingMessage, ServerResponse } from 'node:http';
import { RollstreamError } from '../../../errors.ts';
import type { Recording, RecordingStatus } from '../../record/port.ts';
import type { CallsInFlight } from '../calls-in-flight.ts';
import { refused } from '../naming/checked-id.ts';
import type { NamedRequest } from '../naming/name-request.ts';
import type { ProxyMetrics } from '../proxy-metrics.ts';
import { readBody } from '../read-body.ts';
import type { OwnPath } from './own-path.ts';
import { saidEnd } from './said-end.ts';
import { saidVerdict, verdictsIn } from './said-verdicts.ts';

export interface OwnPathsDeps {
  readonly recording: Recording;
  readonly inFlight: CallsInFlight;
  readonly metrics: ProxyMetrics;
  /** What else there is to say of the proxy. */
  readonly status: () => object;
}

const MOST_BODY_BYTES = 4 * 1024 * 1024;
const MOST_REFUSED = 1_000;
/** A client that leaves a call, and says at once that its rollout is over, may be heard before its connection is seen to close. */
const CALLS_END_MS = 1_000;

export type OwnPaths = (
  path: OwnPath,
  req: IncomingMessage,
  res: ServerResponse,
  request: NamedRequest,
) => Promise<void>;

export function createOwnPaths({ recording, inFlight, metrics, status }: OwnPathsDeps): OwnPaths {
  const recordingStatus = (): Promise<RecordingStatus | null> => recording.status().catch(() => null);

  async function end(
    rollout: string,
    req: IncomingMessage,
    res: ServerResponse,
    { named }: NamedRequest,
  ): Promise<void> {
    const body = await jsonBody(req);
    if (body === undefined) return;
    if (named.rollout !== null && named.rollout !== rollout) {
      throw refused('x-rollstream-rollout', `the path says ${JSON.stringify(rollout)}`);
    }
    const said = saidEnd(body, rollout, named);
    await inFlight.over(said.attempt, CALLS_END_MS);
    await recording.endRollout(said.attempt, said.end);
    answer(res, 200, { ended: rollout });
  }

  async function verdicts(req: IncomingMessage, res: ServerResponse, { named }: NamedRequest): Promise<void> {
    const body = await jsonBody(req);
    if (body === undefined) return;
    const problems: object[] = [];
    let accepted = 0;
    let refusals = 0;
    for (const [index, one] of verdictsIn(body).entries()) {
      try {
        const { attempt, verdict } = saidVerdict(one, named);
        await recording.verdict(attempt, verdict);
        accepted += 1;
      } catch (error) {
        if (!(error instanceof RollstreamError) || error.status >= 500) throw error;
        refusals += 1;
        const { field } = error.facts;
        if (problems.length < MOST_REFUSED) problems.push({ index, code: error.code, field, message: error.message });
      }
    }
    const isNone = accepted === 0 && refusals > 0;
    answer(res, isNone ? 422 : 200, { accepted, refused_count: refusals, refused: problems });
  }

  return async function ownPath(path, req, res, request) {
    const method = path.kind === 'end' || path.kind === 'verdicts' ? 'POST' : 'GET';
    if (path.kind === 'unknown') {
      throw new RollstreamError(
        'RS_NOT_FOUND',
        'known are /rollstream/healthz, /rollstream/status and /rollstream/metrics',
        {
          facts: { field: 'path' },
        },
      );
    }
    if (req.method !== method) throw refused('method', `${method} is needed`);
    if (path.kind === 'end') return end(path.rollout, req, res, request);
    if (path.kind === 'verdicts') return verdicts(req, res, request);
    if (path.kind === 'healthz') return answer(res, 200, { ok: true });
    if (path.kind === 'status') return answer(res, 200, { ...status(), recording: told(await recordingStatus()) });
    const { contentType, text } = await metrics.exposition(await recordingStatus());
    res.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }).end(text);
  };
}

/** As everything else of the status is named. */
function told(recording: RecordingStatus | null): object | null {
  if (recording === null) return null;
  return {
    ...{ open_rollouts: recording.openRollouts, waiting_calls: recording.waitingCalls },
    ...{ spooled_events: recording.spooledEvents, spooled_bytes: recording.spooledBytes },
    ...{
      lost_events: recording.lostEvents,
      refused_events: recording.refusedEvents,
      not_auditable: recording.notAuditable,
    },
    ...{ last_problem: recording.lastProblem, runs: recording.runs },
  };
}

/** undefined: the client left. */
async function jsonBody(req: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(req, MOST_BODY_BYTES);
  if (bytes === null) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw refused('body', `it is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function answer(res: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}
