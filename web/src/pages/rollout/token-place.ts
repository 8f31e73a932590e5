import type { TrajectoryJson } from '../../../../src/ready/trajectory-json.ts';
import { type DecodedText, tokenAt } from './call-text.ts';
import { type Finding, isOfCharacters } from './findings.ts';

/** Tokens of a segment that something is about. */
export interface TokenPlace {
  readonly segment: string;
  readonly from: number;
  /** One past the last. */
  readonly to: number;
  /** What of the record says so. `end`: nothing does, it is about how the attempt ended. */
  readonly by: 'token' | 'character' | 'call' | 'end';
}

export type Segments = Pick<TrajectoryJson, 'segments' | 'turns'>;

/** Where a finding points, the place to look at first; empty: it is about no token. */
export function placesOf(
  finding: Finding,
  trajectory: Segments,
  textOfTurn: (turn: number) => DecodedText | null,
): TokenPlace[] {
  const { turn, index } = finding;
  const call = turn === null ? null : placeOfCall(trajectory, turn);
  if (index !== null && isOfCharacters(finding)) {
    const text = turn === null ? null : textOfTurn(turn);
    return text === null || call === null ? present(call) : [placeOfCharacters(finding, index, text, call)];
  }
  if (index !== null) return placesOfToken(finding, index, trajectory, call);
  if (call !== null) return [call];
  return finding.audit === 'termination' ? present(placeOfEnd(trajectory)) : [];
}

/** What a call sampled; null: nothing is known of it, or no token of it was recorded. */
export function placeOfCall({ segments, turns }: Segments, turn: number): TokenPlace | null {
  const found = turns.find((one) => one.turn === turn);
  const segment = segments.find(({ segment_id }) => segment_id === found?.segment_id);
  if (found === undefined || segment === undefined || found.start >= segment.token_ids.length) return null;
  return { segment: found.segment_id, from: found.start, to: Math.max(found.end, found.start + 1), by: 'call' };
}

/** The last token that was sampled. */
export function placeOfEnd({ turns }: Segments): TokenPlace | null {
  const last = turns.findLast(({ start, end }) => end > start);
  return last === undefined ? null : { segment: last.segment_id, from: last.end - 1, to: last.end, by: 'end' };
}

function placeOfCharacters(
  { text, expectedText }: Finding,
  index: number,
  decoded: DecodedText,
  call: TokenPlace,
): TokenPlace {
  const written = [expectedText, text].find((one) => one !== '' && decoded.text.startsWith(one, index)) ?? ' ';
  const from = call.from + tokenAt(decoded, index);
  const to = call.from + tokenAt(decoded, index + written.length - 1) + 1;
  return { segment: call.segment, from, to: Math.max(to, from + 1), by: 'character' };
}

/** A history that changed is found in the new segment, and was sampled in the one that it was derived from. */
function placesOfToken(
  { ids, expectedIds, detail }: Finding,
  index: number,
  { segments }: Segments,
  call: TokenPlace | null,
): TokenPlace[] {
  const named = segments.findLast(({ segment_id }) => detail.includes(`segment ${segment_id})`));
  const id = call?.segment ?? named?.segment_id ?? segments[0]?.segment_id ?? '';
  const segment = segments.find(({ segment_id }) => segment_id === id);
  const [own, before] = differing(ids, expectedIds);
  const parent = segments.find(({ segment_id }) => segment_id === segment?.parent_segment_id);
  const place = (name: string, length: number): TokenPlace => ({
    segment: name,
    from: index,
    to: index + Math.max(1, length),
    by: 'token',
  });
  const isOfHistory =
    parent !== undefined && segment?.fork_at !== null && segment !== undefined && index >= segment.fork_at;
  if (!isOfHistory || expectedIds.length === 0) return [place(id, own)];
  return index < parent.token_ids.length ? [place(parent.segment_id, before), place(id, own)] : [place(id, own)];
}

/** How many ids differ before both go on alike. */
function differing(ids: readonly number[], expected: readonly number[]): readonly [number, number] {
  let same = 0;
  while (same < ids.length && same < expected.length && ids.at(-1 - same) === expected.at(-1 - same)) same += 1;
  return same === 0 ? [1, 1] : [ids.length - same, expected.length - same];
}

function present(place: TokenPlace | null): TokenPlace[] {
  return place === null ? [] : [place];
}
