import type { Nodes } from './nodes.ts';
import { toBrokerError } from './to-broker-error.ts';

const RESOURCE_BROKER = 4;
const SETTING = 'offsets.retention.minutes';
const MINUTE_MS = 60_000;

/** The shortest of the cluster, ms: any broker may come to keep the group's commits. null: none tells. */
export async function offsetsRetention(nodes: Nodes): Promise<number | null> {
  try {
    const { brokers } = await (await nodes.any()).metadata([]);
    const found: number[] = [];
    for (const { nodeId, host, port } of brokers) {
      // A broker answers for itself alone.
      const node = await nodes.at({ host, port });
      const answer = await node.describeConfigs({
        resources: [{ type: RESOURCE_BROKER, name: `${nodeId}`, configNames: [SETTING] }],
      });
      const value = answer.resources[0]?.configEntries.find(({ configName }) => configName === SETTING)?.configValue;
      if (value !== undefined && value !== null && value !== '') found.push(Number(value) * MINUTE_MS);
    }
    return found.length === 0 ? null : Math.min(...found);
  } catch (error) {
    throw toBrokerError(error, `reading ${SETTING}`);
  }
}
