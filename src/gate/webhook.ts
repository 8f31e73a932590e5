import type { Logger } from 'pino';
import type { GateRow } from '../clickhouse/tables/gates.ts';

/** Tells somebody else; never waits, never fails. */
export type Webhook = (row: GateRow) => void;

const MOST_MS = 5_000;

/** POSTs each change as JSON. The URL may hold a token, so no log names it. */
export function createWebhook(url: string | null, log: Logger): Webhook {
  if (url === null) return () => undefined;
  return function webhook({ run_id, seq, state, by, classes, why_json, windowFromMs, atMs }) {
    const body = JSON.stringify({
      ...{ run_id, seq, state, by, classes, why: JSON.parse(why_json) },
      window_from: new Date(windowFromMs).toISOString(),
      at: new Date(atMs).toISOString(),
    });
    const failed = (why: string) => log.warn({ run_id, state, why }, 'gate.webhook was not told');
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(MOST_MS),
      redirect: 'error',
    })
      .then(async (response) => {
        await response.body?.cancel();
        if (!response.ok) failed(`it answered ${response.status}`);
      })
      .catch((error: unknown) => failed(whyOf(error)));
  };
}

/** A message of fetch may name the URL; a code does not. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${MOST_MS} ms`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
