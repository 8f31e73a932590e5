import { expect, test } from 'vitest';
import type { Importer } from '../../../src/ingest/importer.ts';
import { a2e } from '../../../src/ingest/importers/a2e.ts';
import { atif } from '../../../src/ingest/importers/atif.ts';
import { miniSweAgent } from '../../../src/ingest/importers/mini-swe-agent.ts';
import { otlp } from '../../../src/ingest/importers/otlp.ts';
import { createWire, reset } from './importers/a2e-wire.ts';
import { eventsOf, only } from './importers/imported.ts';

const span = (more: object) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'chat',
  startTimeUnixNano: '1772359200000000000',
  endTimeUnixNano: '1772359210000000000',
  attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
  ...more,
});
const attribute = (value: object) => span({ attributes: [...span({}).attributes, { key: 'k', value }] });
const document = (within: unknown) => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'a', version: '1' },
  steps: [],
  subagent_trajectories: within,
});
const answer = (more: object) => ({ messages: [{ role: 'assistant', content: 'c', ...more }] });

test.each<[string, Importer, (mark: unknown) => object]>([
  ['a list of OTLP', otlp, (mark) => attribute({ arrayValue: mark })],
  ['what stands beside the values of a list', otlp, (mark) => attribute({ arrayValue: { values: [], other: mark } })],
  ['a list of pairs', otlp, (mark) => attribute({ kvlistValue: mark })],
  ['a status', otlp, (mark) => span({ status: mark })],
  ['the code of a status', otlp, (mark) => span({ status: { code: mark } })],
  ['the message of a status', otlp, (mark) => span({ status: { code: 2, message: mark } })],
  ['documents of sub-agents', atif, document],
  ['a document of a sub-agent', atif, (mark) => document([mark])],
  ['what the loop noted', miniSweAgent, (mark) => answer({ extra: mark })],
  ['tool calls', miniSweAgent, (mark) => answer({ tool_calls: mark, extra: { actions: ['ls'] } })],
])('what stands in the place of %s is kept', async (_, importer, line) => {
  for (const mark of ['zz-Mark', ['zz-Mark'], 98765.5]) {
    const kept = (await eventsOf(importer, [line(mark)])).map(({ extra_json, end }) => [extra_json, end]);
    // An array is what belongs there, or what it holds is kept.
    expect(JSON.stringify(kept).toLowerCase()).toContain(typeof mark === 'number' ? '98765.5' : 'zz-mark');
  }
});

test.each(['constructor', 'toString', '__proto__'])(
  'a word of the source that every object knows is a word: %s',
  async (word) => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    const req_id = wire.send('env/step/req', 1, { episode_id: 'e1', action: {} });
    wire.send('error', 2, { req_id, code: word, message: 'm' });
    wire.send(`${word}/req`, 3, { episode_id: 'e1' });
    const [result] = only(await eventsOf(a2e, wire.lines), 'tool_result');
    expect(result?.tool_result).toMatchObject({ status: 'unknown', error: { type: word } });
    const ended = only(await eventsOf(otlp, [span({ status: { code: word } })]), 'end');
    expect(ended[0]?.end?.reasons).toMatchObject([{ raw: word.toLowerCase(), system: 'otel' }]);
  },
);
