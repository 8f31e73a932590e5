import { expect, it } from 'vitest';
import type { TakeRule } from '../../../../processors/model/delivery.ts';
import type { KeptMember } from '../../../../src/rescore/emit/read-members.ts';
import { isUnitStale } from '../../../../src/rescore/emit/stale-units.ts';

/** v0 to v5 are announced; v5 is what is being trained. */
const ages = { current: 5, ordinals: new Map(Array.from({ length: 6 }, (_, place) => [`v${place}`, place])) };

const member = (...versions: string[]): KeptMember => ({
  ...{ rollout: 'r', rolloutHex: '72', attempt: 0, policyId: 'p', env: 'e', versions },
});

const MEMBER: TakeRule = { maxLag: 2, expiresUnknown: false, atTake: 'member' };

it.each<[what: string, rule: Partial<TakeRule>, members: KeptMember[], isStale: boolean]>([
  ['at the limit it is fresh', {}, [member('v3', 'v5')], false],
  ['its oldest weights count', {}, [member('v2', 'v5')], true],
  ['a member expires alone where that is the rule', {}, [member('v2'), member('v5')], false],
  ['all of its members are too old', {}, [member('v2'), member('v0')], true],
  ['one member takes the group with it', { atTake: 'group' }, [member('v2'), member('v5')], true],
  ['nothing expires', { atTake: 'keep' }, [member('v0')], false],
  ['any lag trains', { maxLag: null }, [member('v0')], false],
  ['nothing was sampled', { expiresUnknown: true }, [member()], false],
  ['unknown weights do not matter', {}, [member('')], false],
  ['unknown weights are not fresh', { expiresUnknown: true }, [member('v5', '')], true],
  ['nobody announced them', { expiresUnknown: true }, [member('v9')], true],
])('whether a unit is too old to be taken: %s', (_, rule, members, isStale) => {
  expect(isUnitStale(members, ages, () => ({ ...MEMBER, ...rule }))).toBe(isStale);
});
