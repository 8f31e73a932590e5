import type { Rows } from '../../processors/model/effects.ts';
import type { Owner } from '../clickhouse/encode-batch.ts';
import type { InsertBatch } from '../clickhouse/port.ts';
import { encodeAttempts } from '../clickhouse/tables/attempts.ts';
import { encodeAudits } from '../clickhouse/tables/audits.ts';
import { encodeDeadLetters } from '../clickhouse/tables/dead-letters.ts';
import { encodeDecisions } from '../clickhouse/tables/decisions.ts';
import { encodeRewards } from '../clickhouse/tables/rewards.ts';
import { encodeStepFaults } from '../clickhouse/tables/step-faults.ts';
import { encodeSteps } from '../clickhouse/tables/steps.ts';
import { encodeTrajectories } from '../clickhouse/tables/trajectories.ts';
import { encodeVerdicts } from '../clickhouse/tables/verdicts.ts';

/** Rows of a cut as one batch a table; tables without rows are left out (an insert costs the same whatever its size). */
export function encodeRows(rows: Rows, owner: Owner): InsertBatch[] {
  return [
    encodeSteps(rows.steps, owner),
    encodeStepFaults(rows.step_faults, owner),
    encodeAttempts(rows.attempts, owner),
    encodeVerdicts(rows.verdicts, owner),
    encodeRewards(rows.rewards, owner),
    encodeAudits(rows.audits, owner),
    encodeTrajectories(rows.trajectories, owner),
    encodeDecisions(rows.decisions, owner),
    encodeDeadLetters(rows.dead_letters, owner),
  ].filter((batch) => batch.rowCount > 0);
}
