import { createReadStream } from 'node:fs';
import { RollstreamError } from '../../errors.ts';
import { readLines } from '../../ingest/line-reader.ts';
import { isCallForm } from '../call-form.ts';
import type { TruthCall, TruthHead } from '../truth.ts';
import type { Truth } from './conform-report.ts';

/** All that the engine logged. A last line that is not whole is of an engine that was killed while it wrote. */
export async function readTruth(path: string): Promise<Truth> {
  let head: TruthHead | null = null;
  const calls: TruthCall[] = [];
  for await (const { number, bytes, ended } of readLines(readable(path))) {
    if (!ended) break;
    const value = bytes === null ? null : parsed(bytes.toString('utf8'));
    if (isHead(value)) head = value;
    else if (isCall(value)) calls.push(value);
    else {
      const message = `${path}:${number}: not a line of the log of rollstream conform`;
      throw new RollstreamError('RS_INPUT_REFUSED', message, { facts: { path } });
    }
  }
  return { head, calls };
}

async function* readable(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${path}: ${why}`, { cause, facts: { path } });
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isHead(value: unknown): value is TruthHead {
  if (typeof value !== 'object' || value === null) return false;
  const of: Partial<TruthHead> = value;
  return (
    of.rollstream_conform === 1 &&
    Array.isArray(of.scenarios) &&
    of.scenarios.every((name) => typeof name === 'string') &&
    (of.calls === undefined || isCallForm(of.calls))
  );
}

/** All that a judge reads of it. What is a line of something else is refused, not judged. */
function isCall(value: unknown): value is TruthCall {
  if (typeof value !== 'object' || value === null) return false;
  const of: Partial<TruthCall> = value;
  const isText = (text: unknown): boolean => typeof text === 'string';
  const isNumber = (number: unknown): boolean => typeof number === 'number';
  return (
    (of.scenario === null || isText(of.scenario)) &&
    (of.task === null || isNumber(of.task)) &&
    [of.call, of.turn, of.attempt, of.receivedAtUs, of.status].every(isNumber) &&
    [of.promptText, of.rawText, of.route, of.dialect, of.ended].every(isText) &&
    [of.promptIds, of.completionIds, of.logprobs].every((list) => Array.isArray(list) && list.every(isNumber)) &&
    Array.isArray(of.weightSpans) &&
    [of.messages, of.parsedCalls].every((list) => list === null || Array.isArray(list))
  );
}
