import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/conform/engine/engine-config.ts';
import { openEngine } from '../../src/conform/engine/open-engine.ts';
import { createRandom } from '../../src/simulate/random.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../src/tokenizers/load-tokenizer.ts';
import { QWEN3 } from '../src/conform/engine/engine-client.ts';
import { checkTries } from './check-tries.ts';
import { type KilledProgram, startKilled } from './killed-program.ts';
import { endPrograms } from './program.ts';
import { recordedRun } from './recorded-tries.ts';
import { type Played, playStreamed, type StreamingClient } from './streamed-rollouts.ts';

/** Rounds of kill -9 while streams are under way. PROXY_KILLS asks for more of them, PROXY_SEED for other moments. */
const KILLS = Number(process.env.PROXY_KILLS ?? 1);
const SEED = process.env.PROXY_SEED ?? String(Date.now() % 100_000);
const AT_ONCE = 8;
const TOKENS_PER_SECOND = 150;
/** Chunks that clients hear before the next kill. */
const CHUNKS = { fewest: 60, most: 800 };
const LONGEST_AWAY_MS = 600;

let folder = '';
let tokenizer: LoadedTokenizer;
let engine: Engine;
let server: KilledProgram;
let proxy: KilledProgram;
let tasks = 0;
let heard = 0;
let onHeard = (): void => {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-proxy-kills-'));
  tokenizer = await loadTokenizer(QWEN3);
  engine = await openEngine({ tokenizer, tokensPerSecond: TOKENS_PER_SECOND });
  server = await startKilled(
    (port) => ['up', '--data', join(folder, 'data'), '--port', port],
    /serving at (http:\/\/[\w.:]+)/,
  );
  const flags = ['--upstream', engine.url, '--server', server.url, '--state', join(folder, 'proxy')];
  proxy = await startKilled(
    (port) => ['proxy', '--listen', `127.0.0.1:${port}`, ...flags],
    /(http:\/\/[\w.:]+) stands in front of/,
  );
});
afterAll(async () => {
  await endPrograms();
  await engine.close();
  tokenizer.close();
  await rm(folder, { recursive: true, force: true });
});

describe(`what clients saw of streams is in the store once, as it was sampled, and rollouts go on to their end (seed ${SEED})`, () => {
  it('while the server is killed, of which no client notices anything', async () => {
    const { played, wrong } = await rounds('server', [server], []);
    expect(wrong).toEqual([]);
    expect(hows(played)).toEqual(new Set(['whole']));
  });

  it('while the proxy is killed, and clients ask again, or go on with what they have', async () => {
    const { played, wrong } = await rounds('proxy', [proxy], ['proxy_killed']);
    expect(wrong).toEqual([]);
    expect(hows(played)).toContain('cut');
  });

  it('while both are killed', async () => {
    const { played, wrong } = await rounds('both', [proxy, server], ['proxy_killed']);
    expect(wrong).toEqual([]);
    expect(hows(played)).toContain('cut');
  });

  it('while clients leave in the middle', async () => {
    const client = clientOf('clients', 0.5);
    const played = await Promise.all(
      Array.from({ length: AT_ONCE * KILLS }, () => {
        const task = tasks++;
        return playStreamed(client, task, createRandom(`${SEED} clients ${task}`));
      }),
    );
    expect(await wrongOf('clients', played, ['client_gone'])).toEqual([]);
    expect(hows(played)).toContain('aborted');
  });
});

/** Streams go on until all is killed as often as it is to be, so that each kill falls into some. */
async function rounds(run: string, killed: readonly KilledProgram[], reasons: readonly string[]) {
  const client = clientOf(run, 0);
  const played: Played[] = [];
  let isOver = false;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) {
      const task = tasks++;
      played.push(await playStreamed(client, task, createRandom(`${SEED} ${run} ${task}`)));
    }
  });
  const killing = killAgain(run, killed).finally(() => {
    isOver = true;
  });
  await Promise.all([...lanes, killing]);
  return { played, wrong: await wrongOf(run, played, reasons) };
}

async function killAgain(run: string, killed: readonly KilledProgram[]): Promise<void> {
  const random = createRandom(`${SEED} kills ${run}`);
  for (let kill = 0; kill < KILLS; kill++) {
    const waits = killed.map(
      () => [random.whole(CHUNKS.fewest, CHUNKS.most), random.whole(0, LONGEST_AWAY_MS)] as const,
    );
    heard = 0;
    onHeard = () => {};
    await Promise.all(
      killed.map(async (program, at) => {
        const [chunks, away] = waits[at] ?? [0, 0];
        await untilHeard(chunks);
        await program.kill();
        await sleep(away);
        await program.start();
      }),
    );
  }
}

/** So many that some stream is in its middle. */
function untilHeard(chunks: number): Promise<void> {
  return new Promise((resolve) => {
    const others = onHeard;
    onHeard = () => {
      others();
      if (heard >= chunks) resolve();
    };
  });
}

function clientOf(run: string, aborts: number): StreamingClient {
  return {
    ...{ url: proxy.url, run, aborts, encode: (text) => tokenizer.encode(text) },
    onChunk() {
      heard += 1;
      onHeard();
    },
  };
}

async function wrongOf(run: string, played: readonly Played[], reasons: readonly string[]): Promise<string[]> {
  const recorded = await recordedRun(server.url, run, played.length);
  return checkTries(played, recorded, engine.truth(), reasons);
}

function hows(played: readonly Played[]): Set<string> {
  return new Set(played.flatMap(({ tries }) => tries.map(({ how }) => how)));
}
