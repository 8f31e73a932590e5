/**
 * `node --import kill-at-insert.mjs …`: the process dies by SIGKILL where it begins the insert that KILL_AT_INSERT names
 * (`replay_chunks:3` is the third into that table). Its rows are then not in the store, and all that was inserted before is.
 */
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [table, nth] = (process.env.KILL_AT_INSERT ?? '').split(':');
const { writeFile } = promises;
let seen = 0;
// The engine in this process reads what it inserts from a file of its inbox.
promises.writeFile = (path, ...rest) => {
  const isOne = new RegExp(`[\\\\/]inbox[\\\\/]${table}-\\d+[.]rowbinary$`).test(String(path));
  if (isOne && ++seen === Number(nth)) process.kill(process.pid, 'SIGKILL');
  return writeFile(path, ...rest);
};
syncBuiltinESMExports();
