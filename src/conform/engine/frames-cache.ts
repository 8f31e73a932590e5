import type { Answer } from './answer.ts';
import type { Frame, Shape } from './shapes/frame.ts';

/** Streams that differ in nothing but the id of the request, so that measuring many of them does not measure how they are written. */
export type FramesCache = (answer: Answer, shape: Shape) => Iterable<Frame>;

const MOST = 64;
/** No client's id, and nothing that JSON writes otherwise. */
const ID = '@@request-id@@';

export function createFramesCache(): FramesCache {
  const known = new Map<
    string,
    ReadonlyArray<{ readonly before: string; readonly after: string; readonly tokens: number }>
  >();
  return function* (answer, shape) {
    const { requestId, promptIds, ...asked } = answer.asked;
    const id = JSON.stringify(requestId).slice(1, -1);
    const told = asked.returnTokenIds || asked.returnPromptIds || asked.extInputIds ? promptIds : promptIds.length;
    const key = JSON.stringify([asked, told, answer.createdS, answer.cachedTokens, answer.logprobs[0], answer.finish]);
    let parts = known.get(key);
    if (parts === undefined) {
      const frames = [...shape.frames({ ...answer, asked: { ...answer.asked, requestId: ID } })];
      parts = frames.map(({ text, tokens }) => {
        const at = text.indexOf(ID);
        return at === -1
          ? { before: text, after: '', tokens }
          : { before: text.slice(0, at), after: text.slice(at + ID.length), tokens };
      });
      known.set(key, parts);
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    }
    for (const { before, after, tokens } of parts)
      yield { text: after === '' ? before : `${before}${id}${after}`, tokens };
  };
}
