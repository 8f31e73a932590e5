import { createHash } from 'node:crypto';
import type { JsonObject } from '../exact-number.ts';
import { shown } from '../fields.ts';
import { createHeldRollouts, MOST_HELD_BYTES } from '../held-rollouts.ts';
import { type EndedRecord, type Importer, type ParsedLine, refusable } from '../importer.ts';
import type { Episode } from './a2e-episode.ts';
import { a2eEvents, FORMAT } from './a2e-events.ts';
import { type A2eMessage, a2eMessage } from './a2e-message.ts';
import { createA2eRouter } from './a2e-router.ts';

const TYPES = /^(?:env\/(?:reset|step|observe|close|state|batch_step)|learn\/experience|tool\/call|handshake)\//;

/** Messages of the Agent–Environment protocol as they crossed the wire, and beside them the recorded calls of the model. */
export const a2e = createA2e(MOST_HELD_BYTES);

export function createA2e(mostHeldBytes: number): Importer {
  return {
    name: FORMAT,

    detect(first) {
      if (first.some(isMessage)) return { score: 0.9, why: 'lines with type, id and ts: messages of A2E' };
      return first.some(isRecordedCall)
        ? { score: 0.5, why: 'lines of type model_call with an episode_id: recorded calls beside A2E' }
        : null;
    },

    interleaved: true,

    open(context) {
      const held = createHeldRollouts<Episode>(mostHeldBytes);
      const router = createA2eRouter(held);
      /** Given before the end of the file, and refused: told at its end, under their own lines. */
      const refused: EndedRecord[] = [];

      function give(episode: Episode): EndedRecord {
        const sha256 = createHash('sha256').update(episode.shas.join()).digest('hex');
        return { result: refusable(() => a2eEvents(episode, context, sha256).list), line: episode.first.line, sha256 };
      }

      return {
        take: (line: ParsedLine) =>
          refusable(() => {
            router.route(a2eMessage(line));
            return held.overflow().flatMap((episode) => {
              const ended = give(episode);
              if ('events' in ended.result) return [...ended.result.events];
              refused.push(ended);
              return [];
            });
          }),
        *end() {
          yield* refused;
          for (const message of router.strays()) yield strayed(message);
          for (const episode of held.drain()) yield give(episode);
        },
      };
    },
  };
}

/** Nobody can tell whose it is. */
function strayed({ type, line, sha256, reqId }: A2eMessage): EndedRecord {
  const got = reqId === null ? 'nothing' : shown(reqId);
  const message = `req_id: ${type} answers no request of the file that waits for it`;
  return { result: { refused: { message, field: 'req_id', expected: 'the id of a request', got } }, line, sha256 };
}

function isMessage({ type, id, ts }: JsonObject): boolean {
  return typeof type === 'string' && TYPES.test(type) && id !== undefined && ts !== undefined;
}

function isRecordedCall({ type, episode_id, response }: JsonObject): boolean {
  return type === 'model_call' && episode_id !== undefined && response !== undefined;
}
