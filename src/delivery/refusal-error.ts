import type { Refused } from '../../processors/delivery/requests.ts';
import { MOST_TOKENS } from '../../processors/delivery/take.ts';
import type { DeliveryRefusal, ShortStep } from '../../processors/model/delivery.ts';
import { type ErrorCode, RollstreamError } from '../errors.ts';

/** What whoever is refused is to do. */
const MESSAGES: Readonly<Record<DeliveryRefusal, string>> = {
  discarded_lineage:
    'the run was rewound, and this lineage is no more: stop, or restore a checkpoint and go on in the new one',
  lease_lost:
    'the lease ran out and its trajectories went to another, or it was ended: what was trained from it is in no surviving history; restore a checkpoint',
  unit_is_fixed: 'the run is delivered by the other unit (group or rollout), which its first lease has fixed',
  dp_size_changed: 'this batch was granted with another dp_size: all ranks of a step ask with the same one',
  too_large: `the units of this step have more than ${MOST_TOKENS} tokens for each rank, which is the most that a shard can have: ask for fewer groups, or by tokens`,
  too_few: 'the groups of this step hold fewer trajectories than it has ranks: ask for more groups',
  conflict: 'the run was rewound by another meanwhile: look at its lineage, and ask again if it is still to be rewound',
  forgotten: 'the checkpoint is older than those that are kept (delivery.kept_checkpoints): restore a newer one',
  checkpoint_discarded:
    'the checkpoint is of a history that was left by a rewind to a step before it: restore an older one',
  never_sealed: 'the checkpoint was never sealed: send the batch tokens that it holds, or restore one that was',
  trained_twice:
    'another trainer has trained what these tokens name: the checkpoint holds it a second time; restore an older one',
  exists: 'the run exists: give the new one a name that nothing has used',
};

const CODES: Readonly<Partial<Record<DeliveryRefusal, ErrorCode>>> = {
  lease_lost: 'RS_LEASE_LOST',
  discarded_lineage: 'RS_LINEAGE_DISCARDED',
};

/** `part`: the lease of which tokens name only a part. */
export function refusalError({ reason, part, short }: Pick<Refused, 'reason' | 'part' | 'short'>): RollstreamError {
  const what =
    part !== undefined
      ? `tokens of lease ${part} name only a part of it: name all of its \`offsets\`, those of other ranks too`
      : short !== undefined
        ? shortText(short)
        : MESSAGES[reason];
  return new RollstreamError(CODES[reason] ?? 'RS_DELIVERY_REFUSED', `${reason}: ${what}`, { facts: { reason } });
}

function shortText({ ranks, units, trajectories, isUnitFixed }: ShortStep): string {
  const [first, hold] = units === 1 ? ['the first group', 'holds'] : [`the ${units} first groups`, 'hold'];
  const held = trajectories === 1 ? '1 trajectory' : `${trajectories} trajectories`;
  const instead = isUnitFixed ? 'ask for more groups' : 'ask for more groups, or unit rollout';
  return `${ranks} ranks, and ${first} ${hold} only ${held}: ${instead}`;
}
