import { Readable } from 'node:stream';
import type { Accounting } from '../clickhouse/accounting.ts';
import type { QueryParams } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import type { GateStatus } from '../gate/gate-status.ts';
import type { GateChanged } from '../gate/set-gate.ts';
import type { AppliedPolicy } from '../policies/apply-policy.ts';
import type { TrajectoryJson } from '../ready/trajectory-json.ts';
import type { RunSummary } from '../runs/runs.ts';
import { NEXT_HEADER, REMAINING_HEADER, TRAJECTORIES_HEADER, WITHOUT_HEADER } from '../server/headers.ts';
import type { Access } from './access.ts';
import type { Explanation } from './explanation.ts';
import { namedQueries } from './named-queries.ts';
import type { RowsFormat } from './query-rows.ts';
import type { ServerClient } from './server-client.ts';

/** The pipeline of the server that owns the data folder. */
export function createRemoteAccess(request: ServerClient): Access {
  return {
    async accounting(runId) {
      const accounting: Accounting = await json(await request({ path: `/v1/accounting${search({ run: runId })}` }));
      return accounting;
    },
    async runs() {
      const { runs }: { runs: RunSummary[] } = await json(await request({ path: '/v1/runs' }));
      return runs;
    },
    async ready({ from, limit, runId, groupId, waitMs, signal }) {
      const path = `/v1/ready${search({ from, limit, run: runId, group: groupId, wait_ms: waitMs })}`;
      const none = { trajectories: [], next: from, atEnd: true };
      const response = await request({ path, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
        if (signal?.aborted === true) return null;
        throw error;
      });
      if (response === null) return none;
      const text = await response.text();
      const lines = text.split('\n').filter((line) => line !== '');
      return {
        trajectories: lines.map((line): TrajectoryJson => JSON.parse(line)),
        next: Number(response.headers.get(NEXT_HEADER) ?? from),
        atEnd: response.headers.get(REMAINING_HEADER) !== '1',
      };
    },
    async query(sql, format, params) {
      const named = namedPath(sql, format, params);
      if (named !== null) return (await request({ path: named })).text();
      const bytes = JSON.stringify({ sql, format, params });
      const response = await request({ method: 'POST', path: '/v1/query', body: { type: 'application/json', bytes } });
      return response.text();
    },
    async explain(rolloutId, runId) {
      const path = `/v1/rollouts/${encodeURIComponent(rolloutId)}${search({ run: runId })}`;
      const explanation: Explanation = await json(await request({ path }));
      return explanation;
    },
    async export({ runId, format, all }) {
      const path = `/v1/export${search({ run: runId, format, all: all ? 1 : null })}`;
      const response = await request({ path });
      const count = (header: string) => Number(response.headers.get(header) ?? 0);
      return {
        trajectories: count(TRAJECTORIES_HEADER),
        without: count(WITHOUT_HEADER),
        bytes: Readable.from(piecesOf(response)),
      };
    },
    async applyPolicy({ text, where }) {
      const bytes = JSON.stringify({ policy: text, name: where });
      const response = await request({
        method: 'POST',
        path: '/v1/policies',
        body: { type: 'application/json', bytes },
      });
      const applied: AppliedPolicy = await json(response);
      return applied;
    },
    async gates(runId) {
      const { gates }: { gates: GateStatus[] } = await json(
        await request({ path: `/v1/gates${search({ run: runId })}` }),
      );
      return gates;
    },
    async setGate(runId, wish) {
      const { reason } = wish;
      const body =
        wish.wish === 'release' ? { release: true, reason } : { state: wish.state, classes: wish.classes, reason };
      const changed: GateChanged = await json(
        await request({
          method: 'POST',
          path: `/v1/runs/${encodeURIComponent(runId)}/gate`,
          body: { type: 'application/json', bytes: JSON.stringify(body) },
        }),
      );
      return changed;
    },
    async close() {},
  };
}

/** A query that is shipped is asked for by its name, which a token of one run may do and SQL not; null: it is another, or has lists. */
function namedPath(sql: string, format: RowsFormat, params: QueryParams): string | null {
  const name = namedQueries().find((one) => one.sql === sql)?.name;
  const given = Object.entries(params).map(
    ([key, value]) => [key, typeof value === 'object' ? null : String(value)] as const,
  );
  if (name === undefined || given.some(([, value]) => value === null)) return null;
  return `/v1/named/${encodeURIComponent(name)}${search({ ...Object.fromEntries(given), format })}`;
}

/** What the server of this package sends is of the type that it says. */
async function json<T>(response: Response): Promise<T> {
  const value: T = JSON.parse(await response.text());
  return value;
}

/** An answer that breaks off is an error, never a short file. */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    for await (const piece of body) yield piece;
  } catch (cause) {
    throw new RollstreamError('RS_SERVER_UNREACHABLE', 'the server broke off before the end of the export', { cause });
  }
}

function search(params: Readonly<Record<string, string | number | null>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== null) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}
