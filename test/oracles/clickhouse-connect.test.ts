import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpFront, startHttpFront } from '../../src/clickhouse/http-front/start-http-front.ts';
import { encodeDecisions } from '../../src/clickhouse/tables/decisions.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { sampleDecision } from '../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../src/clickhouse/temporary-store.ts';

/** An interpreter that has clickhouse-connect (pip install clickhouse-connect). */
const python = process.env.ROLLSTREAM_TEST_PYTHON ?? 'python3';
const isInstalled = spawnSync(python, ['-c', 'import clickhouse_connect']).status === 0;
const token = 'a token of its own';

let temporary: TemporaryStore;
let reading: HttpFront;
let writable: HttpFront;
beforeAll(async () => {
  temporary = await temporaryStore();
  const decisions = [
    sampleDecision(1, { reward: null, in_loss: false, why: ['no_tokens', 'b'], started_at: 1_700_000_000_000_000 }),
    sampleDecision(2, { rollout_id: 'r1', unit: 'run-1/0/r/r1', reward: 0.5 }),
  ];
  await temporary.store.insert(encodeDecisions(decisions, { topic: 't', term: 1 }));
  const options = { folder: temporary.folder, host: '127.0.0.1', port: 0, token };
  reading = await startHttpFront({ ...options, writable: false });
  writable = await startHttpFront({ ...options, writable: true });
});
afterAll(async () => {
  await reading.close();
  await writable.close();
  await temporary.remove();
});

test('what it asks first is answered: Native, version and time zone, settings', async () => {
  const session = { session_id: 's1', client_protocol_version: '54405', wait_end_of_query: '1' };
  const ask = (body: string): Promise<Response> =>
    fetch(`${reading.url}/?${new URLSearchParams(session)}`, {
      method: 'POST',
      body,
      headers: { 'x-clickhouse-key': token },
    });
  const native = await ask('SELECT 1 AS check FORMAT Native');
  expect(Buffer.from(await native.arrayBuffer())).toEqual(Buffer.from('\x01\x01\x05check\x05UInt8\x01', 'latin1'));
  expect(await (await ask('SELECT version(), timezone()')).text()).toMatch(/^\d+\.\d+\.\S+\t\S+\n$/);
  const settings = await ask('SELECT name, value, readonly FROM system.settings LIMIT 10000 FORMAT TSV');
  expect((await settings.text()).split('\n').length).toBeGreaterThan(500);
});

if (isInstalled) {
  const read = async ({ url }: HttpFront) => {
    const script = packageFile('test', 'oracles', 'clickhouse_connect_reads.py');
    const { stdout } = await promisify(execFile)(python, [script, new URL(url).port, token]);
    return JSON.parse(stdout);
  };
  const rows = {
    names: ['rollout_id', 'reward', 'why', 'in_loss', 'us', 'f', 't'],
    rows: [
      ['r0', null, ['no_tokens', 'b'], false, 1_700_000_000_000_000, 0.10000000149011612, "it's\ta test"],
      ['r1', 0.5, ['task_complete'], true, null, 0.10000000149011612, "it's\ta test"],
    ],
    total: (200_000 * 199_999) / 2,
  };

  test('it reads rows of every kind, and cannot write', async () => {
    expect(await read(reading)).toEqual({ ...rows, inserted: 'READONLY' });
  });

  test('it writes where that is asked for, in the encoding that it prefers', async () => {
    expect(await read(writable)).toEqual({ ...rows, inserted: [['ü']] });
  });
} else {
  process.stderr.write(`${python} has no clickhouse-connect: only what it asks first was tried\n`);
}
