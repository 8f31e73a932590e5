import type { Attempt } from '../model/attempt.ts';
import type { Audit, AuditAnswer, Found } from '../model/audit-summary.ts';
import { addFinding, addFindings, answerOfList, createFindingList, type FindingList } from '../model/finding-list.ts';
import { type Chunk, sampledIn } from '../model/segment.ts';
import { isBackwards } from './version-order.ts';

const MOST_TEXT = 400;

/** Logprobs, rewards and versions of the weights: whether they can be what they are said to be. */
export const auditNumbers: Audit = (attempt) => {
  const noted = attempt.watch?.numbers ?? null;
  const findings = createFindingList();
  addRewards(findings, attempt);
  if (noted !== null) {
    addFindings(findings, noted.findings);
    if (noted.truncated > 0) addFinding(findings, supportOf(noted.truncated, noted.firstTruncated));
  }
  const calls = sampledCalls(attempt);
  addVersions(findings, calls);
  return answerOfList(findings, missingOf(attempt, calls));
};

/** The same again of an attempt whose verdicts are others: what was found of its calls stands, their logprobs may not be there. */
export function numbersAnew(attempt: Attempt, before: readonly Found[]): AuditAnswer {
  const findings = createFindingList();
  addRewards(findings, attempt);
  for (const found of before) if (found.class !== 'reward_not_finite') addFinding(findings, found);
  return answerOfList(findings, missingOf(attempt, sampledCalls(attempt)));
}

function addRewards(findings: FindingList, { verdicts }: Attempt): void {
  const said = new Map<number | null, string[]>();
  for (const { scorer, notFinite, boundTo } of verdicts)
    if (notFinite.length > 0) said.set(boundTo, [...(said.get(boundTo) ?? []), `${notFinite.join(', ')} of ${scorer}`]);
  for (const [turn, names] of said)
    addFinding(findings, {
      ...{ class: 'reward_not_finite', severity: 'fail', turn, index: null },
      detail: `${names.join('; ').slice(0, MOST_TEXT)}: NaN or infinite, which is missing and not 0`,
    });
}

/** Between calls a step back may be a rolling update that has not reached the replica. */
function addVersions(findings: FindingList, calls: readonly Chunk[]): void {
  let before: { readonly turn: number; readonly version: string } | null = null;
  for (const { turn, spans } of calls) {
    const version = spans[0]?.version ?? '';
    if (before !== null && isBackwards(before.version, version))
      addFinding(findings, {
        ...{ class: 'version_backwards', severity: 'warn', turn, index: null },
        detail: `call ${turn} begins with version ${version}, call ${before.turn} ended with ${before.version}`,
      });
    const last = spans.at(-1)?.version ?? '';
    if (last !== '') before = { turn, version: last };
  }
}

/** In the order of calls, whatever segments they are in. */
function sampledCalls({ segments }: Attempt): readonly Chunk[] {
  const calls: Chunk[] = [];
  for (const { chunks } of segments)
    for (const chunk of chunks) if (!chunk.copied && sampledIn(chunk) > 0) calls.push(chunk);
  return segments.length < 2 ? calls : calls.sort((a, b) => a.turn - b.turn);
}

function missingOf({ calls, missingTokens }: Attempt, sampled: readonly Chunk[]): string | null {
  if (calls === 0) return 'no model call';
  const without = sampled.reduce((count, { hasLogprobs }) => (hasLogprobs ? count : count + 1), 0);
  if (without === sampled.length) return 'no logprobs';
  if (without > 0) return `${without} of ${sampled.length} completions have no logprobs`;
  return missingTokens ? 'some calls have no token ids' : null;
}

function supportOf(count: number, turn: number): Found {
  return {
    ...{ class: 'logprob_support_mismatch', severity: 'warn', turn, index: null },
    detail: `processed logprobs of a truncated distribution (top-p below 1, or top-k) in ${count} calls: the trainer's are of the whole`,
  };
}
