import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importFiles } from '../../../src/ingest/import-files.ts';
import type { DeadLetter, ImportSink, KeyedEvent } from '../../../src/ingest/import-sink.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-'));
});
afterEach(() => rm(folder, { recursive: true }));

function strandsLine(
  id: string,
  change: { reward?: number; aborted?: boolean; logprobs?: Array<number | null> } = {},
): string {
  return JSON.stringify({
    task: { id, message: 'q', ground_truth: '4', conversation_history: [] },
    result: {
      messages: [{ role: 'assistant', content: [{ text: 'a' }] }],
      rollout: {
        token_ids: [1, 2],
        loss_mask: [0, 1],
        logprobs: change.logprobs ?? [null, -1],
        segment_info: [
          [false, 1],
          [true, 1],
        ],
      },
      metrics: {},
      reward_result: { reward: change.reward ?? 1, info: {} },
      termination_reason: 'task_complete',
    },
    aborted: change.aborted ?? false,
    prompt_id: id.split('_')[0],
  });
}

function nemoRow(change: object): string {
  const params = { input: 'q' };
  return JSON.stringify({
    responses_create_params: params,
    agent_ref: { name: 'a' },
    _ng_task_index: 0,
    _ng_rollout_index: 0,
    ...change,
  });
}

/** Keeps what an import gives. */
function memory() {
  const batches: Array<readonly KeyedEvent[]> = [];
  const letters: DeadLetter[] = [];
  const ended: string[] = [];
  const sink: ImportSink = {
    append: async (events) => void batches.push([...events]),
    deadLetter: async (letter) => void letters.push(letter),
    sourceEnded: async (producer) => void ended.push(producer),
  };
  return { sink, batches, letters, ended, events: () => batches.flat().map(({ event }) => event) };
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const starts = (kept: ReturnType<typeof memory>) =>
  kept.events().flatMap((event) => (event.kind === 'start' ? [`${event.rollout_id}#${event.attempt}`] : []));

describe('what is taken', () => {
  test('a folder: formats told by content, other files remarked on, the run named after the folder', async () => {
    await mkdir(join(folder, 'run-7'));
    await file('run-7/results.jsonl', `${strandsLine('p_0')}\n${strandsLine('p_1')}\n`);
    await file('run-7/rollouts.jsonl.gz', gzipSync(`${nemoRow({ response: { output: [] }, reward: 0 })}\n`));
    await file('run-7/metrics.json', '{\n "mean": 1\n}\n');
    await file('run-7/notes.md', '# notes\n');
    await file('run-7/empty.jsonl', '');
    await file('run-7/.hidden.jsonl', strandsLine('p_9'));
    const kept = memory();
    const report = await importFiles([folder], {}, kept.sink);
    expect(report).toMatchObject({ records_read: 3, events: 12, refused: 0 });
    expect(report.files.map(({ path, format, lines }) => [path.slice(folder.length + 7), format, lines])).toEqual([
      ['empty.jsonl', null, 0],
      ['metrics.json', null, 0],
      ['notes.md', null, 0],
      ['results.jsonl', 'strands-env', 2],
      ['rollouts.jsonl.gz', 'nemo-gym', 1],
    ]);
    expect(report.files.map(({ why }) => why)).toEqual([
      'is empty',
      'is JSON of no known format',
      'is not JSON Lines',
      'lines with task and result, as strands-env writes them',
      'lines with response.output and reward, as NeMo Gym writes them',
    ]);
    expect(new Set(kept.events().map(({ run_id }) => run_id))).toEqual(new Set(['run-7']));
    expect(kept.batches.flat()[0]?.key).toBe('run-7/0/g/p');
    expect(kept.ended.sort()).toEqual(['import:nemo-gym', 'import:strands-env']);
    expect(kept.letters).toEqual([]);
  });

  test('the same bytes again are the same events, with other line ends, a byte order mark and gzip too', async () => {
    const lines = [strandsLine('p_0', { aborted: true }), strandsLine('p_0'), strandsLine('p_1')];
    const ids = async (name: string, content: string | Buffer) => {
      const kept = memory();
      await importFiles([await file(name, content)], { runId: 'r' }, kept.sink);
      return kept.events().map(({ event_id }) => event_id);
    };
    const plain = await ids('a.jsonl', `${lines.join('\n')}\n`);
    expect(plain).toHaveLength(12);
    expect(await ids('b.jsonl', `\ufeff${lines.join('\r\n')}\r\n\r\n`)).toEqual(plain);
    expect(await ids('c.jsonl', gzipSync(lines.join('\n')))).toEqual(plain);
    const kept = memory();
    await importFiles([await file('d.jsonl', lines.join('\n'))], { runId: 'r', epoch: 1 }, kept.sink);
    expect(kept.events().filter(({ event_id }) => plain.includes(event_id))).toEqual([]);
  });

  test('failures that number their attempt come before the rollouts, the others after them', async () => {
    await file('rollouts.jsonl', `${nemoRow({ response: { output: [] }, reward: 1, _ng_attempt_index: 2 })}\n`);
    const failure = { _ng_failure_class: 'sandbox' };
    const rows = [
      nemoRow({ ...failure, _ng_attempt_index: 0 }),
      'not json',
      nemoRow(failure),
      nemoRow({ ...failure, _ng_attempt_index: 1 }),
    ];
    await file('rollouts_failures.jsonl', `${rows.join('\n')}\n`);
    const kept = memory();
    const report = await importFiles([folder], {}, kept.sink);
    expect(starts(kept)).toEqual(['a/0/0#0', 'a/0/0#1', 'a/0/0#2', 'a/0/0#0']);
    expect(report).toMatchObject({ records_read: 5, refused: 1 });
    expect(report.files.map(({ lines, refused }) => [lines, refused])).toEqual([
      [4, 1],
      [1, 0],
    ]);
  });

  test('standard input, with a run of its own', async () => {
    async function* stdin(): AsyncGenerator<Buffer> {
      yield Buffer.from(strandsLine('p_0'));
    }
    const kept = memory();
    const report = await importFiles(['-'], {}, kept.sink, {}, stdin());
    expect(report).toMatchObject({ records_read: 1, refused: 0 });
    expect(kept.events()[0]).toMatchObject({ run_id: 'stdin', source: { location: '-:1' } });
  });

  test('a pattern names files; one that names none is an error', async () => {
    await file('a1.jsonl', strandsLine('p_0'));
    await file('a2.jsonl', strandsLine('p_1'));
    await file('b.jsonl', strandsLine('p_2'));
    const kept = memory();
    await importFiles([join(folder, 'a?.jsonl')], {}, kept.sink);
    expect(starts(kept)).toEqual(['p_0#0', 'p_1#0']);
    await expect(importFiles([join(folder, 'z*.jsonl')], {}, kept.sink)).rejects.toMatchObject({
      code: 'RS_FILE_UNREADABLE',
    });
  });

  test('all events of an attempt are in one batch, and batches stay small', async () => {
    const wide = strandsLine('p_0').replace('"a"', JSON.stringify('a'.repeat(100_000)));
    await file('results.jsonl', Array.from({ length: 25 }, (_, i) => wide.replace('p_0', `p_${i}`)).join('\n'));
    const kept = memory();
    await importFiles([folder], {}, kept.sink);
    const attemptsOf = (batch: readonly KeyedEvent[]) => new Set(batch.map(({ event }) => event.rollout_id)).size;
    expect(kept.batches.map(attemptsOf)).toEqual([11, 11, 3]);
    expect(kept.batches.map((batch) => batch.length)).toEqual([44, 44, 12]);
  });

  test('--dry-run checks everything and gives the sink nothing; --keep-open does not end the source', async () => {
    const path = await file('results.jsonl', `${strandsLine('p_0')}\nnot json\n`);
    const dry = memory();
    expect(await importFiles([path], { dryRun: true }, dry.sink)).toMatchObject({
      records_read: 2,
      events: 4,
      refused: 1,
    });
    expect([dry.batches, dry.letters, dry.ended]).toEqual([[], [], []]);
    const open_ = memory();
    await importFiles([path], { keepOpen: true }, open_.sink);
    expect(open_.ended).toEqual([]);
  });

  test('progress ends at the size of what was read', async () => {
    const path = await file('results.jsonl', `${strandsLine('p_0')}\n${strandsLine('p_1')}\n`);
    const seen: Array<{ bytes: number; totalBytes: number; events: number }> = [];
    await importFiles([path], {}, memory().sink, { progress: (done) => void seen.push(done) });
    const size = strandsLine('p_0').length * 2 + 2;
    expect(seen.at(-1)).toEqual({ bytes: size, totalBytes: size, events: 8 });
  });
});

describe('what is refused: told one by one, kept byte for byte, the rest taken', () => {
  test('malformed, torn, not UTF-8, another format, a bad field', async () => {
    const bad = Buffer.from([0x7b, 0xff, 0x7d]);
    const lines = [
      strandsLine('p_0'),
      '{"task": {',
      bad,
      '[1]',
      '{"some": "thing"}',
      strandsLine('p_1', { logprobs: [null] }),
      strandsLine('p_2'),
      strandsLine('p_3').slice(0, 100),
    ];
    const path = await file(
      'results.jsonl',
      Buffer.concat(lines.flatMap((line) => [Buffer.from('\n'), Buffer.from(line)])),
    );
    const kept = memory();
    const told: string[] = [];
    const report = await importFiles([path], {}, kept.sink, { message: (text) => void told.push(text) });
    expect(starts(kept)).toEqual(['p_0#0', 'p_2#0']);
    expect(report).toMatchObject({ records_read: 8, refused: 6 });
    expect(told).toEqual([
      `${path}:3: malformed JSON: expected a key in double quotes, at the end of the line`,
      `${path}:4: not UTF-8`,
      `${path}:5: not a JSON object`,
      `${path}:6: task: expected an object, got nothing`,
      `${path}:7: result.rollout.logprobs: 1 value for 2 token_ids`,
      expect.stringMatching(/:9: torn last line: expected a colon after the key, at the end of the line$/),
    ]);
    expect(report.messages).toEqual(told);
    expect(kept.letters.map(({ line, bytes }) => [line, bytes?.toString('latin1')])).toEqual([
      [3, '{"task": {'],
      [4, bad.toString('latin1')],
      [5, '[1]'],
      [6, '{"some": "thing"}'],
      [7, lines[5]],
      [9, lines[7]],
    ]);
    expect(kept.letters[4]).toMatchObject({
      field: 'result.rollout.logprobs',
      expected: '2 values',
      got: '1 value',
      sha256: createHash('sha256')
        .update(strandsLine('p_1', { logprobs: [null] }))
        .digest('hex'),
    });
  });

  test('a line of 64 MB: by place, length and hash', async () => {
    const path = join(folder, 'results.jsonl');
    const handle = await open(path, 'w');
    const hash = createHash('sha256');
    const part = Buffer.alloc(1024 * 1024, 'x');
    await handle.write(`${strandsLine('p_0')}\n`);
    for (let i = 0; i < 64; i++) {
      hash.update(part);
      await handle.write(part);
    }
    await handle.write(`\n${strandsLine('p_1')}\n`);
    await handle.close();
    const kept = memory();
    const report = await importFiles([path], {}, kept.sink);
    expect(starts(kept)).toEqual(['p_0#0', 'p_1#0']);
    expect(report.messages).toEqual([`${path}:2: a line of 67108864 bytes`]);
    expect(kept.letters).toMatchObject([
      { line: 2, offset: strandsLine('p_0').length + 1, bytes: null, length: 67_108_864, sha256: hash.digest('hex') },
    ]);
  });

  test('a refused line of more than 8 MB is kept by place and hash', async () => {
    const path = await file(
      'results.jsonl',
      `${strandsLine('p_0')}\n${JSON.stringify({ a: 'x'.repeat(9_000_000) })}\n`,
    );
    const kept = memory();
    await importFiles([path], {}, kept.sink);
    expect(kept.letters).toMatchObject([{ line: 2, bytes: null, length: 9_000_008 }]);
  });

  test('a named file of a format of others is refused as what it is', async () => {
    const text = '{\n "input": "q",\n "output": "a",\n "score": 1\n}\n';
    const dump = await file('dump.json', text);
    const kept = memory();
    const report = await importFiles([dump, await file('results.jsonl', strandsLine('p_0'))], {}, kept.sink);
    expect(report).toMatchObject({ records_read: 1, refused: 1 });
    expect(report.messages).toEqual([`${dump}: looks like a verl dump, which this version does not import`]);
    expect(kept.letters).toMatchObject([{ file: dump, line: 0, bytes: Buffer.from(text) }]);
  });

  test('lines of another format than the one asked for', async () => {
    const path = await file('results.jsonl', `${strandsLine('p_0')}\n`);
    const report = await importFiles([path], { format: 'nemo-gym' }, memory().sink);
    expect(report.messages).toEqual([`${path}:1: response: expected an object, got nothing`]);
  });

  test('a file without permission, the others taken', async () => {
    const secret = await file('a.jsonl', strandsLine('p_0'));
    await file('b.jsonl', strandsLine('p_1'));
    await chmod(folder, 0o755);
    await chmod(secret, 0o000);
    const kept = memory();
    const report = await asNobody(() => importFiles([folder], {}, kept.sink));
    expect(report.messages).toEqual([`${secret}: no permission to read it`]);
    expect(report.refused).toBe(1);
    expect(starts(kept)).toEqual(['p_1#0']);
  });

  test('gzip that breaks off: what came before is taken', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => strandsLine(`p_${i}`)).join('\n');
    const path = await file('results.jsonl.gz', gzipSync(lines).subarray(0, -2000));
    const kept = memory();
    const report = await importFiles([path], {}, kept.sink);
    expect(report.refused).toBe(1);
    expect(report.messages).toEqual([`${path}: broken gzip after line ${starts(kept).length}: unexpected end of file`]);
  });
});

describe('what ends an import', () => {
  test('a path that is not there, a format nobody knows', async () => {
    const kept = memory();
    const missing = join(folder, 'no.jsonl');
    await expect(importFiles([missing], {}, kept.sink)).rejects.toMatchObject({
      code: 'RS_FILE_UNREADABLE',
      message: `${missing}: there is no such file`,
    });
    await expect(importFiles([folder], { format: 'strands' }, kept.sink)).rejects.toMatchObject({
      code: 'RS_USAGE',
      message: expect.stringMatching(/^there is no format "strands"; known are auto, .*strands-env/),
    });
  });

  test('a sink that fails: nothing is said to have ended', async () => {
    const path = await file('results.jsonl', strandsLine('p_0'));
    const kept = memory();
    const failing = { ...kept.sink, append: () => Promise.reject(new Error('disk full')) };
    await expect(importFiles([path], {}, failing)).rejects.toThrow('disk full');
    expect(kept.ended).toEqual([]);
  });
});

/** Root may read everything: permissions bind whoever else this process can be for a moment. */
async function asNobody<T>(action: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0 || process.seteuid === undefined) return action();
  process.seteuid(65534);
  try {
    return await action();
  } finally {
    process.seteuid(0);
  }
}
