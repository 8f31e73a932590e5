import { pino } from 'pino';
import { DEFAULT_LIMITS } from '../../src/proxy/forward/limits.ts';
import { openProxy } from '../../src/proxy/open-proxy.ts';
import { openRecording } from '../../src/proxy/open-recording.ts';

/** The proxy as `rollstream proxy` makes it, in front of the URL that it is given; nobody takes what it records, which stays in its spool. */
const [, , upstream = '', folder = ''] = process.argv;
const proxy = await openProxy(
  {
    ...{ upstream: new URL(upstream), engine: 'vllm', host: '127.0.0.1', port: 0, token: null, limits: DEFAULT_LIMITS },
    ...{ asks: true, showsAdded: false },
    recording: {
      folder,
      server: null,
      run: 'bench',
      env: 'bench',
      purpose: 'eval',
      idleMs: 3_600_000,
      idleReason: null,
    },
  },
  pino({ level: 'silent' }),
  openRecording,
);
process.once('SIGTERM', async () => {
  await proxy.close(0, 0);
  process.exit(0);
});
process.stderr.write(`serving at ${proxy.url}\n`);
