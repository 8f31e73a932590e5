import type { ServerClient, ServerRequest } from '../access/server-client.ts';
import type { RunQuota } from './quota.ts';
import type { Removed, RunSummary, Runs } from './runs.ts';

/** Runs of a server. Who asks is known there by the token. */
export function createRemoteRuns(request: ServerClient): Runs {
  const ask = async <T>(method: ServerRequest['method'] & string, path: string, body?: object): Promise<T> => {
    const json = body === undefined ? {} : { body: { type: 'application/json', bytes: JSON.stringify(body) } };
    const value: T = JSON.parse(await (await request({ method, path, ...json })).text());
    return value;
  };
  const pathOf = (runId: string): string => `/v1/runs/${encodeURIComponent(runId)}`;
  const quotaJson = ({ eventsPerSecond, inFlightBytes }: RunQuota) => ({
    ...{ events_per_second: eventsPerSecond, in_flight_bytes: inFlightBytes },
  });
  return {
    async list() {
      const { runs } = await ask<{ runs: RunSummary[] }>('GET', '/v1/runs');
      return runs;
    },
    create: (runId, { purpose, note, quota }) =>
      ask('POST', '/v1/runs', { run_id: runId, purpose, note, quota: quotaJson(quota) }),
    archive: (runId) => ask('POST', `${pathOf(runId)}/archive`, {}),
    unarchive: (runId) => ask('POST', `${pathOf(runId)}/unarchive`, {}),
    setQuota: (runId, quota) => ask('PUT', `${pathOf(runId)}/quota`, quotaJson(quota)),
    remove: (runId, { confirm, isForced }) => ask<Removed>('DELETE', pathOf(runId), { confirm, force: isForced }),
    async close() {},
  };
}
