import { concatAll, Subject } from 'rxjs';
import { createAssemble } from '../../processors/assemble/assemble.ts';
import { createAuditOf } from '../../processors/audit/audit-of.ts';
import { createAudits } from '../../processors/audit/audits.ts';
import { createStreamAudits } from '../../processors/audit/stream-audits.ts';
import { createJudge } from '../../processors/decide/judge.ts';
import { type Audits, NO_AUDITS } from '../../processors/model/audit-summary.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import type { Decoded } from '../../processors/model/record.ts';
import { rewardOf } from '../../processors/score/reward.ts';
import { scoreOf } from '../../processors/score/score.ts';
import type { Figure, Size } from './bench.ts';
import { decodedSteps } from './decoded-steps.ts';
import { type Spent, spentOn } from './rounds.ts';
import { TOKENS } from './sample-steps.ts';
import { shippedDocuments } from './shipped-documents.ts';
import { spreadOf } from './spread.ts';
import { createToolSteps } from './tool-steps.ts';

const BATCH = 240;
const TARGET_US = 15;
const documents = shippedDocuments();
/** Tokens of the call before that a rewritten prompt holds anew. */
const REWRITTEN = 256;

/** What the audits of a lane cost a model call of 512 tokens: assembling with them takes so much more CPU than without. */
export async function auditStream(size: Size): Promise<Figure[]> {
  // An attempt has 19 of them, 35 with tools, and 64 run at once: fewer, and none would end.
  const count = size === 'full' ? 9_000 : 3_000;
  const events = decodedSteps('audit', count);
  const withTools = decodedSteps('audit', count, createToolSteps('audit'));
  return [
    await timed(`stream audits, a step of ${TOKENS} tokens, its text, call and result`, withTools, size),
    await timed('the same without text and calls', events, size),
    await timed('the same, every prompt a rewritten history', rewrittenHistories(events), size),
  ];
}

async function timed(name: string, events: readonly Decoded[], size: Size): Promise<Figure> {
  const calls = events.filter(({ event }) => event.model_call !== null).length;
  const passes = size === 'full' ? 4 : 1;
  const audits = createStreamAudits();
  const spent = (by: Audits): Promise<Spent> =>
    spentOn(() => {
      for (let pass = 0; pass < passes; pass++) fold(events, by);
    });
  const cpus: number[] = [];
  const bare: number[] = [];
  const walls: number[] = [];
  const microsOf = (seconds: number) => Math.max(0.001, (seconds * 1e6) / (passes * calls));
  for (let round = 0; round < (size === 'full' ? 9 : 1); round++) {
    const [without, audited] = [await spent(NO_AUDITS), await spent(audits)];
    // The first round is for the compiler.
    if (round === 0 && size === 'full') continue;
    cpus.push(microsOf(audited.cpuS - without.cpuS));
    bare.push(microsOf(without.cpuS));
    walls.push(microsOf(audited.wallS - without.wallS));
  }
  const [value, base, wall] = [spreadOf(cpus), spreadOf(bare), spreadOf(walls)];
  return {
    ...{ name, value, unit: 'µs of CPU each', ratio: value.median / base.median },
    yardstick: { name: 'assembling them, without audits', value: base },
    target: { text: `≤ ${TARGET_US} µs`, met: value.median <= TARGET_US },
    notes: [`${wall.median.toFixed(1)} µs (${wall.min.toFixed(1)}–${wall.max.toFixed(1)}) by the clock on the wall`],
  };
}

function fold(events: readonly Decoded[], audits: Audits): void {
  const { inForce } = documents;
  const state = createLaneState({ topic: 'steps', partition: 0, restored: 0, starts: new Set(), inForce });
  const { audit } = createJudge({ state, documents, scoreOf, rewardOf, auditOf: createAuditOf(audits) });
  const source = new Subject<readonly Decoded[]>();
  let audited = 0;
  source
    .pipe(createAssemble(state, { reorderEvents: 256, watch: audits.watch }), concatAll(), createAudits(audit))
    .subscribe((candidates) => {
      // Nobody decides here: what is whole leaves with its verdict.
      for (const candidate of candidates)
        if (candidate.kind === 'whole' && candidate.attempt.verdicts.length > 0) {
          state.units.delete(candidate.attempt.unit.key);
          audited += 1;
        }
    });
  for (let from = 0; from < events.length; from += BATCH) {
    source.next(events.slice(from, from + BATCH));
    state.effects.rows.steps.length = 0;
    state.opened.length = 0;
  }
  if (audited === 0) throw new Error('nothing was audited');
}

/** Each prompt holds the second half of the call before anew, and other ids for the first two of it, as if it had been encoded again. */
function rewrittenHistories(events: readonly Decoded[]): readonly Decoded[] {
  const before = new Map<string, Buffer>();
  return events.map((decoded) => {
    const call = decoded.event.model_call;
    if (call === null || call.completion_ids === null) return decoded;
    const held = before.get(decoded.unit);
    before.set(decoded.unit, call.completion_ids);
    if (held === undefined) return decoded;
    const prompt_delta_ids = Buffer.from(held.subarray(-4 * REWRITTEN));
    prompt_delta_ids.fill(1, 0, 8);
    const prompt_prefix_len = call.prompt_prefix_len - REWRITTEN;
    return { ...decoded, event: { ...decoded.event, model_call: { ...call, prompt_prefix_len, prompt_delta_ids } } };
  });
}
