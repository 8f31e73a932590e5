import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import { sawOf } from '../../../processors/model/attempt.ts';
import type { AuditRow } from '../../../processors/model/effects.ts';
import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { DeadlineName, StepEventInit } from '../../../schemas/generated/step-event.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { attemptOf, deadlineOf } from '../events.ts';
import { type TestLane, timeOf } from '../harness.ts';
import { laneHistoryOf } from './histories.ts';
import { HASTY, lived, NO_RETRIES, newVerdict, outcomesOf, PATIENT, replayed, rowsOf } from './scene.ts';

const of = attemptOf();
/** As the lane would write it now, about its last open attempt. */
const deadline =
  (name: DeadlineName) =>
  (lane: TestLane): StepEventInit => {
    const [unit] = lane.state.units.values();
    const attempt = [...(unit?.attempts.values() ?? [])].at(-1);
    if (unit === undefined || attempt === undefined) throw new Error('nothing is open');
    const { rolloutId: rollout_id, number } = attempt;
    return deadlineOf(name, {
      ...{ unit: unit.key, unit_start: unit.start, rollout_id, attempt: number, saw: sawOf(attempt) },
    });
  };
const [START, CALL, END] = [of.start(), of.call(1), of.end(2)] as const;

describe('a verdict that came too late', () => {
  const scene = lived([PATIENT], [START, CALL, END, deadline('verdict_missing'), of.verdict(1)]);

  it('counts as if it had come in time, from the end of its attempt on', () => {
    expect(scene.effects.rows.decisions).toMatchObject([{ disposition: 'quarantine', offset: 3 }]);
    const { decisions, rewards } = rowsOf(replayed(scene, { late: 'use' }));
    expect(decisions).toMatchObject([
      { disposition: 'train', reward: 1, offset: 2, decided_at: timeOf(2) * 1000, replay_id: 'again' },
    ]);
    expect(decisions[0]?.supersedes).toBe(scene.effects.rows.decisions[0]?.score_id);
    expect(rewards).toMatchObject([{ scorer: 'scorer', value: 1, replay_id: 'again' }]);
  });

  it('is late again where it is ignored', () => {
    expect(outcomesOf(replayed(scene))).toEqual([['r/0 quarantine reward_missing @3', null]]);
  });

  it('changes no revision: a deadline before it, which names what it saw, still holds', () => {
    const idle = lived([PATIENT], [START, CALL, deadline('idle'), of.verdict(1)]);
    const { decisions, rewards } = rowsOf(replayed(idle, { late: 'use' }));
    expect(decisions).toMatchObject([
      { disposition: 'retry', reason_raw: 'idle', offset: 2, verifier_status: 'scored' },
    ]);
    expect(rewards).toMatchObject([{ value: 1, offset: 2 }]);
  });

  it('that repeats one that counted changes nothing; one that answers otherwise contradicts it', () => {
    const twice = (late: StepEventInit) => lived([PATIENT], [START, CALL, END, of.verdict(1), late]);
    const same = rowsOf(replayed(twice(of.verdict(1)), { late: 'use' }));
    expect(same.decisions).toMatchObject([{ reward: 1, conflicts: [], supersedes: null, offset: 3 }]);
    const other = rowsOf(replayed(twice(of.verdict(0, {}, { event_id: 'other' })), { late: 'use' }));
    expect(other.decisions).toMatchObject([
      { reward: 1, conflicts: ['verifier_nondeterministic: scorer@1 gave two answers, the first counts'] },
    ]);
  });

  it('of another scorer counts beside the one that came in time, where that one decided', () => {
    const [a, b] = [of.verdict(0.25, { scorer: 'a' }), of.verdict(0.5, { scorer: 'b' })];
    const { decisions, rewards } = rowsOf(replayed(lived([PATIENT], [START, CALL, END, a, b]), { late: 'use' }));
    expect(decisions).toMatchObject([{ disposition: 'train', offset: 3 }]);
    expect(rewards).toMatchObject([
      { scorer: 'a', value: 0.25 },
      { scorer: 'b', value: 0.5 },
    ]);
  });

  it('of a newer version of the scorer is the one that counts', () => {
    const newer = lived(
      [PATIENT],
      [START, CALL, END, of.verdict(0), of.verdict(1, { scorer_version: '2' }, { event_id: 'newer' })],
    );
    expect(outcomesOf(replayed(newer, { late: 'use' }))).toEqual([['r/0 train task_complete @3', 1]]);
  });

  it('stands where it came for a policy that waits for it: as a lane under that policy would have decided', () => {
    const events = [START, CALL, END, of.verdict(1)];
    const hasty = lived([HASTY, PATIENT], events);
    expect(hasty.effects.rows.decisions).toMatchObject([{ disposition: 'train_masked', offset: 2 }]);
    const { decisions } = rowsOf(replayed(hasty, { policy: PATIENT }));
    expect(decisions.map((row) => ({ ...row, replay_id: '', supersedes: null }))).toEqual(
      lived([PATIENT], events).effects.rows.decisions,
    );
  });
});

describe('a new verdict', () => {
  it('takes the place of that of the same scorer, whatever its version: where it was, not before', () => {
    const scene = lived([PATIENT], [START, CALL, END, of.verdict(0)]);
    const { decisions, rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(1)] }));
    expect(decisions).toMatchObject([{ disposition: 'train', reward: 1, offset: 3 }]);
    expect(decisions[0]?.supersedes).toBe(scene.effects.rows.decisions[0]?.score_id);
    expect(rewards).toMatchObject([{ scorer_version: '2', value: 1 }]);
  });

  it('is there from the start where there was none, or where there was one that came too late', () => {
    for (const late of [[], [of.verdict(0)]]) {
      const scene = lived([PATIENT], [START, CALL, END, deadline('verdict_missing'), ...late]);
      for (const mode of ['use', 'ignore'] as const) {
        const again = replayed(scene, { newVerdicts: [newVerdict(1)], late: mode });
        expect(outcomesOf(again)).toEqual([['r/0 train task_complete @2', 1]]);
        expect(rowsOf(again).rewards).toHaveLength(1);
      }
    }
  });

  it('takes the place of all versions, and a deadline that counted them still holds', () => {
    const second = of.verdict(0.5, { scorer_version: '1.5' }, { event_id: 'second' });
    const scene = lived([PATIENT], [START, of.verdict(0), second, deadline('idle')]);
    expect(scene.effects.rows.decisions).toMatchObject([{ reason_raw: 'idle', offset: 3 }]);
    const { decisions, rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(1)] }));
    expect(decisions).toMatchObject([{ disposition: 'retry', reason_raw: 'idle', offset: 3 }]);
    expect(rewards).toMatchObject([{ scorer_version: '2', value: 1 }]);
  });

  it('about a turn leaves verdict_missing, which counted the old one, as it was', () => {
    const turn = of.verdict(0, { bound_to: 0 });
    const scene = lived([PATIENT], [START, CALL, turn, END, deadline('verdict_missing')]);
    const { decisions, rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(0.5, { bound_to: 0 })] }));
    expect(decisions).toMatchObject([
      { disposition: 'quarantine', why: ['reward_missing', 'task_complete'], offset: 4 },
    ]);
    expect(rewards).toMatchObject([{ turn: 0, value: 0.5, scorer_version: '2' }]);
  });

  it('ends what its scorer said otherwise before: no repeat of it is accepted, and none contradicts it', () => {
    const other = of.verdict(1, {}, { event_id: 'other answer' });
    const same = of.verdict(0, {}, { event_id: 'same answer' });
    const scene = lived([PATIENT], [START, of.verdict(0), other, same, deadline('idle')]);
    expect(scene.effects.rows.decisions[0]?.conflicts).toHaveLength(1);
    const { decisions, rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(0.25)] }));
    expect(decisions).toMatchObject([{ reason_raw: 'idle', conflicts: [], offset: 4 }]);
    expect(rewards).toMatchObject([{ value: 0.25 }]);
  });

  it('of a scorer that had said nothing counts where the first verdict of the log does', () => {
    const scene = lived([PATIENT], [START, CALL, END, of.verdict(0.25, { scorer: 'a' })]);
    const { decisions, rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(0.5, { scorer: 'b' })] }));
    expect(decisions).toMatchObject([{ disposition: 'train', offset: 3 }]);
    expect(rewards).toMatchObject([{ scorer: 'a' }, { scorer: 'b', value: 0.5 }]);
  });

  it('counts for a rollout whose start came last', () => {
    for (const log of [
      [CALL, END, START, deadline('verdict_missing')],
      [CALL, END, of.verdict(0), START],
    ]) {
      const again = replayed(lived([PATIENT], log), { newVerdicts: [newVerdict(1)] });
      expect(outcomesOf(again)).toEqual([[`r/0 train task_complete @${log.indexOf(START)}`, 1]]);
    }
  });

  it('leaves another scorer as it was', () => {
    const scene = lived([PATIENT], [START, CALL, of.verdict(0, { scorer: 'a' }), of.verdict(1, { scorer: 'b' }), END]);
    const { rewards } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(0.5, { scorer: 'a' })] }));
    expect(rewards).toMatchObject([
      { scorer: 'a', scorer_version: '2', value: 0.5 },
      { scorer: 'b', scorer_version: '1', value: 1 },
    ]);
  });

  it('takes a finding about the old one along: a reward that was not finite is now', () => {
    const scene = lived([PATIENT], [START, CALL, END, of.verdict(Number.NaN)], createStreamAudits());
    const classes = ({ audits }: { audits: ReadonlyArray<{ class: string }> }) => audits.map((row) => row.class);
    expect(classes(scene.effects.rows)).toContain('reward_not_finite');
    expect(classes(rowsOf(replayed(scene)))).toContain('reward_not_finite');
    const { audits } = rowsOf(replayed(scene, { newVerdicts: [newVerdict(1)] }));
    expect(classes({ audits })).not.toContain('reward_not_finite');
    expect(audits.find(({ audit }) => audit === 'numbers')).toMatchObject({ result: 'pass' });
  });
});

describe('another policy', () => {
  it('that waits for a verdict which never came: closed as by its deadline, where it was decided before', () => {
    const scene = lived([HASTY, PATIENT], [START, CALL, END]);
    const { decisions } = rowsOf(replayed(scene, { policy: PATIENT }));
    expect(decisions).toMatchObject([
      { disposition: 'quarantine', why: ['reward_missing', 'task_complete'], offset: 2, decided_at: timeOf(2) * 1000 },
    ]);
  });

  it('that does not try again: the second attempt vanishes, since its start would have been refused', () => {
    const retry = attemptOf({ attempt: 1 });
    const scene = lived([PATIENT, NO_RETRIES], [START, CALL, of.end(2, 'connection_error'), ...retry.whole()]);
    const { decisions, vanished } = rowsOf(replayed(scene, { policy: NO_RETRIES }));
    expect(decisions).toMatchObject([{ attempt: 0, disposition: 'drop', why: ['llm_error', 'retries_exhausted'] }]);
    expect(vanished).toEqual([{ rolloutId: 'r', attempt: 1, reason: 'already_decided' }]);
  });

  it('that tries again: what was refused then is folded, its verdict too', () => {
    const retry = attemptOf({ attempt: 1 });
    const scene = lived([NO_RETRIES, PATIENT], [START, CALL, of.end(2, 'connection_error'), ...retry.whole()]);
    expect(scene.effects.rows.decisions).toHaveLength(1);
    expect(outcomesOf(replayed(scene, { policy: PATIENT }))).toEqual([
      ['r/0 retry retry:llm_error @2', null],
      ['r/1 train task_complete @6', 1],
    ]);
  });

  it('that keeps a unit open longer: a deadline about another of its members still holds', () => {
    const group = { group_id: 'g', group_size: null };
    const [a, b] = [attemptOf({ ...group, rollout_id: 'a' }), attemptOf({ ...group, rollout_id: 'b' })];
    const scene = lived([HASTY, PATIENT], [a.start(), a.call(1), a.end(2), b.start(), deadline('idle')]);
    const { decisions } = rowsOf(replayed(scene, { policy: PATIENT }));
    expect(decisions).toMatchObject([
      { rollout_id: 'b', reason_raw: 'idle', offset: 4 },
      { rollout_id: 'a', why: ['reward_missing', 'task_complete'], offset: 2 },
    ]);
  });

  it('that asks for a member again who did not come: the group closes where it closed before, without it', () => {
    const group = { group_id: 'g', group_size: 2 };
    const [a, b] = [attemptOf({ ...group, rollout_id: 'a' }), attemptOf({ ...group, rollout_id: 'b' })];
    const scene = lived([NO_RETRIES, PATIENT], [b.start(), b.call(1), b.end(2, 'connection_error'), ...a.whole(1)]);
    expect(scene.effects.rows.decisions).toMatchObject([
      { rollout_id: 'b', disposition: 'drop', offset: 2 },
      { rollout_id: 'a', offset: 6 },
    ]);
    expect(outcomesOf(replayed(scene, { policy: PATIENT }))).toEqual([
      ['b/0 retry retry:llm_error @2', null],
      ['a/0 drop group_too_small @6', 1],
    ]);
  });

  it('counts tokens that are not there, and finds an unsound logprob in what was decided', () => {
    const calls = [
      of.call(1),
      of.call(2, { prompt_prefix_len: 2, prompt: [7], sampled: [8, 9], logprobs: [-1, Number.NaN] }),
    ];
    const scene = lived([PATIENT], [START, ...calls, of.end(3), of.verdict(1)], createStreamAudits());
    const { decisions } = rowsOf(replayed(scene, { withTokens: false }));
    expect(decisions).toMatchObject([{ reason_raw: 'logprob_invalid', n_tokens: 8, n_sampled_tokens: 5 }]);
    const blind = scene.histories.map((unit) => ({ ...unit, records: unit.records.map(withoutTokens) }));
    const again = rowsOf(replayed({ ...scene, histories: blind }, { withTokens: false }));
    expect({ ...again, trajectories: [] }).toEqual({ ...rowsOf(replayed(scene)), trajectories: [] });
    expect(again.trajectories).toEqual([]);
  });
});

function withoutTokens<T extends { readonly event: { readonly model_call: object | null } }>(record: T): T {
  const { event } = record;
  if (event.model_call === null) return record;
  const call = Object.entries(event.model_call).map(([name, value]) =>
    Buffer.isBuffer(value) ? [name, Buffer.alloc(value.length)] : [name, value],
  );
  return { ...record, event: { ...event, model_call: Object.fromEntries(call) } };
}

describe('a unit is refused whole', () => {
  const group = { group_id: 'g', group_size: null };
  const [a, b] = [attemptOf({ ...group, rollout_id: 'a' }), attemptOf({ ...group, rollout_id: 'b' })];

  it('where one of its members is not decided yet', () => {
    expect(replayed(lived([PATIENT], [...a.whole(), b.start()]))).toEqual([
      { kind: 'refused', reason: 'open', detail: 'attempts of it are not decided yet', rollouts: ['b'] },
    ]);
  });

  it('where records of it are gone: said so by its decisions, or not there', () => {
    const scene = lived([PATIENT], [...a.whole(), ...b.whole()]);
    const [unit] = scene.histories;
    if (unit === undefined) throw new Error('no unit');
    const lost = unit.decided.map((row, i) =>
      i === 1 ? { ...row, reason_code: 'lost', disposition: 'drop' as const } : row,
    );
    const refusal = { kind: 'refused', reason: 'records_lost', rollouts: ['b'] };
    expect(replayed({ ...scene, histories: [{ ...unit, decided: lost }] })).toMatchObject([refusal]);
    const half = unit.records.filter(({ event }) => event.rollout_id === 'a');
    expect(replayed({ ...scene, histories: [{ ...unit, records: half }] })).toMatchObject([refusal]);
    expect(replayed({ ...scene, histories: [{ ...unit, records: [] }] })).toMatchObject([
      { ...refusal, rollouts: ['a', 'b'] },
    ]);
  });

  it('where the verifier could not judge a rollout of it', () => {
    const newVerdicts = [{ ...newVerdict(null, { status: 'refused', report_json: '"no sandbox"' }), rolloutId: 'b' }];
    expect(replayed(lived([PATIENT], [...a.whole(), ...b.whole()]), { newVerdicts })).toEqual([
      { kind: 'refused', reason: 'verifier_refused', detail: 'scorer cannot judge b: no sandbox', rollouts: ['b'] },
    ]);
  });

  it('and leaves nothing behind: the next one is what it would have been', () => {
    const scene = lived([PATIENT], [...a.whole(), b.start(), START, CALL, END, of.verdict(1)]);
    expect(replayed(scene).map(({ kind }) => kind)).toEqual(['refused', 'replayed']);
    expect(outcomesOf(replayed(scene))).toEqual([['r/0 train task_complete @8', 1]]);
  });
});

it('another taxonomy that maps what was unknown lets a quarantined rollout train', () => {
  const scene = lived([PATIENT], [START, CALL, of.end(2, 'out_of_luck'), of.verdict(1)], createStreamAudits());
  expect(scene.effects.rows.decisions).toMatchObject([
    { reason_code: 'unknown', disposition: 'quarantine', offset: 2 },
  ]);
  const taxonomy = mapping('out_of_luck');
  const history = laneHistoryOf(scene.effects, scene.documents.inForce, { taxonomy_id: taxonomy.id });
  const documents = { ...scene.documents, taxonomyOf: () => taxonomy };
  const { decisions, audits } = rowsOf(replayed(scene, { history, documents, late: 'use' }));
  expect(decisions).toMatchObject([
    { reason_code: 'task_complete', disposition: 'train', reward: 1, taxonomy_id: taxonomy.id },
  ]);
  const terminationOf = (rows: readonly AuditRow[]) => rows.find(({ audit }) => audit === 'termination');
  expect(terminationOf(scene.effects.rows.audits)).toMatchObject({ class: 'unknown_reason', result: 'warn' });
  expect(terminationOf(audits)).toMatchObject({ class: '', result: 'pass' });
});

/** The shipped taxonomy, to which one more raw value is a completion. */
function mapping(raw: string): Taxonomy {
  const text = readFileSync(packageFile('processors/taxonomy/taxonomy.yaml'), 'utf8');
  const parsed = readTaxonomy(
    parse(text.replace(/(task_complete:\n(?:.*\n)*?\s+strands-env: \[)/, `$1${raw}, `)),
    'other',
  );
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}
