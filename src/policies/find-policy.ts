import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Access } from '../access/access.ts';
import { suggestion } from '../config/nearest.ts';
import { RollstreamError } from '../errors.ts';
import { type DocumentText, readDocumentFile } from '../lanes/read-document.ts';
import { policyFileOf, shippedPolicies } from './shipped-policies.ts';

export interface FindPolicyDeps {
  readonly cwd: string;
  /** The store is opened only for what is neither a file nor shipped. */
  readonly access: () => Promise<Access>;
}

/** Eight digits tell any two policies apart that one store will ever hold. */
const ID = /^[0-9a-f]{8,64}$/;

/** A policy by file, by the name of a shipped one, or by the beginning of its id. */
export async function findPolicy(reference: string, { cwd, access }: FindPolicyDeps): Promise<DocumentText> {
  const file = policyFileOf(cwd, reference);
  if (existsSync(file)) return readDocumentFile(file, shownFile(cwd, reference, file));
  if (!ID.test(reference)) {
    const near = suggestion(reference, shippedPolicies());
    throw new RollstreamError('RS_NOT_FOUND', `no policy is called ${reference}, and no file${near}`, {
      facts: { field: 'policy' },
    });
  }
  const stored = await rowsOf<{ id: string; content: string }>(
    await access(),
    `SELECT id, content FROM rollstream.documents FINAL WHERE kind = 'policy' AND startsWith(id, {id:String}) LIMIT 2`,
    { id: reference },
  );
  const [found, other] = stored;
  if (found === undefined) throw new RollstreamError('RS_NOT_FOUND', `the store holds no policy ${reference}`);
  if (other !== undefined) throw new RollstreamError('RS_USAGE', `${reference} begins the ids of several policies`);
  return { text: found.content, where: `policy ${found.id}` };
}

/** Rows of one of our own statements, through whatever gives access to the store. */
export async function rowsOf<Row>(
  access: Pick<Access, 'query'>,
  sql: string,
  params: Parameters<Access['query']>[2],
): Promise<Row[]> {
  const text = await access.query(sql, 'jsonl', params);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}

function shownFile(cwd: string, reference: string, file: string): string {
  return resolve(cwd, reference) === file ? reference : `policy ${reference}`;
}
