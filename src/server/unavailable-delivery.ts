import type { Delivery } from '../delivery/delivery.ts';
import { RollstreamError } from '../errors.ts';

/** Temporary: what stands in the place of delivery until the program opens one. */
export function createUnavailableDelivery(): Delivery {
  const refuse = (): Promise<never> =>
    Promise.reject(new RollstreamError('RS_STARTING', 'delivery is not part of this program yet'));
  return {
    lease: refuse,
    ack: refuse,
    release: refuse,
    reject: refuse,
    extend: refuse,
    seal: refuse,
    rewind: refuse,
    fork: refuse,
    status: refuse,
    checkVersion: () => Promise.resolve(),
  };
}
