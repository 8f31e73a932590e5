import type { LeaseRecord } from '../../processors/model/delivery.ts';

/** Names of weights that forks took over from their parents. */
export interface InheritedNames {
  note(record: LeaseRecord): void;
  has(run: string, version: string): boolean;
}

export function createInheritedNames(): InheritedNames {
  const names = new Map<string, ReadonlySet<string>>();
  return {
    note(record) {
      if (record.kind !== 'fork' && record.kind !== 'head') return;
      if (record.head.inherited.size > 0) names.set(record.run, new Set(record.head.inherited.keys()));
    },
    has: (run, version) => names.get(run)?.has(version) ?? false,
  };
}
