import { vi } from 'vitest';

/** Step events of one attempt in a run that no other test reads, and where it stands once it is decided. */
export interface SentRollout {
  readonly url: string;
  readonly run: string;
  readonly rollout: string;
  /** Records by kind, in order; the end and what identifies them are added. */
  readonly steps: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** Sends it as `POST /v1/steps`, and waits until a decision about it can be read. */
export async function sendRollout({ url, run, rollout, steps }: SentRollout): Promise<void> {
  const end = { kind: 'end', end: { reasons: [{ raw: 'max_turns', system: 'rollstream' }] } };
  const lines = [...steps, end].map((step, seq) =>
    JSON.stringify({
      ...{ run_id: run, env_name: 'page', task_id: 'shown', rollout_id: rollout, attempt: 0, seq },
      ...{ event_id: `${rollout}.${seq}`, producer_id: 'page-test', source: { format: 'rollstream', version: '1' } },
      ...step,
    }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  const sent = await fetch(`${url}/v1/steps`, { method: 'POST', headers, body: lines.join('\n') });
  if (!sent.ok) throw new Error(`steps: ${sent.status} ${await sent.text()}`);
  const verdict = {
    ...{
      run_id: run,
      rollout_id: rollout,
      attempt: 0,
      event_id: `${rollout}.verdict`,
      kind: 'verdict',
      env_name: 'page',
      task_id: 'shown',
    },
    ...{ producer_id: 'page-test-verifier', source: { format: 'rollstream', version: '1' } },
    verdict: { scorer: 'page', scorer_version: '1', status: 'scored', rewards: { correct: 1 } },
  };
  await fetch(`${url}/v1/steps`, { method: 'POST', headers, body: JSON.stringify(verdict) });
  await vi.waitFor(
    async () => {
      const read = await fetch(`${url}/v1/rollouts/${encodeURIComponent(rollout)}?run=${run}`);
      if (!read.ok || !(await read.text()).includes('"disposition"')) throw new Error('not decided yet');
    },
    { timeout: 20_000, interval: 200 },
  );
}
