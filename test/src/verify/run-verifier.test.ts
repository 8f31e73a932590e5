import { expect, it } from 'vitest';
import { RollstreamError } from '../../../src/errors.ts';
import type { AttemptInput, AttemptJudged } from '../../../src/verify/attempt-input.ts';
import { runVerifier, type VerifierRun } from '../../../src/verify/run-verifier.ts';
import type { Verifier, VerifierAnswer, VerifierInput } from '../../../src/verify/verifier.ts';
import type { VerifierCache } from '../../../src/verify/verifier-cache.ts';
import { sampleAttempt } from './sample-input.ts';

const scored = (reward: number): VerifierAnswer => ({
  ...{ status: 'scored', rewards: { reward }, report: null, cost: 0.5, durationMs: 1 },
});
const faulty = (status: 'crash' | 'timeout' | 'parse_error'): VerifierAnswer => ({
  ...{ status, rewards: {}, report: 'it failed', cost: null, durationMs: 1 },
});

function cacheOf(kept = new Map<string, VerifierAnswer>()): VerifierCache & { readonly kept: typeof kept } {
  return {
    kept,
    find: async (_, hashes) => new Map([...kept].filter(([hash]) => hashes.includes(hash))),
    async keep(_, answers) {
      for (const { hash, answer } of answers) kept.set(hash, answer);
    },
  };
}

function verifierOf(verify: (input: VerifierInput, signal: AbortSignal) => Promise<VerifierAnswer>) {
  const asked: string[] = [];
  const verifier: Verifier = {
    ...{ scorer: 'tests', version: '1', close: async () => {} },
    verify(input, signal) {
      asked.push(input.rollout_id);
      return verify(input, signal);
    },
  };
  return { verifier, asked };
}

async function* pagesOf(...pages: AttemptInput[][]): AsyncGenerator<AttemptInput[]> {
  yield* pages;
}

async function run(given: Partial<VerifierRun> & Pick<VerifierRun, 'pages' | 'verifier'>) {
  const judged: AttemptJudged[] = [];
  const counts = await runVerifier({
    ...{ cache: cacheOf(), concurrency: 2, signal: new AbortController().signal, total: null, now: () => 0 },
    give: async (some) => void judged.push(...some),
    onProgress: () => {},
    ...given,
  });
  return {
    counts,
    judged,
    rewards: Object.fromEntries(judged.map((one) => [one.input.rollout_id, one.answer.rewards.reward])),
  };
}

const attempts = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => sampleAttempt(from + n));
const judge = async (input: VerifierInput) => scored(Number(input.final_response));

it('each attempt of all pages is judged once', async () => {
  const { verifier, asked } = verifierOf(judge);
  const { counts, rewards } = await run({ pages: pagesOf(attempts(0, 3), [], attempts(3, 5)), verifier, total: 5 });
  expect(rewards).toEqual({ r0: 0, r1: 1, r2: 2, r3: 3, r4: 4 });
  expect(asked.toSorted()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  expect(counts).toMatchObject({ done: 5, cached: 0, byStatus: { scored: 5 }, refused: [], cost: 2.5 });
});

it('no more than that are judged at once, and as many where there are enough', async () => {
  let now = 0;
  let most = 0;
  const { verifier } = verifierOf(async (input) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise(setImmediate);
    now -= 1;
    return judge(input);
  });
  await run({ pages: pagesOf(attempts(0, 10), attempts(10, 20)), verifier, concurrency: 3 });
  expect(most).toBe(3);
});

it('a content is asked once: within a run, and in the next', async () => {
  const cache = cacheOf();
  const same = [0, 1, 2].map((n) => sampleAttempt(n, { final_response: '9' }));
  const first = verifierOf(judge);
  const { counts } = await run({
    pages: pagesOf(same, [sampleAttempt(3, { final_response: '9', attempt: 1 })]),
    ...first,
    cache,
  });
  expect(first.asked).toHaveLength(1);
  expect(counts).toMatchObject({ done: 4, cached: 3, cost: 0.5 });
  const second = verifierOf(judge);
  const again = await run({ pages: pagesOf(same), ...second, cache });
  expect(second.asked).toEqual([]);
  expect(again.counts).toMatchObject({ done: 3, cached: 3, cost: null });
  expect(again.rewards).toEqual({ r0: 9, r1: 9, r2: 9 });
});

it('a task whose keys stand in another order is the same content', async () => {
  const tasks = [
    { answer: '1', more: { a: 1, b: 2 } },
    { more: { b: 2, a: 1 }, answer: '1' },
  ];
  const { verifier, asked } = verifierOf(judge);
  await run({ pages: pagesOf(tasks.map((task, n) => sampleAttempt(n, { task, final_response: '1' }))), verifier });
  expect(asked).toHaveLength(1);
});

it('faults of the verifier are not kept: they may be gone the next time', async () => {
  const cache = cacheOf();
  const answers = [faulty('crash'), faulty('timeout'), faulty('parse_error'), scored(3)];
  const { verifier } = verifierOf(async ({ final_response }) => answers[Number(final_response)] ?? scored(0));
  const { counts } = await run({ pages: pagesOf(attempts(0, 4)), verifier, cache });
  expect(counts.byStatus).toEqual({ crash: 1, timeout: 1, parse_error: 1, scored: 1 });
  expect([...cache.kept.values()]).toEqual([scored(3)]);
});

it('refusals are counted by why, with names; what nobody can judge is asked of nobody', async () => {
  const { verifier, asked } = verifierOf(async (input) =>
    input.final_response === '1'
      ? { status: 'refused', rewards: {}, report: 'needs the sandbox', cost: null, durationMs: 1 }
      : judge(input),
  );
  const lost = { ...sampleAttempt(7), refused: 'several_segments' };
  const { counts } = await run({ pages: pagesOf([...attempts(0, 3), lost]), verifier });
  expect(asked).not.toContain('r7');
  expect(counts.refused).toEqual([
    { reason: 'observation_lost', detail: 'several_segments', n: 1, rollouts: ['r7'] },
    { reason: 'verifier_refused', detail: 'needs the sandbox', n: 1, rollouts: ['r1'] },
  ]);
});

it('a run that was cut off asks only for the rest: what was given is kept', async () => {
  const cache = cacheOf();
  const stopped = new AbortController();
  const first = verifierOf(judge);
  const given: string[] = [];
  const cut = run({
    ...{ pages: pagesOf(attempts(0, 3), attempts(3, 6), attempts(6, 9)), ...first, cache, concurrency: 1 },
    signal: stopped.signal,
    async give(some) {
      given.push(...some.map(({ input }) => input.rollout_id));
      if (given.length >= 4) stopped.abort();
    },
  });
  await expect(cut).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
  const second = verifierOf(judge);
  const { counts } = await run({ pages: pagesOf(attempts(0, 9)), ...second, cache });
  expect(given.filter((id) => second.asked.includes(id))).toEqual([]);
  expect(counts).toMatchObject({ done: 9, byStatus: { scored: 9 } });
});

it('a verifier that is none ends the run, and what was answered before is kept', async () => {
  const cache = cacheOf();
  const { verifier } = verifierOf(async (input) => {
    if (input.final_response === '2') throw new RollstreamError('RS_CONFIG', 'it cannot be started');
    return judge(input);
  });
  await expect(run({ pages: pagesOf(attempts(0, 6)), verifier, cache, concurrency: 1 })).rejects.toThrow(
    'it cannot be started',
  );
  expect(cache.kept.size).toBe(2);
});

it('what is judged when it is aborted is told, and is no answer', async () => {
  const stopped = new AbortController();
  const { verifier } = verifierOf(async (_, signal) => {
    const told = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped.abort();
    await told;
    return faulty('crash');
  });
  const cache = cacheOf();
  const given: AttemptJudged[] = [];
  const cut = run({
    ...{ pages: pagesOf(attempts(0, 2)), verifier, cache, signal: stopped.signal },
    give: async (some) => void given.push(...some),
  });
  await expect(cut).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
  expect(given).toEqual([]);
});

it('the time that is left follows from the rate until now', async () => {
  let now = 0;
  const left: (number | null)[] = [];
  const { verifier } = verifierOf(async (input) => {
    now += 2_000;
    return judge(input);
  });
  await run({
    ...{ pages: pagesOf(attempts(0, 1), attempts(1, 2)), verifier, total: 4, now: () => now, concurrency: 1 },
    onProgress: ({ etaS, done }) => left.push(done === 2 ? etaS : null),
  });
  // Two of four in 4 s.
  expect(left.at(-1)).toBe(4);
});

it('many at once are no leak of listeners', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  const { verifier } = verifierOf(async (input, signal) => {
    signal.addEventListener('abort', () => {});
    // Warnings come a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    return judge(input);
  });
  const { counts } = await run({ pages: pagesOf(attempts(0, 40)), verifier, concurrency: 40 });
  process.off('warning', onWarning);
  expect(counts.done).toBe(40);
  expect(warnings).toEqual([]);
});
