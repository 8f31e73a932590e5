import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { Documents } from '../../../processors/decide/judge.ts';
import { createFits } from '../../../processors/decide/record-space.ts';
import type { AuditRow } from '../../../processors/model/effects.ts';
import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import type { UnitHistory } from '../../../processors/model/replay.ts';
import { createDiff } from '../../../processors/replay/create-diff.ts';
import { createLaneHistory, type LaneHistoryDeps } from '../../../processors/replay/create-lane-history.ts';
import { createReplayLane, type ReplayLane } from '../../../processors/replay/replay-lane.ts';
import { createVerdictDiff } from '../../../processors/replay/verdict-diff.ts';
import { type DeepAuditor, NO_DEEP_AUDITOR } from '../../deep-audits/deep-auditor.ts';
import { createLaneDeepAudits } from '../../lanes/lane-deep-audits.ts';
import { mergeRefused } from '../merge-refused.ts';
import type { RefusedRollouts } from '../replay-source.ts';
import type { ScoredChunk, ScorerSettings } from './chunk-scorer.ts';
import { createReplayRows } from './replay-rows.ts';

/** Scores units, in whatever thread it is. */
export interface UnitScorer {
  /** Before the first chunk of a partition. */
  begin(partition: number, history: LaneHistoryDeps): void;
  /** Units of one chunk. One at a time. */
  score(partition: number, units: Iterable<UnitHistory> | AsyncIterable<UnitHistory>): Promise<ScoredChunk>;
  close(): Promise<void>;
}

/** A thread that has other work gets to it after so long. */
const TURN_MS = 10;

export async function createUnitScorer(
  settings: ScorerSettings,
  documents: Documents,
  log: Logger,
): Promise<UnitScorer> {
  const { topic, replayId, late, withTokens, reorderEvents } = settings;
  const auditor = await openAuditor(settings, log);
  const deep = createLaneDeepAudits(auditor, settings.audits?.deep?.sampledShare ?? 0);
  const isDeep = settings.audits?.deep != null;
  const lanes = new Map<number, ReplayLane>();
  return {
    begin(partition, history) {
      lanes.set(
        partition,
        createReplayLane({
          ...{ topic, partition, replayId, late, withTokens, documents },
          history: createLaneHistory(history),
          audits:
            settings.audits === null ? null : createStreamAudits({ template: deep.standIn, reencode: deep.standIn }),
          ...(isDeep ? { awaited: deep.begin } : {}),
          tellsAudits: settings.audits !== null,
          limits: { reorderEvents },
          fits: createFits({ bytes: MOST_RECORD_BYTES, takesTokens: settings.hasBlobs }),
        }),
      );
    },
    async score(partition, units) {
      const lane = lanes.get(partition);
      if (lane === undefined) throw new Error(`partition ${partition} was not begun`);
      const diff = createDiff();
      const verdictDiff = createVerdictDiff();
      const rows = createReplayRows(settings);
      const refused: RefusedRollouts[][] = [];
      const deferred: Array<Promise<readonly AuditRow[]>> = [];
      let turn = performance.now();
      for await (const unit of units) {
        const replayed = isDeep ? await lane.replayWaiting(unit) : lane.replay(unit);
        if (replayed.kind === 'refused') {
          const { reason, detail, rollouts } = replayed;
          refused.push([{ reason, detail, n: rollouts.length, rollouts }]);
        } else {
          diff.add(unit.unit, unit.decided, replayed.rows.decisions, replayed.vanished);
          verdictDiff.add(unit);
          rows.append(replayed.rows);
          if (isDeep) deferred.push(...deep.deferred(replayed));
        }
        if (performance.now() - turn > TURN_MS) {
          await setImmediate();
          turn = performance.now();
        }
      }
      for (const audits of await Promise.all(deferred)) rows.appendAudits(audits);
      const verdicts = verdictDiff.diff();
      const tally = { ...diff.tally(), ...(verdicts && { verdicts }) };
      return { tally, refused: mergeRefused(refused), ...rows.take() };
    },
    close: () => auditor.close(),
  };
}

async function openAuditor({ audits }: ScorerSettings, log: Logger): Promise<DeepAuditor> {
  if (audits === null || audits.deep === null) return NO_DEEP_AUDITOR;
  const { openDeepPool } = await import('../../deep-audits/open-deep-pool.ts');
  return openDeepPool(audits.deep, log);
}
