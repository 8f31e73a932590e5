import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applySettings } from '../../../src/clickhouse/apply-settings.ts';
import { createEmbeddedStatements } from '../../../src/clickhouse/embedded-statements.ts';
import { DEFAULT_READER_LIMITS, readerSettings } from '../../../src/clickhouse/reader-limits.ts';
import type { Statements } from '../../../src/clickhouse/statements.ts';
import { WRITER_SETTINGS } from '../../../src/clickhouse/writer-settings.ts';

test('the writer inserts synchronously, into as many months as there are; settings stick to their connection', async () => {
  const path = await mkdtemp(join(tmpdir(), 'rollstream-store-'));
  const [writer, reader] = [createEmbeddedStatements(path), createEmbeddedStatements(path)];
  await applySettings(writer, WRITER_SETTINGS);
  await applySettings(reader, readerSettings(DEFAULT_READER_LIMITS));
  const setting = async (statements: Statements, name: string) =>
    (await statements.read(`SELECT toString(getSetting('${name}')) FORMAT TSV`)).toString().trim();
  expect(await setting(writer, 'async_insert')).toBe('false');
  expect(await setting(writer, 'max_partitions_per_insert_block')).toBe('0');
  expect(await setting(writer, 'optimize_on_insert')).toBe('false');
  expect(await setting(writer, 'readonly')).toBe('0');
  expect(await setting(reader, 'readonly')).toBe('1');
  expect(await setting(reader, 'max_result_rows')).toBe('1000000');
  await expect(reader.run('SET max_result_rows = 0')).rejects.toMatchObject({ code: '164' });
  await writer.close();
  await reader.close();
  await rm(path, { recursive: true, force: true });
});
