import { HeldTokens } from '../../../../clients/typescript/held-tokens.ts';
import { wordsOf } from '../call/conversation.ts';
import type { AttemptHead } from './attempt-head.ts';

/** One conversation of an attempt: a flat sequence of tokens, as its last call left it. */
export interface SegmentState {
  readonly id: string;
  /** Ids of its last prompt and what was sampled on it. Length 0: nobody told any. */
  readonly held: HeldTokens;
  /** Tokens of its first prompt; 0: nobody told any. */
  firstPrompt: number;
  /** Hash of each message of its last request. */
  messages: string[];
  /** How many of them its first request had. */
  readonly firstMessages: number;
  /** Number of the call that answered last. */
  lastCall: number;
  /** Of its answer (call/reply.ts); null: it says nothing. */
  reply: string | null;
}

/** What an attempt has come to. A function of the lines of its file. */
export interface AttemptState {
  readonly head: AttemptHead;
  /** Place of its next event. */
  nextSeq: number;
  /** Model calls so far. */
  calls: number;
  readonly segments: SegmentState[];
  /** Number of the call that a request with this body was answered by; the last few. */
  readonly bodies: Map<string, number>;
}

/** What one call changes: a line of the attempt's file. */
export interface AttemptEntry {
  /** µs since the epoch: when it ended. */
  readonly atUs: number;
  readonly nextSeq: number;
  readonly calls: number;
  readonly body: string | null;
  readonly segment: SegmentEntry | null;
  /** Under which it is found by what goes on from it (find-conversation.ts); null: it cannot be. */
  readonly found: string | null;
}

export interface SegmentEntry {
  readonly id: string;
  /** null: no ids came of the call, and those held stay. base64 of packed ids. */
  readonly tokens: { readonly prefix: number; readonly delta: string; readonly completion: string } | null;
  /** So many of the messages known stay, and these follow. */
  readonly kept: number;
  readonly added: readonly string[];
  readonly lastCall: number;
  readonly reply: string | null;
}

/** Requests that a client may make again although it had an answer: the last ones. */
const BODIES = 16;

export function beginAttempt(head: AttemptHead): AttemptState {
  return { head, nextSeq: 0, calls: 0, segments: [], bodies: new Map() };
}

export function applyEntry(state: AttemptState, entry: AttemptEntry): void {
  state.nextSeq = entry.nextSeq;
  state.calls = entry.calls;
  if (entry.segment !== null) applySegment(state, entry.segment);
  if (entry.body === null) return;
  state.bodies.delete(entry.body);
  state.bodies.set(entry.body, entry.calls - 1);
  for (const oldest of state.bodies.keys()) {
    if (state.bodies.size <= BODIES) break;
    state.bodies.delete(oldest);
  }
}

function applySegment(state: AttemptState, entry: SegmentEntry): void {
  let segment = state.segments.find(({ id }) => id === entry.id);
  if (segment === undefined) {
    const said = { messages: [], firstMessages: entry.added.length, lastCall: -1, reply: null };
    segment = { id: entry.id, held: new HeldTokens(), firstPrompt: 0, ...said };
    state.segments.push(segment);
  }
  const { tokens } = entry;
  if (tokens !== null) {
    const delta = wordsOf(Buffer.from(tokens.delta, 'base64'));
    const hadNone = segment.held.length === 0;
    segment.held.extend(tokens.prefix, delta, wordsOf(Buffer.from(tokens.completion, 'base64')));
    if (hadNone) segment.firstPrompt = tokens.prefix + delta.length;
  }
  segment.messages = [...segment.messages.slice(0, entry.kept), ...entry.added];
  segment.lastCall = entry.lastCall;
  segment.reply = entry.reply;
}

/** Memory that it takes, about. */
export function bytesOf({ segments }: AttemptState): number {
  return segments.reduce((sum, { held, messages }) => sum + 4_200 + held.length * 8 + messages.length * 100, 2_000);
}
