import { createRandom, type Random } from '../../src/simulate/random.ts';
import { type Message, type Model, spacedJson, systemText, TOOLS, TOOLS_JSON } from './models.ts';
import { known, type Rollout, type RolloutTurn, reprompt, resample, type WrittenCall } from './rollout.ts';
import { someArguments, someText } from './texts.ts';

const MOST_TURNS = 6;
/** 2026-01-01, µs. */
const EPOCH_US = 1_767_225_600_000_000;

export interface Wishes {
  readonly least?: number;
  /** Each turn but the last calls a tool. */
  readonly calls?: boolean;
  readonly thinks?: boolean;
}

/** What a token-in-token-out loop does with a policy that does nothing wrong. One seed gives one rollout. */
export function cleanRollout(model: Model, seed: string, { least = 1, calls, thinks }: Wishes = {}): Rollout {
  const random = createRandom(seed);
  const isThinking = model.hasThink && (thinks ?? random.chance(0.8));
  const hasTools = model.isQwen && (calls ?? random.chance(0.8));
  const clock = createClock(random);
  const begin = clock.now();
  const setup = clock.spend(50_000, 900_000);
  const count = random.whole(least, MOST_TURNS);
  let version = random.whole(1, 40);
  const system = someText(random, random.whole(1, 2));
  const rollout: Rollout = {
    ...{ model, id: seed, turns: [], edits: [], isTextless: false, setup },
    span: { begin, end: begin },
    verify: { begin, end: begin },
    start: {
      tokenizer_id: model.name,
      tokenizer_sha256: model.knowledge.tokenizer.sha256,
      template_sha256: model.templateSha256,
      template_vars_json: !model.hasThink ? null : isThinking ? random.pick([null, '{}', THINKING_ON]) : THINKING_OFF,
      tools_json: hasTools ? TOOLS_JSON : null,
      sampling: { temperature: 1, max_tokens: 4096 },
      weights_version: String(version),
    },
    end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] },
    verdict: {
      ...{ scorer: 'checker', scorer_version: '1', status: 'scored' },
      rewards: { correct: random.chance(0.5) ? 1 : 0 },
    },
  };
  let messages: Message[] = [
    { role: 'system', content: hasTools ? systemText(system) : system },
    { role: 'user', content: someText(random, random.whole(1, 3)) },
  ];
  for (let i = 0; i < count; i++) {
    const isCalling = hasTools && i < count - 1 && (calls === true || random.chance(0.75));
    const turn: RolloutTurn = {
      ...{ messages, added: [], rewrite: null, sampled: [], drift: null, rawText: null, logprobs: [], calls: [] },
      thought: isThinking ? someText(random, random.whole(1, 3)) : null,
      content: isCalling && random.chance(0.5) ? '' : someText(random, random.whole(1, 2)),
      spans: [{ start: 0, version: String(version) }],
      finish: isCalling ? 'tool_calls' : 'stop',
      span: clock.spend(100_000, 4_000_000),
    };
    if (isCalling) turn.calls = someCalls(random, i, clock);
    rollout.turns.push(turn);
    reprompt(rollout, turn, i === 0);
    resample(rollout, turn);
    sampleOff(rollout, turn, random);
    turn.logprobs = turn.sampled.map(() => -1e-4 - random.next() ** 3 * 6);
    if (random.chance(0.15) && turn.sampled.length > 4)
      turn.spans.push({ start: random.whole(1, turn.sampled.length - 1), version: String(++version) });
    if (random.chance(0.3)) version += 1;
    messages = isCalling
      ? turn.calls.map(({ results }) => ({ role: 'tool', content: String(results[0]?.result.output) }))
      : [{ role: 'user', content: someText(random, 1) }];
  }
  clock.spend(500, 30_000);
  rollout.span.end = clock.now();
  rollout.verify = clock.spend(10_000, 800_000);
  return rollout;
}

const THINKING_ON = '{"enable_thinking":true}';
const THINKING_OFF = '{"enable_thinking":false}';

/** A third of what models sample no encoder would write. */
function sampleOff({ model }: Rollout, turn: RolloutTurn, random: Random): void {
  if (!random.chance(1 / 3)) return;
  const split = model.splitter(turn.sampled, random);
  if (split === null) return;
  turn.sampled = [...split.ids];
  turn.drift = { index: split.index, class: 'bpe_split' };
}

function someCalls(random: Random, turn: number, clock: Clock): WrittenCall[] {
  const count = random.chance(0.3) ? 2 : 1;
  const begin = clock.now();
  const calls = Array.from({ length: count }, (_, i): WrittenCall => {
    const name = random.pick(TOOLS);
    const call = callOf(random, { turn, index: i, name, args: someArguments(random), output: someOutput(random) });
    // Two of one turn run at once.
    const from = begin + random.whole(100, 2_000);
    known(call.results[0]).span = { begin: from, end: from + random.whole(5_000, 900_000) };
    return call;
  });
  clock.until(Math.max(...calls.map(({ results }) => known(results[0]).span.end)));
  return calls;
}

export interface CallAsked {
  readonly turn: number;
  readonly index: number;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly output: string;
}

/** A call as the model writes it, as the loop reads it, and as it is executed. */
export function callOf(random: Random, { turn, index, name, args, output }: CallAsked): WrittenCall {
  const json = random.chance(0.5) ? JSON.stringify(args) : spacedJson(args);
  const callId = `call_${turn}_${index}`;
  return {
    written: random.chance(0.8)
      ? `{"name": "${name}", "arguments": ${json}}`
      : `{"name":"${name}","arguments":${json}}`,
    listed: {
      ...{ call_id: callId, name, arguments_raw: Buffer.from(json), arguments_parsed: JSON.stringify(args) },
      ...{ parse_status: 'ok', parser: 'hermes' },
    },
    results: [
      {
        result: {
          ...{ call_id: callId, name, executed_arguments: JSON.stringify(args), status: 'ok' },
          output: Buffer.from(output),
        },
        span: { begin: 0, end: 0 },
      },
    ],
  };
}

function someOutput(random: Random): string {
  return random.chance(0.1) ? '' : someText(random, random.whole(1, 4));
}

interface Clock {
  now(): number;
  /** A piece of work, after a little of the loop's own. */
  spend(leastUs: number, mostUs: number): { begin: number; end: number };
  until(us: number): void;
}

function createClock(random: Random): Clock {
  let nowUs = EPOCH_US + random.whole(0, 86_400_000_000);
  return {
    now: () => nowUs,
    spend(leastUs, mostUs) {
      const begin = nowUs + random.whole(10, 5_000);
      nowUs = begin + random.whole(leastUs, mostUs);
      return { begin, end: nowUs };
    },
    until(us) {
      nowUs = us;
    },
  };
}
