import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunSpools, type RunSpools } from '../../../../src/proxy/record/run-spools.ts';
import {
  type CollectingServer,
  type Request,
  startCollectingServer,
} from '../../../clients/typescript/collecting-server.ts';

let folder = '';
let server: CollectingServer;
let said: string[] = [];
let refusedBy: Record<string, number> = {};
const open: RunSpools[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-spools-'));
  server = await startCollectingServer();
  said = [];
  refusedBy = {};
  server.refuse((request) => {
    const [run = '', ...others] = runsIn(request);
    // Runs must not share a request: a server answers 409 where all of it is refused.
    if (others.length > 0) throw new Error(`one request is of ${run} and ${others}`);
    const status = refusedBy[run];
    return status === undefined ? null : { status };
  });
});
afterEach(async () => {
  for (const spools of open.splice(0)) spools.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

function begin(isServed = true, maxBytes = 1_000_000): RunSpools {
  const to = isServed ? { url: server.url, token: null } : null;
  const spools = openRunSpools({
    ...{ folder: join(folder, 'spool'), producerId: 'proxy-1', server: to, maxBytes },
    sweepMs: 500,
    say: (level, message) => said.push(`${level} ${message}`),
  });
  open.push(spools);
  return spools;
}

const line = (run: string, id: string): string => `${JSON.stringify({ run_id: run, event_id: id })}\n`;
const runsIn = ({ text }: Request): string[] => [
  ...new Set(
    text
      .trim()
      .split('\n')
      .map((one): string => JSON.parse(one).run_id),
  ),
];
/** Of every request that was taken, so that what arrives twice is seen twice. */
const arrived = (run: string): string[] =>
  server.requests.flatMap(({ text }) =>
    text
      .trim()
      .split('\n')
      .map((one): { run_id: string; event_id: string } => JSON.parse(one))
      .flatMap(({ run_id, event_id }) => (run_id === run ? [event_id] : [])),
  );

it('counts what the server would not have, and keeps it beside the spools', async () => {
  refusedBy = { large: 413 };
  const spools = begin();
  for (const id of ['1', '2']) spools.append(line('large', id));
  spools.append(line('small', '1'));
  expect(await spools.drained(10_000)).toBe(true);
  expect(spools.refusedEvents).toBe(2);
  const kept = readFileSync(join(folder, 'spool', 'refused.ndjson'), 'utf8');
  expect(kept).toBe(line('large', '1') + line('large', '2'));
  expect(arrived('small')).toEqual(['1']);
});

describe('a run that the server refuses', () => {
  it('holds up no other, is said once and listed, and arrives in order and once when it is taken again', async () => {
    refusedBy = { archived: 409, mistyped: 403 };
    const spools = begin();
    for (const run of ['archived', 'mistyped']) for (const n of [0, 1, 2]) spools.append(line(run, `${run}/${n}`));
    for (const n of [0, 1, 2]) {
      spools.append(line('open', `open/${n}`));
      await server.taken();
    }
    expect(arrived('open')).toEqual(['open/0', 'open/1', 'open/2']);
    await expect.poll(() => said).toHaveLength(2);
    // Tried at once, and refused once more.
    await spools.drained(50);
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^warn events of run "archived" are refused, and wait: HTTP 409/),
      expect.stringMatching(/^warn events of run "mistyped" are refused, and wait: HTTP 403/),
    ]);
    const bytes = 3 * line('archived', 'archived/0').length;
    expect(spools.waiting()).toEqual({
      ...{ events: 6, bytes: 2 * bytes },
      runs: [
        { run: 'archived', events: 3, bytes, problem: expect.stringContaining('HTTP 409') },
        { run: 'mistyped', events: 3, bytes, problem: expect.stringContaining('HTTP 403') },
      ],
    });
    refusedBy = {};
    for (const run of ['archived', 'mistyped']) spools.append(line(run, `${run}/3`));
    expect(await spools.drained(10_000)).toBe(true);
    for (const run of ['archived', 'mistyped']) expect(arrived(run)).toEqual([0, 1, 2, 3].map((n) => `${run}/${n}`));
    expect(said.slice(2).toSorted()).toEqual([
      'info events of run "archived" are taken again',
      'info events of run "mistyped" are taken again',
    ]);
    expect(spools.waiting()).toEqual({ events: 0, bytes: 0, runs: [] });
  });

  it('is known by its name after a restart, and what was left of it and of others arrives in order and once', async () => {
    const before = begin(false);
    for (const n of [0, 1]) for (const run of ['a "quoted"\\ run', 'b/../c']) before.append(line(run, `${n}`));
    before.close();
    refusedBy = { 'b/../c': 409 };
    const spools = begin();
    spools.append(line('a "quoted"\\ run', '2'));
    spools.append(line('b/../c', '2'));
    await expect.poll(() => arrived('a "quoted"\\ run')).toEqual(['0', '1', '2']);
    await expect.poll(() => said).toHaveLength(1);
    await expect.poll(() => spools.waiting()).toMatchObject({ events: 3, runs: [{ run: 'b/../c', events: 3 }] });
    spools.close();
    refusedBy = {};
    const last = begin();
    expect(last.waiting()).toMatchObject({ events: 3, runs: [{ run: 'b/../c', events: 3, problem: null }] });
    expect(await last.drained(10_000)).toBe(true);
    expect(arrived('b/../c')).toEqual(['0', '1', '2']);
  });
});

describe('spools of many runs', () => {
  it('are more than a thousand, of which each is sent, and none keeps a folder', async () => {
    const spools = begin();
    spools.append(line('run 0', 'before'));
    expect(await spools.drained(10_000)).toBe(true);
    // More than stay open, so that files of the first are closed: an empty one, and those that wait.
    for (let n = 1; n < 1_040; n++) spools.append(line(`run ${n}`, `${n}`));
    for (let n = 0; n < 5; n++) spools.append(line(`run ${n}`, `${n} again`));
    expect(spools.waiting()).toMatchObject({ events: 1_044 });
    expect(spools.waiting().runs).toHaveLength(50);
    expect(await spools.drained(60_000)).toBe(true);
    expect(server.events()).toHaveLength(1_045);
    expect([0, 1, 4].map((n) => arrived(`run ${n}`))).toEqual([
      ['before', '0 again'],
      ['1', '1 again'],
      ['4', '4 again'],
    ]);
    await expect.poll(() => readdirSync(join(folder, 'spool')), { timeout: 20_000, interval: 200 }).toEqual([]);
    spools.append(line('run 7', 'after'));
    expect(await spools.drained(10_000)).toBe(true);
    expect(arrived('run 7')).toEqual(['7', 'after']);
  });

  it('have one limit together, and what it refuses is not begun', () => {
    const bytes = line('a', '0').length;
    const spools = begin(false, 2 * bytes);
    expect(['a', 'b', 'c'].map((run) => spools.append(line(run, '0')))).toEqual([true, true, false]);
    expect(spools.waiting()).toMatchObject({ events: 2, bytes: 2 * bytes });
    spools.close();
    expect(begin(false, 2 * bytes).append(line('c', '0'))).toBe(false);
  });

  it('are sent too where an earlier version left those of all runs in one', async () => {
    const left = join(folder, 'spool', '000000004');
    mkdirSync(left, { recursive: true });
    server.refuse(() => null);
    writeFileSync(join(left, '000000000.ndjson'), line('a', '0') + line('b', '0'));
    const spools = begin();
    expect(spools.waiting()).toMatchObject({ events: 2, runs: [{ run: null, events: 2 }] });
    expect(await spools.drained(10_000)).toBe(true);
    expect([arrived('a'), arrived('b')]).toEqual([['0'], ['0']]);
    expect(existsSync(left)).toBe(false);
  });
});
