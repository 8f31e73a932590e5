import { readFile } from 'node:fs/promises';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { Access } from '../access/access.ts';
import { mustRead, readDocument } from '../lanes/read-document.ts';
import { rowsOf } from './find-policy.ts';
import { shippedPolicies, shippedPolicyFile } from './shipped-policies.ts';

export interface ListedPolicy {
  readonly policy_id: string;
  readonly name: string;
  readonly shipped: boolean;
  /** When it was applied last, UTC; null: never, or by the configuration. */
  readonly applied_at: string | null;
  /** Decisions made under it. */
  readonly decisions: number;
  /** The first lines of the document that are for people. */
  readonly about: string;
}

interface StoredRow {
  readonly id: string;
  readonly content: string;
  readonly applied_at: string | null;
  readonly decisions: number;
}

/** The policies that are shipped, and those that the store holds. `access` null: there is no data. */
export async function listPolicies(access: Pick<Access, 'query'> | null): Promise<ListedPolicy[]> {
  const stored = access === null ? [] : await rowsOf<StoredRow>(access, STORED_SQL, {});
  const byId = new Map(stored.map((row) => [row.id, row]));
  const shipped: ListedPolicy[] = [];
  for (const name of shippedPolicies()) {
    const where = shippedPolicyFile(name);
    const text = await readFile(where, 'utf8');
    const { id } = mustRead({ text, where }, readPolicy).value;
    const known = byId.get(id);
    byId.delete(id);
    shipped.push(listed(id, name, true, text, known));
  }
  const others = [...byId.values()].map((row) => {
    // One of another build may say what this one does not know.
    const read = readDocument({ text: row.content, where: row.id }, readPolicy);
    return listed(row.id, 'value' in read ? read.value.name : '(of another version)', false, row.content, row);
  });
  return [...shipped, ...others];
}

const STORED_SQL = `
SELECT p.id AS id, p.content AS content, a.at AS applied_at, toUInt32(d.n) AS decisions
FROM (SELECT id, content FROM rollstream.documents FINAL WHERE kind = 'policy') AS p
LEFT JOIN (SELECT policy_id, toNullable(toString(max(applied_at))) AS at FROM rollstream.applied FINAL GROUP BY policy_id) AS a
  ON a.policy_id = p.id
LEFT JOIN (SELECT policy_id, count() AS n FROM rollstream.live_decisions GROUP BY policy_id) AS d ON d.policy_id = p.id
ORDER BY id`;

function listed(
  policy_id: string,
  name: string,
  shipped: boolean,
  text: string,
  row: StoredRow | undefined,
): ListedPolicy {
  return {
    ...{ policy_id, name, shipped, applied_at: row?.applied_at ?? null, decisions: row?.decisions ?? 0 },
    about: /^# (.+)$/m.exec(text)?.[1] ?? '',
  };
}
