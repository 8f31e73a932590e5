import type { NamedBy } from '../../journal/call-head.ts';
import { checkedCount, checkedId, refused } from './checked-id.ts';

export const OWN_HEADERS = 'x-rollstream-';
export const TOKEN_HEADER = 'x-rollstream-token';

export const NOBODY: NamedBy = {
  ...{ run: null, rollout: null, attempt: null, group: null, groupSize: null },
  ...{ task: null, env: null, epoch: null, purpose: null },
};

type Reader = (text: string, field: string) => Partial<NamedBy>;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['run', (text, field) => ({ run: checkedId(text, field) })],
  ['rollout', (text, field) => ({ rollout: checkedId(text, field) })],
  ['attempt', (text, field) => ({ attempt: checkedCount(text, field, 0) })],
  ['group', (text, field) => ({ group: checkedId(text, field) })],
  ['group-size', (text, field) => ({ groupSize: checkedCount(text, field, 1) })],
  ['task', (text, field) => ({ task: checkedId(text, field) })],
  ['env', (text, field) => ({ env: checkedId(text, field) })],
  ['epoch', (text, field) => ({ epoch: checkedCount(text, field, 0) })],
  ['purpose', (text, field) => ({ purpose: purposeOf(text, field) })],
]);

/** What the headers say of where a call belongs. A name that is not known is refused: it would else name nothing, and nobody would know. */
export function headerNaming(rawHeaders: readonly string[]): NamedBy {
  let named = NOBODY;
  const seen = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const field = (rawHeaders[at] ?? '').toLowerCase();
    if (!field.startsWith(OWN_HEADERS) || field === TOKEN_HEADER) continue;
    const read = READERS.get(field.slice(OWN_HEADERS.length));
    if (read === undefined)
      throw refused(field, `there is no such header; known are ${[...READERS.keys()].join(', ')}`);
    if (seen.has(field)) throw refused(field, 'it came twice');
    seen.add(field);
    // Node reads headers as Latin-1, whatever they are.
    named = { ...named, ...read(Buffer.from(rawHeaders[at + 1] ?? '', 'latin1').toString('utf8'), field) };
  }
  return named;
}

function purposeOf(text: string, field: string): NamedBy['purpose'] {
  if (text === 'train' || text === 'eval' || text === 'synthesis') return text;
  throw refused(field, `train, eval or synthesis is needed, got ${JSON.stringify(text.slice(0, 40))}`);
}
