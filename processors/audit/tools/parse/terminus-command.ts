import type { CallFault, FaultKind, StrictCall } from './strict-call.ts';
import type { StrictObject, StrictValue } from './strict-value.ts';

/** Names that the loop of Terminus-2 gives to what a reply asks for. */
const COMMAND = 'bash_command';
const COMPLETE = 'mark_task_complete';

interface Place {
  readonly charStart: number;
  readonly charEnd: number;
}

/** A command of a reply that can be read. */
export function commandCall({ charStart, charEnd }: Place, value: StrictObject): StrictCall {
  return wellFormed(COMMAND, value, charStart, charEnd);
}

/** A reply that says that the task is done. */
export function completeCall({ charStart, charEnd }: Place): StrictCall {
  return wellFormed(COMPLETE, { kind: 'object', entries: new Map() }, charStart, charEnd);
}

/** Its arguments have no text of their own: their JSON is made of what they say. */
function wellFormed(name: string, value: StrictObject, charStart: number, charEnd: number): StrictCall {
  return {
    name,
    argumentsText: null,
    argumentsValue: value,
    seen: value,
    charStart,
    charEnd,
    fault: null,
    isOpen: false,
  };
}

/** A reply that cannot be read is one call at fault: nothing that it asks for may run. */
export function faultyReply(
  text: string,
  { charStart, charEnd }: Place,
  fault: CallFault,
  seen: StrictValue,
  isOpen = false,
): StrictCall {
  const argumentsText = text.slice(charStart, charEnd);
  return { name: null, argumentsText, argumentsValue: null, seen, charStart, charEnd, fault, isOpen };
}

export function faultAt(kind: FaultKind, at: number): CallFault {
  return { kind, at };
}
