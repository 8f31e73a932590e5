import type { SourceInit, ToolCallInit } from '../../../schemas/generated/step-event.ts';
import { type AttemptEvents, createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull, Refused } from '../fields.ts';
import type { ImportContext } from '../importer.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';
import { createTokenPrefixes } from '../token-prefixes.ts';
import { type Action, actionOf, toolCallAction } from './a2e-action.ts';
import { addA2eCall } from './a2e-calls.ts';
import { addA2eEnd } from './a2e-end.ts';
import { type Episode, type EpisodeItem, type Exchange, firstMessage, isExchange, resetOf } from './a2e-episode.ts';
import { labelOf, restOfMessage, restOfObservation, versionOf } from './a2e-message.ts';
import { addA2eResult, placeOf } from './a2e-result.ts';

export const FORMAT = 'a2e';

/** All events of one episode, in the order of its times. */
export function a2eEvents(episode: Episode, context: ImportContext, sha256: string): AttemptEvents {
  if (episode.items.every((item) => item.kind === 'call')) {
    const what = `messages of episode ${episode.episodeId} in the same file: recorded calls alone do not say how it went`;
    throw new Refused('episode_id', 'messages of its episode', 'recorded calls alone', what);
  }
  const version = versionOf(resetOf(episode)?.response ?? episode.first);
  const source: SourceInit = { format: FORMAT, version, location: episode.first.location };
  const out = createAttemptEvents(identityOf(episode, context), source, sha256);
  const ordered = inOrder(episode.items);
  addStart(out, episode, ordered, version);
  addItems(out, ordered, version);
  addA2eEnd(out, episode, ordered, version);
  return out;
}

/** The wire knows neither tasks nor groups: their names may stand where it is free, in the options of the reset or the metadata. */
function identityOf(episode: Episode, context: ImportContext) {
  const { episodeId, ordinal, key } = episode;
  const reset = resetOf(episode);
  const options = reset?.request?.value.options;
  const metadata = reset?.observation?.value.metadata;
  const label = (name: string) => labelOf(name, options, metadata);
  const again = ordinal === 0 ? '' : `.${ordinal}`;
  const rolloutId = episodeId === null ? `reset-${key.slice(2)}` : `${episodeId}${again}`;
  const env = reset?.request?.value.env_name;
  const group = textOf(label('group_id'));
  const attempt = countOrNull(label('attempt'));
  return attemptIdentity(context, {
    rolloutId,
    taskId: textOf(label('task_id')) ?? group,
    envName: typeof env === 'string' && env !== '' ? env : FORMAT,
    groupId: group,
    groupSize: countOrNull(label('group_size')) ?? context.groupSize,
    attempt: attempt !== null && attempt < 2 ** 31 ? attempt : 0,
  });
}

function textOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** By the time at which each began, then by its place in the file; what has no time stands behind what was before it there. */
function inOrder(items: readonly EpisodeItem[]): EpisodeItem[] {
  let lastUs = Number.NEGATIVE_INFINITY;
  const placed = items.map((item, place) => {
    lastUs = firstMessage(item)?.time.us ?? lastUs;
    return { item, place, us: lastUs };
  });
  placed.sort((a, b) => (a.us === b.us ? a.place - b.place : a.us < b.us ? -1 : 1));
  return placed.map(({ item }) => item);
}

function addStart(out: AttemptEvents, episode: Episode, ordered: readonly EpisodeItem[], version: string): void {
  const { session, repeats } = episode;
  const reset = resetOf(episode);
  const asked = reset?.request ?? null;
  const { seed, options, env_name } = asked?.value ?? {};
  const isSeed = typeof seed === 'number' && Number.isSafeInteger(seed);
  const metadata = reset?.observation?.value.metadata;
  const space = typeof env_name === 'string' ? session.spaces.get(env_name) : undefined;
  const first = ordered.flatMap((item) => firstMessage(item)?.time.us ?? [])[0] ?? null;
  out.add(
    'start',
    {
      start: {
        task_metadata_json: unlessEmpty({ options, metadata })
          ? jsonText({ options: options ?? null, metadata: metadata ?? null })
          : null,
        tools_json: Array.isArray(session.tools) ? jsonText(session.tools) : null,
        seeds: isSeed ? { env: seed } : {},
      },
    },
    {
      env_name,
      seed: isSeed || seed === null ? undefined : seed,
      handshake: session.handshake,
      space,
      tools: Array.isArray(session.tools) ? undefined : session.tools,
      without_reset: reset === undefined ? true : undefined,
      repeated_messages: repeats > 0 ? repeats : undefined,
      request: asked === null ? undefined : restOfMessage(asked, version, ['env_name', 'seed', 'options']),
      response:
        reset?.response?.type === 'env/reset/resp' ? restOfMessage(reset.response, version, ['obs']) : undefined,
    },
    { startedAtUs: asked?.time.us ?? first },
  );
  if (reset === undefined) return;
  const isTimed = asked !== null && reset.response !== null;
  if (isTimed) out.add('phase', { phase: { phase: 'sandbox_setup', detail: 'env/reset' } }, undefined, placeOf(reset));
  const { observation } = reset;
  if (observation === null) return;
  const parts_json = jsonText(observation.value.state ?? null);
  const rest = unlessEmpty({ ...restOfObservation(observation), metadata: undefined });
  out.add(
    'message',
    { message: { role: 'environment', parts_json } },
    { observation: rest },
    { endedAtUs: placeOf(reset).endedAtUs ?? null },
  );
}

/** Steps and tool calls between a call of the model and the next are what the agent understood it to ask for. */
function addItems(out: AttemptEvents, ordered: readonly EpisodeItem[], version: string): void {
  const prefixOf = createTokenPrefixes();
  let calls = 0;
  let open: { call_id: string; name: string | null }[] = [];
  let unnamed = 0;
  const named = new Map<Exchange, { action: Action; id: string }>();
  for (const item of ordered)
    if (isExchange(item) && isAction(item))
      named.set(
        item,
        namedAction(item, () => unnamed++),
      );

  for (const [i, item] of ordered.entries()) {
    if (item.kind === 'call') {
      const next = ordered.findIndex((later, at) => at > i && later.kind === 'call');
      const followed = ordered
        .slice(i + 1, next < 0 ? undefined : next)
        .flatMap((later) => (isExchange(later) ? (named.get(later) ?? []) : []));
      const asked = followed.map(
        ({ action, id }): ToolCallInit => ({ call_id: id, name: action.name, arguments_parsed: action.args }),
      );
      open = addA2eCall(out, item, { number: calls++, asked, prefixOf, version }).map(({ call_id, name }) => ({
        call_id,
        name: name ?? null,
      }));
    } else if (!isExchange(item)) addTold(out, item, version);
    else if (isAction(item)) {
      const { action, id } = named.get(item) ?? namedAction(item, () => unnamed++);
      const at = open.findIndex(({ call_id }) => call_id === action.callId || call_id === id);
      const found = at >= 0 ? at : open.findIndex(({ name }) => name !== null && name === action.name);
      const [asked] = found < 0 ? [] : open.splice(found, 1);
      addA2eResult(out, item, { callId: asked?.call_id ?? id, action, version });
    } else if (item.kind !== 'reset' && item.kind !== 'close') addOther(out, item, version);
  }
}

function isAction({ kind }: Exchange): boolean {
  return kind === 'step' || kind === 'tool';
}

function namedAction({ kind, request, response }: Exchange, count: () => number): { action: Action; id: string } {
  const value = request?.value ?? {};
  const action = kind === 'tool' ? toolCallAction(value) : actionOf(value.action);
  return { action, id: request?.id ?? response?.reqId ?? `${kind}-${count()}` };
}

function addTold(out: AttemptEvents, item: Exclude<EpisodeItem, Exchange | { kind: 'call' }>, version: string): void {
  const { kind, message, value } = item;
  const place = { endedAtUs: message.time.us };
  if (kind === 'experience') {
    const rest = restOfMessage(message, version, ['experiences']);
    out.add('message', { message: { role: 'experience', parts_json: jsonText(value) } }, { message: rest }, place);
  } else if (kind === 'push') {
    const rest = restOfMessage(message, version, ['episode_id', 'delta']);
    out.add(
      'message',
      { message: { role: 'environment', parts_json: jsonText(value.delta ?? null) } },
      { push: rest },
      place,
    );
  } else out.add('message', { message: { role: FORMAT, parts_json: jsonText(value) } }, undefined, place);
}

/** Observations that nobody stepped to are what the environment says; anything else of the protocol stands as it is. */
function addOther(out: AttemptEvents, item: Exchange, version: string): void {
  const { kind, request, response, observation, events } = item;
  if (request === null && response === null) return;
  const place = placeOf(item);
  if (kind === 'observe' && observation !== null) {
    const parts_json = jsonText(observation.value.state ?? null);
    const rest = {
      observation: restOfObservation(observation),
      request: request === null ? undefined : restOfMessage(request, version, ['episode_id']),
      response: response === null ? undefined : restOfMessage(response, version, ['obs']),
    };
    out.add('message', { message: { role: 'environment', parts_json } }, rest, place);
    return;
  }
  const said: JsonObject[] = [request, ...events, response].flatMap((message) =>
    message === null ? [] : [message.value],
  );
  out.add('message', { message: { role: FORMAT, parts_json: jsonText(said.filter(isObject)) } }, undefined, place);
}
