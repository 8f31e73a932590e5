import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import type { AuxInit, ReasonInit, TurnInit, VerdictSummaryInit } from '../../../schemas/generated/trajectory.ts';
import { type Column, column } from '../encode-batch.ts';
import type { RowBinaryWriter } from '../row-binary.ts';
import { asInt32, asNullableFloat64, asNullableInt32, asNullableString } from '../value-writers.ts';

type Write<T> = (w: RowBinaryWriter, element: T) => void;

const ofTurns = (name: string, write: Write<TurnInit>): Column<TrajectoryRow> =>
  column(`turns.${name}`, (w, row) => w.array(row.trajectory.turns, write));
const ofAux = (name: string, write: Write<AuxInit>): Column<TrajectoryRow> =>
  column(`aux.${name}`, (w, row) => w.array(row.trajectory.aux ?? [], write));
const ofReasons = (name: string, write: Write<ReasonInit>): Column<TrajectoryRow> =>
  column(`reasons.${name}`, (w, row) => w.array(row.trajectory.reasons, write));
const ofVerdicts = (name: string, write: Write<VerdictSummaryInit>): Column<TrajectoryRow> =>
  column(`verdicts.${name}`, (w, row) => w.array(row.trajectory.verdicts ?? [], write));

/** The other lists of a trajectory: model calls, auxiliary data, reasons, verdicts. */
export const turnColumns: readonly Column<TrajectoryRow>[] = [
  ofTurns('turn', (w, turn) => w.int32(turn.turn)),
  ofTurns('segment_id', (w, turn) => w.string(turn.segment_id)),
  ofTurns('start', (w, turn) => w.int32(turn.start)),
  ofTurns('end', (w, turn) => w.int32(turn.end)),
  ofTurns('call_id', (w, turn) => w.string(turn.call_id)),
  ofTurns('finish_reason', (w, turn) => asNullableString(w, turn.finish_reason)),
  ofTurns('temperature', (w, turn) => asNullableFloat64(w, turn.temperature)),
  ofTurns('top_p', (w, turn) => asNullableFloat64(w, turn.top_p)),
  ofTurns('logprobs_mode', (w, turn) => w.string(turn.logprobs_mode ?? 'unknown')),
  ofTurns('reward', (w, turn) => asNullableFloat64(w, turn.reward)),
  ofAux('turn', (w, aux) => w.int32(aux.turn)),
  ofAux('name', (w, aux) => w.string(aux.name)),
  ofAux('uri', (w, aux) => w.string(aux.uri)),
  ofAux('sha256', (w, aux) => asNullableString(w, aux.sha256)),
  ofAux('shape', (w, aux) => w.array(aux.shape ?? [], asInt32)),
  ofAux('dtype', (w, aux) => w.string(aux.dtype ?? '')),
  ofReasons('code', (w, reason) => w.string(reason.code)),
  ofReasons('category', (w, reason) => w.string(reason.category)),
  ofReasons('raw', (w, reason) => w.string(reason.raw)),
  ofReasons('system', (w, reason) => w.string(reason.system)),
  ofReasons('detail', (w, reason) => asNullableString(w, reason.detail)),
  ofReasons('attribution', (w, reason) => asNullableString(w, reason.attribution)),
  ofReasons('after_end', (w, reason) => w.bool(reason.after_end ?? false)),
  ofVerdicts('scorer', (w, verdict) => w.string(verdict.scorer)),
  ofVerdicts('scorer_version', (w, verdict) => w.string(verdict.scorer_version ?? '')),
  ofVerdicts('status', (w, verdict) => w.string(verdict.status)),
  ofVerdicts('rewards', (w, verdict) => w.map(verdict.rewards ?? {}, asNullableFloat64)),
  ofVerdicts('bound_to', (w, verdict) => asNullableInt32(w, verdict.bound_to)),
];
