import type { JsonScan } from './scan-json.ts';
import type { CallFault, StrictCall } from './strict-call.ts';
import { isStrictObject, type StrictValue } from './strict-value.ts';

interface Place {
  readonly charStart: number;
  readonly bodyStart: number;
  readonly charEnd: number;
}

/** The call that `{"name": …, "arguments": {…}}` says. */
export function callOfJson(
  text: string,
  scan: JsonScan,
  { charStart, bodyStart, charEnd }: Place,
  outer: CallFault | null = null,
  isOpen = false,
): StrictCall {
  const object = scan.kind === 'ok' ? scan.value : scan.seen;
  const entries: ReadonlyMap<string, StrictValue> = isStrictObject(object) ? object.entries : new Map();
  const name = entries.get('name');
  const span = scan.spans.get('arguments');
  const written = entries.get('arguments');
  // A call of nothing but a name has no arguments to lose.
  const isBare = !entries.has('arguments') && entries.size === 1;
  const at = span?.[0] ?? bodyStart;
  let fault = outer;
  if (fault === null) {
    if (!isStrictObject(object)) fault = { kind: 'wrong_type', at: bodyStart };
    else if (typeof name !== 'string' || name === '') fault = { kind: 'missing_name', at: bodyStart };
    else if (!entries.has('arguments') && !isBare) fault = { kind: 'missing_arguments', at: bodyStart };
    else if (!isBare && !isStrictObject(written)) fault = { kind: 'wrong_type', at };
  }
  const seen = written ?? entries.get('parameters') ?? null;
  return {
    name: typeof name === 'string' ? name : null,
    argumentsText: span === undefined ? null : text.slice(span[0], span[1] < 0 ? charEnd : span[1]),
    argumentsValue: fault !== null ? null : isStrictObject(written) ? written : { kind: 'object', entries: new Map() },
    seen,
    charStart,
    charEnd,
    fault,
    isOpen,
  };
}
