import type { VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeVerifierResults } from '../clickhouse/tables/verifier-results.ts';
import type { VerifierCache } from './verifier-cache.ts';

interface Row {
  readonly content_hash: string;
  readonly status: VerdictStatus;
  readonly rewards: Readonly<Record<string, number | null>>;
  readonly report: string | null;
  readonly cost: number | null;
  readonly duration_ms: number;
}

/** A parameter of a statement has a limit. */
const NAMED = 500;

/** In the table `verifier_results`. */
export function createStoreVerifierCache({ store, now }: { store: Store; now: () => number }): VerifierCache {
  return {
    async find({ scorer, version }, hashes) {
      const found: Row[] = [];
      for (let from = 0; from < hashes.length; from += NAMED) {
        const rows = await store.query<Row>(
          `SELECT content_hash, status, rewards, report, cost, duration_ms FROM rollstream.verifier_results FINAL
           WHERE scorer = {scorer:String} AND scorer_version = {version:String}
             AND content_hash IN {hashes:Array(String)}`,
          { scorer, version, hashes: hashes.slice(from, from + NAMED) },
        );
        found.push(...rows);
      }
      return new Map(
        found.map(({ content_hash, duration_ms: durationMs, ...answer }) => [content_hash, { ...answer, durationMs }]),
      );
    },
    async keep({ scorer, version }, answers) {
      if (answers.length === 0) return;
      const atMs = now();
      const rows = answers.map(({ hash, answer: { status, rewards, report, cost, durationMs } }) => ({
        ...{ scorer, scorer_version: version, content_hash: hash, status, rewards, report, cost },
        ...{ duration_ms: durationMs, atMs, version: BigInt(atMs) },
      }));
      await store.insert(encodeVerifierResults(rows));
    },
  };
}
