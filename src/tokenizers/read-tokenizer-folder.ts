import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RollstreamError } from '../errors.ts';

/** What a tokenizer's folder holds, read and parsed, nothing derived. */
export interface TokenizerFolder {
  readonly folder: string;
  /** tokenizer.json: its bytes are what the hash is of. */
  readonly text: string;
  readonly sha256: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** tokenizer_config.json and generation_config.json; empty: there is none. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly generation: Readonly<Record<string, unknown>>;
  /** chat_template.jinja; null: there is none. */
  readonly templateFile: string | null;
}

/** Large tokenizers have 35 MB; what is larger is something else. */
const LIMIT_BYTES = { 'tokenizer.json': 256 << 20, 'tokenizer_config.json': 64 << 20 } as const;
const OTHER_LIMIT_BYTES = 16 << 20;

export async function readTokenizerFolder(folder: string): Promise<TokenizerFolder> {
  const found = await stat(folder).catch((cause) => {
    throw new RollstreamError(
      'RS_FILE_UNREADABLE',
      `${folder}: there is no such folder; expected one with tokenizer.json`,
      {
        cause,
        facts: { folder },
      },
    );
  });
  if (!found.isDirectory())
    throw new RollstreamError('RS_FILE_UNREADABLE', `${folder}: expected a folder with tokenizer.json, got a file`, {
      facts: { folder },
    });
  const tokenizer = await bytesOf(folder, 'tokenizer.json', LIMIT_BYTES['tokenizer.json']);
  if (tokenizer === null)
    throw new RollstreamError('RS_FILE_UNREADABLE', `${folder}: it has no tokenizer.json`, {
      facts: { folder, file: 'tokenizer.json' },
    });
  const text = tokenizer.toString('utf8');
  return {
    folder,
    text,
    sha256: createHash('sha256').update(tokenizer).digest('hex'),
    json: objectOf(folder, 'tokenizer.json', text),
    config: await optionalObject(folder, 'tokenizer_config.json', LIMIT_BYTES['tokenizer_config.json']),
    generation: await optionalObject(folder, 'generation_config.json', OTHER_LIMIT_BYTES),
    templateFile: (await bytesOf(folder, 'chat_template.jinja', OTHER_LIMIT_BYTES))?.toString('utf8') ?? null,
  };
}

async function optionalObject(folder: string, file: string, limitBytes: number): Promise<Record<string, unknown>> {
  const bytes = await bytesOf(folder, file, limitBytes);
  return bytes === null ? {} : objectOf(folder, file, bytes.toString('utf8'));
}

/** null: there is no such file. */
async function bytesOf(folder: string, file: string, limitBytes: number): Promise<Buffer | null> {
  const path = join(folder, file);
  const unreadable = (cause: unknown) =>
    new RollstreamError('RS_FILE_UNREADABLE', `${path}: it cannot be read`, { cause, facts: { folder, file } });
  try {
    const { size } = await stat(path);
    if (size > limitBytes)
      throw new RollstreamError('RS_TOO_LARGE', `${path}: ${size} bytes; expected at most ${limitBytes}`, {
        facts: { folder, file },
      });
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof RollstreamError) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw unreadable(cause);
  }
}

function objectOf(folder: string, file: string, text: string): Record<string, unknown> {
  const path = join(folder, file);
  const refused = (what: string, cause?: unknown) =>
    new RollstreamError('RS_TOKENIZER', `${path}: ${what}`, { cause, facts: { folder, file } });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused('expected JSON; it is cut off or damaged', cause);
  }
  if (!isObject(value)) throw refused('expected a JSON object');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
