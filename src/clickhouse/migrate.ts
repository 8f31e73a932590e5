import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RollstreamError } from '../errors.ts';
import { sqlStatements } from './sql-tokens.ts';
import { statementsOfNew } from './statements-of-new.ts';

export interface MigrateDeps {
  run(sql: string, params?: Readonly<Record<string, string>>): Promise<void>;
  applied(): Promise<Array<{ name: string; sha256: string }>>;
  log(message: string): void;
  /** RS_DATA_VERSION where something would have to be applied. */
  readonly onlyCheck?: boolean;
}

const BOOKS = [
  'CREATE DATABASE IF NOT EXISTS rollstream ENGINE = Atomic',
  `CREATE TABLE IF NOT EXISTS rollstream.migrations (
    name String COMMENT 'File of infra/clickhouse/migrations',
    sha256 String COMMENT 'SHA-256 of the file when it was applied, hex',
    applied_at DateTime64(6, 'UTC') DEFAULT now64(6) COMMENT 'When, UTC'
  ) ENGINE = MergeTree ORDER BY name SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
  COMMENT 'Migrations that were applied'`,
];

interface Migration {
  readonly name: string;
  readonly sha256: string;
  readonly statements: readonly string[];
}

/** As JSON in one parameter: a statement a file would be another part, and another fsync, each. */
const RECORD = `INSERT INTO rollstream.migrations (name, sha256)
  SELECT file.name, file.sha256
  FROM (SELECT arrayJoin(JSONExtract({files:String}, 'Array(Tuple(name String, sha256 String))')) AS file)`;

/**
 * Applies the numbered files in order and records each with its hash. A file is recorded after its last statement, so a crash
 * runs it again: every statement must bear that. What was applied cannot change; what a newer build applied is not ours to read.
 */
export async function migrate(folder: string, deps: MigrateDeps): Promise<void> {
  if (deps.onlyCheck !== true) for (const sql of BOOKS) await deps.run(sql);
  const applied = new Map((await deps.applied()).map(({ name, sha256 }) => [name, sha256]));
  const missing = await missingOf(folder, applied);
  const [first] = missing;
  if (first === undefined) return;
  if (deps.onlyCheck === true) {
    throw new RollstreamError(
      'RS_DATA_VERSION',
      `the store lacks ${first.name}: \`rollstream up\` of this version applies it`,
    );
  }
  if (applied.size > 0) for (const one of missing) await apply([one], one.statements, deps);
  else await apply(missing, statementsOfNew(missing.flatMap(({ statements }) => statements)), deps);
}

async function apply(files: readonly Migration[], statements: readonly string[], deps: MigrateDeps): Promise<void> {
  for (const statement of statements) await deps.run(statement);
  await deps.run(RECORD, { files: JSON.stringify(files.map(({ name, sha256 }) => ({ name, sha256 }))) });
  for (const { name } of files) deps.log(`applied ${name}`);
}

async function missingOf(folder: string, applied: ReadonlyMap<string, string>): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
  for (const name of applied.keys()) {
    if (!names.includes(name)) {
      throw new RollstreamError('RS_DATA_VERSION', `the store was written by a newer version: it applied ${name}`);
    }
  }
  const missing: Migration[] = [];
  for (const name of names) {
    const sql = await readFile(join(folder, name), 'utf8');
    const sha256 = createHash('sha256').update(sql).digest('hex');
    const before = applied.get(name);
    if (before === undefined) missing.push({ name, sha256, statements: sqlStatements(sql) });
    else if (before !== sha256) {
      throw new RollstreamError(
        'RS_DATA_VERSION',
        `${name} was applied and has changed since: write a new migration instead`,
      );
    }
  }
  return missing;
}
