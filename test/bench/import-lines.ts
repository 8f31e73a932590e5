import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Importer } from '../../src/ingest/importer.ts';
import { a2e } from '../../src/ingest/importers/a2e.ts';
import { atif } from '../../src/ingest/importers/atif.ts';
import { miniSweAgent } from '../../src/ingest/importers/mini-swe-agent.ts';
import { nemoGym } from '../../src/ingest/importers/nemo-gym.ts';
import { nemoRl } from '../../src/ingest/importers/nemo-rl.ts';
import { otlp } from '../../src/ingest/importers/otlp.ts';
import { skyrl } from '../../src/ingest/importers/skyrl.ts';
import { slime } from '../../src/ingest/importers/slime.ts';
import { strandsEnv } from '../../src/ingest/importers/strands-env.ts';
import { sweAgent } from '../../src/ingest/importers/swe-agent.ts';
import { verifiers } from '../../src/ingest/importers/verifiers.ts';
import { verifiersV1 } from '../../src/ingest/importers/verifiers-v1.ts';
import { readLines } from '../../src/ingest/line-reader.ts';
import { readRecord } from '../../src/ingest/read-record.ts';
import { createCodecs, type Encode } from '../../src/registry/codecs.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { comparedRates } from './rounds.ts';
import { atifLine } from './sample-atif.ts';
import { miniSweLine, nemoRlLine, skyrlLine, slimeLine, sweLine } from './sample-dumps.ts';
import { nemoLine, strandsLine } from './sample-lines.ts';
import { verifiersEpisode, verifiersRow } from './sample-verifiers.ts';
import { a2eLine, otlpLine } from './sample-wire.ts';

const CHUNK_BYTES = 64 * 1024;

/** Bytes of a file → lines → parsed → events → records; nothing is appended. */
export const importLines: Bench = {
  name: 'import',
  async run(size) {
    const codecs = createCodecs({ register: async () => 1, schemaOf: async () => null });
    const encode = await codecs.encoderOf<StepEventInit>('steps-value', stepEventSchema);
    return [
      await figureOf(strandsEnv, strandsLine, encode, size),
      await figureOf(nemoGym, nemoLine, encode, size),
      await figureOf(slime, slimeLine, encode, size),
      await figureOf(skyrl, skyrlLine, encode, size),
      await figureOf(nemoRl, nemoRlLine, encode, size),
      await figureOf(sweAgent, sweLine, encode, size),
      await figureOf(miniSweAgent, miniSweLine, encode, size),
      await figureOf(atif, atifLine, encode, size),
      await figureOf(a2e, a2eLine, encode, size),
      await figureOf(otlp, otlpLine, encode, size),
      await figureOf(verifiers, verifiersRow, encode, size),
      await figureOf(verifiersV1, verifiersEpisode, encode, size),
    ];
  },
};

async function figureOf(
  importer: Importer,
  lineOf: (n: number) => object,
  encode: Encode<StepEventInit>,
  size: Size,
): Promise<Figure> {
  const lines = Array.from({ length: size === 'full' ? 150 : 3 }, (_, n) => JSON.stringify(lineOf(n)));
  const chunks = chunksOf(Buffer.from(`${lines.join('\n')}\n`));
  let events = 0;
  let bytesOut = 0;

  const importAll = async () => {
    const map = importer.open({
      ...{
        runId: 'bench',
        env: null,
        epoch: 0,
        purpose: 'train',
        groupSize: null,
        overrides: {},
        rows: 'all',
        sidecars: {},
      },
    });
    events = 0;
    bytesOut = 0;
    for await (const line of readLines(chunks())) {
      const record = readRecord(line);
      if ('refused' in record) throw new Error(record.refused.message);
      const location = `bench:${line.number}`;
      const mapped = map.take({ value: record.value, sha256: line.sha256, location, duplicateKeys: [] });
      if ('refused' in mapped) throw new Error(mapped.refused.message);
      for (const event of mapped.events) bytesOut += encode(event).length;
      events += mapped.events.length;
    }
    for (const { result } of map.end?.() ?? []) {
      if ('refused' in result) throw new Error(result.refused.message);
      for (const event of result.events) bytesOut += encode(event).length;
      events += result.events.length;
    }
  };
  const rates = await comparedRates(size === 'full' ? 9 : 1, lines.length, importAll, () => {
    for (const line of lines) JSON.parse(line);
  });
  const bytesIn = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  const kilobytes = (bytes: number) => `${(bytes / lines.length / 1000).toFixed(1)} KB`;
  return {
    name: `import, ${importer.name}`,
    value: rates.figure,
    unit: 'lines/s',
    yardstick: { name: 'JSON.parse', value: rates.yardstick },
    ratio: rates.ratio,
    target: { text: 'ratio ≥ 0.5', met: rates.ratio >= 0.5 },
    notes: [
      `a line: ${kilobytes(bytesIn)} in, ${(events / lines.length).toFixed(1)} events, ${kilobytes(bytesOut)} out`,
    ],
  };
}

/** As a file stream gives them. */
function chunksOf(bytes: Buffer): () => AsyncGenerator<Buffer> {
  return async function* chunks() {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
  };
}
