import { RollstreamError } from '../../errors.ts';
import { addressKey } from './address-key.ts';

/** How often somebody may be wrong: so many times at once, and once more every `refillMs`. */
export interface AttemptLimits {
  readonly burst: number;
  readonly refillMs: number;
  /** Addresses that are remembered; past it the one that failed longest ago is forgotten. */
  readonly addresses: number;
}

const DEFAULT_LIMITS: AttemptLimits = { burst: 10, refillMs: 6_000, addresses: 4_096 };

/** Wrong tokens by the address that they came from. */
export interface FailedAttempts {
  /** Throws RS_TOO_MANY_ATTEMPTS while nothing that this address tries is looked at. */
  check(address: string): void;
  /** `secret` is a digest of what was wrong: the same again is no further guess, as of a client that was never told the new token. */
  failed(address: string, secret: string): void;
}

interface Bucket {
  readonly left: number;
  readonly atMs: number;
  /** The last `burst` wrong ones. */
  readonly secrets: readonly string[];
}

/** `now` in ms, of a clock that nobody sets. */
export function createFailedAttempts(now: () => number, limits: AttemptLimits = DEFAULT_LIMITS): FailedAttempts {
  // In the order in which they failed last.
  const buckets = new Map<string, Bucket>();
  const leftOf = ({ left, atMs }: Bucket): number => {
    const refilled = (now() - atMs) / limits.refillMs;
    return Math.min(limits.burst, left + refilled);
  };
  return {
    check(address) {
      const bucket = buckets.get(addressKey(address));
      if (bucket === undefined) return;
      const left = leftOf(bucket);
      if (left >= 1) return;
      const seconds = Math.max(1, Math.ceil(((1 - left) * limits.refillMs) / 1000));
      throw new RollstreamError(
        'RS_TOO_MANY_ATTEMPTS',
        `too many wrong tokens came from this address: try again in ${seconds} s`,
        { facts: { retry_after: seconds } },
      );
    },
    failed(address, secret) {
      const key = addressKey(address);
      const bucket = buckets.get(key) ?? { left: limits.burst, atMs: now(), secrets: [] };
      if (bucket.secrets.includes(secret)) return;
      buckets.delete(key);
      const oldest = buckets.size < limits.addresses ? undefined : buckets.keys().next().value;
      if (oldest !== undefined) buckets.delete(oldest);
      const secrets = [...bucket.secrets, secret].slice(-limits.burst);
      buckets.set(key, { left: Math.max(0, leftOf(bucket) - 1), atMs: now(), secrets });
    },
  };
}
