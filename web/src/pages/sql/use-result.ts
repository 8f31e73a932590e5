import { postText } from '../../api/request.ts';
import type { Row } from '../../api/rows.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import type { AskedQuery } from './asked-query.ts';
import { exactRows } from './exact-rows.ts';

export interface Result {
  readonly rows: readonly Row[];
  /** As it came. */
  readonly json: string;
  readonly ms: number;
}

/** What a statement answers; `asks`: a number that is raised to ask again. null: nothing is asked. */
export function useResult(asked: AskedQuery | null, asks: number): Loaded<Result | null> {
  const body = asked === null || asked.params.some(({ isMissing }) => isMissing) ? null : bodyOf(asked);
  return useLoaded(JSON.stringify([body, asks]), async (signal) => {
    if (body === null) return null;
    const begun = performance.now();
    const json = await postText('v1/query', { ...body, format: 'json' }, signal);
    return { rows: exactRows(json), json, ms: performance.now() - begun };
  });
}

/** The same as CSV, written by the store. */
export function csvOf(asked: AskedQuery): Promise<string> {
  return postText('v1/query', { ...bodyOf(asked), format: 'csv' });
}

function bodyOf({ sql, params }: AskedQuery) {
  return { sql, params: Object.fromEntries(params.map(({ name, value }) => [name, value])) };
}
