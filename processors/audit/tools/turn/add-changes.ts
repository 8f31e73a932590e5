import { around } from '../around.ts';
import type { Difference } from '../compare/differences.ts';
import { addFound, type FoundList } from '../found-list.ts';

export interface ChangedCall {
  readonly turn: number;
  readonly at: number | null;
  /** Such as `call_0 (write_file)`. */
  readonly call: string;
  /** Where the second value stands: `in the loop's list`, `as executed`. */
  readonly where: string;
  /** Class of arguments that are gone. */
  readonly lossClass: 'args_lost' | 'parser_loss';
}

/** Another value is another call; what a tool adds by default, or trims, may be none. */
const CLASSES = [
  { kinds: ['missing'], name: null, severity: 'fail' },
  { kinds: ['value'], name: 'silent_repair', severity: 'fail' },
  { kinds: ['type'], name: 'argument_coerced', severity: 'fail' },
  { kinds: ['near', 'extra'], name: 'coerced', severity: 'warn' },
] as const;

/** Findings of arguments that are not those that were written: one a class, with the first place and both values. */
export function addChanges(list: FoundList, changed: ChangedCall, differences: readonly Difference[]): void {
  for (const { kinds, name: ofKind, severity } of CLASSES) {
    const own = differences.filter(({ kind }) => kinds.some((candidate) => candidate === kind));
    const [first] = own;
    if (first === undefined) continue;
    const name = ofKind ?? changed.lossClass;
    addFound(list, { class: name, severity, turn: changed.turn, index: changed.at }, () => {
      const more = own.length > 1 ? `, and ${own.length - 1} more` : '';
      const path = first.path === '' ? 'the arguments' : first.path;
      const written = `${shown(first.written)} in the text`;
      return {
        detail: `${changed.call}: ${path} is ${written} and ${shown(first.executed)} ${changed.where}${more}`,
        evidence: {
          ...(first.executed === null ? {} : { text: around(first.executed, 0) }),
          ...(first.written === null ? {} : { expectedText: around(first.written, 0) }),
        },
      };
    });
  }
}

function shown(json: string | null): string {
  return json === null ? 'absent' : json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
