import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataOf, SseEvents } from '../../../../../src/proxy/forward/answer/sse-events.ts';

function eventsOf(chunks: readonly string[]): { events: string[]; rest: string } {
  const stream = new SseEvents();
  const events = chunks.flatMap((chunk) =>
    stream.push(Buffer.from(chunk, 'latin1')).map((event) => event.toString('latin1')),
  );
  return { events, rest: stream.rest().toString('latin1') };
}

describe('SseEvents', () => {
  it('gives events whole, with their empty line', () => {
    expect(eventsOf(['data: a\n\n: ping\n\nda', 'ta: b\n', '\ndata'])).toEqual({
      events: ['data: a\n\n', ': ping\n\n', 'data: b\n\n'],
      rest: 'data',
    });
  });

  it('reads lines that end in CRLF or CR, cut anywhere', () => {
    expect(eventsOf(['data: a\r\n\r\ndata: b\r', '\n\r\n']).events).toEqual(['data: a\r\n\r\n', 'data: b\r\n\r\n']);
    expect(eventsOf(['data: a\r\rdata: b\r\r']).events).toEqual(['data: a\r\r', 'data: b\r\r']);
    expect(eventsOf(['data: a\r\n\r', '\ndata: b\n\n']).events).toEqual(['data: a\r\n\r', '\n', 'data: b\n\n']);
  });

  it('gives every byte once, in its order, whatever the pieces', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', '\n', '\r', 'data: x', '\xc3'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (stream, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, stream.length)).sort((a, b) => a - b), stream.length];
        const chunks = at.slice(1).map((end, index) => stream.slice(at[index], end));
        const { events, rest } = eventsOf(chunks);
        expect(events.join('') + rest).toBe(stream);
        // What a reader of events sees does not depend on the pieces.
        const seen = (parts: readonly string[]) =>
          parts.map((part) => part.replace(/\r\n|\r/g, '\n').trim()).filter(Boolean);
        expect(seen(events)).toEqual(seen(eventsOf([stream]).events));
      }),
      { numRuns: 500 },
    );
  });

  it('knows where the data of an event stand, and none where there are two lines of it', () => {
    const of = (text: string) => {
      const data = dataOf(Buffer.from(text));
      return data && text.slice(data.start, data.end);
    };
    expect(of('event: x\ndata: {"a":1}\r\n\r\n')).toBe('{"a":1}');
    expect(of('data:{"a":1}\n\n')).toBe('{"a":1}');
    expect(of('data: a\ndata: b\n\n')).toBeNull();
    expect(of(': data: a\n\n')).toBeNull();
  });
});
