import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageFile } from '../../../src/config/package-file.ts';
import { dashboards } from '../../../src/docs/grafana/dashboards.ts';
import { type TemporaryStore, temporaryStore } from '../../src/clickhouse/temporary-store.ts';

interface Target {
  readonly expr?: string;
  readonly rawSql?: string;
  readonly queryType?: string;
}

interface Dashboard {
  readonly uid: string;
  readonly panels: ReadonlyArray<{
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly w: number };
    readonly datasource: { readonly uid: string };
    readonly targets: readonly Target[];
  }>;
}

const read = (name: string): Dashboard =>
  JSON.parse(readFileSync(packageFile('infra', 'grafana', 'dashboards', name), 'utf8'));
const targetsOf = (name: string): Array<readonly [string, Target]> =>
  read(name).panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const));

it('the dashboards are as the code makes them, fit the width of Grafana, and use the data sources that are provisioned', () => {
  const file = packageFile('infra', 'grafana', 'provisioning', 'datasources', 'rollstream.yaml');
  const { datasources }: { datasources: ReadonlyArray<{ uid: string }> } = parse(readFileSync(file, 'utf8'));
  const provisioned = datasources.map(({ uid }) => uid);
  for (const [name, text] of dashboards()) {
    expect(readFileSync(packageFile('infra', 'grafana', 'dashboards', name), 'utf8'), name).toBe(text);
    for (const { title, gridPos, datasource } of read(name).panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      expect(provisioned, title).toContain(datasource.uid);
    }
  }
});

describe('rollouts', () => {
  let temporary: TemporaryStore;
  beforeAll(async () => {
    temporary = await temporaryStore();
  });
  afterAll(() => temporary.remove());

  it('every panel is a statement that the store answers, for one run and for all; over time it begins with a time', async () => {
    const targets = targetsOf('rollouts.json');
    expect(targets.length).toBeGreaterThan(9);
    for (const [title, { rawSql = '', queryType }] of targets) {
      for (const run of ["'math'", "''"]) {
        const sql = rawSql
          .replaceAll(`\${run:sqlstring}`, run)
          .replaceAll('$__fromTime', 'toDateTime(0)')
          .replaceAll('$__toTime', 'now()');
        await temporary.store.query(sql);
        const columns = await temporary.store.query<{ name: string; type: string }>(`DESCRIBE (${sql})`);
        if (queryType === 'timeseries')
          expect([title, columns[0]]).toMatchObject([
            title,
            { name: 'time', type: expect.stringMatching(/^DateTime/) },
          ]);
      }
    }
  });
});

describe.runIf(hasPrometheus())('pipeline health', () => {
  let folder: string;
  let url: string;
  let prometheus: ChildProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rollstream-prometheus-'));
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, readFileSync(packageFile('infra', 'grafana', 'prometheus.yml')));
    const args = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, '--web.listen-address=127.0.0.1:0'];
    prometheus = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    url = `http://${await addressWhenReady(prometheus)}`;
  });
  afterAll(async () => {
    const gone = once(prometheus, 'exit');
    prometheus.kill();
    await gone;
    rmSync(folder, { recursive: true });
  });

  it('every panel is a query that Prometheus answers', async () => {
    const targets = targetsOf('pipeline-health.json');
    expect(targets.length).toBeGreaterThan(9);
    for (const [title, { expr = '' }] of targets) {
      const query = expr.replaceAll('$__rate_interval', '1m');
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`);
      expect([title, await answer.json()]).toMatchObject([title, { status: 'success' }]);
    }
  });
});

/** In CI there has to be one. */
function hasPrometheus(): boolean {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (cause) {
    if (process.env.CI !== undefined) throw new Error('there is no Prometheus: apt-get install prometheus', { cause });
    process.stderr.write('skipped: the panels of pipeline health, since there is no Prometheus\n');
    return false;
  }
}

/** What it logs is read to its end: a pipe that nobody reads would end Prometheus with its next line. */
function addressWhenReady(prometheus: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let logged = '';
    prometheus.stderr?.on('data', (text) => {
      logged += text;
      const [, address] = logged.match(/msg="Listening on" address=(\S+)/) ?? [];
      if (address !== undefined && logged.includes('Server is ready')) resolve(address);
    });
    prometheus.once('exit', () => reject(new Error(logged)));
  });
}
