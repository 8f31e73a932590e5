import type { ServerClient } from '../access/server-client.ts';
import type { NewVerdictOf } from './new-verdicts.ts';
import { replayRequestJson } from './replay-request-json.ts';
import type { ReplayReport, ReplayStatus, Replays } from './replays.ts';

/** Well below the default body limit of a server. */
const BODY_CHARACTERS = 2 * 2 ** 20;
/** What a route takes at once. */
const BATCH_VERDICTS = 10_000;

/** Replays of the server that owns the data. It works on them whether somebody waits or not. */
export function createRemoteReplays(request: ServerClient): Replays {
  const post = async (path: string, value: unknown): Promise<Response> =>
    request({ method: 'POST', path, body: { type: 'application/json', bytes: JSON.stringify(value) } });
  const pathOf = (replayId: string): string => `/v1/replays/${encodeURIComponent(replayId)}`;
  return {
    async addVerdicts(replayId, verdicts) {
      for (const lines of batchesOf(verdicts)) {
        const body = { type: 'application/x-ndjson', bytes: lines };
        await request({ method: 'POST', path: `${pathOf(replayId)}/verdicts`, body });
      }
    },
    async start(asked) {
      return json<ReplayStatus>(await post('/v1/replays', replayRequestJson(asked)));
    },
    async status(replayId) {
      return json<ReplayStatus>(await request({ path: pathOf(replayId) }));
    },
    async report(replayId) {
      return json<ReplayReport>(await request({ path: `${pathOf(replayId)}/report` }));
    },
    async list() {
      const { replays } = await json<{ replays: ReplayStatus[] }>(await request({ path: '/v1/replays' }));
      return replays;
    },
    async cancel(replayId) {
      return json<ReplayStatus>(await post(`${pathOf(replayId)}/cancel`, {}));
    },
    async close() {},
  };
}

/** What the server of this package sends is of the type that it says. */
async function json<T>(response: Response): Promise<T> {
  const value: T = JSON.parse(await response.text());
  return value;
}

function* batchesOf(verdicts: readonly NewVerdictOf[]): Generator<string> {
  let lines = '';
  let count = 0;
  for (const verdict of verdicts) {
    const line = `${JSON.stringify(verdict)}\n`;
    if (count > 0 && (count === BATCH_VERDICTS || lines.length + line.length > BODY_CHARACTERS)) {
      yield lines;
      lines = '';
      count = 0;
    }
    lines += line;
    count++;
  }
  if (count > 0) yield lines;
}
