import type { JsonObject } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import type { HeldRollouts } from '../held-rollouts.ts';
import type { ParsedLine } from '../importer.ts';
import type { OtelRecord, OtelSpan } from './otlp-spans.ts';

/** Traces that belong together: one, or those of a conversation. */
export interface OtelUnit {
  readonly key: string;
  readonly spans: OtelSpan[];
  /** By trace and span. */
  readonly seen: Map<string, OtelSpan>;
  readonly names: Set<string>;
  readonly beside: JsonObject[];
  readonly shas: string[];
  repeats: number;
  readonly line: number;
  readonly location: string;
}

export const CONVERSATION = 'gen_ai.conversation.id';

export function conversationOf({ attributes }: OtelSpan): string | null {
  const id = attributes[CONVERSATION];
  return typeof id === 'string' && id !== '' ? id : null;
}

/** Puts the spans of a record where their traces are held; traces of one conversation come together. */
export function createOtelUnits(held: HeldRollouts<OtelUnit>): (record: OtelRecord, line: ParsedLine) => void {
  /** Unit of each trace (`t/`) and conversation (`c/`) that has been seen. */
  const unitOf = new Map<string, string>();

  function unitFor(names: readonly string[], line: ParsedLine): OtelUnit {
    const keys = new Set(names.flatMap((name) => unitOf.get(name) ?? []));
    for (const key of keys) if (held.isGiven(key)) throw given(names);
    const [first, ...others] = [...keys].flatMap((key) => held.get(key) ?? []);
    const unit = first ?? newUnit(names[0] ?? '', line);
    for (const other of others) merge(unit, other);
    for (const name of names) {
      unit.names.add(name);
      unitOf.set(name, unit.key);
    }
    return unit;
  }

  function merge(unit: OtelUnit, other: OtelUnit): void {
    held.remove(other.key);
    let bytes = 0;
    for (const span of other.spans) {
      unit.spans.push(span);
      bytes += span.bytes;
    }
    for (const [name, span] of other.seen) unit.seen.set(name, span);
    for (const name of other.names) {
      unit.names.add(name);
      unitOf.set(name, unit.key);
    }
    unit.beside.push(...other.beside);
    unit.shas.push(...other.shas);
    unit.repeats += other.repeats;
    held.touch(unit.key, unit, bytes);
  }

  return ({ spans, beside }, line) => {
    const names = (span: OtelSpan): string[] => {
      const conversation = conversationOf(span);
      return [`t/${span.traceId}`, ...(conversation === null ? [] : [`c/${conversation}`])];
    };
    // All or nothing: what is refused is the line.
    for (const span of spans)
      for (const name of names(span)) if (held.isGiven(unitOf.get(name) ?? '')) throw given([name]);
    for (const [i, span] of spans.entries()) {
      const unit = unitFor(names(span), line);
      if (unit.shas.at(-1) !== line.sha256) unit.shas.push(line.sha256);
      if (i === 0 && beside !== undefined) unit.beside.push(beside);
      const name = `${span.traceId}/${span.spanId}`;
      const before = span.isLog ? undefined : unit.seen.get(name);
      if (before === undefined) {
        if (!span.isLog) unit.seen.set(name, span);
        unit.spans.push(span);
      } else if (JSON.stringify(before) === JSON.stringify(span)) unit.repeats += 1;
      // The first counts; what another one says under its id is kept beside it.
      else unit.beside.push({ told_again: { span_id: span.spanId, name: span.name, attributes: span.attributes } });
      held.touch(unit.key, unit, span.bytes);
    }
  };
}

function newUnit(key: string, { location }: ParsedLine): OtelUnit {
  const line = Number(/:(\d+)$/.exec(location)?.[1] ?? 1);
  return { key, spans: [], seen: new Map(), names: new Set(), beside: [], shas: [], repeats: 0, line, location };
}

function given(names: readonly string[]): Refused {
  const id = names[0]?.slice(2) ?? '';
  const why = `trace or conversation ${id} was given before its file had ended, since too much was held: its spans have to lie closer together`;
  return new Refused('traceId', 'a trace that is still held', shown(id), why);
}
