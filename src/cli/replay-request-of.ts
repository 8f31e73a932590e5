import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Access } from '../access/access.ts';
import { readDocumentFile } from '../lanes/read-document.ts';
import { findPolicy } from '../policies/find-policy.ts';
import { readReplayRequest } from '../rescore/read-replay-request.ts';
import type { ReplayRequest } from '../rescore/replay-request.ts';
import type { CommandContext } from './context.ts';
import type { ReplayFlags } from './replay-flags.ts';
import { replayPlace } from './replay-place.ts';

/** The request that flags make, checked as one of anybody is. Documents are read here: they travel as text. */
export async function replayRequestOf(
  flags: ReplayFlags,
  { io }: Pick<CommandContext, 'io'>,
  access: Access,
): Promise<ReplayRequest> {
  const policy =
    flags.policy === undefined ? null : await findPolicy(flags.policy, { cwd: io.cwd, access: async () => access });
  const taxonomy =
    flags.taxonomy === undefined ? null : await readDocumentFile(resolve(io.cwd, flags.taxonomy), flags.taxonomy);
  const request = readReplayRequest({
    replay_id: newReplayId(io.now()),
    runs: flags.run ?? [],
    ...(flags.from === undefined ? {} : { from: replayPlace(flags.from, 'from') }),
    ...(flags.to === undefined ? {} : { to: replayPlace(flags.to, 'to') }),
    where: flags.where ?? null,
    policy: policy === null ? null : { text: policy.text, name: policy.where },
    taxonomy: taxonomy === null ? null : { text: taxonomy.text, name: taxonomy.where },
    audits: flags.audits === true,
    ...{ source: flags.source, late: flags.late },
    save: flags.save === true || flags.emit !== undefined,
    emit: emitOf(flags),
    label: flags.label ?? '',
    against: flags.against ?? '',
    with_verdicts: flags.verifier !== undefined || flags.verdicts !== undefined,
  });
  return request;
}

function emitOf({ emit, again, stale, unchanged }: ReplayFlags): unknown {
  if (emit === undefined) return null;
  return {
    topic: emit === true ? null : emit,
    again: again === true,
    ...(stale === undefined ? {} : { stale: stale === 'emit' ? 'emit' : 'leave_out' }),
    ...(unchanged === undefined ? {} : { unchanged: unchanged === 'emit' ? 'emit' : 'leave_out' }),
  };
}

/** In order of time, and of nobody else. */
function newReplayId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]/g, '').slice(0, 15);
  return `${time}-${randomBytes(4).toString('hex')}`;
}
