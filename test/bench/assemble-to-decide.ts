import { concatAll, Subject } from 'rxjs';
import { createAssemble } from '../../processors/assemble/assemble.ts';
import { createAuditOf } from '../../processors/audit/audit-of.ts';
import { createAudits } from '../../processors/audit/audits.ts';
import { takeCut } from '../../processors/cut/cut.ts';
import { createDecide } from '../../processors/decide/decide.ts';
import { createJudge } from '../../processors/decide/judge.ts';
import { createStaleness } from '../../processors/decide/staleness.ts';
import { createGroup } from '../../processors/group/group.ts';
import { NO_AUDITS } from '../../processors/model/audit-summary.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import type { Decoded } from '../../processors/model/record.ts';
import { rewardOf } from '../../processors/score/reward.ts';
import { createScore, scoreOf } from '../../processors/score/score.ts';
import type { Bench } from './bench.ts';
import { decodedSteps } from './decoded-steps.ts';
import { comparedRates } from './rounds.ts';
import { shippedDocuments } from './shipped-documents.ts';

const BATCH = 240;
/** As a flush would: effects of so many events. */
const EVENTS_A_CUT = 4000;

/** Events as the decoder leaves them → effects of a cut; no bytes are decoded, nothing is written. */
export const assembleToDecide: Bench = {
  name: 'assemble-to-decide',
  async run(size) {
    const documents = shippedDocuments();
    const events = decodedSteps('assemble', size === 'full' ? 9_000 : 2_000);
    const sampled = events.filter(({ event }) => event.model_call !== null).length;
    const passes = size === 'full' ? 8 : 1;
    let decided = 0;

    const fold = () => {
      const start = {
        topic: 'steps',
        partition: 0,
        restored: 0,
        starts: new Set<number>(),
        inForce: documents.inForce,
      };
      const state = createLaneState(start);
      const { judge, audit } = createJudge({ state, documents, scoreOf, rewardOf, auditOf: createAuditOf(NO_AUDITS) });
      const policyInForce = () => documents.policyOf(state.inForce.policy_id);
      const batches = new Subject<readonly Decoded[]>();
      batches
        .pipe(
          createAssemble(state, { reorderEvents: 256, watch: NO_AUDITS.watch }),
          concatAll(),
          createAudits(audit),
          createScore(judge),
          createGroup({ state, judge, policyInForce }),
          createStaleness(state, policyInForce),
          createDecide(state, policyInForce),
        )
        .subscribe((count) => {
          decided += count;
        });
      for (let from = 0; from < events.length; from += BATCH) {
        batches.next(events.slice(from, from + BATCH));
        state.recent.clear();
        state.opened.length = 0;
        if (from % EVENTS_A_CUT < BATCH) takeCut(state, 1, from);
      }
    };
    // The bytes alone, into one flat sequence a rollout, as decide has to leave them.
    const copy = () => {
      const held = new Map<string, Buffer[]>();
      for (const { unit, event } of events) {
        const call = event.model_call;
        if (event.kind === 'verdict') held.delete(unit);
        else if (event.kind === 'end') Buffer.concat(held.get(unit) ?? []);
        else if (call !== null) {
          const chunks = held.get(unit) ?? [];
          held.set(unit, chunks);
          for (const bytes of [call.completion_ids, call.completion_logprobs]) if (bytes !== null) chunks.push(bytes);
        }
      }
    };
    const repeated = (work: () => void) => () => {
      for (let pass = 0; pass < passes; pass++) work();
    };
    const rounds = size === 'full' ? 7 : 1;
    const rates = await comparedRates(rounds, passes * events.length, repeated(fold), repeated(copy));
    if (decided === 0) throw new Error('nothing was decided');
    return [
      {
        name: 'assemble → decide, decoded',
        value: rates.figure,
        unit: 'events/s',
        yardstick: { name: 'Map and Buffer.concat', value: rates.yardstick },
        ratio: rates.ratio,
        target: { text: '≥ 150,000/s', met: rates.figure.median >= 150_000 },
        notes: [
          `${Math.round((100 * sampled) / events.length)} % of the events are model calls of 512 tokens; they alone: ${Math.round((rates.figure.median * sampled) / events.length)}/s`,
        ],
      },
    ];
  },
};
