import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RollstreamError } from '../errors.ts';
import { parsedOrNull } from './record/attempts/intent.ts';
import { leftOverCalls } from './record/left-over-calls.ts';
import type { Recording, RecordingOptions } from './record/port.ts';
import type { Say } from './record/sending-problems.ts';
import { startRecorderThread } from './record/start-recorder-thread.ts';

export type OpenRecording = (options: RecordingOptions, say: Say) => Promise<Recording>;

/** Starts the thread that makes events of calls. `options.folder` is this process's own. Throws where it cannot be used. */
export async function openRecording(options: RecordingOptions, say?: Say): Promise<Recording> {
  const [calls, state] = [join(options.folder, 'calls'), join(options.folder, 'recording')];
  for (const folder of [calls, state]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const producerId = producerIdOf(state);
  // Listed before the first call of this process begins.
  const thread = await startRecorderThread({ options, producerId, leftOver: leftOverCalls(calls) }, undefined, say);
  return {
    ended: thread.ended,
    async endRollout(named, end) {
      await thread.ask({ kind: 'end', named, end, isRepeated: false });
    },
    async verdict(named, verdict) {
      // Of this id from here on, whatever thread it is asked of.
      const eventId = verdict.eventId ?? randomUUID();
      await thread.ask({ kind: 'verdict', named, verdict: { ...verdict, eventId } });
    },
    status: thread.status,
    close: thread.close,
  };
}

/** The same over restarts, since the first producer of an attempt owns it. */
function producerIdOf(folder: string): string {
  const path = join(folder, 'producer.json');
  if (existsSync(path)) {
    const known = parsedOrNull<{ producer_id?: unknown }>(readFileSync(path, 'utf8'));
    if (typeof known?.producer_id === 'string' && known.producer_id !== '') return known.producer_id;
    const why =
      'it names no producer_id. Put the one of the open attempts there, or remove it to go on as another producer';
    throw new RollstreamError('RS_FILE_UNREADABLE', `${path}: ${why}`, { facts: { path } });
  }
  const made = `${hostname()}-proxy-${randomBytes(6).toString('hex')}`;
  writeFileSync(`${path}.new`, `${JSON.stringify({ producer_id: made })}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return made;
}
