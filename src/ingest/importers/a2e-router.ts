import { Refused } from '../fields.ts';
import { type Episode, type EpisodeItem, type Exchange, isExchange, resetOf } from './a2e-episode.ts';
import { createEpisodes, type EpisodeStore, episodeIdOf } from './a2e-episodes.ts';
import { type A2eMessage, type Observation, observationOf } from './a2e-message.ts';
import { recordedCall } from './a2e-recorded-call.ts';
import { createA2eSession } from './a2e-session.ts';
import { splitBatch } from './a2e-split.ts';
import { experiencesOf, pushOf, toldOf } from './a2e-told.ts';
import { createA2eWaiting, type Place } from './a2e-waiting.ts';

/** Puts each message to its episode. */
export interface A2eRouter {
  /** Throws Refused for a message of which nobody can tell whose it is. */
  route(message: A2eMessage): void;
  /** Answers that no request of the file waits for. */
  strays(): A2eMessage[];
}

const KINDS: ReadonlyMap<string, Exchange['kind']> = new Map([
  ['env/reset', 'reset'],
  ['env/step', 'step'],
  ['env/observe', 'observe'],
  ['env/close', 'close'],
  ['tool/call', 'tool'],
]);
/** They name their episode in the request. */
const NAMED: readonly Exchange['kind'][] = ['step', 'observe', 'close'];

export function createA2eRouter(store: EpisodeStore): A2eRouter {
  const session = createA2eSession();
  const waiting = createA2eWaiting();
  const episodes = createEpisodes(store, session);
  const { note } = episodes;

  function add(episode: Episode, message: A2eMessage, items: readonly EpisodeItem[]): void {
    if (!note(episode, message)) return;
    for (const item of items) {
      episode.items.push(item);
      if ('isEnd' in item && item.isEnd) episodes.ended(episode);
    }
  }

  function exchangeAt(place: Place | undefined): { episode: Episode; exchange: Exchange } | undefined {
    const episode = place && store.get(place.key);
    const exchange = place && episode?.items[place.at];
    return episode && exchange && isExchange(exchange) ? { episode, exchange } : undefined;
  }

  function request(verb: string, message: A2eMessage): void {
    const kind = KINDS.get(verb) ?? 'other';
    const early = exchangeAt(waiting.answered(verb, message.id));
    if (early !== undefined) {
      if (note(early.episode, message)) early.exchange.request = message;
      return;
    }
    const episode =
      kind === 'reset'
        ? episodes.unnamed(message)
        : NAMED.includes(kind)
          ? episodes.named(message)
          : episodes.only(message);
    if (!note(episode, message)) return;
    const response = waiting.takeStray(verb, message) ?? null;
    if (response !== null) note(episode, response);
    const at = episode.items.push({ ...EMPTY, kind, verb, request: message, response, events: [] }) - 1;
    if (response === null) waiting.ask(verb, message.id, { key: episode.key, at });
    if (kind === 'close') episodes.ended(episode);
  }

  function respond(verb: string, message: A2eMessage): void {
    const observation = message.value.obs === undefined ? null : observationOf(message.value.obs, 'obs');
    const kind = KINDS.get(verb) ?? 'other';
    if (kind === 'reset' && observation !== null) {
      began(message, observation);
      return;
    }
    const named = observation?.episodeId ?? null;
    const asked = exchangeAt(waiting.asked(verb, message));
    if (asked !== undefined && (named === null || named === asked.episode.episodeId)) {
      if (note(asked.episode, message)) Object.assign(asked.exchange, { response: message, observation });
      if (saysEnd(kind, observation)) episodes.ended(asked.episode);
      return;
    }
    // Of an answer without any name its request may still come.
    if (named === null && episodeIdOf(message) === null && waiting.stray(verb, message)) return;
    const episode = named === null ? episodes.only(message) : episodes.of(named, message);
    if (!note(episode, message)) return;
    const at = episode.items.push({ ...EMPTY, kind, verb, response: message, observation, events: [] }) - 1;
    waiting.answer(verb, message.reqId, { key: episode.key, at });
    if (saysEnd(kind, observation)) episodes.ended(episode);
  }

  /** A reset was answered: from here on the episode has a name. */
  function began(message: A2eMessage, observation: Observation): void {
    const { episodeId } = observation;
    if (episodeId === null) throw new Refused('obs.episode_id', 'the id of an episode', 'nothing');
    const last = episodes.last(episodeId);
    const asked = exchangeAt(waiting.asked('env/reset', message));
    const asker = asked?.exchange.request ?? null;
    // What came before its reset in the file waited for it; a second reset begins another episode of that id.
    const episode = last !== undefined && resetOf(last) === undefined ? last : episodes.begin(episodeId, message);
    episode.session = asked?.episode.session ?? session.facts();
    if (asked !== undefined) {
      episode.repeats += asked.episode.repeats;
      store.remove(asked.episode.key);
    }
    if (asker !== null) note(episode, asker);
    note(episode, message);
    const reset = {
      kind: 'reset',
      verb: 'env/reset',
      request: asker,
      response: message,
      observation,
      events: [],
    } as const;
    const at = episode.items.push({ ...reset, events: [] }) - 1;
    if (asker === null) waiting.answer('env/reset', message.reqId, { key: episode.key, at });
    if (observation.done || observation.truncated) episodes.ended(episode);
  }

  /** An error stands in the place of an answer; of a batch in the place of all of its answers. */
  function fail(message: A2eMessage): void {
    const failed = (message.reqId === null ? [] : waiting.failed(message.reqId)).flatMap(
      (place) => exchangeAt(place) ?? [],
    );
    for (const { episode, exchange } of failed) if (note(episode, message)) exchange.response = message;
    if (failed.length > 0 || (message.reqId !== null && waiting.stray('error', message))) return;
    add(episodes.only(message), message, [toldOf('other', message, message.value)]);
  }

  /** What is told of a request between it and its answer. */
  function tell(message: A2eMessage): void {
    const [place] = message.reqId === null ? [] : waiting.failed(message.reqId);
    const found = exchangeAt(place);
    if (found === undefined || place === undefined) {
      add(episodes.only(message), message, [toldOf('other', message, message.value)]);
      return;
    }
    if (note(found.episode, message)) found.exchange.events.push(message);
    waiting.ask(found.exchange.verb, message.reqId, place);
  }

  /** What was stored of them is told in an answer that names no episode: it goes to the first. */
  function learn(message: A2eMessage): void {
    const verb = 'learn/experience';
    let isAsked = message.id === null;
    for (const [episodeId, told] of experiencesOf(message)) {
      const episode = episodes.of(episodeId, message);
      add(episode, message, told);
      if (!isAsked) {
        const at = episode.items.push({ ...EMPTY, kind: 'other', verb, events: [] }) - 1;
        waiting.ask(verb, message.id, { key: episode.key, at });
      }
      isAsked = true;
    }
  }

  function route(message: A2eMessage): void {
    const { type } = message;
    const [, verb = '', way] = /^(.*)\/(req|resp)$/.exec(type) ?? [];
    // Their plan request has the type of its answer.
    const isPlanAsked = type === 'env/plan/resp' && message.value.suggested_actions === undefined;
    if (type === 'model_call') {
      const { held, call } = recordedCall(message);
      add(episodes.named(message), held, [call]);
    } else if (type === 'env/state/push') add(episodes.named(message), message, [pushOf(message)]);
    else if (type === 'learn/experience/req') learn(message);
    else if (type === 'error') fail(message);
    else if (session.take(message)) return;
    else if (way === 'req' || isPlanAsked) request(verb, message);
    else if (way === 'resp') respond(verb, message);
    else tell(message);
  }

  return {
    route(message) {
      for (const part of splitBatch(message)) {
        const said = episodes.repeated(part);
        if (said === undefined) route(part);
        else note(said, part);
      }
    },
    strays: waiting.strays,
  };
}

const EMPTY = { request: null, response: null, observation: null } as const;

function saysEnd(kind: Exchange['kind'], observation: Observation | null): boolean {
  return kind === 'step' && observation !== null && (observation.done || observation.truncated);
}
