import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeFolder } from '../config/make-folder.ts';
import { RollstreamError } from '../errors.ts';

/** A folder for files that the engine reads; what a killed process left there is removed. */
export async function emptyInbox(folder: string): Promise<string> {
  const inbox = resolve(folder);
  // INFILE expands these, and has no escape for them.
  if (/[*?{}|]/.test(inbox)) {
    throw new RollstreamError('RS_CONFIG', `the data folder's path may not hold * ? { } or |: ${inbox}`);
  }
  await rm(inbox, { recursive: true, force: true });
  await makeFolder(inbox);
  return inbox;
}
