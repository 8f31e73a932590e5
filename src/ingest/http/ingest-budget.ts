import { RollstreamError } from '../../errors.ts';

/** What one request may hold in memory. */
export interface Share {
  /** It holds so many bytes now; RS_INGEST_FULL where others need the room. */
  hold(bytes: number): void;
  release(): void;
}

/** Bytes of bodies in memory, over all requests that send any. */
export interface IngestBudget {
  /** Sets room aside for a body of that length (null: nobody said) before it is read; RS_INGEST_FULL while there is none. */
  admit(bodyBytes: number | null): Share;
}

/**
 * Set aside for a request: a batch on its way to the log, one being filled, and what gunzip gave. Whoever was admitted gets to its
 * end, whatever comes after it; only a single record that is larger has to find more.
 */
const SHARE_BYTES = 4 * 1024 * 1024;
const LEAST_SHARE_BYTES = 64 * 1024;

/** `report` is told how much it is, at each change. */
export function createIngestBudget(
  limitBytes: number,
  report: (bytes: number) => void = () => undefined,
): IngestBudget {
  let inFlight = 0;

  /** Alone, a request may be larger than the budget: it would wait for ever. */
  function grow(mine: number, bytes: number): void {
    if (bytes > 0 && inFlight + bytes > limitBytes && inFlight > mine) {
      throw new RollstreamError(
        'RS_INGEST_FULL',
        `other requests hold ${inFlight} of ${limitBytes} bytes (limits.ingest_in_flight): send it again in a moment`,
      );
    }
    inFlight += bytes;
    report(inFlight);
  }

  return {
    admit(bodyBytes) {
      const least = Math.max(LEAST_SHARE_BYTES, Math.min(bodyBytes ?? SHARE_BYTES, SHARE_BYTES));
      grow(0, least);
      let held = least;
      return {
        hold(bytes) {
          const wanted = Math.max(least, bytes);
          grow(held, wanted - held);
          held = wanted;
        },
        release() {
          inFlight -= held;
          held = 0;
          report(inFlight);
        },
      };
    },
  };
}
