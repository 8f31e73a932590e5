import type { Schema } from 'avsc';
import { policyVersionSchema } from '../../schemas/generated/policy-version.ts';
import { retryRequestSchema } from '../../schemas/generated/retry-request.ts';
import { stepEventSchema } from '../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { TopicNames } from '../config/topics.ts';

export interface TopicSubject {
  readonly subject: string;
  /** What this build writes there. */
  readonly schema: Schema;
}

/** The subject of each topic that has a schema: `<topic>-value`, Confluent's own naming. */
export function topicSubjects(topics: TopicNames): TopicSubject[] {
  const schemas: ReadonlyArray<readonly [string, Schema]> = [
    [topics.steps, stepEventSchema],
    [topics.ready, trajectorySchema],
    [topics.held, trajectorySchema],
    [topics.rejected, trajectorySchema],
    [topics.retries, retryRequestSchema],
    [topics.policyVersions, policyVersionSchema],
  ];
  return schemas.map(([topic, schema]) => ({ subject: `${topic}-value`, schema }));
}
