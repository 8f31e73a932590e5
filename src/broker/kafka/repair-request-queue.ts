import type { RequestQueue } from './kafkajs.ts';

/** While requests wait for an earlier one to be answered, kafkajs looks again this often. */
const CHECK_PENDING_MS = 10;

/**
 * kafkajs 2.2.4 arms this timer even if nothing waits, with a negative delay that becomes 1 ms: each connection wakes about 700
 * times a second for ever (tulios/kafkajs#1704, #1751). Nothing pending: nothing to check.
 */
export function repairRequestQueue(prototype: RequestQueue): void {
  prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests(this: RequestQueue): void {
    if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
    const waitMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      waitMs > 0 ? waitMs : CHECK_PENDING_MS,
    );
  };
}
