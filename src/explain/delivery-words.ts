import type { DeliveryJson } from '../access/explanation.ts';

/** What became of a trajectory that is ready, for a person: goes on from `it`. null: nothing was said of it yet. */
export function deliveryWords(delivery: DeliveryJson | null): string {
  if (delivery === null) return 'is queued: no trainer has taken it yet';
  const { state, consumer, step, lineage, deadline, reason } = delivery;
  const why = reason === '' ? '' : `: ${reason}`;
  switch (state) {
    case 'leased':
      return `is leased${by(consumer)} until ${deadline} UTC${times(delivery)}`;
    case 'trained':
      return `was trained${by(consumer)} in step ${step}${inLineage(lineage)}${madeWords(delivery)}${ageWords(delivery)}`;
    case 'expired':
      return `expired before a trainer took it${why}`;
    case 'undeliverable':
      return `cannot be delivered${why}${times(delivery)}`;
    case 'replaced':
      return reason === 'already_trained' ? 'is not trained: another version of it was' : `is not trained${why}`;
    case 'trainer_rejected':
      return consumer === '' ? `was rejected${why}` : `was rejected by the trainer (${consumer})${why}`;
    default:
      return queuedWords(delivery);
  }
}

function queuedWords(delivery: DeliveryJson): string {
  const { recorded_state, consumer, step, lineage, deadline, ran_out } = delivery;
  if (recorded_state === 'trained')
    return `is queued again: step ${step}${inLineage(lineage)} trained it, and the trainer went back to an earlier checkpoint`;
  if (recorded_state === 'leased')
    return ran_out
      ? `is queued again: ${consumer === '' ? 'its lease' : `the lease of ${consumer}`} ran out at ${deadline} UTC${times(delivery)}`
      : `is queued again: it was leased${by(consumer)} in lineage ${lineage}, which was left for an earlier checkpoint`;
  if (delivery.taken_at === null) return deliveryWords(null);
  return `is queued again: it was given back${by(consumer)}${times(delivery)}`;
}

/** Empty where the store has no grant of it: what a fork took over, or what the lease log has forgotten. */
function by(consumer: string): string {
  return consumer === '' ? '' : ` by ${consumer}`;
}

function inLineage(lineage: number): string {
  return lineage === 0 ? '' : ` of lineage ${lineage}`;
}

function madeWords({ weights_version: version }: DeliveryJson): string {
  return version === '' ? '' : `, which made ${version}`;
}

function ageWords({ lag }: DeliveryJson): string {
  if (lag === null) return '; how old its weights were by then is unknown';
  return lag <= 0 ? '; its weights were the newest' : `; its weights were ${lag} behind the newest by then`;
}

function times({ deliveries }: DeliveryJson): string {
  return deliveries <= 1 ? '' : ` (taken ${deliveries} times)`;
}
