import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import type { Importer } from '../../../src/ingest/importer.ts';
import { a2e } from '../../../src/ingest/importers/a2e.ts';
import { atif } from '../../../src/ingest/importers/atif.ts';
import { miniSweAgent } from '../../../src/ingest/importers/mini-swe-agent.ts';
import { nemoGym } from '../../../src/ingest/importers/nemo-gym.ts';
import { nemoRl } from '../../../src/ingest/importers/nemo-rl.ts';
import { otlp } from '../../../src/ingest/importers/otlp.ts';
import { rollstream } from '../../../src/ingest/importers/rollstream.ts';
import { skyrl } from '../../../src/ingest/importers/skyrl.ts';
import { slime } from '../../../src/ingest/importers/slime.ts';
import { strandsEnv } from '../../../src/ingest/importers/strands-env.ts';
import { sweAgent } from '../../../src/ingest/importers/swe-agent.ts';
import { verifiers } from '../../../src/ingest/importers/verifiers.ts';
import { verifiersV1 } from '../../../src/ingest/importers/verifiers-v1.ts';
import { atifLine } from '../../bench/sample-atif.ts';
import { miniSweLine, nemoRlLine, skyrlLine, slimeLine, sweLine } from '../../bench/sample-dumps.ts';
import { nemoLine, strandsLine } from '../../bench/sample-lines.ts';
import { verifiersEpisode, verifiersRow } from '../../bench/sample-verifiers.ts';
import { a2eLine, otlpLine } from '../../bench/sample-wire.ts';
import * as atifSamples from './importers/atif-samples.ts';
import { imported } from './importers/imported.ts';
import { agentSpans, request } from './importers/otlp-trace.ts';
import { firstRow, middleRow, row } from './importers/verifiers-rows.ts';
import { episode, lineOfNodes, trace } from './importers/verifiers-v1-lines.ts';

const eventType = avroTypeOf(stepEventSchema);

/** Sixteen lines of a sample, each second with odd text and with what no importer has heard of. */
function linesOf(sample: (n: number) => object, count = 16): string[] {
  return Array.from({ length: count }, (_, n) => JSON.stringify(n % 2 === 0 ? sample(n) : surprising(sample(n))));
}

const TAGS = ['', ' \u00e9', ' \u4e2d', ' \ud83d', ' \ud83d\ude00', ' "\\\n'];

function surprising(line: object): unknown {
  let text = 0;
  function visit(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value === 'string') return FREE.has(key) ? `${value}${TAGS[text++ % TAGS.length]}` : value;
    if (typeof value !== 'object' || value === null) return value;
    const object = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
    return { ...object, surprise: { of: [text, null, true, 0.1, { deep: 'er' }] } };
  }
  return visit(line, '');
}

const FREE = new Set(['text', 'content', 'message', 'model', 'response', 'prompt', 'output', 'observation', 'thought']);

function exampleOf(folder: string, file: string): string[] {
  return readFileSync(packageFile('examples', 'rollouts', folder, file), 'utf8')
    .trimEnd()
    .split('\n');
}

/**
 * What each file gives, as the beginnings of two SHA-256: of the ids of its events, by which a file that is imported again is
 * known and changes nothing, and of the records themselves. An id never changes. What an event holds may, on purpose, and its
 * digest here with it.
 */
const FILES: ReadonlyArray<readonly [name: string, given: string, importer: Importer, lines: readonly string[]]> = [
  ['strands-env', '224 events, 0 refused: 1856c984796601e8 50a1ea11a573520d', strandsEnv, linesOf(strandsLine)],
  ['nemo-gym', '208 events, 0 refused: 8fa42249a327eab4 b456bd1e59c88be8', nemoGym, linesOf(nemoLine)],
  ['slime', '128 events, 0 refused: 2bfc804b104d4979 660b3e10700a80fc', slime, linesOf(slimeLine)],
  ['skyrl', '128 events, 0 refused: f7c2b0b690bfb90a 2d36299cd5398104', skyrl, linesOf(skyrlLine)],
  ['nemo-rl', '128 events, 0 refused: 3161a9c961ff4ef9 8f370ad7ee284d33', nemoRl, linesOf(nemoRlLine)],
  ['swe-agent', '304 events, 0 refused: 6b29462c952ae8e7 bb7dd048f4981b92', sweAgent, linesOf(sweLine)],
  ['mini-swe-agent', '224 events, 0 refused: 9cdd907034a48eb9 da299e214001cfde', miniSweAgent, linesOf(miniSweLine)],
  ['atif', '208 events, 0 refused: 71b97fe8a90dc225 dd659921aa352c02', atif, linesOf(atifLine)],
  ['a2e', '30 events, 0 refused: b8edb284cbafa490 ee2bc6976e754e6a', a2e, linesOf(a2eLine, 34)],
  ['otlp', '256 events, 0 refused: b94f2d5e1af7a9a4 172e56b048f157e1', otlp, linesOf(otlpLine)],
  ['verifiers', '224 events, 0 refused: 9daefd7b66c1a309 dc8a696df24fd3f0', verifiers, linesOf(verifiersRow)],
  ['verifiers-v1', '208 events, 0 refused: 0efe04183743191c 8d3d29aedd06d408', verifiersV1, linesOf(verifiersEpisode)],
  [
    'atif samples',
    '22 events, 0 refused: 26227fee3cddea11 2d6d157b2fe2bc60',
    atif,
    [atifSamples.malformed, atifSamples.base, atifSamples.withTokens].map((one) => JSON.stringify(one)),
  ],
  [
    'otlp samples',
    '8 events, 0 refused: 74e0d4341bc0836e 4c2568e9a69cd184',
    otlp,
    [JSON.stringify(request(agentSpans()))],
  ],
  [
    'verifiers samples',
    '23 events, 0 refused: a50c97ffb875a83d 0e23ce37adf32145',
    verifiers,
    [row(), firstRow(), middleRow()].map((one) => JSON.stringify(one)),
  ],
  [
    'verifiers-v1 samples',
    '26 events, 1 refused: 9011586c8bd0350f b2c8ee63650e76ce',
    verifiersV1,
    [trace(), episode(), lineOfNodes()].map((one) => JSON.stringify(one)),
  ],
  [
    'calculator-strands',
    '109 events, 1 refused: 45c8eb0e3cd29070 bd36ab5018ce10f6',
    strandsEnv,
    exampleOf('calculator-strands', 'results.jsonl'),
  ],
  [
    'recipe-strands',
    '47 events, 0 refused: 8f8ee4f25de56878 29349fdee9b40647',
    strandsEnv,
    exampleOf('recipe-strands', 'results.jsonl'),
  ],
  [
    'kv-nemo',
    '61 events, 0 refused: 894133f98fd7df67 089ce7eb8d75dcb7',
    nemoGym,
    exampleOf('kv-nemo', 'rollouts.jsonl'),
  ],
  [
    'kv-nemo failures',
    '25 events, 0 refused: 2af7dfcca2697024 3a46201b4416fdee',
    nemoGym,
    exampleOf('kv-nemo', 'rollouts_failures.jsonl'),
  ],
  [
    'calculator-events',
    '50 events, 0 refused: 62f3a68bef975b41 6c8a13ae5a7bed67',
    rollstream,
    exampleOf('calculator-events', 'steps.jsonl'),
  ],
  [
    'calculator-eval',
    '6 events, 0 refused: fb3b827f225bfd4c ec2c20fa2314d5cc',
    rollstream,
    exampleOf('calculator-eval', 'steps.jsonl'),
  ],
  [
    'files-events',
    '179 events, 0 refused: b967b893acdc726e 76fc2d942d2956ff',
    rollstream,
    exampleOf('files-events', 'steps.jsonl'),
  ],
  ['math', '256 events, 0 refused: e7f3a44e2251e09d 5b6664e37f39f31f', rollstream, exampleOf('math', 'steps.jsonl')],
];

test.each(FILES)('a file of %s gives the same events as ever, bit for bit', async (_, given, importer, lines) => {
  const ids = createHash('sha256');
  const records = createHash('sha256');
  let events = 0;
  let refused = 0;
  for (const taken of await imported(importer, `${lines.join('\n')}\n`)) {
    if ('refused' in taken) {
      refused++;
      records.update(JSON.stringify(taken.refused));
      continue;
    }
    for (const event of taken.events) {
      ids.update(`${event.event_id}\n`);
      records.update(eventType.toBuffer(event));
      events++;
    }
  }
  const digests = `${ids.digest('hex').slice(0, 16)} ${records.digest('hex').slice(0, 16)}`;
  expect(`${events} events, ${refused} refused: ${digests}`).toBe(given);
});
