import { RollstreamError } from '../errors.ts';
import type { Statements } from './statements.ts';

/** What the tables and queries are known to need. */
const OLDEST = [25, 3] as const;

/** Throws RS_STORE_REFUSED for a server that is too old, or that is none. */
export async function checkServerVersion(statements: Statements): Promise<void> {
  const text = (await statements.read('SELECT version() FORMAT TabSeparatedRaw')).toString('utf8').trim();
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new RollstreamError('RS_STORE_REFUSED', `what answers is not ClickHouse: ${text.slice(0, 100)}`);
  }
  const isOlder = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (isOlder) {
    throw new RollstreamError(
      'RS_STORE_REFUSED',
      `ClickHouse ${text} is too old: ${OLDEST.join('.')} or newer is needed`,
    );
  }
}
