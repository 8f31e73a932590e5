import { expect, it } from 'vitest';
import { createLogger } from '../../../src/observe/create-logger.ts';

it('writes a line of JSON a message, from its level on, and never a secret', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  log.debug('not this');
  log.info({ http: { token: 'hunter2' }, token: 'hunter2', headers: { authorization: 'Bearer hunter2' } }, 'opened');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', msg: 'opened', token: '***' });
  expect(lines[0]).not.toContain('hunter2');
});
