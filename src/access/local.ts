import type { App } from '../app.ts';
import { readAccounting } from '../clickhouse/accounting.ts';
import { createApplyPolicy } from '../policies/apply-policy.ts';
import { createReadReady } from '../ready/read-ready.ts';
import type { Access } from './access.ts';
import { storeFormatOf } from './query-rows.ts';
import { readExplanation } from './read-explanation.ts';
import { readRuns } from './read-runs.ts';

/** The pipeline of this process. Closing it closes the app. */
export function createLocalAccess(app: App): Access {
  const readReady = createReadReady({ broker: app.broker, codecs: app.codecs, topic: app.topics.ready });
  return {
    accounting: (runId) => readAccounting(app.store, runId === null ? {} : { runId }),
    runs: () => readRuns(app.store),
    ready: readReady,
    query: (sql, format, params) => app.store.queryAsReader(sql, storeFormatOf(format), params),
    explain: (rolloutId, runId) =>
      readExplanation({ store: app.store, policyFile: app.settings.policyFile }, rolloutId, runId),
    applyPolicy: createApplyPolicy(app),
    close: app.close,
  };
}
