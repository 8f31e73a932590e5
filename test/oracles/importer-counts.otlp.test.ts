import { expect, test } from 'vitest';
import { otlp } from '../../src/ingest/importers/otlp.ts';
import { findPython } from '../python-with.ts';
import { agentSpans, otlpSpan, request, TRACE } from '../src/ingest/importers/otlp-trace.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = await findPython();

function lines(): object[] {
  const chat = (id: number, trace: string): object =>
    otlpSpan({
      id,
      at: [id, id + 5],
      trace,
      with: { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 'talk' },
    });
  const traces = ['1', '2'].map((digit) => TRACE.replace('4', digit));
  return [request(agentSpans()), ...traces.map((trace, i) => request([chat(i + 1, trace)]))];
}

test.runIf(python !== null)('events of OTLP hold what its spans hold, counted by Python', async () => {
  const counted = await countedBy(python ?? '', 'otlp_counts.py', lines());
  expect(counted).toEqual({ rollouts: 2, model_calls: 4, tool_results: 1, rewards: [0.5] });
  expect(await countsOf(otlp, lines())).toEqual(counted);
});
