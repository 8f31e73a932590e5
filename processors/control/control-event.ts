import type { ControlInit, StepEventInit } from '../../schemas/generated/step-event.ts';
import type { DocumentIds } from '../model/control.ts';
import type { GateInForce } from '../model/gate.ts';
import type { WeightsEvent } from '../model/weights.ts';
import type { Due } from './deadlines.ts';

const PRODUCER = 'rollstream';

/** A deadline as the event that a lane writes into its own partition, under the key of the unit. */
export function deadlineEvent({ name, unit, attempt, saw }: Due): StepEventInit {
  const identity =
    attempt?.identity ??
    ({
      run_id: unit.runId,
      epoch: unit.epoch,
      purpose: 'unknown',
      env_name: '',
      task_id: '',
      group_id: null,
      group_size: null,
      rollout_id: '',
      attempt: 0,
    } as const);
  const id = [name, unit.key, unit.start, identity.rollout_id, identity.attempt, saw].join('|');
  return controlEvent(identity, id, {
    type: 'deadline',
    deadline: { name, unit: unit.key, unit_start: unit.start, saw, source: null },
  });
}

/** A producer has ended: closes what it left open in the partition that it is written to. */
export function sourceEndedEvent(producerId: string, eventId: string): StepEventInit {
  return controlEvent(NOBODY, `source_ended|${eventId}`, {
    type: 'deadline',
    deadline: { name: 'source_ended', unit: '', unit_start: null, saw: null, source: producerId },
  });
}

/** From here on these documents decide. */
export function policyEvent({ policy_id, taxonomy_id }: DocumentIds, eventId: string): StepEventInit {
  return controlEvent(NOBODY, `policy|${eventId}`, { type: 'policy', policy: { policy_id, taxonomy_id } });
}

/** From here on the trainer of the run updates this version. */
export function weightsEvent(
  runId: string,
  { lineage, version, ordinal }: WeightsEvent,
  eventId: string,
): StepEventInit {
  return controlEvent({ ...NOBODY, run_id: runId }, `weights|${eventId}`, {
    type: 'weights_version',
    weights: { lineage, version, ordinal },
  });
}

/** From here on the gate of the run is in this state. */
export function gateEvent(
  runId: string,
  { state, classes, seq }: GateInForce,
  whyJson: string | null,
  eventId: string,
): StepEventInit {
  return controlEvent({ ...NOBODY, run_id: runId }, `gate|${eventId}`, {
    type: 'gate',
    gate: { state, classes: [...classes], why_json: whyJson, seq },
  });
}

const NOBODY = { run_id: '', env_name: '', task_id: '', rollout_id: '' };

function controlEvent(
  identity: Pick<StepEventInit, 'run_id' | 'env_name' | 'task_id' | 'rollout_id'> & Partial<StepEventInit>,
  eventId: string,
  control: ControlInit,
): StepEventInit {
  return {
    ...identity,
    event_id: eventId,
    producer_id: PRODUCER,
    kind: 'control',
    source: { format: PRODUCER },
    control,
  };
}
