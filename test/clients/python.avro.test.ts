import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { findPython, pythonWith } from '../python-with.ts';
import { AVRO, startIngestServer } from '../src/ingest/http/ingest-server.ts';

const run = promisify(execFile);
const client = packageFile('clients', 'python');

/** Writes a container with Avro's other implementation, and the bits of its logprobs. */
const WRITER = `
import array, base64, io, json, sys
import fastavro
schema = fastavro.parse_schema(json.load(open(sys.argv[1])))
ids = array.array('I', range(0, 4294967295, 8388608))
logprobs = array.array('f', [-x / 7 for x in range(len(ids))])
of = {'run_id': 'r', 'env_name': 'e', 'task_id': 't', 'rollout_id': 'fastavro', 'producer_id': 'p', 'source': {'format': 'f'}}
events = [
    {**of, 'event_id': '0', 'kind': 'start', 'seq': 0, 'start': {'seeds': {'env': -9007199254740991}}},
    {**of, 'event_id': '1', 'kind': 'model_call', 'seq': 1, 'model_call': {
        'call_id': 'c', 'prompt_delta_ids': b'', 'completion_ids': ids.tobytes(), 'completion_logprobs': logprobs.tobytes()}},
    {**of, 'event_id': '2', 'kind': 'end', 'seq': 2, 'end': {'reasons': [{'raw': 'task_complete', 'system': 'strands-env'}]}},
]
out = io.BytesIO()
fastavro.writer(out, schema, events, sync_interval=100)
print(json.dumps({'body': base64.b64encode(out.getvalue()).decode(), 'ids': list(ids), 'bits': list(array.array('I', logprobs.tobytes()))}))
`;

const found = await findPython();
const python =
  found === null
    ? null
    : await pythonWith(found, ['-e', `${client}[test]`], await readFile(join(client, 'pyproject.toml'), 'utf8')).catch(
        (error: Error) => error,
      );

if (typeof python === 'string') {
  it('what Python writes with fastavro is on the log bit by bit', async () => {
    const schema = packageFile('schemas', 'step-event.avsc');
    const { stdout } = await run(python, ['-c', WRITER, schema], { maxBuffer: 16 * 1024 * 1024 });
    const written: { body: string; ids: number[]; bits: number[] } = JSON.parse(stdout);
    const server = await startIngestServer();
    try {
      const answer = await server.post('/v1/steps', new Uint8Array(Buffer.from(written.body, 'base64')), AVRO);
      expect(answer).toMatchObject({ status: 200, body: { accepted: 3, refused: [] } });
      const rows = await server.query(
        `SELECT completion_ids AS ids, arrayMap(x -> reinterpretAsUInt32(x), completion_logprobs) AS bits
         FROM rollstream.steps FINAL WHERE rollout_id = 'fastavro' AND kind = 'model_call'`,
      );
      expect(rows).toEqual([{ ids: written.ids, bits: written.bits }]);
    } finally {
      await server.stop();
    }
  });
} else {
  it('may be left out where Python, or what it needs, cannot be had', () => {
    expect(process.env.CI, python?.message).toBeUndefined();
  });
}
