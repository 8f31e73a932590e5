import { RollstreamError } from '../../errors.ts';
import type { TopicSpec } from '../port.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Partitions } from './partitions.ts';
import type { Tables, TopicRow } from './tables.ts';

const LEGAL_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

function checkSpec({ name, partitions }: TopicSpec): void {
  if (!LEGAL_NAME.test(name)) {
    throw new RollstreamError('RS_CONFIG', `'${name}' is no topic name: 1 to 249 letters, digits, dots, _ or -`);
  }
  if (!Number.isInteger(partitions) || partitions < 1) {
    throw new RollstreamError('RS_CONFIG', `topic ${name} needs at least one partition, not ${partitions}`);
  }
}

/** The partition count is for life: another one would send a key's later records elsewhere than its earlier ones. */
function checkSame(spec: TopicSpec, row: TopicRow): void {
  if (row.partitions !== spec.partitions) {
    throw new RollstreamError(
      'RS_CONFIG',
      `topic ${spec.name} has ${row.partitions} partitions, which cannot become ${spec.partitions}`,
      { facts: { topic: spec.name, partitions: row.partitions, asked: spec.partitions } },
    );
  }
  if (row.compacted !== spec.compacted) {
    const is = row.compacted ? 'is' : 'is not';
    throw new RollstreamError('RS_CONFIG', `topic ${spec.name} ${is} compacted, which cannot be changed`);
  }
}

/** All of the topics that are missing are created, or, if one is refused, none. */
export async function ensureTopics(
  specs: readonly TopicSpec[],
  deps: { readonly tables: Tables; readonly partitions: Partitions; readonly queue: CommitQueue },
): Promise<void> {
  const { topics } = deps.tables;
  specs.forEach(checkSpec);
  const created = await deps.queue.submit(0, () => {
    for (const spec of specs) {
      const row = topics.get(spec.name);
      if (row !== undefined) checkSame(spec, row);
    }
    const rows = new Map<string, TopicRow>();
    let id = topics.getCount();
    for (const spec of specs) {
      const twin = rows.get(spec.name);
      if (twin !== undefined) checkSame(spec, twin);
      if (twin !== undefined || topics.get(spec.name) !== undefined) continue;
      rows.set(spec.name, { id: id++, partitions: spec.partitions, compacted: spec.compacted });
    }
    for (const [name, row] of rows) topics.put(name, row);
    return rows;
  });
  for (const [name, row] of created) deps.partitions.add(name, row);
}
