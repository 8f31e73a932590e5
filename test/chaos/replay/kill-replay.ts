import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../examples/generate/random.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { type Started, startProgram } from '../../e2e/program.ts';
import { sqlRows } from '../sql-rows.ts';

export interface KillReplayDeps {
  readonly broker: Pick<Broker, 'bounds'>;
  /** That it emits to. */
  readonly topic: string;
  readonly clickhouseUrl: string;
  readonly random: Random;
  /** Flags that name the pipeline. */
  readonly where: readonly string[];
  readonly say: (text: string) => void;
}

/** Kills a replay with -9, each time at another moment, and goes on with it. */
export interface KillReplay {
  readonly figures: ReadonlyMap<string, number>;
  /** Begins it; its id. */
  whileItScores(asked: readonly string[], kills: number): Promise<string>;
  /** Ends earlier where it is done. */
  whileItEmits(replayId: string, kills: number): Promise<void>;
}

/** Of the emission of a small run. */
const MOMENT_MS = 150;

export function createKillReplay({ broker, topic, clickhouseUrl, random, where, say }: KillReplayDeps): KillReplay {
  const figures = new Map<string, number>();
  const count = (what: string): unknown => figures.set(what, (figures.get(what) ?? 0) + 1);

  const begin = (args: readonly string[]): Started => startProgram([...args, '--log-level', 'debug', ...where]);

  /** Whether it was alive until then. */
  async function kill({ child, ended }: Started, what: string): Promise<boolean> {
    child.kill('SIGKILL');
    const isKilled = (await ended).signal === 'SIGKILL';
    if (isKilled) {
      count(what);
      say(`killed ${what}`);
    }
    return isKilled;
  }

  async function hasBegunToEmit(replayId: string, sinceMs: number): Promise<boolean> {
    const rows = await sqlRows<{ state: string }>(
      clickhouseUrl,
      `SELECT state FROM rollstream.replays FINAL WHERE replay_id = '${replayId}' AND state = 'emitting'
       AND at >= fromUnixTimestamp64Milli(toInt64(${sinceMs}))`,
    );
    return rows.length > 0;
  }

  /** At its n-th growth from now on, as soon as it is seen; false: the replay ended before. */
  async function growth(n: number, hasEnded: () => boolean): Promise<boolean> {
    let { end: before } = await broker.bounds(topic, 0);
    for (let seen = 0; seen < n; ) {
      if (hasEnded()) return false;
      const { end } = await broker.bounds(topic, 0);
      if (end > before) seen += 1;
      before = end;
    }
    return true;
  }

  return {
    figures,
    async whileItScores(asked, kills) {
      let args = asked;
      let replayId = '';
      for (let n = 0; n < Math.max(1, kills); n += 1) {
        const started = begin(args);
        // Its name is told when it is kept: who is killed earlier has begun nothing.
        replayId = (await started.saying(/^replay (\S+)/m))[1] ?? '';
        args = ['replay', '--resume', replayId, '--json'];
        const pieces = Math.floor(4 * random());
        if (pieces > 0)
          await started.saying(new RegExp(`(a piece of a replay is done[^]*){${pieces}}`)).catch(() => undefined);
        await sleep(100 * random());
        if (kills > 0) await kill(started, 'while it scored');
        else await started.ended;
      }
      return replayId;
    },
    async whileItEmits(replayId, kills) {
      for (let n = 0; n < kills; n += 1) {
        const sinceMs = Date.now();
        const started = begin(['replay', '--resume', replayId, '--json']);
        let isOver = false;
        const over = started.ended.then(() => {
          isOver = true;
        });
        while (!isOver && !(await hasBegunToEmit(replayId, sinceMs))) await sleep(5);
        // Half of them right behind a transaction, which then has no rows in the books.
        if (n % 2 === 0) await growth(1, () => isOver);
        else await sleep(MOMENT_MS * random());
        if (!(await kill(started, n % 2 === 0 ? 'behind a transaction' : 'while it emitted'))) {
          await over;
          say('it was done before it was killed');
          return;
        }
      }
    },
  };
}
