import type { Random } from '../../../src/simulate/random.ts';
import { placeOf, type Rollout, resample } from '../rollout.ts';
import { anyTurn, type Fault, followedTurn, type Injected, someTurn, turnOf, want } from './fault.ts';

const LONG = 16;

/** Another logprob for a sampled token of a turn of chance. */
function spoil(rollout: Rollout, random: Random, value: number, name: string): Injected {
  const k = anyTurn(rollout, random);
  const { logprobs } = turnOf(rollout, k);
  const at = random.whole(0, logprobs.length - 1);
  logprobs[at] = value;
  return { found: [want('numbers', name, k, placeOf(rollout, k).sampledStart + at)] };
}

function longTurn(rollout: Rollout, random: Random): number {
  const last = turnOf(rollout, rollout.turns.length - 1);
  last.content += ' One, two, three, four, five, six, seven, eight, nine, ten.';
  resample(rollout, last);
  return someTurn(rollout, random, ({ sampled }) => sampled.length >= LONG);
}

export const NUMBER_FAULTS: readonly Fault[] = [
  {
    name: 'a logprob that is no number is found at its token (case 87)',
    inject: (rollout, random) => spoil(rollout, random, Number.NaN, 'logprob_invalid'),
  },
  {
    name: 'a logprob that is infinite is found at its token (case 83)',
    inject: (rollout, random) => spoil(rollout, random, Number.NEGATIVE_INFINITY, 'logprob_invalid'),
  },
  {
    name: 'a logprob of -9999 is found at its token (case 83)',
    inject: (rollout, random) => spoil(rollout, random, random.pick([-9999, -100]), 'logprob_invalid'),
  },
  {
    name: 'a logprob above 0 is found at its token',
    inject: (rollout, random) => spoil(rollout, random, random.pick([0.7, 0.01, 12]), 'logprob_positive'),
  },
  {
    name: 'logprobs that are all the same are found at the first',
    inject(rollout, random) {
      const k = longTurn(rollout, random);
      turnOf(rollout, k).logprobs.fill(random.pick([-1, 0, -0.5]));
      return { found: [want('numbers', 'logprob_constant', k, placeOf(rollout, k).sampledStart)] };
    },
  },
  {
    name: 'zeros that fill up the end of the logprobs are found at the first of them',
    inject(rollout, random) {
      const k = longTurn(rollout, random);
      const { logprobs } = turnOf(rollout, k);
      const zeros = random.whole(8, logprobs.length - 1);
      logprobs.fill(0, logprobs.length - zeros);
      return { found: [want('numbers', 'logprob_tail_padding', k, placeOf(rollout, k).end - zeros)] };
    },
  },
  {
    name: 'logprobs that are shifted by one are suspected at the zero',
    inject(rollout, random) {
      const k = longTurn(rollout, random);
      const { logprobs } = turnOf(rollout, k);
      const isFirst = random.chance(0.5);
      logprobs[isFirst ? 0 : logprobs.length - 1] = 0;
      const { sampledStart, end } = placeOf(rollout, k);
      return { found: [want('numbers', 'logprob_shift_suspected', k, isFirst ? sampledStart : end - 1)] };
    },
  },
  {
    name: 'tokens that no version of the weights is named for are found at the first',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.spans = [{ start: random.whole(1, turn.sampled.length - 1), version: turn.spans[0]?.version ?? '' }];
      return { found: [want('numbers', 'weight_spans_gap', k, placeOf(rollout, k).sampledStart)] };
    },
  },
  {
    name: 'a version that goes backwards within a call is found at its token',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      const version = Number(turn.spans[0]?.version);
      const start = random.whole(1, turn.sampled.length - 1);
      turn.spans = [
        { start: 0, version: String(version + 1) },
        { start, version: String(version) },
      ];
      // What the calls after it say does not depend on it.
      for (const later of rollout.turns.slice(k + 1))
        later.spans = later.spans.map((span) => ({ ...span, version: String(Number(span.version) + 2) }));
      return { found: [want('numbers', 'version_backwards', k, placeOf(rollout, k).sampledStart + start)] };
    },
  },
  {
    name: 'a version that goes backwards between calls is told with the later call (case 106)',
    wishes: { least: 2 },
    inject(rollout, random) {
      const k = followedTurn(rollout, random) + 1;
      for (const turn of rollout.turns.slice(0, k))
        turn.spans = turn.spans.map((span) => ({ ...span, version: String(Number(span.version) + 100) }));
      return { found: [want('numbers', 'version_backwards', k, null)] };
    },
  },
  {
    name: 'a reward that is no number is told, and is not 0 (case 98)',
    inject(rollout) {
      rollout.verdict.rewards = { correct: Number.NaN };
      return { found: [want('numbers', 'reward_not_finite', null, null)] };
    },
  },
  {
    name: 'processed logprobs of a truncated distribution are told with the first call (case 86)',
    inject(rollout, random) {
      rollout.start.sampling = random.pick([
        { temperature: 1, top_p: 0.9 },
        { temperature: 1, top_k: 20 },
      ]);
      rollout.edits.push((events) => {
        for (const { model_call } of events) if (model_call) model_call.logprobs_mode = 'processed';
      });
      return { found: [want('numbers', 'logprob_support_mismatch', 0, null)] };
    },
  },
  {
    name: 'a record without logprobs is not auditable',
    inject(rollout) {
      rollout.edits.push((events) => {
        for (const { model_call } of events) if (model_call) model_call.completion_logprobs = null;
      });
      return { found: [], results: { numbers: 'not_auditable' } };
    },
  },
];
