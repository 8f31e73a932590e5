import { RollstreamError } from '../errors.ts';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const UNUSABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

/** What is wrong with the folder of blobs, as opposed to one blob in it. */
export function toBlobError(cause: unknown, folder: string): RollstreamError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const facts = { field: 'blobs.folder', folder };
  if (FULL.has(code)) return new RollstreamError('RS_DISK_FULL', `no space for blobs in ${folder}`, { cause, facts });
  const said = cause instanceof Error ? cause.message : String(cause);
  if (UNUSABLE.has(code))
    return new RollstreamError('RS_CONFIG', `cannot use the blob folder ${folder} (blobs.folder): ${said}`, {
      cause,
      facts,
    });
  const hint = code === 'ENOENT' ? ': nothing says that it is one; is it mounted?' : `: ${said}`;
  return new RollstreamError('RS_STORE_UNREACHABLE', `the blob folder ${folder} does not answer${hint}`, {
    cause,
    facts,
  });
}
