import type { Rows } from '../../processors/model/effects.ts';
import { createBatchEncoder, type Owner } from '../clickhouse/encode-batch.ts';
import type { InsertBatch } from '../clickhouse/port.ts';
import { attemptsTable } from '../clickhouse/tables/attempts.ts';
import { auditsTable } from '../clickhouse/tables/audits.ts';
import { deadLettersTable } from '../clickhouse/tables/dead-letters.ts';
import { decisionsTable } from '../clickhouse/tables/decisions.ts';
import { rewardsTable } from '../clickhouse/tables/rewards.ts';
import { stepFaultsTable } from '../clickhouse/tables/step-faults.ts';
import { stepsTable } from '../clickhouse/tables/steps.ts';
import { trajectoriesTable } from '../clickhouse/tables/trajectories.ts';
import { verdictsTable } from '../clickhouse/tables/verdicts.ts';

/** Rows of a lane, a batch a table. */
export interface RowEncoder {
  append(rows: Rows): void;
  /** What was appended; tables without rows are left out (an insert costs the same whatever its size). */
  take(): InsertBatch[];
}

export function createRowEncoder(owner: Owner): RowEncoder {
  const steps = createBatchEncoder(stepsTable, owner);
  const stepFaults = createBatchEncoder(stepFaultsTable, owner);
  const attempts = createBatchEncoder(attemptsTable, owner);
  const verdicts = createBatchEncoder(verdictsTable, owner);
  const rewards = createBatchEncoder(rewardsTable, owner);
  const audits = createBatchEncoder(auditsTable, owner);
  const trajectories = createBatchEncoder(trajectoriesTable, owner);
  const decisions = createBatchEncoder(decisionsTable, owner);
  const deadLetters = createBatchEncoder(deadLettersTable, owner);
  const all = [steps, stepFaults, attempts, verdicts, rewards, audits, trajectories, decisions, deadLetters];
  return {
    append(rows) {
      steps.append(rows.steps);
      stepFaults.append(rows.step_faults);
      attempts.append(rows.attempts);
      verdicts.append(rows.verdicts);
      rewards.append(rows.rewards);
      audits.append(rows.audits);
      trajectories.append(rows.trajectories);
      decisions.append(rows.decisions);
      deadLetters.append(rows.dead_letters);
    },
    take: () => all.map((encoder) => encoder.take()).filter((batch) => batch.rowCount > 0),
  };
}
