import { type Context, Hono } from 'hono';
import type { RunQuota } from '../../runs/quota.ts';
import { PURPOSES, type Purpose } from '../../runs/run-state.ts';
import type { NewRun, Runs } from '../../runs/runs.ts';
import type { Caller } from '../auth/caller.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { bad, isGiven, isObject, isWhole, jsonBody, nameOf, onlyFields, textOf } from '../request-value.ts';

const MOST_NOTE_CHARACTERS = 2_000;
const MOST_EVENTS_PER_SECOND = 10_000_000;
const LEAST_BYTES = 64 * 1024;

/**
 * `POST /v1/runs {run_id, purpose?, note?, quota?}`, `POST /v1/runs/:run/{archive,unarchive}`, `PUT /v1/runs/:run/quota
 * {events_per_second, in_flight_bytes}`, `DELETE /v1/runs/:run {confirm, force?}`. The list is `GET /v1/runs`.
 */
export function runRoutes({ runs }: { readonly runs: Runs }): Hono<SenderEnv> {
  return new Hono<SenderEnv>()
    .post('/runs', async (c) => {
      const body = await jsonBody(c);
      onlyFields(body, ['run_id', 'purpose', 'note', 'quota']);
      return c.json(await runs.create(nameOf(body, 'run_id'), newRunOf(body), nameOfCaller(callerOf(c))));
    })
    .post('/runs/:run/archive', async (c) => {
      onlyFields(await bodyOrNone(c), []);
      return c.json(await runs.archive(runOf(c.req.param('run')), nameOfCaller(callerOf(c))));
    })
    .post('/runs/:run/unarchive', async (c) => {
      onlyFields(await bodyOrNone(c), []);
      return c.json(await runs.unarchive(runOf(c.req.param('run')), nameOfCaller(callerOf(c))));
    })
    .put('/runs/:run/quota', async (c) => {
      const quota = quotaOf(await jsonBody(c), '');
      return c.json(await runs.setQuota(runOf(c.req.param('run')), quota, nameOfCaller(callerOf(c))));
    })
    .delete('/runs/:run', async (c) => {
      const [run, body] = [runOf(c.req.param('run')), await jsonBody(c)];
      onlyFields(body, ['confirm', 'force']);
      const isForced = isGiven(body, 'force') ? body.force : false;
      if (typeof isForced !== 'boolean') throw bad('force', 'force: true or false is needed');
      const [confirm, caller] = [isGiven(body, 'confirm') ? textOf(body, 'confirm') : '', callerOf(c)];
      return c.json(await runs.remove(run, { confirm, isForced, mayName: caller.runs }, nameOfCaller(caller)));
    });
}

/** Where nothing has to be said nothing need be sent. */
async function bodyOrNone(c: Context): Promise<Record<string, unknown>> {
  return (await c.req.text()) === '' ? {} : jsonBody(c);
}

/** Of a run that is there: its first event may have given it a name that nobody may declare. */
function runOf(run: string): string {
  if (run !== '' && run.isWellFormed()) return run;
  throw bad('run', 'run: its name is needed, without lone surrogates');
}

/** Where nobody needs a token there is nobody to name. */
function nameOfCaller({ id, name }: Caller): string {
  return id === 'anybody' ? '' : name;
}

function newRunOf(body: Record<string, unknown>): NewRun {
  const note = isGiven(body, 'note') ? textOf(body, 'note') : '';
  if (note.length > MOST_NOTE_CHARACTERS || !note.isWellFormed())
    throw bad('note', `note: at most ${MOST_NOTE_CHARACTERS} characters, without lone surrogates`);
  return { purpose: purposeOf(body.purpose), note, quota: quotaOf(body.quota ?? {}, 'quota.') };
}

function purposeOf(value: unknown): Purpose | null {
  if (value === undefined || value === null) return null;
  const purpose = PURPOSES.find((name) => name === value);
  if (purpose === undefined) throw bad('purpose', `purpose: one of ${PURPOSES.join(', ')} is needed`);
  return purpose;
}

/** What is left out or null is as it is configured. */
function quotaOf(value: unknown, within: string): RunQuota {
  if (!isObject(value)) throw bad(within.slice(0, -1), 'quota: {"events_per_second", "in_flight_bytes"} is needed');
  onlyFields(value, ['events_per_second', 'in_flight_bytes'], within);
  const { events_per_second: rate = null, in_flight_bytes: bytes = null } = value;
  if (rate !== null && !(typeof rate === 'number' && rate > 0 && rate <= MOST_EVENTS_PER_SECOND))
    throw bad(
      `${within}events_per_second`,
      `${within}events_per_second: a number above 0, up to ${MOST_EVENTS_PER_SECOND}, or null, is needed`,
    );
  if (bytes !== null && !isWhole(bytes, LEAST_BYTES, Number.MAX_SAFE_INTEGER))
    throw bad(
      `${within}in_flight_bytes`,
      `${within}in_flight_bytes: a whole number from ${LEAST_BYTES}, or null, is needed`,
    );
  return { eventsPerSecond: rate, inFlightBytes: bytes };
}
