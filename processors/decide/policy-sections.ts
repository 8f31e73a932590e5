import type { DocumentReader } from '../model/document.ts';
import type { AdmissionRule, GroupRule, PolicyDeadlines, RewardRule, Scope, StalenessRule } from '../model/policy.ts';
import { DEFAULT_GATE, readGate } from './gate-section.ts';

type Section = Readonly<Record<string, unknown>>;

/** What holds where the policy says nothing. */
export const DEFAULT_SCOPE: Scope = {
  reward: {
    weights: new Map(),
    otherWeight: 1,
    required: [],
    malformedCall: 0,
    repairedCall: 0,
    softOverlong: null,
    turns: 'apart',
    scale: 1,
    clip: null,
  },
  group: {
    emit: 'complete',
    minValid: 2,
    baseline: 'grpo',
    divideByStd: true,
    // ddof and eps as in verl and torch.
    ddof: 1,
    eps: 1e-6,
    zeroVariance: 'pass',
    tolerance: 1e-9,
    onFault: 'keep',
  },
  staleness: { maxLag: null, over: 'drop', unknown: 'keep', atTake: 'member' },
  deadlines: {},
  admission: { batchRollouts: null, ceilings: new Map(), grantMs: 600_000 },
  gate: DEFAULT_GATE,
};

/** The sections of one scope; what it does not say is as in `base`. */
export function readScope(read: DocumentReader, value: Section, at: string, base: Scope): Scope {
  const part = <T>(key: string, reader: (section: Section, path: string) => T, otherwise: T): T =>
    value[key] === undefined ? otherwise : reader(read.object(value[key], join(at, key)), join(at, key));
  return {
    reward: part('reward', (section, path) => readReward(read, section, path, base.reward), base.reward),
    group: part('group', (section, path) => readGroup(read, section, path, base.group), base.group),
    staleness: part('staleness', (section, path) => readStaleness(read, section, path, base.staleness), base.staleness),
    deadlines: part('deadlines', (section, path) => readDeadlines(read, section, path, base.deadlines), base.deadlines),
    admission: part('admission', (section, path) => readAdmission(read, section, path, base.admission), base.admission),
    gate: part('gate', (section, path) => readGate(read, section, path, base.gate), base.gate),
  };
}

export const SCOPE_KEYS = ['reward', 'group', 'staleness', 'deadlines', 'admission', 'gate'] as const;

function readReward(read: DocumentReader, section: Section, at: string, base: RewardRule): RewardRule {
  const field = fieldsOf(read, section, at);
  read.onlyKeys(section, at, [
    'weights',
    'other_weight',
    'required',
    'malformed_call',
    'repaired_call',
    'soft_overlong',
    'turns',
    'scale',
    'clip',
  ]);
  return {
    weights: field('weights', base.weights, (value, path) => numbersOf(read, value, path, read.finite)),
    otherWeight: field('other_weight', base.otherWeight, read.finite),
    required: field('required', base.required, read.texts),
    malformedCall: field('malformed_call', base.malformedCall, read.finite),
    repairedCall: field('repaired_call', base.repairedCall, read.finite),
    softOverlong: field('soft_overlong', base.softOverlong, (value, path) => {
      if (value === null) return null;
      const body = read.object(value, path);
      read.onlyKeys(body, path, ['max_tokens', 'buffer_tokens', 'penalty']);
      const maxTokens = read.countFrom1(body.max_tokens, `${path}.max_tokens`);
      const bufferTokens = read.countFrom1(body.buffer_tokens, `${path}.buffer_tokens`);
      if (bufferTokens > maxTokens)
        read.problems.push({
          path: `${path}.buffer_tokens`,
          expected: 'at most max_tokens',
          got: String(bufferTokens),
        });
      const penalty = body.penalty === undefined ? 1 : read.notNegative(body.penalty, `${path}.penalty`);
      return { maxTokens, bufferTokens, penalty };
    }),
    turns: field('turns', base.turns, (value, path) => read.oneOf(value, path, ['apart', 'sum'])),
    scale: field('scale', base.scale, read.finite),
    clip: field('clip', base.clip, (value, path) => {
      if (value === null) return null;
      const body = read.object(value, path);
      read.onlyKeys(body, path, ['min', 'max']);
      const clip = { min: read.finite(body.min, `${path}.min`), max: read.finite(body.max, `${path}.max`) };
      if (clip.min > clip.max)
        read.problems.push({ path: `${path}.min`, expected: 'at most max', got: String(clip.min) });
      return clip;
    }),
  };
}

function readGroup(read: DocumentReader, section: Section, at: string, base: GroupRule): GroupRule {
  const field = fieldsOf(read, section, at);
  read.onlyKeys(section, at, [
    'emit',
    'min_valid',
    'baseline',
    'divide_by_std',
    'ddof',
    'eps',
    'zero_variance',
    'tolerance',
    'on_fault',
  ]);
  return {
    emit: field('emit', base.emit, (value, path) => read.oneOf(value, path, ['complete', 'each'])),
    minValid: field('min_valid', base.minValid, read.countFrom1),
    baseline: field('baseline', base.baseline, (value, path) =>
      read.oneOf(value, path, ['grpo', 'mean', 'leave_one_out', 'none']),
    ),
    divideByStd: field('divide_by_std', base.divideByStd, read.flag),
    ddof: field('ddof', base.ddof, (value, path) => {
      const ddof = read.finite(value, path);
      if (ddof !== 0 && ddof !== 1) read.problems.push({ path, expected: '0 or 1', got: String(ddof) });
      return ddof;
    }),
    eps: field('eps', base.eps, read.notNegative),
    zeroVariance: field('zero_variance', base.zeroVariance, (value, path) => read.oneOf(value, path, ['pass', 'drop'])),
    tolerance: field('tolerance', base.tolerance, read.notNegative),
    onFault: field('on_fault', base.onFault, (value, path) => read.oneOf(value, path, ['keep', 'drop', 'mask'])),
  };
}

function readStaleness(read: DocumentReader, section: Section, at: string, base: StalenessRule): StalenessRule {
  const field = fieldsOf(read, section, at);
  read.onlyKeys(section, at, ['max_lag', 'over', 'unknown', 'at_take']);
  const over = field('over', base.over, (value, path) =>
    read.oneOf(value, path, ['drop', 'mask_rollout', 'mask_tokens']),
  );
  // What is masked for its age when it is decided is not thrown away for its age when it is taken, unless the policy says so.
  const atTake = over === base.over ? base.atTake : over === 'drop' ? 'member' : 'keep';
  return {
    maxLag: field('max_lag', base.maxLag, (value, path) => (value === null ? null : read.count(value, path))),
    over,
    unknown: field('unknown', base.unknown, (value, path) => read.oneOf(value, path, ['keep', 'drop', 'mask_rollout'])),
    atTake: field('at_take', atTake, (value, path) => read.oneOf(value, path, ['member', 'group', 'keep'])),
  };
}

function readDeadlines(read: DocumentReader, section: Section, at: string, base: PolicyDeadlines): PolicyDeadlines {
  const keys = ['gap_ms', 'orphan_ms', 'verdict_ms', 'idle_ms', 'group_ms', 'lifetime_ms'] as const;
  read.onlyKeys(section, at, keys);
  const [gapMs, orphanMs, verdictMs, idleMs, groupMs, lifetimeMs] = keys.map((key) =>
    section[key] === undefined ? undefined : read.countFrom1(section[key], join(at, key)),
  );
  return {
    ...base,
    ...(gapMs === undefined ? {} : { gapMs }),
    ...(orphanMs === undefined ? {} : { orphanMs }),
    ...(verdictMs === undefined ? {} : { verdictMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(groupMs === undefined ? {} : { groupMs }),
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
  };
}

function readAdmission(read: DocumentReader, section: Section, at: string, base: AdmissionRule): AdmissionRule {
  const field = fieldsOf(read, section, at);
  read.onlyKeys(section, at, ['batch_rollouts', 'ceilings', 'grant_ms']);
  return {
    batchRollouts: field('batch_rollouts', base.batchRollouts, (value, path) =>
      value === null ? null : read.countFrom1(value, path),
    ),
    ceilings: field('ceilings', base.ceilings, (value, path) => numbersOf(read, value, path, read.count)),
    grantMs: field('grant_ms', base.grantMs, read.countFrom1),
  };
}

/** A field of a section: read when it is there, else as it was. */
function fieldsOf(read: DocumentReader, section: Section, at: string) {
  return <T>(key: string, otherwise: T, reader: (value: unknown, path: string) => T): T =>
    section[key] === undefined ? otherwise : reader.call(read, section[key], join(at, key));
}

function numbersOf(
  read: DocumentReader,
  value: unknown,
  path: string,
  reader: (value: unknown, path: string) => number,
): Map<string, number> {
  return new Map(
    Object.entries(read.object(value, path)).map(([name, number]) => [name, reader(number, `${path}.${name}`)]),
  );
}

function join(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`;
}
