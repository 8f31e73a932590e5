import type { App } from '../app.ts';
import { readAccounting } from '../clickhouse/accounting.ts';
import { createExport } from '../export/create-export.ts';
import { readGateStatus } from '../gate/gate-status.ts';
import { createSetGate } from '../gate/set-gate.ts';
import { createApplyPolicy } from '../policies/apply-policy.ts';
import { createConfiguredPolicy } from '../policies/configured-policy.ts';
import { createReadReady } from '../ready/read-ready.ts';
import { listRuns } from '../runs/list-runs.ts';
import type { Access } from './access.ts';
import { storeFormatOf } from './query-rows.ts';
import { readExplanation } from './read-explanation.ts';

/** The pipeline of this process. Closing it closes the app. */
export function createLocalAccess(app: App): Access {
  const readReady = createReadReady({
    broker: app.broker,
    codecs: app.codecs,
    blobs: app.blobs,
    topic: app.topics.ready,
    isGone: app.runs.isGone,
  });
  const policy = createConfiguredPolicy(app.store, app.settings);
  return {
    accounting: (runId) => readAccounting(app.store, runId === null ? {} : { runId }),
    runs: () => listRuns(app.store),
    ready: readReady,
    query: (sql, format, params) => app.store.queryAsReader(sql, storeFormatOf(format), params),
    explain: (rolloutId, runId) =>
      readExplanation({ store: app.store, policyFile: app.settings.policyFile }, rolloutId, runId),
    export: createExport(app.store),
    applyPolicy: createApplyPolicy(app),
    gates: (runId) => readGateStatus({ store: app.store, policy }, runId),
    setGate: createSetGate({ store: app.store, gates: app.gates, policy, now: app.now }),
    close: app.close,
  };
}
