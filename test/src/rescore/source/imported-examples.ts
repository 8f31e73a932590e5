import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { schemaIdOf } from '../../../../processors/decode/wire-format.ts';
import type { Decoded } from '../../../../processors/model/record.ts';
import { type StepEvent, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { type App, openApp } from '../../../../src/app.ts';
import type { LogRecord } from '../../../../src/broker/port.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { packageFile } from '../../../../src/config/package-file.ts';
import { silentRecorder } from '../../../../src/observe/recorder.ts';
import { cli } from '../../cli/test-io.ts';

export interface ImportedExamples {
  readonly app: App;
  readonly partitions: number;
  /** What the log holds, by partition, readable or not. */
  readonly records: ReadonlyArray<readonly LogRecord[]>;
  /** Readable records by message key, in order of offset: what a lane saw of each unit. */
  readonly seen: ReadonlyMap<string, readonly Decoded[]>;
  remove(): Promise<void>;
}

/** Examples that were imported and decided, opened for reading, and what the log itself says of them. */
export async function importedExamples(names: readonly string[], partitions: number): Promise<ImportedExamples> {
  const data = mkdtempSync(join(tmpdir(), 'rollstream-source-'));
  const files = names.map((name) => packageFile('examples', 'rollouts', name));
  const env = { ROLLSTREAM_PARTITIONS: String(partitions) };
  await cli(['import', ...files, '--data', data], { env });
  const config = loadConfig({ flags: { data }, env, cwd: data });
  const log = pino({ level: 'silent' });
  const app = await openApp(config, { log, recorder: silentRecorder, now: Date.now, url: null, withLanes: false });
  const records: LogRecord[][] = [];
  const seen = new Map<string, Decoded[]>();
  const decode = app.codecs.decoderOf<StepEvent>(stepEventSchema);
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await app.broker.bounds(app.topics.steps, partition);
    const all: LogRecord[] = [];
    for (let at = start; at < end; at = (all.at(-1)?.offset ?? end) + 1)
      all.push(...(await app.broker.read(app.topics.steps, partition, at, { maxBytes: 1 << 22, maxWaitMs: 0 })));
    records.push(all);
    for (const { offset, timestampMs, key, value } of all) {
      const id = value === null ? null : schemaIdOf(value);
      if (value === null || typeof id !== 'number') continue;
      await app.codecs.prepare([id]);
      const outcome = decode(value);
      if (outcome.kind !== 'ok') continue;
      const unit = key?.toString('latin1') ?? '';
      const record = { unit, event: outcome.value, cause: { offset, appendedAtMs: timestampMs } };
      if (unit !== '') seen.set(unit, [...(seen.get(unit) ?? []), record]);
    }
  }
  return {
    ...{ app, partitions, records, seen },
    async remove() {
      await app.close();
      rmSync(data, { recursive: true });
    },
  };
}
