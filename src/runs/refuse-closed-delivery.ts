import type { Delivery } from '../delivery/delivery.ts';
import { closedError, type RunRegistry } from './registry.ts';

/**
 * Delivery that answers RS_RUN_CLOSED for runs that are closed. An archived run goes on with what it has: what was leased is acked,
 * sealed, rewound; it gives out nothing. Of a deleted one there is nothing to ask.
 */
export function refuseClosedDelivery(
  delivery: Delivery,
  registry: Pick<RunRegistry, 'stateOf' | 'refuseClosed'>,
): Delivery {
  const refuseDeleted = (run: string): void => {
    const state = registry.stateOf(run);
    if (state === 'deleting' || state === 'deleted') throw closedError(run, state);
  };
  return {
    ...delivery,
    async lease(call, signal) {
      registry.refuseClosed(call.run);
      return delivery.lease(call, signal);
    },
    async seal(run, call) {
      refuseDeleted(run);
      return delivery.seal(run, call);
    },
    async rewind(run, call) {
      refuseDeleted(run);
      return delivery.rewind(run, call);
    },
    async fork(run, call) {
      refuseDeleted(run);
      registry.refuseClosed(call.into);
      return delivery.fork(run, call);
    },
    async status(run) {
      refuseDeleted(run);
      return delivery.status(run);
    },
    async checkVersion(announced) {
      registry.refuseClosed(announced.run);
      return delivery.checkVersion(announced);
    },
  };
}
