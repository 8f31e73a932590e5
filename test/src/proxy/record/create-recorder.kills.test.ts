import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordDisk } from '../../../../src/proxy/record/attempts/record-disk.ts';
import type { SentEvent } from '../../../clients/typescript/collecting-server.ts';
import { NOBODY, writeCall } from './call-files.ts';
import { createDraw, type Draw, type PlannedRollout, planRollout } from './random-rollouts.ts';
import { eventsIn, type InProcess, openInProcess } from './recording-in-process.ts';

/** What arrives is what was said, each call once, wherever the recording is killed. */

const SECOND = 1_000_000;
const BEGAN = 1_700_000_000_000_000;

class Killed extends Error {
  readonly syscall = 'kill';
}

/** Stops at a change of what is on disk: before it, in its middle, or after it. */
function killing(draw: Draw, oneIn: number, intent: string): (disk: RecordDisk) => RecordDisk {
  const die = (now: () => void): never => {
    now();
    throw new Killed('killed');
  };
  return (disk) => {
    let isDead = false;
    const around = <T>(whole: () => T, half: () => void): T => {
      if (isDead) throw new Killed('dead');
      if (draw(oneIn) > 0) return whole();
      isDead = true;
      return die([() => undefined, half, () => void whole()][draw(3)] ?? half);
    };
    return {
      // All of it but the mark that says that it is to be done.
      intend: (text) =>
        around(
          () => disk.intend(text),
          () => writeFileSync(intent, `-${text.slice(0, draw(text.length))}`),
        ),
      done: () =>
        around(
          () => disk.done(),
          () => undefined,
        ),
      ...{ intended: disk.intended, close: disk.close },
      write: (path, at, text) =>
        around(
          () => disk.write(path, at, text),
          () => disk.write(path, at, text.slice(0, draw(text.length + 1))),
        ),
      remove: (path) =>
        around(
          () => disk.remove(path),
          () => undefined,
        ),
      spool: (lines) =>
        around(
          () => disk.spool(lines),
          () => void disk.spool(lines.slice(0, draw(lines.length))),
        ),
    };
  };
}

interface World {
  recording(): InProcess;
  /** Done at last, however often it is killed. */
  survive(act: (recording: InProcess) => void): void;
  /** Killed, and opened again. */
  reopen(): void;
  close(): void;
}

function createWorld(folder: string, draw: Draw): World {
  const oneIn = 4 + draw(30);
  // The files that the dead had open are closed with them.
  let close = (): void => undefined;
  const open = (): InProcess => {
    for (;;) {
      try {
        return openInProcess(folder, {
          disk(plain) {
            close();
            close = plain.close;
            return killing(draw, oneIn, join(folder, 'recording', 'intent'))(plain);
          },
          limits: { stateBytes: 10_000 },
        });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  };
  let recording = open();
  return {
    recording: () => recording,
    close: () => close(),
    reopen() {
      recording = open();
    },
    survive(act) {
      for (;;) {
        try {
          return act(recording);
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          recording = open();
        }
      }
    },
  };
}

/** Files of several rollouts in turns, each of them in order. */
function play(folder: string, rollouts: readonly PlannedRollout[], draw: Draw): Map<string, PlannedRollout> {
  const world = createWorld(folder, draw);
  const left = rollouts.map((plan) => ({ plan, files: [...plan.files] }));
  const known = new Map<string, PlannedRollout>();
  /** Calls that ended and were not taken yet. What a restart took is taken in vain. */
  const told: string[] = [];
  const takeAll = (): void => {
    for (const path of told.splice(0)) world.survive(({ recorder }) => recorder.take(path));
  };
  for (let n = 0; left.some(({ files }) => files.length > 0); n++) {
    const able = left.filter(({ files }) => files.length > 0);
    const one = able[draw(able.length)];
    const file = one?.files.shift();
    if (one === undefined || file === undefined) break;
    const id = `c${String(n).padStart(6, '0')}`;
    const rollout = one.plan.isNamed ? one.plan.rollout : `inferred-${id}`;
    if (![...known.values()].includes(one.plan)) known.set(rollout, one.plan);
    told.push(writeCall(folder, { id, startedAtUs: BEGAN + n * SECOND, tookUs: SECOND / 2, ...file }));
    // Torn: the proxy died with the call under way.
    if (file.end === null) world.reopen();
    else if (draw(3) > 0) takeAll();
  }
  takeAll();
  for (const rollout of known.keys()) {
    const end = { reasons: [{ raw: 'task_complete', system: 'rollstream' }] };
    world.survive(({ recorder }) => recorder.end({ ...NOBODY, rollout }, end, true));
  }
  world.survive(({ recorder }) => expect(recorder).toMatchObject({ openRollouts: 0, lostEvents: 0 }));
  world.close();
  return known;
}

/** The prompts and completions that events tell, as a reader puts them together. */
function toldCalls(events: readonly SentEvent[]): object[] {
  const held = new Map<string, number[]>();
  return events.flatMap(({ model_call: call, segment_id = 'main', extra_json }) => {
    if (!call) return [];
    const before = held.get(segment_id) ?? [];
    const prompt = [...before.slice(0, call.prompt_prefix_len), ...((call.prompt_delta_ids as number[] | null) ?? [])];
    expect(call.prompt_prefix_len).toBeLessThanOrEqual(before.length);
    const completion = (call.completion_ids as number[] | null) ?? [];
    held.set(segment_id, [...prompt, ...completion]);
    const { attempts = [] }: { attempts?: unknown[] } = JSON.parse(String(extra_json));
    const finish = /"type":"(\w+)"/.exec(String(call.finish_reason))?.[1] ?? call.finish_reason;
    return [
      {
        prompt,
        completion,
        logprobs: call.completion_logprobs,
        finish,
        versions: call.weight_spans,
        tries: attempts.length,
      },
    ];
  });
}

it('what arrives is what was said, each call once and in order, wherever the recording is killed', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31), (seed) => {
      const folder = mkdtempSync(join(tmpdir(), 'rollstream-kills-'));
      try {
        const draw = createDraw(seed);
        const rollouts = Array.from({ length: 1 + draw(4) }, (_, n) => planRollout(draw, `rollout ${n}`, n));
        const known = play(folder, rollouts, draw);
        const events = eventsIn(folder);
        expect(new Set(events.map(({ rollout_id }) => rollout_id))).toEqual(new Set(known.keys()));
        for (const [rollout, { calls }] of known) {
          const mine = events.filter(({ rollout_id }) => rollout_id === rollout);
          expect(mine.map(({ seq }) => seq)).toEqual(mine.map((_, i) => i));
          expect([mine[0]?.kind, mine.at(-1)?.kind]).toEqual(['start', 'end']);
          expect(toldCalls(mine)).toEqual(calls);
        }
        expect(readdirSync(join(folder, 'calls'))).toEqual([]);
        expect(readdirSync(join(folder, 'recording', 'attempts'))).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 100 },
  );
});
