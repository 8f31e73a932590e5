import type { KafkaNode } from './kafkajs.ts';
import type { Address, Nodes } from './nodes.ts';
import { typeOf } from './to-broker-error.ts';

const TYPES = { group: 0, transaction: 1 } as const;

/** The node that keeps a group's commits, or the state of a transactional id. */
export interface Coordinator {
  node(): Promise<KafkaNode>;
  /** After a failure: it may have moved, or gone away. */
  forget(error: unknown): void;
}

export function createCoordinator(nodes: Nodes, kind: keyof typeof TYPES, id: string): Coordinator {
  let known: Address | null = null;
  return {
    async node() {
      if (known === null) {
        const node = await nodes.any();
        const { coordinator } = await node.findGroupCoordinator({ groupId: id, coordinatorType: TYPES[kind] });
        known = { host: coordinator.host, port: coordinator.port };
      }
      return nodes.at(known);
    },
    forget(error) {
      if (typeOf(error) !== 'CONCURRENT_TRANSACTIONS') known = null;
    },
  };
}
