import { known } from '../rollout.ts';
import {
  CALLING,
  executeAs,
  follow,
  NOT_TOLD,
  refuse,
  someCall,
  tools,
  WAS_MALFORMED,
  writeMalformed,
} from './calls.ts';
import type { Fault } from './fault.ts';
import { MALFORMED_CALLS } from './malformed-calls.ts';

const REPAIRS: readonly Fault[] = MALFORMED_CALLS.map((kind) => ({
  ...CALLING,
  name: `a call that is malformed by ${kind.kind} and ran all the same is a silent repair, at the call`,
  inject(rollout, random) {
    const place = someCall(rollout, random, kind.isLast);
    executeAs(place, kind.name, kind.repaired, random);
    const { at, faultAt } = writeMalformed(rollout, place, kind);
    return {
      ...tools('silent_repair', place.k, at),
      follows: [
        follow('malformed', place.k, faultAt, WAS_MALFORMED),
        follow('malformed_not_fed_back', place.k, at, NOT_TOLD),
      ],
    };
  },
}));

const COMMA = known(MALFORMED_CALLS[0]);

/** Calls that are malformed, and what a loop makes of them. */
export const REPAIR_FAULTS: readonly Fault[] = [
  ...REPAIRS,
  {
    ...CALLING,
    name: 'a malformed call that ran without its arguments lost them, at the call (cases 54, 58)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      executeAs(place, 'run', {}, random);
      const { at, faultAt } = writeMalformed(rollout, place, COMMA);
      return {
        ...tools('args_lost', place.k, at),
        follows: [
          follow('malformed', place.k, faultAt, WAS_MALFORMED),
          follow('malformed_not_fed_back', place.k, at, NOT_TOLD),
        ],
      };
    },
  },
  {
    ...CALLING,
    name: 'a malformed call of which the model is told is the policy’s own, at its fault (case 62)',
    inject(rollout, random) {
      const kind = random.pick(MALFORMED_CALLS.filter(({ isLast }) => isLast !== true));
      const place = someCall(rollout, random);
      refuse(place, 'malformed', kind.name, 'Error: the arguments are no valid JSON');
      return tools('malformed', place.k, writeMalformed(rollout, place, kind).faultAt);
    },
  },
  {
    ...CALLING,
    name: 'a malformed call that nobody tells the model of is not fed back, at the call (case 62)',
    inject(rollout, random) {
      const kind = random.pick(MALFORMED_CALLS.filter(({ isLast }) => isLast !== true));
      const place = someCall(rollout, random);
      refuse(place, 'malformed', kind.name, '');
      const { at, faultAt } = writeMalformed(rollout, place, kind);
      return {
        ...tools('malformed_not_fed_back', place.k, at),
        follows: [follow('malformed', place.k, faultAt, 'it is malformed')],
      };
    },
  },
];
