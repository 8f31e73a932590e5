import { describe, expect, it } from 'vitest';
import { judgeVersions } from '../../../processors/delivery/judge-versions.ts';
import { UnitVersions } from '../../../processors/delivery/unit-versions.ts';
import { versionGroup } from '../../../processors/delivery/version-group.ts';
import type { ReadyEntry, ReadyState } from '../../../processors/model/delivery.ts';

/** Of one unit: `a0` is rollout a as it was decided live, `a1` of replay 1; with `!` to be trained again, with `-` of a policy that emits one by one. */
function entriesOf(names: string, size: number): ReadyEntry[] {
  return names.split(' ').map((name, offset) => {
    const [rollout = '', version = '0'] = name;
    const isAlone = name.includes('-');
    const group = version === '0' ? 'u' : versionGroup('u', version, isAlone ? rollout : null);
    const own = { offset, run: 'r', unit: 'u', group, size: isAlone ? 1 : size, rollout, attempt: 0 };
    const of = version === '0' ? {} : { replay: version };
    const again = name.includes('!') ? { again: true as const } : {};
    return { ...own, tokens: 1, versions: [], readyAtMs: 0, ...of, ...again };
  });
}

/** What each is judged to be; `blocked`: queued, and not to be taken. `own`: what is said of entries, by their names. */
function judged(names: string, own: Record<string, ReadyState | 'final'> = {}, { size = 2, isByRollout = false } = {}) {
  const entries = entriesOf(names, size);
  const nameOf = ({ offset }: ReadyEntry): string => names.split(' ')[offset] ?? '';
  const all = judgeVersions(entries, {
    state: (entry) => {
      const said = own[nameOf(entry)] ?? 'queued';
      return said === 'final' ? 'trained' : said;
    },
    isTrainedForGood: (entry) => own[nameOf(entry)] === 'final',
    isUnseen: () => false,
    isTrainedBefore: () => false,
    isByRollout,
  });
  return entries.map(({ offset }) => {
    const { state, isBlocked } = all.get(offset) ?? {};
    return isBlocked === true ? 'blocked' : state;
  });
}

describe('of a group', () => {
  it('the older version stands until all of the newer one has come', () => {
    expect(judged('a0 b0 a1')).toEqual(['queued', 'queued', 'blocked']);
    expect(judged('a0 b0 a1 b1')).toEqual(['replaced', 'replaced', 'queued', 'queued']);
  });

  it('the newer one waits while the older one is leased or trained, unless it is to be trained again', () => {
    for (const state of ['leased', 'trained'] as const) {
      expect(judged('a0 b0 a1 b1', { a0: state, b0: state })).toEqual([state, state, 'blocked', 'blocked']);
      expect(judged('a0 b0 a1! b1!', { a0: state, b0: state })).toEqual([state, state, 'queued', 'queued']);
    }
  });

  it('the newer one is replaced once the older one is trained for good', () => {
    expect(judged('a0 b0 a1 b1', { a0: 'final', b0: 'final' })).toEqual(['trained', 'trained', 'replaced', 'replaced']);
  });

  it('what expired or was rejected stands in nobody’s way', () => {
    expect(judged('a0 b0 a1 b1', { a0: 'expired', b0: 'trainer_rejected' }).slice(2)).toEqual(['queued', 'queued']);
  });

  it('a member that the newer version leaves out is replaced, too', () => {
    expect(judged('a0 b0 a1', {}, { size: 1 })).toEqual(['replaced', 'replaced', 'queued']);
  });

  it('of three versions the newest is taken, in whichever order they become whole', () => {
    expect(judged('a0 b0 a1 a2 b2 b1')).toEqual(['replaced', 'replaced', 'replaced', 'queued', 'queued', 'replaced']);
  });
});

it('members that go one by one take the place of their own rollout alone', () => {
  expect(judged('a0 b0 a1-', { b0: 'trained' })).toEqual(['replaced', 'trained', 'queued']);
  expect(judged('a0 b0 a1-', { a0: 'trained' })).toEqual(['trained', 'queued', 'blocked']);
});

it('where a run goes by rollouts each of them is trained once', () => {
  const states = judged('a0 b0 a1 b1', { a0: 'trained' }, { isByRollout: true });
  expect(states).toEqual(['trained', 'replaced', 'blocked', 'queued']);
});

describe('versions of a unit', () => {
  const of = (versions: UnitVersions) => versions.of('u')?.map(({ offset }) => offset);

  it('are kept once a replay has emitted one, with what was there before, until all are gone', () => {
    const versions = new UnitVersions();
    const [a0, b0, a1, b1] = entriesOf('a0 b0 a1 b1', 2);
    if (a0 === undefined || b0 === undefined || a1 === undefined || b1 === undefined) throw new Error('four entries');
    versions.add(a0, [a0]);
    expect([versions.isEmpty, of(versions)]).toEqual([true, undefined]);
    versions.add(a1, [a0, a1]);
    expect(of(versions)).toEqual([0, 2]);
    versions.add(b1, []);
    versions.add(b0, []);
    expect(of(versions)).toEqual([0, 1, 2, 3]);
    versions.remove([a0, b0, a1, b1]);
    expect([versions.isEmpty, of(versions)]).toEqual([true, undefined]);
  });
});
