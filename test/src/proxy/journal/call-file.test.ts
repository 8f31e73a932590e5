import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openCallFile } from '../../../../src/proxy/journal/call-file.ts';
import type { CallHead } from '../../../../src/proxy/journal/call-head.ts';
import { createCallIds } from '../../../../src/proxy/journal/call-ids.ts';
import { readCall } from '../../../../src/proxy/journal/read-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollstream-calls-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NAMED = {
  ...{ run: 'r', rollout: 'a', attempt: null, group: null, groupSize: null, task: null, env: null, epoch: null },
  purpose: null,
};
const headOf = (id: string): CallHead => ({
  ...{
    id,
    named: NAMED,
    path: '/generate',
    engine: 'sglang',
    upstream: 'h:1',
    startedAtUs: 5,
    headers: {},
    asked: ['x'],
  },
});

describe('the file of a call', () => {
  it('tells what was written, each piece with its time', () => {
    let now = 0;
    const file = openCallFile(folder, headOf('a'), Buffer.from('{}'), () => now);
    now = 1_500;
    file.answer({ status: 200, headers: { a: 'b' } });
    file.piece(Buffer.from([0, 255]));
    now = 2 ** 40;
    file.piece(Buffer.from('é'));
    file.end({ how: 'complete', detail: null });
    const call = readCall(file.path);
    expect(call?.head).toEqual(headOf('a'));
    expect(call?.request.toString()).toBe('{}');
    expect(call?.answer).toEqual({ status: 200, headers: { a: 'b' }, sinceUs: 1_500 });
    expect(call?.pieces).toEqual([
      { sinceUs: 1_500, bytes: Buffer.from([0, 255]) },
      { sinceUs: 2 ** 40, bytes: Buffer.from('é') },
    ]);
    expect(call?.end).toEqual({ how: 'complete', detail: null, sinceUs: 2 ** 40 });
  });

  it('has the last head, where the upstream was asked again', () => {
    const file = openCallFile(folder, headOf('b'), Buffer.from('{}'), () => 0);
    file.head({ ...headOf('b'), asked: [] });
    expect(readCall(file.path)).toMatchObject({ head: { asked: [] }, end: null });
  });

  it('tells what is whole of it, wherever it was torn', () => {
    const file = openCallFile(folder, headOf('c'), Buffer.from('{"a":1}'), () => 0);
    const begun = readFileSync(file.path).length;
    file.answer({ status: 200, headers: {} });
    file.piece(Buffer.from('seen'));
    expect(readFileSync(file.path)).toHaveLength(begun);
    file.flush();
    const whole = readFileSync(file.path).length;
    for (let length = whole - 1; length >= 0; length--) {
      truncateSync(file.path, length);
      const call = readCall(file.path);
      expect(call === null).toBe(length < begun);
      expect(call?.pieces ?? []).toEqual([]);
    }
  });

  it('is gone once it is abandoned, and is nobody else’s', () => {
    const file = openCallFile(folder, headOf('d'), Buffer.from(''), () => 0);
    expect(() => openCallFile(folder, headOf('d'), Buffer.from(''), () => 0)).toThrow('EEXIST');
    file.abandon();
    expect(() => readFileSync(file.path)).toThrow('ENOENT');
    expect(() => file.abandon()).not.toThrow();
    expect(() => openCallFile(join(folder, 'none'), headOf('e'), Buffer.from(''), () => 0)).toThrow('ENOENT');
  });

  it('is named in the order in which calls began, also where the clock steps back', () => {
    const next = createCallIds();
    const ids = [next(1_000), next(999), next(1_000), next(2_000_000)];
    expect([...ids].sort()).toEqual(ids);
    expect(new Set([...ids, createCallIds()(1_000)]).size).toBe(5);
  });
});
