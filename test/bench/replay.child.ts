import { measureReplay } from './measure-replay.ts';

/** In a process of its own, so that its memory is its own. */
const [, , data = '', mode = 'store', policy = 'dapo'] = process.argv;
if (mode !== 'store' && mode !== 'tokens' && mode !== 'log') throw new Error(`no mode ${mode}`);
process.stdout.write(JSON.stringify(await measureReplay(data, mode, policy)));
