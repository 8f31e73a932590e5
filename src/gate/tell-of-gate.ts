import type { Logger } from 'pino';
import type { GateRow } from '../clickhouse/tables/gates.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createWebhook } from './webhook.ts';

/** What is told of each change of a gate that this process made, beside its row: a log line, a metric, the webhook. */
export function createTellOfGate(deps: {
  readonly log: Logger;
  readonly recorder: Pick<Recorder, 'gateChanged'>;
  /** null: nobody. */
  readonly webhook: string | null;
}): (row: GateRow) => void {
  const { log, recorder } = deps;
  const webhook = createWebhook(deps.webhook, log);
  return function tellOfGate(row) {
    const { run_id, seq, state, by, classes, why_json } = row;
    const level = state === 'open' || by !== 'evaluator' ? 'info' : 'warn';
    log[level]({ run_id, seq, state, by, classes, why: JSON.parse(why_json) }, `gate of ${run_id}: ${state}`);
    recorder.gateChanged(state, by);
    webhook(row);
  };
}
