import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../config/make-folder.ts';
import { RollstreamError } from '../../errors.ts';
import { sleep } from '../../lanes/sleep.ts';
import { readTokenFile, type TokenFile, tokenFileText } from './token-file.ts';

/** Whoever writes does so within this; a draft that is older was left behind. */
const WRITTEN_WITHIN_MS = 10_000;
const ASK_AGAIN_MS = 50;

/**
 * Replaces the token file by what `change` makes of it: after a crash it is the old one or the new one, and two that change it at
 * once come one after the other, since there is one draft. Nobody but the owner may read it.
 */
export async function changeTokens<Result>(
  path: string,
  change: (file: TokenFile) => { readonly file: TokenFile; readonly result: Result },
): Promise<Result> {
  const draft = `${path}.new`;
  await makeFolder(dirname(path));
  const handle = await beginDraft(draft);
  try {
    const before = readTokenFile(path) ?? { session_key: randomBytes(32).toString('hex'), tokens: [] };
    const { file, result } = change(before);
    try {
      await handle.writeFile(tokenFileText(file));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

async function beginDraft(draft: string) {
  const stop = new AbortController();
  for (let waitedMs = 0; ; waitedMs += ASK_AGAIN_MS) {
    try {
      return await open(draft, 'wx', 0o600);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : '';
      if (code !== 'EEXIST') {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new RollstreamError('RS_CONFIG', `the token file cannot be written: ${why}`, {
          cause,
          facts: { field: 'http.tokens_file' },
        });
      }
    }
    const made = await stat(draft).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > WRITTEN_WITHIN_MS) await rm(draft, { force: true });
    else if (waitedMs > 2 * WRITTEN_WITHIN_MS)
      throw new RollstreamError('RS_DATA_OWNED', `another command writes ${draft}: try again`, {});
    else await sleep(ASK_AGAIN_MS, stop.signal);
  }
}
