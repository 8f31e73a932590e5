import type { JudgedUnit } from './judge-units.ts';

export type EmittedUnit = Extract<JudgedUnit, { readonly kind: 'emitted' }>;

/** Units that follow each other and are committed together. */
export interface EmitBatch {
  readonly emitted: readonly EmittedUnit[];
  /** Units, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Place of the first unit behind it. */
  readonly next: number;
}

/** Record bytes of one transaction; a single unit may have more. */
export const BATCH_BYTES = 8 * 2 ** 20;
/** The commit names each. */
const MOST_UNITS = 500;

/** Whole units, in order, each in one batch. */
export async function* cutBatches(
  pages: AsyncIterable<readonly JudgedUnit[]>,
  mostBytes = BATCH_BYTES,
): AsyncGenerator<EmitBatch> {
  let emitted: EmittedUnit[] = [];
  let leftOut = new Map<string, number>();
  let bytes = 0;
  let next: number | null = null;
  for await (const page of pages)
    for (const judged of page) {
      if (judged.kind === 'left_out') leftOut.set(judged.reason, (leftOut.get(judged.reason) ?? 0) + 1);
      else {
        const own = judged.shapes.reduce((sum, shape) => sum + shape.bytes, 0);
        const isFull = emitted.length === MOST_UNITS || (emitted.length > 0 && bytes + own > mostBytes);
        if (isFull && next !== null) {
          yield { emitted, leftOut, next };
          emitted = [];
          leftOut = new Map();
          bytes = 0;
        }
        emitted.push(judged);
        bytes += own;
      }
      next = judged.unit.position + 1;
    }
  if (next !== null) yield { emitted, leftOut, next };
}
