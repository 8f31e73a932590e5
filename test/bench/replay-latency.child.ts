import { measureLatency } from './measure-latency.ts';

/** A lane in a process of its own. */
const [, , data = '', seconds = '10', perSecond = '5', mode = 'alone'] = process.argv;
process.stdout.write(
  JSON.stringify(await measureLatency(data, Number(seconds), Number(perSecond), mode === 'replaying')),
);
