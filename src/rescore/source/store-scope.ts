import type { ReplayRequest } from '../replay-request.ts';

/** What of a request says which units are read, and what is read of them. */
export type StoreScope = Pick<
  ReplayRequest,
  'runs' | 'from' | 'to' | 'where' | 'against' | 'late' | 'withVerdicts' | 'replayId' | 'audits'
>;
