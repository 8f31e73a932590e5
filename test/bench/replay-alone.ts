import { randomUUID } from 'node:crypto';
import { readDocumentFile } from '../../src/lanes/read-document.ts';
import { shippedPolicyFile } from '../../src/policies/shipped-policies.ts';
import type { ReplayRequest } from '../../src/rescore/replay-request.ts';

/** A dry run over all that is decided; `same`: under what decided it. */
export async function replayAlone(policy: string, source: ReplayRequest['source']): Promise<ReplayRequest> {
  return {
    ...{ replayId: `bench-${randomUUID()}`, runs: [], from: null, to: null, where: null, taxonomy: null },
    policy: policy === 'same' ? null : await readDocumentFile(shippedPolicyFile(policy)),
    ...{ audits: false, source, save: false, emit: null, label: '', late: 'use', against: '', withVerdicts: false },
  };
}
