import { createRandom, type Random } from '../../examples/generate/random.ts';
import type { ModelCallInit, StepEventInit, ToolCallInit } from '../../schemas/generated/step-event.ts';
import { createSampleSteps } from './sample-steps.ts';

/** Characters of what 512 tokens say, call included. */
const TEXT = 2_000;
const OUTPUT = 1_200;
const TOOLS = ['bash', 'read_file', 'write_file'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}));
const TOOLS_JSON = JSON.stringify(TOOLS);
const WORDS = 'the test runs since a path that holds blanks is split so look at how it is quoted before'.split(' ');

/** Steps of agents: each model call thinks, says something and writes one tool call of 150 to 300 characters, which is executed. */
export function createToolSteps(seed: string): () => StepEventInit {
  const next = createSampleSteps(seed);
  const random = createRandom(`${seed}/tools`);
  const waiting: StepEventInit[] = [];
  return function step() {
    const result = waiting.pop();
    if (result !== undefined) return result;
    const event = next();
    if (event.start) return { ...event, start: { ...event.start, tools_json: TOOLS_JSON } };
    const { model_call: call, seq } = event;
    if (!call || typeof seq !== 'number') return seq == null ? event : sequenced(event, 2 * seq - 1);
    const said = sayOf(random);
    const call_id = `call_${seq}`;
    const executed = { name: said.name, executed_arguments: said.executed };
    waiting.push({
      ...sequenced(event, 2 * seq),
      ...{ kind: 'tool_result', model_call: null },
      tool_result: { call_id, ...executed, status: 'ok', output: Buffer.from(said.output), exec_us: 1_000_000 },
    });
    const listed: ToolCallInit = {
      ...{ call_id, name: said.name, arguments_raw: Buffer.from(said.written) },
      ...{ arguments_parsed: said.executed, parser: 'hermes' },
      parse_status: 'ok',
    };
    const spoken: ModelCallInit = {
      ...call,
      raw_text: Buffer.from(said.text),
      tool_calls: [listed],
      finish_reason: 'tool_calls',
    };
    return { ...sequenced(event, 2 * seq - 1), model_call: spoken };
  };
}

function sequenced(event: StepEventInit, seq: number): StepEventInit {
  return { ...event, seq, event_id: `${event.rollout_id}-${seq}` };
}

/** What is executed has other blanks than what was written, in half of the calls: one JSON writer's against another's. */
function sayOf(random: Random) {
  const { name } = TOOLS[Math.floor(random() * TOOLS.length)]?.function ?? { name: 'bash' };
  const args = {
    path: `/testbed/src/${wordsOf(random, 12).replaceAll(' ', '_')}.py`,
    command: `grep -rn "${wordsOf(random, 40)}" src | head -n 20\nsed -n 1,40p src/${wordsOf(random, 8)}.py`,
    ...(random() < 0.5 ? {} : { note: wordsOf(random, 80) }),
    timeout_s: Math.floor(random() * 100),
  };
  const executed = JSON.stringify(args);
  const written = random() < 0.5 ? executed : JSON.stringify(args, null, 1).replace(/\n */g, ' ');
  const call = `<tool_call>\n{"name": "${name}", "arguments": ${written}}\n</tool_call>`;
  const think = wordsOf(random, TEXT / 2);
  const text = `<think>\n${think}\n</think>\n\n${wordsOf(random, TEXT / 2 - call.length)}\n${call}`;
  return { name, written, executed, text, output: wordsOf(random, OUTPUT) };
}

function wordsOf(random: Random, characters: number): string {
  let text = '';
  while (text.length < characters) text += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return text.slice(0, characters);
}
