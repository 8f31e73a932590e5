import { resolve } from 'node:path';
import { counted } from '../audit/report/figures.ts';
import type { NewVerdictOf } from '../rescore/new-verdicts.ts';
import type { OpenReplays } from '../rescore/open-replays.ts';
import { readAsked } from '../rescore/replay-documents.ts';
import type { ReplayRequest } from '../rescore/replay-request.ts';
import { openVerifier } from '../verify/open-verifier.ts';
import { verdictFileLines } from '../verify/verdict-file-lines.ts';
import { type VerdictBatch, type VerdictSource, verdictsFor } from '../verify/verdicts-for-replay.ts';
import type { CommandContext } from './context.ts';
import type { ReplayBar } from './replay-bar.ts';
import type { ReplayFlags } from './replay-flags.ts';
import { visible } from './table.ts';

const ANSWER_MS = 60_000;
const AT_ONCE = 4;

/**
 * Keeps the verdicts that a replay is to score with: of a verifier, which runs here and nowhere else, or of a file. What a verifier
 * answered is known when it is asked again.
 */
export async function keepReplayVerdicts(
  flags: ReplayFlags,
  request: ReplayRequest,
  { access, replays, verifierCache }: OpenReplays,
  {
    context,
    bar,
    stopped,
  }: { readonly context: CommandContext; readonly bar: ReplayBar; readonly stopped: AbortSignal },
): Promise<void> {
  if (!request.withVerdicts) return;
  // A verifier may take hours: what is wrong with a document is told before.
  await readAsked(request, context.config.lanes);
  const { source, close } = await sourceOf(flags, context, verifierCache);
  try {
    const counts = await verdictsFor({
      ...{ access, scope: request, source, signal: stopped },
      give: ({ verdicts, refused }) => replays.addVerdicts(request.replayId, [...verdicts, ...refused.map(asVerdict)]),
      onProgress: bar.judged,
    });
    bar.stop();
    const { done, cached, cost, seconds, byStatus } = counts;
    const statuses = Object.entries(byStatus).map(([status, n]) => `${n} ${status}`);
    const what = statuses.length === 0 ? '' : ` (${statuses.join(', ')})`;
    const spent = cost === null ? '' : `, cost ${cost}`;
    context.say(
      visible(`${counted(done, 'verdict')}${what}, ${cached} known before, in ${seconds.toFixed(1)} s${spent}`),
    );
  } finally {
    bar.stop();
    await close();
  }
}

/** Its unit is refused: part of a group cannot be scored by one verifier, part by another. */
function asVerdict({ scorer, scorer_version, why, ...about }: VerdictBatch['refused'][number]): NewVerdictOf {
  const report_json = JSON.stringify(why);
  return { ...about, verdict: { scorer, scorer_version, status: 'refused', rewards: {}, bound_to: null, report_json } };
}

async function sourceOf(
  flags: ReplayFlags,
  { io, log }: CommandContext,
  cache: OpenReplays['verifierCache'],
): Promise<{ readonly source: VerdictSource; readonly close: () => Promise<void> }> {
  const { verifier: named, verdicts, concurrency = AT_ONCE, timeout = ANSWER_MS } = flags;
  if (named === undefined) {
    const name = verdicts ?? '-';
    const lines = verdictFileLines(name === '-' ? name : resolve(io.cwd, name), io.stdin);
    return { source: { kind: 'file', name, lines }, close: async () => {} };
  }
  const verifier = await openVerifier(
    {
      ...{ verifier: named, scorer: flags.scorer ?? null, version: flags.verifierVersion ?? null },
      ...{ timeoutMs: timeout, concurrency },
    },
    { log, path: io.env.PATH },
  );
  return { source: { kind: 'verifier', verifier, cache, concurrency }, close: () => verifier.close() };
}
