import type { Schema } from 'avsc';

/** Of a trajectory, what its place in delivery depends on; the rest of a record is skipped, not decoded. */
export interface ReadyShape {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly segments: readonly SegmentShape[];
  /** Set: the segments travel by reference, and `segments` is empty. */
  readonly segments_ref: BlobRef | null;
  readonly group_size_actual: number | null;
  readonly weights_version_min: string | null;
  readonly weights_version_max: string | null;
}

export interface SegmentShape {
  /** Little-endian uint32 each. */
  readonly token_ids: Buffer;
  /** One byte a token. */
  readonly sampled_mask: Buffer;
  readonly weight_spans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
}

export interface BlobRef {
  readonly uri: string;
  readonly sha256: string;
  readonly length: number;
}

/** A reader's view of schemas/trajectory.avsc: the same names, fewer fields. */
export const readyShapeSchema: Schema = {
  type: 'record',
  name: 'Trajectory',
  namespace: 'io.rollstream.v1',
  fields: [
    { name: 'run_id', type: 'string' },
    { name: 'rollout_id', type: 'string' },
    { name: 'attempt', type: 'int', default: 0 },
    {
      name: 'segments',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Segment',
          fields: [
            { name: 'token_ids', type: 'bytes' },
            { name: 'sampled_mask', type: 'bytes' },
            {
              name: 'weight_spans',
              type: {
                type: 'array',
                items: {
                  type: 'record',
                  name: 'WeightSpan',
                  fields: [
                    { name: 'start', type: 'int' },
                    { name: 'version', type: 'string' },
                  ],
                },
              },
              default: [],
            },
          ],
        },
      },
    },
    {
      name: 'segments_ref',
      type: [
        'null',
        {
          type: 'record',
          name: 'BlobRef',
          fields: [
            { name: 'uri', type: 'string' },
            { name: 'sha256', type: 'string' },
            { name: 'length', type: 'long' },
          ],
        },
      ],
      default: null,
    },
    { name: 'group_size_actual', type: ['null', 'int'], default: null },
    { name: 'weights_version_min', type: ['null', 'string'], default: null },
    { name: 'weights_version_max', type: ['null', 'string'], default: null },
  ],
};
