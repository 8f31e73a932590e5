import { RollstreamError } from '../../errors.ts';
import { outsideReach } from '../outside-reach.ts';
import { sqlTokens } from '../sql-tokens.ts';

const FIRST_WORDS = new Set([
  'insert',
  'create',
  'alter',
  'drop',
  'truncate',
  'rename',
  'exchange',
  'optimize',
  'delete',
]);
/** Files, disks, users, code: what a writer of rows and tables does not need. */
const FORBIDDEN_WORDS = new Set([
  ...['outfile', 'infile', 'disk', 'storage_policy', 'dictionary', 'user', 'role', 'quota', 'profile', 'policy'],
  ...['temporary', 'collection', 'workload', 'resource', 'freeze', 'fetch', 'attach', 'backup', 'restore'],
]);
const ENGINES = /^(?:\w*mergetree|memory|null|atomic|view|materializedview)$/;

/** What may be written through the front when it is writable: rows and tables of the store, nothing beside it. */
export function createWriterGuard(tableFunctions: readonly string[]): { check(sql: string): void } {
  const reach = outsideReach(tableFunctions);
  return {
    check(sql) {
      const tokens = sqlTokens(sql);
      if (!Array.isArray(tokens)) throw refused(`${tokens.problem} at ${tokens.at + 1}`);
      const first = tokens[0]?.text.toLowerCase() ?? '';
      if (!FIRST_WORDS.has(first)) throw refused(`${first.toUpperCase()} is not taken here`);
      tokens.forEach((token, index) => {
        if (token.kind === 'mark' && token.text === ';' && index < tokens.length - 1) throw refused('one at a time');
        if (token.kind !== 'word' && token.kind !== 'quoted') return;
        const name = token.text.toLowerCase();
        const [before, after, second] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
        const isName = before?.text === '.' || token.kind === 'quoted';
        if (reach.isCall(token, after, second)) throw refused(`${token.text}() reaches outside of the store`);
        if (!isName && FORBIDDEN_WORDS.has(name)) throw refused(`${token.text.toUpperCase()} is not taken here`);
        if (name === 'function' && /^(?:create|drop|replace)$/i.test(before?.text ?? '')) throw refused('no functions');
        if (name === 'engine' && after?.text === '=' && !ENGINES.test(second?.text.toLowerCase() ?? '')) {
          throw refused(`the engine ${second?.text ?? ''} reaches outside of the store`);
        }
        // Names in it are paths.
        const isDatabase = (after?.text === '.' && before?.text !== '.') || /^database$/i.test(before?.text ?? '');
        if (isDatabase && name === 'default') throw refused('the database default is not part of the store');
      });
    },
  };
}

function refused(why: string): RollstreamError {
  return new RollstreamError('RS_QUERY_REFUSED', `statement refused: ${why}`);
}
