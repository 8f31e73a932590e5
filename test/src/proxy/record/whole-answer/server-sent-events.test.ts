import { describe, expect, it } from 'vitest';
import { serverSentEvents } from '../../../../../src/proxy/record/whole-answer/server-sent-events.ts';

function read(text: string) {
  const { events, isDone, torn } = serverSentEvents(Buffer.from(text, 'utf8'));
  return { events: events.map(String), isDone, torn: torn === null ? null : String(torn) };
}

describe('serverSentEvents', () => {
  it('gives the data of each event, however its lines end', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [`data: {"a":1}`, '', `data:{"b":"é"}`, '', 'data: [DONE]', '', ''].join(end);
      expect(read(text)).toEqual({ events: ['{"a":1}', '{"b":"é"}'], isDone: true, torn: null });
    }
  });

  it('passes over comments, names, ids and a byte order mark', () => {
    const text = '\ufeff: ping\n\nevent: message\nid: 7\nretry: 10\ndata: 1\n\n:\n\ndatum: 2\n\n';
    expect(read(text)).toEqual({ events: ['1'], isDone: false, torn: null });
  });

  it('joins the lines of one event', () => {
    expect(read('data: {\ndata: "a": 1}\n\n').events).toEqual(['{\n"a": 1}']);
  });

  it('tells what stands behind the last blank line from an event', () => {
    expect(read('data: 1\n\ndata: {"a"')).toEqual({ events: ['1'], isDone: false, torn: '{"a"' });
    expect(read('data: 1\n\ndata: 2\n')).toEqual({ events: ['1'], isDone: false, torn: '2' });
    expect(read('data: 1\n\ndat')).toEqual({ events: ['1'], isDone: false, torn: null });
  });

  it('takes the end marker without its blank line', () => {
    expect(read('data: 1\n\ndata: [DONE]')).toEqual({ events: ['1'], isDone: true, torn: null });
  });

  it('finds nothing in nothing', () => {
    expect(read('')).toEqual({ events: [], isDone: false, torn: null });
    expect(read('\n\n\n')).toEqual({ events: [], isDone: false, torn: null });
    expect(read('data:\n\ndata\n\n')).toEqual({ events: [], isDone: false, torn: null });
  });
});
