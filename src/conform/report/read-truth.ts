import { readFile } from 'node:fs/promises';
import { RollstreamError } from '../../errors.ts';
import type { TruthCall, TruthHead } from '../truth.ts';
import type { Truth } from './conform-report.ts';

/** All that the engine logged. A last line that is not whole is of an engine that was killed while it wrote. */
export async function readTruth(path: string): Promise<Truth> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${path}: ${why}`, { cause, facts: { path } });
  });
  const lines = text.split('\n');
  if (text !== '' && !text.endsWith('\n')) lines.pop();
  let head: TruthHead | null = null;
  const calls: TruthCall[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    const value = parsed(line);
    if (isHead(value)) head = value;
    else if (isCall(value)) calls.push(value);
    else
      throw new RollstreamError('RS_INPUT_REFUSED', `${path}:${at + 1}: not a line of the log of rollstream conform`, {
        facts: { path },
      });
  }
  return { head, calls };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isHead(value: unknown): value is TruthHead {
  return typeof value === 'object' && value !== null && 'rollstream_conform' in value && value.rollstream_conform === 1;
}

/** The engine wrote it: its form is known by two of its fields. */
function isCall(value: unknown): value is TruthCall {
  return (
    typeof value === 'object' &&
    value !== null &&
    'promptIds' in value &&
    Array.isArray(value.promptIds) &&
    'completionIds' in value &&
    Array.isArray(value.completionIds)
  );
}
