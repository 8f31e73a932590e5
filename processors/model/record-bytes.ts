/**
 * Most bytes of key, value and headers of one record: the 8 MB up to which a trajectory is self-contained. Below the batch of
 * 8 · 2^20 bytes that topics are created with, by what a batch adds to its only record; the broker's adapter holds that.
 */
export const MOST_RECORD_BYTES = 8_000_000;
