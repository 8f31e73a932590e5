import type { Found } from '../model/audit-summary.ts';
import { addFinding, createFindingList, type FindingList } from '../model/finding-list.ts';
import type { Segment } from '../model/segment.ts';
import { compareHistory, type HistoryBreak } from './compare-history.ts';
import { holdsAll } from './holds-all.ts';
import { promptOf, tokensFrom } from './tokens-from.ts';

/** Tokens shown before a break, and after it. */
const SHOWN_BEFORE = 8;
const SHOWN_AFTER = 16;

/** One finding for each segment whose prompt does not hold what its parent held. */
export function rewrittenIn(segments: readonly Segment[]): FindingList {
  const findings = createFindingList();
  if (segments.length < 2) return findings;
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  for (const segment of segments) {
    const parent = segment.parentId === null ? undefined : byId.get(segment.parentId);
    const found = parent === undefined ? null : foundIn(segment, parent, segment.forkAt ?? 0);
    if (found !== null) addFinding(findings, found);
  }
  return findings;
}

function foundIn(segment: Segment, parent: Segment, forkAt: number): Found | null {
  const own = segment.chunks.find(({ copied }) => !copied);
  if (own === undefined || holdsAll(own, parent, forkAt)) return null;
  const held = tokensFrom(parent, forkAt);
  const prompt = promptOf(own);
  const broken = compareHistory(held, prompt);
  if (broken === null) return null;
  const { kind, at, newAt, gone, came } = broken;
  const isDrift = kind === 'drift';
  return {
    class: isDrift ? 'pipeline_drift' : 'history_rewritten',
    severity: isDrift ? 'fail' : 'warn',
    turn: own.turn,
    index: forkAt + at,
    detail: detailOf(broken, own.turn, segment.id, parent.id, forkAt),
    evidence: { ids: window(prompt, newAt, came), expectedIds: window(held.ids, at, gone) },
  };
}

function detailOf(
  { kind, at, gone, came, within }: HistoryBreak,
  turn: number,
  id: string,
  parent: string,
  forkAt: number,
): string {
  const place = `token ${forkAt + at} of segment ${parent}`;
  const whose = within.isSampled ? `what call ${within.turn} sampled` : `the prompt of call ${within.turn}`;
  if (kind === 'drift')
    return `the prompt of call ${turn} (segment ${id}) holds ${came} other ids for ${gone} of ${whose}, from ${place} on`;
  const what =
    gone === null
      ? 'goes on in another way'
      : came === 0
        ? `leaves ${gone} tokens out`
        : gone === 0
          ? `has ${came} tokens more`
          : `has ${came} tokens for ${gone}`;
  return `the prompt of call ${turn} (segment ${id}) ${what} within ${whose}, from ${place} on`;
}

function window(ids: Uint32Array, at: number, of: number | null): readonly number[] {
  const end = Math.min(ids.length, at + Math.min(of ?? 0, MOST_SHOWN) + SHOWN_AFTER);
  const shown: number[] = [];
  for (let i = Math.max(0, at - SHOWN_BEFORE); i < end; i++) shown.push(ids[i] ?? 0);
  return shown;
}

/** With what is around it, 64. */
const MOST_SHOWN = 40;
