import { parentPort } from 'node:worker_threads';
import type { RecorderAnswer } from '../../../../src/proxy/record/recorder-messages.ts';

/** The thread of a recording, which dies of calls whose id ends in `-deadly`. */
const said = parentPort?.postMessage.bind(parentPort);
if (parentPort !== null && said !== undefined) {
  parentPort.postMessage = (answer: RecorderAnswer) => {
    said(answer);
    if (answer.kind === 'taking' && answer.path.endsWith('-deadly.call')) process.exit(1);
  };
}
await import('../../../../src/proxy/record/recorder-thread.ts');
