import { AssignerProtocol } from 'kafkajs';
import { createCoordinator } from './coordinator.ts';
import { SESSION_TIMEOUT_MS } from './kafka-options.ts';
import type { Nodes } from './nodes.ts';
import { typeOf } from './to-broker-error.ts';
import type { Topics } from './topics.ts';

/** How long the members have to end their work before a rebalance goes on without them. */
const REBALANCE_TIMEOUT_MS = 60_000;
const PROTOCOL = 'rollstream-round-robin';
const PROTOCOL_VERSION = 0;
const FORGOTTEN = 'UNKNOWN_MEMBER_ID';

/** `assigned`: still ours. `rebalance`: another member came or went. `lost`: the group went on without us. */
export type Pulse = 'assigned' | 'rebalance' | 'lost';

/** One member of a group, as the coordinator sees it. */
export interface GroupSession {
  /** The partitions of the next generation. Whatever was worked on before must have stopped. */
  join(): Promise<number[]>;
  /** Rejects when the coordinator does not answer. */
  heartbeat(): Promise<Pulse>;
  leave(): Promise<void>;
}

export function createGroupSession(
  { nodes, topics }: { readonly nodes: Nodes; readonly topics: Topics },
  groupId: string,
  topic: string,
): GroupSession {
  const coordinator = createCoordinator(nodes, 'group', groupId);
  let memberId = '';
  let generationId = -1;

  async function assignmentsOf(members: ReadonlyArray<{ readonly memberId: string }>) {
    const ids = members.map((member) => member.memberId).sort();
    const own = new Map<string, number[]>(ids.map((id) => [id, []]));
    const partitions = await topics.partitionsOf(topic);
    for (let partition = 0; partition < partitions; partition++) {
      own.get(ids[partition % ids.length] ?? '')?.push(partition);
    }
    return [...own].map(([id, assigned]) => ({
      memberId: id,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: PROTOCOL_VERSION,
        assignment: { [topic]: assigned },
        userData: Buffer.alloc(0),
      }),
    }));
  }

  async function tryJoin(): Promise<number[]> {
    const node = await coordinator.node();
    const metadata = AssignerProtocol.MemberMetadata.encode({
      version: PROTOCOL_VERSION,
      topics: [topic],
      userData: Buffer.alloc(0),
    });
    const joined = await node.joinGroup({
      groupId,
      memberId,
      sessionTimeout: SESSION_TIMEOUT_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      groupProtocols: [{ name: PROTOCOL, metadata }],
    });
    memberId = joined.memberId;
    generationId = joined.generationId;
    const groupAssignment = joined.leaderId === memberId ? await assignmentsOf(joined.members) : [];
    const { memberAssignment } = await node.syncGroup({ groupId, generationId, memberId, groupAssignment });
    return AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topic] ?? [];
  }

  return {
    async join() {
      for (;;) {
        try {
          return await tryJoin();
        } catch (error) {
          coordinator.forget(error);
          const type = typeOf(error);
          if (type === FORGOTTEN) memberId = '';
          else if (type !== 'REBALANCE_IN_PROGRESS' && type !== 'ILLEGAL_GENERATION') throw error;
        }
      }
    },
    async heartbeat() {
      try {
        await (await coordinator.node()).heartbeat({ groupId, groupGenerationId: generationId, memberId });
        return 'assigned';
      } catch (error) {
        const type = typeOf(error);
        if (type === 'REBALANCE_IN_PROGRESS') return 'rebalance';
        if (type === 'ILLEGAL_GENERATION') return 'lost';
        if (type === FORGOTTEN) {
          memberId = '';
          return 'lost';
        }
        coordinator.forget(error);
        throw error;
      }
    },
    async leave() {
      if (memberId === '') return;
      await (await coordinator.node()).leaveGroup({ groupId, memberId });
      memberId = '';
    },
  };
}
