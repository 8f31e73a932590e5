import { RollstreamError } from '../../errors.ts';

/** What one request may hold in memory. */
export interface Share {
  /** It holds so many bytes now; throws where others need the room. */
  hold(bytes: number): void;
  held(): number;
  release(): void;
}

/** Bytes of bodies in memory, over all requests that send any. */
export interface IngestBudget {
  /** Sets room aside for a body of that length (null: nobody said) before it is read; RS_INGEST_FULL while there is none. */
  admit(bodyBytes: number | null): Share;
}

/** Bytes that several hold, up to a limit together. Alone, one may hold more: it would wait for ever. */
export interface HeldBytes {
  /** Sets `bytes` aside, which is the least that it holds; throws what `full` makes where there is no room. */
  admit(bytes: number, limitBytes: number, full: (held: number) => RollstreamError): Share;
  held(): number;
}

/**
 * Set aside for a request: a batch on its way to the log, one being filled, and what gunzip gave. Whoever was admitted gets to its
 * end, whatever comes after it; only a single record that is larger has to find more.
 */
const SHARE_BYTES = 4 * 1024 * 1024;
const LEAST_SHARE_BYTES = 64 * 1024;

/** What is set aside for a body of that length. */
export function shareOf(bodyBytes: number | null): number {
  return Math.max(LEAST_SHARE_BYTES, Math.min(bodyBytes ?? SHARE_BYTES, SHARE_BYTES));
}

/** `report` is told how much it is, at each change. */
export function createIngestBudget(
  limitBytes: number,
  report: (bytes: number) => void = () => undefined,
): IngestBudget {
  const bytes = createHeldBytes(report);
  const full = (held: number): RollstreamError =>
    new RollstreamError(
      'RS_INGEST_FULL',
      `other requests hold ${held} of ${limitBytes} bytes (limits.ingest_in_flight): send it again in a moment`,
    );
  return { admit: (bodyBytes) => bytes.admit(shareOf(bodyBytes), limitBytes, full) };
}

export function createHeldBytes(report: (bytes: number) => void = () => undefined): HeldBytes {
  let inFlight = 0;
  return {
    held: () => inFlight,
    admit(least, limitBytes, full) {
      const grow = (mine: number, bytes: number): void => {
        if (bytes > 0 && inFlight + bytes > limitBytes && inFlight > mine) throw full(inFlight);
        inFlight += bytes;
        report(inFlight);
      };
      grow(0, least);
      let held = least;
      return {
        hold(bytes) {
          const wanted = Math.max(least, bytes);
          grow(held, wanted - held);
          held = wanted;
        },
        held: () => held,
        release() {
          inFlight -= held;
          held = 0;
          report(inFlight);
        },
      };
    },
  };
}
