import { auditDeep } from '../../processors/audit/deep-audits.ts';
import type { DeepAnswers, DeepInput } from '../../processors/model/deep-input.ts';
import { type OpenKnowledge, openKnowledge } from './open-knowledge.ts';

export interface DeepJob {
  readonly folder: string;
  readonly input: DeepInput;
}

const known = new Map<string, Promise<OpenKnowledge>>();

/** Runs in a thread of the pool; each thread loads a tokenizer when it is first asked for it. */
export default async function deepWorker({ folder, input }: DeepJob): Promise<DeepAnswers> {
  const knowledge = known.get(folder) ?? openKnowledge(folder);
  known.set(folder, knowledge);
  return auditDeep(input, await knowledge).answers;
}
