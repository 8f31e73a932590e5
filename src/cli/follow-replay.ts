import { ERRORS, type ErrorCode, RollstreamError } from '../errors.ts';
import { sleep } from '../lanes/sleep.ts';
import type { ReplayStatus, Replays } from '../rescore/replays.ts';
import type { ReplayBar } from './replay-bar.ts';

const POLL_MS = 100;

/** Waits until a replay is done; asked to stop, it cancels. Rejects with what ended it before. */
export async function followReplay(
  replays: Replays,
  started: ReplayStatus,
  { bar, stopped }: { readonly bar: ReplayBar; readonly stopped: AbortSignal },
): Promise<ReplayStatus> {
  const { replay_id: id } = started;
  let status = started;
  while ((status.state === 'running' || status.state === 'emitting') && !status.interrupted) {
    bar.update(status);
    await sleep(POLL_MS, stopped);
    if (stopped.aborted) status = await replays.cancel(id);
    else status = await replays.status(id);
  }
  bar.stop();
  const goesOn = status.saved ? `; --resume ${id} goes on with it` : '';
  if (status.state === 'failed') throw failureOf(status, goesOn);
  if (status.state === 'cancelled') throw new RollstreamError('RS_INTERRUPTED', `cancelled${goesOn}`);
  if (status.interrupted) throw new RollstreamError('RS_INTERRUPTED', `the replay was cut off${goesOn}`);
  return status;
}

function failureOf({ error }: ReplayStatus, goesOn: string): Error {
  if (error === null) return new RollstreamError('RS_INTERNAL', `the replay failed${goesOn}`);
  const code = isCode(error.code) ? error.code : 'RS_INTERNAL';
  return new RollstreamError(code, `${error.message}${ERRORS[code].retriable ? goesOn : ''}`);
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
