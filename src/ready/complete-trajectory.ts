import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { type Trajectory, type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';

const type = avroTypeOf(trajectorySchema);

/** As a reader of the ready topic gets it: what was left out has the default of the schema. */
export function completeTrajectory(trajectory: TrajectoryInit): Trajectory {
  const complete: Trajectory = type.fromBuffer(type.toBuffer(trajectory));
  return complete;
}
