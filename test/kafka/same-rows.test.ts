import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { jsonLinesOf, jsonOf, rollstream, startRollstream } from '../e2e/rollstream.ts';

/** One input, embedded and on Kafka with a ClickHouse server and two workers: what the log and the clock give differs, no more. */

const EXAMPLES = packageFile('examples/rollouts');
/** Columns of the log, of its clock and of the lane's terms. */
const NOT_COMPARED = ['topic', 'partition', 'offset', 'term', 'version', 'first_offset', 'last_offset'];
const TIMES = { trajectories: ['ready_at'], decisions: ['decided_at'], rewards: [] };
type Table = keyof typeof TIMES;

interface Side {
  readonly where: readonly string[];
  readonly report: { readonly events: number; readonly refused: number };
}

let folder = '';
let front: FrontProcess | null = null;
const workers: ReturnType<typeof startRollstream>[] = [];
let embedded: Side;
let kafka: Side;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-same-rows-'));
  const data = ['--data', join(folder, 'data')];
  embedded = { where: data, report: jsonOf(await rollstream('import', EXAMPLES, ...data, '--json')) };

  front = await startFront({ writable: true });
  const config = join(folder, 'worker.yaml');
  const keys = {
    'kafka.brokers': [inject('services').kafka],
    'registry.url': inject('services').registry,
    'clickhouse.url': front.url,
    'http.port': 0,
    topic_prefix: `same-${randomUUID()}.`,
    partitions: 3,
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(keys));
  const where = ['--config', config];
  for (let n = 0; n < 2; n++) workers.push(await serving(startRollstream('up', ...where)));
  kafka = { where, report: jsonOf(await rollstream('import', EXAMPLES, '--wait', ...where, '--json')) };
}, 300_000);

afterAll(async () => {
  await Promise.all(
    workers.map(async (worker) => {
      if (worker.exitCode !== null) return;
      const gone = once(worker, 'exit');
      worker.kill();
      await gone;
    }),
  );
  await front?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function serving(worker: ReturnType<typeof startRollstream>): Promise<typeof worker> {
  let said = '';
  worker.stdout.resume();
  await new Promise<void>((resolve, reject) => {
    worker.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('serving at')) resolve();
    });
    worker.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return worker;
}

async function rowsOf(table: Table, { where }: Side): Promise<unknown[]> {
  const but = [...NOT_COMPARED, ...TIMES[table]];
  const described = await rollstream('query', `DESCRIBE TABLE rollstream.${table}`, ...where, '--format', 'jsonl');
  const columns = jsonLinesOf<{ name: string }>(described).map(({ name }) => name);
  const compared = columns.filter((name) => !but.includes(name)).map((name) => `\`${name}\``);
  const order = `ORDER BY run_id, unit, rollout_id, attempt${table === 'rewards' ? ', scorer, turn, component' : ''}`;
  const sql = `SELECT ${compared.join()} FROM rollstream.live_${table} ${order}`;
  return jsonLinesOf(await rollstream('query', sql, ...where, '--format', 'jsonl'));
}

it('reads and refuses the same', () => {
  expect(kafka.report).toMatchObject({ events: embedded.report.events, refused: embedded.report.refused });
});

it.each(['trajectories', 'rewards', 'decisions'] as const)(
  'gives the same rows of %s',
  async (table) => {
    const expected = await rowsOf(table, embedded);
    expect(expected.length).toBeGreaterThan(30);
    expect(await rowsOf(table, kafka)).toEqual(expected);
  },
  240_000,
);
