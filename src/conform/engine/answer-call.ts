import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRandom } from '../../simulate/random.ts';
import type { CallForm } from '../call-form.ts';
import { honest } from '../scenarios/honest.ts';
import type { Turn } from '../scenarios/scenario.ts';
import { taskOf } from '../scenarios/task.ts';
import type { TruthCall } from '../truth.ts';
import { type Answer, answerOf } from './answer.ts';
import { type Asked, RefusedRequest } from './asked.ts';
import type { Body } from './body-fields.ts';
import type { EngineState } from './engine-state.ts';
import { findMarker, turnOf } from './find-marker.ts';
import { parsedMessage } from './parsed-message.ts';
import { readAsked } from './read-asked.ts';
import { refuse } from './refuse.ts';
import { type Sent, sendAnswer } from './send-answer.ts';
import type { Shape } from './shapes/frame.ts';
import { sglangChat } from './shapes/sglang-chat.ts';
import { sglangCompletions } from './shapes/sglang-completions.ts';
import { sglangGenerate } from './shapes/sglang-generate.ts';
import { vllmChat } from './shapes/vllm-chat.ts';
import { vllmCompletions } from './shapes/vllm-completions.ts';

export interface CallOf {
  readonly route: Asked['route'];
  readonly dialect: Asked['dialect'];
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One model call: which script the prompt asks for, what it samples, and the line of truth. Throws a RefusedRequest. */
export async function answerCall(
  { route, dialect, body, request, response }: CallOf,
  state: EngineState,
): Promise<void> {
  const receivedAtUs = Math.round(state.now() * 1000);
  const { vocabulary, conversations, seed, log } = state;
  if (log?.isFull()) throw new RefusedRequest(507, 'InternalServerError', 'the log of truth is full');
  const facts = { route, dialect, body, headers: request.headers, model: state.model };
  const asked = withParserOf(state.calls, await readAsked(facts, vocabulary));
  const promptText = vocabulary.text(asked.promptIds);
  const marker = findMarker(promptText);
  const scenario = marker === null ? honest : state.scenarios.get(marker.scenario);
  if (scenario === undefined) {
    const names = [...state.scenarios.keys()].join(', ');
    throw new RefusedRequest(
      400,
      'BadRequestError',
      `scenario ${marker?.scenario} is not played here; played are ${names}`,
    );
  }
  const task = taskOf(seed, scenario.name, marker?.task ?? 0);
  // Without a marker conversations are told apart by how they begin.
  const key = marker === null ? `- ${asked.promptIds.slice(0, 64).join(',')}` : `${marker.scenario}#${marker.task}`;
  const at = turnOf(promptText, marker?.at ?? 0, vocabulary.assistantOpening);
  const attempt = conversations.attempt(key, at);
  const turn: Turn = {
    task,
    form: state.calls,
    turn: at,
    attempt,
    opensInThought: /<think>\s*$/.test(promptText.slice(-40)),
    maxTokens: asked.maxTokens,
    random: createRandom(`play ${seed} ${task.scenario} ${task.number} ${at}`),
    vocabulary,
  };
  const play = scenario.play(turn);
  const held = conversations.held(key, at, asked.promptIds);
  const createdS = Math.floor(state.now() / 1000);
  const answer = answerOf(play, { asked, turn, seed, cachedTokens: held?.commonPrefix ?? 0, createdS });
  const call = state.nextCall();
  const truth = truthOf({
    ...{ scenario: marker?.scenario ?? null, task: marker?.task ?? null, call, turn: at, attempt },
    ...{ route, dialect, streamed: asked.stream, receivedAtUs },
    ...{ promptIds: asked.promptIds, promptSentAsIds: asked.promptSentAsIds, promptText, messages: asked.messages },
    ...{ commonPrefix: held?.commonPrefix ?? null, heldLength: held?.length ?? null, heldCall: held?.call ?? null },
    misbehaved: play.misbehaved,
  });
  const tell = (line: TruthCall): void => {
    log?.write(line);
    state.keep(line);
  };
  if (play.refusal !== undefined) {
    tell(truth.refused(play.refusal.status));
    return refuse(response, play.refusal, { route, dialect });
  }
  const shape = shapeOf(asked, state.incrementalStreaming);
  const frames =
    scenario.repeats === true && !asked.parsesCalls ? (of: Answer) => state.framesCache(of, shape) : shape.frames;
  await sendAnswer({
    ...{ response, answer, play, tokensPerSecond: state.tokensPerSecond },
    shape: { ...shape, frames },
    tell: (sent) => {
      if (sent.ended !== 'reset') conversations.keep(key, at, call, asked.promptIds, answer.ids.slice(0, sent.tokens));
      tell(truth.answered(answer, sent, vocabulary.text(answer.ids.slice(0, sent.tokens))));
    },
  });
}

/** The engine's own parser knows one form: calls of another stay text. */
function withParserOf(form: CallForm, asked: Asked): Asked {
  return form === 'hermes' ? asked : { ...asked, parsesCalls: false };
}

type KnownBefore = Omit<
  TruthCall,
  | 'requestId'
  | 'completionIds'
  | 'logprobs'
  | 'rawText'
  | 'parsedCalls'
  | 'finishReason'
  | 'weightSpans'
  | 'status'
  | 'ended'
>;

function truthOf(known: KnownBefore) {
  return {
    refused: (status: number): TruthCall => ({
      ...known,
      ...{ requestId: null, completionIds: [], logprobs: [], rawText: '', parsedCalls: null, finishReason: null },
      ...{ weightSpans: [], status, ended: 'complete' },
    }),
    answered: (answer: Answer, { tokens, ended }: Sent, rawText: string): TruthCall => ({
      ...known,
      requestId: answer.asked.requestId,
      completionIds: answer.ids.slice(0, tokens),
      logprobs: ended === 'complete' ? answer.logprobs : answer.logprobs.slice(0, tokens),
      rawText,
      parsedCalls: answer.asked.parsesCalls && ended === 'complete' ? parsedMessage(answer).calls : null,
      finishReason: ended === 'complete' ? answer.finish : null,
      weightSpans: answer.spans.filter(({ start }) => start === 0 || start < tokens),
      status: 200,
      ended,
    }),
  };
}

function shapeOf({ route, dialect }: Asked, incremental: boolean): Shape {
  if (route === 'generate') return sglangGenerate(incremental);
  if (dialect === 'vllm') return route === 'chat' ? vllmChat : vllmCompletions;
  return route === 'chat' ? sglangChat : sglangCompletions;
}
