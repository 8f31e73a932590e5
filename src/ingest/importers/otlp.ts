import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../exact-number.ts';
import { createHeldRollouts, MOST_HELD_BYTES } from '../held-rollouts.ts';
import { ARRAY, type EndedRecord, type Importer, refusable } from '../importer.ts';
import { FORMAT, otelEvents } from './otlp-events.ts';
import { otelRollouts } from './otlp-rollouts.ts';
import { otelRecord } from './otlp-spans.ts';
import { createOtelUnits, type OtelUnit } from './otlp-units.ts';

/** Traces of OpenTelemetry with the conventions for generative AI. */
export const otlp = createOtlp(MOST_HELD_BYTES);

export function createOtlp(mostHeldBytes: number): Importer {
  return {
    name: FORMAT,

    detect(first) {
      if (first.some(isRequest)) return { score: 0.95, why: 'resourceSpans, as OTLP writes them as JSON' };
      return first.some(isTrace) ? { score: 0.9, why: 'spans with a context and gen_ai attributes' } : null;
    },

    interleaved: true,

    open(context) {
      const held = createHeldRollouts<OtelUnit>(mostHeldBytes);
      const put = createOtelUnits(held);
      /** Given before the end of the file, and refused: told at its end, under their own lines. */
      const refused: EndedRecord[] = [];

      function give(unit: OtelUnit): EndedRecord[] {
        return otelRollouts(unit).map((rollout) => {
          const sha256 = createHash('sha256')
            .update([rollout.id, ...unit.shas].join())
            .digest('hex');
          return { result: refusable(() => otelEvents(rollout, unit, context, sha256).list), line: unit.line, sha256 };
        });
      }

      return {
        take: (line) =>
          refusable(() => {
            put(otelRecord(line), line);
            return held
              .overflow()
              .flatMap(give)
              .flatMap((ended) => {
                if ('events' in ended.result) return [...ended.result.events];
                refused.push(ended);
                return [];
              });
          }),
        *end() {
          yield* refused;
          for (const unit of held.drain()) yield* give(unit);
        },
      };
    },
  };
}

function isRequest(value: JsonObject): boolean {
  const list = value[ARRAY];
  if (Array.isArray(list)) return list.some((item) => isObject(item) && isRequest(item));
  const spans = value.resourceSpans ?? value.resource_spans;
  return Array.isArray(spans) && spans.length > 0;
}

function isTrace(value: JsonObject): boolean {
  const { spans } = value;
  const list = Array.isArray(spans) ? spans : [value];
  return list.some(
    (span) =>
      isObject(span) && isObject(span.context) && span.context.trace_id !== undefined && isObject(span.attributes),
  );
}
