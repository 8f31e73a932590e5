import type { Store } from './port.ts';

/** Content of a policy or taxonomy that was in force, by its SHA-256; null: never stored. */
export async function readDocument(store: Pick<Store, 'query'>, id: string): Promise<string | null> {
  const rows = await store.query<{ content: string }>(
    'SELECT content FROM rollstream.documents WHERE id = {id:String} LIMIT 1',
    { id },
  );
  return rows[0]?.content ?? null;
}
