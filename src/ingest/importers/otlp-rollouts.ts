import type { OtelSpan } from './otlp-spans.ts';
import { conversationOf, type OtelUnit } from './otlp-units.ts';

/** A span at its place among those of its rollout. */
export interface PlacedSpan {
  readonly span: OtelSpan;
  /** Of the rollout; null: it is at the top. */
  readonly parent: PlacedSpan | null;
  /** Its parent is named, and is not in the file. */
  readonly isOrphan: boolean;
  readonly segmentId: string;
}

export interface OtelRollout {
  readonly id: string;
  /** By start; children that were listed before their parents stand behind them. */
  readonly spans: readonly PlacedSpan[];
  readonly logs: readonly OtelSpan[];
}

/** Rollouts of a unit: one a conversation; what names none goes by what is above it, by the only one of its trace, or by its trace. */
export function otelRollouts(unit: OtelUnit): OtelRollout[] {
  const parentOf = (span: OtelSpan): OtelSpan | undefined =>
    span.parentId === null ? undefined : unit.seen.get(`${span.traceId}/${span.parentId}`);
  const ofTrace = new Map<string, Set<string>>();
  for (const span of unit.spans) {
    const id = conversationOf(span);
    if (id !== null) ofTrace.set(span.traceId, (ofTrace.get(span.traceId) ?? new Set()).add(id));
  }
  const byId = new Map<string, { spans: OtelSpan[]; logs: OtelSpan[] }>();
  for (const span of unit.spans) {
    const [only, ...others] = ofTrace.get(span.traceId) ?? [];
    const above = aboveOf(span, parentOf, unit);
    const id = above ?? (only !== undefined && others.length === 0 ? only : span.traceId);
    const rollout = byId.get(id) ?? { spans: [], logs: [] };
    byId.set(id, rollout);
    (span.isLog ? rollout.logs : rollout.spans).push(span);
  }
  return [...byId].map(([id, { spans, logs }]) => ({ id, spans: placed(spans, parentOf), logs }));
}

/** A log belongs to its span, and goes up from there. */
function aboveOf(span: OtelSpan, parentOf: (span: OtelSpan) => OtelSpan | undefined, unit: OtelUnit): string | null {
  const start = span.isLog ? unit.seen.get(`${span.traceId}/${span.spanId}`) : span;
  const passed = new Set<OtelSpan>();
  for (let at: OtelSpan | undefined = start ?? span; at !== undefined && !passed.has(at); at = parentOf(at)) {
    const id = conversationOf(at);
    if (id !== null) return id;
    passed.add(at);
  }
  return null;
}

export function isAgent({ attributes }: OtelSpan): boolean {
  const operation = attributes['gen_ai.operation.name'];
  return operation === 'invoke_agent' || operation === 'invoke_workflow' || operation === 'create_agent';
}

function placed(spans: readonly OtelSpan[], parentOf: (span: OtelSpan) => OtelSpan | undefined): PlacedSpan[] {
  const own = new Set(spans);
  const done = new Map<OtelSpan, PlacedSpan>();
  const under = new Set<OtelSpan>();
  const names = new Map<string, number>();
  const ordered = inOrder(spans);

  function place(span: OtelSpan): PlacedSpan {
    const known = done.get(span);
    if (known !== undefined) return known;
    under.add(span);
    const named = parentOf(span);
    // Spans that are each other's parents have none.
    const parent = named !== undefined && own.has(named) && !under.has(named) ? place(named) : null;
    under.delete(span);
    const entry = {
      span,
      parent,
      isOrphan: span.parentId !== null && named === undefined,
      segmentId: segmentOf(span, parent),
    };
    done.set(span, entry);
    return entry;
  }

  /** An agent within an agent has tokens of its own: `main/researcher.1`, the second of that name below main. */
  function segmentOf(span: OtelSpan, parent: PlacedSpan | null): string {
    const above = parent?.segmentId ?? 'main';
    if (!isAgent(span) || !hasAgent(parent)) return above;
    const name = span.attributes['gen_ai.agent.name'];
    const path = `${above}/${typeof name === 'string' && name !== '' ? name : 'agent'}`;
    const before = names.get(path) ?? 0;
    names.set(path, before + 1);
    return `${path}.${before}`;
  }

  const all = ordered.map(place);
  return all;
}

function hasAgent(parent: PlacedSpan | null): boolean {
  for (let at = parent; at !== null; at = at.parent) if (isAgent(at.span)) return true;
  return false;
}

/** By start, a parent before its children where they began at once; what has no time stands behind what was before it. */
function inOrder(spans: readonly OtelSpan[]): OtelSpan[] {
  let lastUs = Number.NEGATIVE_INFINITY;
  const timed = spans.map((span, place) => {
    lastUs = span.start.us ?? lastUs;
    return { span, place, us: span.start.us ?? lastUs, endUs: span.end.us ?? Number.POSITIVE_INFINITY };
  });
  timed.sort((a, b) => {
    if (a.us !== b.us) return a.us < b.us ? -1 : 1;
    if (a.span.parentId === b.span.spanId) return 1;
    if (b.span.parentId === a.span.spanId) return -1;
    return a.place - b.place;
  });
  return timed.map(({ span }) => span);
}
