import type { Facts, Grant } from '../../../processors/model/delivery.ts';

/** Grants that a later fact may refer to. */
export interface GrantsByLease {
  note(grant: Grant): void;
  of(lease: string): Grant | undefined;
  /** The last that an entry was of, unless that trained it or has its last word. */
  lastOf(run: string, offset: number): Grant | undefined;
  /** What these leases were about is over. */
  end(record: { readonly run: string; readonly facts: Facts }): void;
}

/** A lease is forgotten with the last of its entries that is over, or that another was granted: as many are kept as may still go. */
export function createGrantsByLease(): GrantsByLease {
  const grants = new Map<string, { grant: Grant; entries: number }>();
  /** By run and offset: the lease that has it now. */
  const holders = new Map<string, Map<number, string>>();

  const letGo = (run: string, offset: number): void => {
    const holder = holders.get(run)?.get(offset);
    if (holder === undefined) return;
    holders.get(run)?.delete(offset);
    const held = grants.get(holder);
    if (held === undefined) return;
    held.entries -= 1;
    if (held.entries === 0) grants.delete(holder);
  };

  return {
    note(grant) {
      const known = grants.get(grant.lease);
      if (known !== undefined) {
        known.grant = grant;
        return;
      }
      const ofRun = holders.get(grant.run) ?? new Map<number, string>();
      holders.set(grant.run, ofRun);
      for (const offset of grant.facts.keys()) {
        letGo(grant.run, offset);
        ofRun.set(offset, grant.lease);
      }
      grants.set(grant.lease, { grant, entries: grant.facts.size });
    },
    of: (lease) => grants.get(lease)?.grant,
    lastOf: (run, offset) => grants.get(holders.get(run)?.get(offset) ?? '')?.grant,
    end({ run, facts }) {
      for (const [offset, { state }] of facts) if (state !== 'queued') letGo(run, offset);
    },
  };
}
