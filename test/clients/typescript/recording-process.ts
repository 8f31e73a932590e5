import { parseArgs } from 'node:util';
import { Recorder } from '../../../clients/typescript/recorder.ts';

/** A process that records model calls, says how many on stdout after each, and is killed or ends. */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    spool: { type: 'string', default: '' },
    producer: { type: 'string' },
    token: { type: 'string' },
    calls: { type: 'string', default: '1' },
    /** Waits to be killed; else it comes to its end, without close(). */
    stay: { type: 'boolean', default: false },
    open: { type: 'boolean', default: false },
    verdict: { type: 'boolean', default: false },
  },
});
const recorder = new Recorder({
  url: values.url,
  runId: 'r',
  spoolDir: values.spool,
  producerId: values.producer,
  token: values.token,
});
const rollout = recorder.start({ taskId: 't', rolloutId: `of-${process.pid}` });
for (let i = 0; i < Number(values.calls); i++) rollout.modelCall({ promptDeltaIds: [i], completionIds: [i + 1] });
if (values.verdict) rollout.verdict('sums', { reward: 1 });
if (!values.open) rollout.end('task_complete');
process.stdout.write(`${recorder.stats().recorded}\n`);
// Nothing is sent before it is killed: this thread never gets to it.
if (values.stay) for (;;);
