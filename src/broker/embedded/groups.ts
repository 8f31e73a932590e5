import type { Lane, Membership } from '../port.ts';
import type { Partitions } from './partitions.ts';
import type { Reader } from './reader.ts';

/** Consumer groups of this one process: several members of a group split the partitions, one of them has them all. */
export interface Groups {
  join(group: string, topic: string, work: (lane: Lane) => Promise<void>): Promise<Membership>;
  /** Every member leaves. */
  close(): Promise<void>;
}

interface Member extends Membership {
  readonly work: (lane: Lane) => Promise<void>;
  /** The first failure of one of its lanes. */
  failure: { readonly error: unknown } | null;
}

interface Assignment {
  readonly member: Member;
  readonly revoke: () => void;
  /** Its work has returned; never rejects. */
  readonly stopped: Promise<void>;
}

interface Group {
  readonly topic: string;
  readonly partitions: number;
  readonly members: Member[];
  readonly assigned: Map<number, Assignment>;
  /** The last rebalance; they run one after the other. */
  settled: Promise<void>;
}

export function createGroups(reader: Reader, partitions: Partitions): Groups {
  const groups = new Map<string, Group>();
  const members = new Set<Member>();

  function groupOf(name: string, topic: string): Group {
    const id = JSON.stringify([name, topic]);
    const known = groups.get(id);
    if (known !== undefined) return known;
    const group: Group = {
      topic,
      partitions: partitions.topic(topic).partitions,
      members: [],
      assigned: new Map(),
      settled: Promise.resolve(),
    };
    groups.set(id, group);
    return group;
  }

  function start(group: Group, member: Member, partition: number): Assignment {
    const revocation = new AbortController();
    const lane: Lane = {
      topic: group.topic,
      partition,
      revoked: revocation.signal,
      sessionMs: 0,
      isHeld: () => !revocation.signal.aborted,
      read: (offset, limits) => reader.read(group.topic, partition, offset, limits, revocation.signal),
    };
    const run = async (): Promise<void> => {
      try {
        await member.work(lane);
      } catch (error) {
        member.failure ??= { error };
        void member.leave();
      }
    };
    return { member, revoke: () => revocation.abort(), stopped: run() };
  }

  /** No partition is started anew before whoever had it has stopped. */
  function rebalance(group: Group): Promise<void> {
    const settle = async (): Promise<void> => {
      const ownerOf = (partition: number) => group.members[partition % group.members.length];
      const lost = [...group.assigned].filter(([partition, { member }]) => member !== ownerOf(partition));
      for (const [, { revoke }] of lost) revoke();
      await Promise.all(lost.map(([, { stopped }]) => stopped));
      for (const [partition] of lost) group.assigned.delete(partition);
      for (let partition = 0; partition < group.partitions; partition++) {
        const owner = ownerOf(partition);
        if (owner !== undefined && !group.assigned.has(partition)) {
          group.assigned.set(partition, start(group, owner, partition));
        }
      }
    };
    group.settled = group.settled.then(settle);
    return group.settled;
  }

  function createMember(group: Group, work: Member['work']): Member {
    let settle: (failure: Member['failure']) => void = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      settle = (failure) => (failure === null ? resolve() : reject(failure.error));
    });
    // Whoever leaves without looking at `done` must not end the process by that.
    done.catch(() => undefined);
    let leaving: Promise<void> | null = null;
    const leave = async (): Promise<void> => {
      group.members.splice(group.members.indexOf(member), 1);
      await rebalance(group);
      members.delete(member);
      settle(member.failure);
    };
    const member: Member = {
      work,
      done,
      failure: null,
      leave() {
        leaving ??= leave();
        return leaving;
      },
    };
    return member;
  }

  return {
    async join(name, topic, work) {
      const group = groupOf(name, topic);
      const member = createMember(group, work);
      members.add(member);
      group.members.push(member);
      await rebalance(group);
      return { done: member.done, leave: member.leave };
    },
    async close() {
      await Promise.all([...members].map((member) => member.leave()));
    },
  };
}
