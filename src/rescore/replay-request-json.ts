import type { DocumentText } from '../lanes/read-document.ts';
import type { ReplayPlace, ReplayRequest } from './replay-request.ts';

/** A request as JSON: what `readReplayRequest` reads. */
export function replayRequestJson(request: ReplayRequest): Record<string, unknown> {
  return {
    ...ownFields(request),
    policy: documentJson(request.policy),
    taxonomy: documentJson(request.taxonomy),
  };
}

/** The fields that are no documents. */
export function ownFields(request: ReplayRequest): Record<string, unknown> {
  const { replayId, runs, from, to, where, audits, source, save, emit, label, late, against, withVerdicts } = request;
  return {
    replay_id: replayId,
    runs,
    from: placeJson(from),
    to: placeJson(to),
    ...{ where, audits, source, save, emit, label, late, against },
    with_verdicts: withVerdicts,
  };
}

function placeJson(place: ReplayPlace | null): unknown {
  if (place === null) return null;
  if (place.kind === 'time') return { at_ms: place.atMs };
  const { partition, offset } = place;
  return partition === null ? { offset } : { offset, partition };
}

function documentJson(document: DocumentText | null): unknown {
  return document === null ? null : { text: document.text, name: document.where };
}
