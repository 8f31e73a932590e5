import { join } from 'node:path';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import { type AuditAnswer, notAuditable } from '../../processors/model/audit-summary.ts';
import type { DeepAnswers } from '../../processors/model/deep-input.ts';
import { RollstreamError } from '../errors.ts';
import type { AuditSettings } from '../lanes/lane-settings.ts';
import { workerOptions } from '../threads/worker-options.ts';
import { hashOfFolder } from '../tokenizers/hash-of-folder.ts';
import type { DeepAuditor } from './deep-auditor.ts';
import type { DeepJob } from './deep-worker.ts';

/** A trajectory of 200,000 tokens takes a second; what takes so long does not end. */
const MOST_MS = 60_000;

/** Threads that audit with the configured tokenizers. Each is known by the SHA-256 of its tokenizer.json. */
export async function openDeepPool({ tokenizers, workers }: AuditSettings, log: Logger): Promise<DeepAuditor> {
  const folders = new Map<string, string>();
  for (const { name, folder } of tokenizers) folders.set(await hashOf(name, folder), folder);
  const pool = new Piscina<DeepJob, DeepAnswers>({
    ...workerOptions(new URL('./deep-worker.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: workers,
    idleTimeout: MOST_MS,
  });
  // A thread that cannot even start its module: no job would ever be done, and each would wait to its limit.
  const broken = new AbortController();
  pool.on('error', (error: unknown) => broken.abort(error));
  /** One that is configured is meant for what names none. */
  const folderOf = (sha256: string | null): string | undefined =>
    sha256 === null && folders.size === 1 ? [...folders.values()][0] : folders.get(sha256 ?? '');
  const failed = (input: DeepJob['input'], error: unknown): DeepAnswers => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ rollout: input.rolloutId, err: error }, 'an audit with a tokenizer failed');
    const answer: AuditAnswer = notAuditable(`the audit failed: ${why}`);
    return { template: answer, reencode: answer };
  };
  return {
    missingFor(sha256) {
      if (folderOf(sha256) !== undefined) return null;
      return sha256 === null ? 'its start names no tokenizer' : `its tokenizer ${sha256} is not configured`;
    },
    async run(input) {
      const folder = folderOf(input.tokenizerSha256);
      if (folder === undefined) return {};
      try {
        return await pool.run(
          { folder, input },
          {
            signal: AbortSignal.any([AbortSignal.timeout(MOST_MS), broken.signal]),
          },
        );
      } catch (error) {
        return failed(input, error);
      }
    },
    close: () => pool.destroy(),
  };
}

async function hashOf(name: string, folder: string): Promise<string> {
  try {
    return await hashOfFolder(folder);
  } catch (cause) {
    const file = join(folder, 'tokenizer.json');
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_CONFIG', `audits.tokenizers: ${name}: cannot read ${file}: ${why}`, {
      cause,
      facts: { field: 'audits.tokenizers' },
    });
  }
}
