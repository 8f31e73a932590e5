import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Delivery, DeliveryStatus } from '../../delivery/delivery.ts';
import { batchTokensOf } from '../batch-tokens.ts';
import type { KnownRuns } from '../known-runs.ts';
import { lineageOf } from '../lease-call.ts';
import { bad, checkedName, jsonBody, nameOf, onlyFields, optional, wholeOf } from '../request-value.ts';
import { trainedStepOf } from '../trained-step.ts';

/**
 * `POST /v1/runs/:run/{checkpoints,rewind,fork}`: seals a step, goes back to one, or begins another run at one.
 * `GET /v1/runs/:run/delivery`: where a run stands, and what it can go back to.
 */
export function checkpointRoutes({
  delivery,
  knownRuns,
}: {
  readonly delivery: Delivery;
  readonly knownRuns: KnownRuns;
}): Hono {
  const inForceOr = async (run: string, named: number | null): Promise<number> => {
    if (named === null) return (await knownRuns.status(run)).lineage;
    await knownRuns.check(run);
    return named;
  };

  return new Hono()
    .post('/runs/:run/checkpoints', async (c) => {
      const [run, body] = [runOf(c.req.param('run')), await jsonBody(c)];
      onlyFields(body, ['lineage', 'step', 'tokens']);
      const step = trainedStepOf(body);
      const tokens = batchTokensOf(body, step) ?? new Map();
      const lineage = await inForceOr(run, lineageOf(body));
      await delivery.seal(run, { lineage, step, tokens });
      return c.json({ run, lineage, step, sealed: true });
    })
    .post('/runs/:run/rewind', async (c) => {
      const [run, body] = [runOf(c.req.param('run')), await jsonBody(c)];
      onlyFields(body, ['step', 'lineage', 'expect', 'request', 'tokens']);
      const [step, request] = [stepOf(body), requestOf(body)];
      const tokens = batchTokensOf(body, step);
      const [of, from] = [lineageOf(body), lineageOf(body, 'expect')];
      const { lineage: inForce } = await knownRuns.status(run);
      const call = { of: { lineage: of ?? inForce, step }, expect: from ?? inForce, request, tokens };
      return c.json({ run, lineage: await delivery.rewind(run, call) });
    })
    .post('/runs/:run/fork', async (c) => {
      const [run, body] = [runOf(c.req.param('run')), await jsonBody(c)];
      onlyFields(body, ['run', 'step', 'lineage', 'request', 'tokens']);
      const into = nameOf(body, 'run');
      if (into === run) throw bad('run', 'run: the name of a new run is needed');
      const [step, request] = [stepOf(body), requestOf(body)];
      const tokens = batchTokensOf(body, step);
      const lineage = await inForceOr(run, lineageOf(body));
      await delivery.fork(run, { of: { lineage, step }, into, request, tokens });
      return c.json({ run: into, lineage: 0 });
    })
    .get('/runs/:run/delivery', async (c) => c.json(statusJson(await knownRuns.status(runOf(c.req.param('run'))))));
}

function runOf(name: string): string {
  return checkedName(name, 'run');
}

/** Of a checkpoint to go back to: 0 is what the run began with. */
function stepOf(body: Record<string, unknown>): number {
  return wholeOf(body, 'step', 0, Number.MAX_SAFE_INTEGER);
}

/** Who may ask twice names the request; who does not asks each time anew. */
function requestOf(body: Record<string, unknown>): string {
  return optional(body, 'request', nameOf) ?? randomUUID();
}

function statusJson({ run, lineage, unit, checkpoints, states, waiting, last }: DeliveryStatus): object {
  return { run, lineage, unit, checkpoints, ready_states: states, waiting, last };
}
