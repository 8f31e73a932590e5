import type { DocumentText } from '../lanes/read-document.ts';
import { bad, checkedName, isGiven, isObject, isWhole, onlyFields, optional, textOf } from '../server/request-value.ts';
import { MOST_PARTITIONS, type ReplayPlace, type ReplayRequest } from './replay-request.ts';

const MOST_RUNS = 1_000;
const MOST_CONDITION_CHARACTERS = 10_000;
const MOST_LABEL_CHARACTERS = 200;
const MOST_DOCUMENT_CHARACTERS = 1_000_000;
/** Part of names of consumer groups and of headers of records. */
const REPLAY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const TOPIC = /^[A-Za-z0-9._-]{1,249}$/;

const FIELDS = [
  ...['replay_id', 'runs', 'from', 'to', 'where', 'policy', 'taxonomy', 'audits', 'source', 'save', 'emit', 'label'],
  ...['late', 'against', 'with_verdicts'],
];

/** A request as JSON says it, of anybody: RS_USAGE names the field. What is left out is as the command line has it. */
export function readReplayRequest(body: Record<string, unknown>): ReplayRequest {
  onlyFields(body, FIELDS);
  const save = flagOf(body, 'save');
  const emit = optional(body, 'emit', emitOf);
  if (emit !== null && !save) throw bad('emit', 'emit: only what is kept is emitted, which needs save: true');
  const replayId = checkedReplayId(textOf(body, 'replay_id'), 'replay_id');
  const against = isGiven(body, 'against') ? againstOf(body) : '';
  if (against === replayId) throw bad('against', 'against: a replay is not compared with itself');
  const [from, to] = [optional(body, 'from', placeOf), optional(body, 'to', placeOf)];
  refuseBackwards(from, to);
  return {
    replayId,
    runs: isGiven(body, 'runs') ? runsOf(body.runs) : [],
    ...{ from, to },
    where: optional(body, 'where', (of, field) => limited(of, field, MOST_CONDITION_CHARACTERS)),
    policy: optional(body, 'policy', documentOf),
    taxonomy: optional(body, 'taxonomy', documentOf),
    audits: flagOf(body, 'audits'),
    source: choiceOf(body, 'source', ['store', 'log'], 'store'),
    ...{ save, emit },
    label: isGiven(body, 'label') ? limited(body, 'label', MOST_LABEL_CHARACTERS) : '',
    late: choiceOf(body, 'late', ['use', 'ignore'], 'use'),
    against,
    withVerdicts: flagOf(body, 'with_verdicts'),
  };
}

export function checkedReplayId(id: string, field: string): string {
  if (REPLAY_ID.test(id)) return id;
  throw bad(field, `${field}: 1 to 100 of A-Z a-z 0-9 . _ - are needed, a letter or a digit first`);
}

function againstOf(body: Record<string, unknown>): string {
  const against = textOf(body, 'against');
  return against === '' || against === 'live' ? '' : checkedReplayId(against, 'against');
}

function runsOf(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MOST_RUNS)
    throw bad('runs', `runs: a list of at most ${MOST_RUNS} run ids is needed`);
  return value.map((run: unknown, i) => {
    if (typeof run !== 'string') throw bad(`runs[${i}]`, `runs[${i}]: text is needed`);
    return checkedName(run, `runs[${i}]`);
  });
}

function placeOf(body: Record<string, unknown>, field: string): ReplayPlace {
  const place = objectOf(body, field, 'an object {offset, partition?} or {at_ms} is needed');
  onlyFields(place, ['offset', 'partition', 'at_ms'], `${field}.`);
  const whole = (name: string, most: number) => wholeWithin(place, name, field, most);
  if (isGiven(place, 'at_ms')) {
    if (isGiven(place, 'offset') || isGiven(place, 'partition'))
      throw bad(field, `${field}: an offset, or a time of append; not both`);
    return { kind: 'time', atMs: whole('at_ms', MOST_MS) };
  }
  const partition = isGiven(place, 'partition') ? whole('partition', MOST_PARTITIONS - 1) : null;
  return { kind: 'offset', partition, offset: whole('offset', MOST_OFFSET) };
}

/** Of a row version, where an offset has 48 bits. */
const MOST_OFFSET = 2 ** 48 - 1;
/** The year 9999: what both clocks and the store can hold. */
const MOST_MS = 253_402_300_799_999;

/** Only where the two can be compared: offsets of one partition, or times. */
function refuseBackwards(from: ReplayPlace | null, to: ReplayPlace | null): void {
  if (from === null || to === null) return;
  const isBackwards =
    from.kind === 'time'
      ? to.kind === 'time' && from.atMs > to.atMs
      : to.kind === 'offset' &&
        from.offset > to.offset &&
        (from.partition === to.partition || from.partition === null || to.partition === null);
  if (isBackwards) throw bad('to', 'to: lies before from');
}

function documentOf(body: Record<string, unknown>, field: string): DocumentText {
  const document = objectOf(body, field, 'an object {text, name?} is needed');
  onlyFields(document, ['text', 'name'], `${field}.`);
  const { text, name } = document;
  if (typeof text !== 'string') throw bad(`${field}.text`, `${field}.text: the document is needed, YAML`);
  if (text.length > MOST_DOCUMENT_CHARACTERS)
    throw bad(`${field}.text`, `${field}.text: at most ${MOST_DOCUMENT_CHARACTERS} characters`);
  if (name === undefined || name === null) return { text, where: `the ${field}` };
  if (typeof name !== 'string' || name.length > MOST_NAME_CHARACTERS)
    throw bad(`${field}.name`, `${field}.name: up to ${MOST_NAME_CHARACTERS} characters are needed`);
  return { text, where: name };
}

/** A path of a file, as errors say it. */
const MOST_NAME_CHARACTERS = 4_096;

function emitOf(body: Record<string, unknown>, field: string): ReplayRequest['emit'] {
  const emit = objectOf(body, field, 'an object {topic?, again?, stale?, unchanged?} is needed');
  onlyFields(emit, ['topic', 'again', 'stale', 'unchanged'], `${field}.`);
  const topic = emit.topic ?? null;
  if (topic !== null && (typeof topic !== 'string' || !TOPIC.test(topic)))
    throw bad(`${field}.topic`, `${field}.topic: the name of a topic is needed`);
  const stale = emit.stale ?? 'leave_out';
  if (stale !== 'leave_out' && stale !== 'emit') throw bad(`${field}.stale`, `${field}.stale: leave_out or emit`);
  const again = emit.again ?? false;
  if (typeof again !== 'boolean') throw bad(`${field}.again`, `${field}.again: true or false`);
  const { unchanged } = emit;
  if (unchanged === undefined || unchanged === null) return { topic, again, stale };
  if (unchanged !== 'leave_out' && unchanged !== 'emit')
    throw bad(`${field}.unchanged`, `${field}.unchanged: leave_out or emit`);
  return { topic, again, stale, unchanged };
}

function flagOf(body: Record<string, unknown>, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw bad(field, `${field}: true or false`);
}

function choiceOf<T extends string>(body: Record<string, unknown>, field: string, of: readonly T[], preset: T): T {
  if (!isGiven(body, field)) return preset;
  const chosen = of.find((choice) => choice === body[field]);
  if (chosen === undefined) throw bad(field, `${field}: ${of.join(' or ')}`);
  return chosen;
}

function limited(body: Record<string, unknown>, field: string, most: number): string {
  const text = textOf(body, field);
  if (text.length > most) throw bad(field, `${field}: at most ${most} characters`);
  if (!text.isWellFormed()) throw bad(field, `${field}: half a character cannot be kept`);
  return text;
}

function objectOf(body: Record<string, unknown>, field: string, needed: string): Record<string, unknown> {
  const value = body[field];
  if (isObject(value)) return value;
  throw bad(field, `${field}: ${needed}`);
}

function wholeWithin(place: Record<string, unknown>, name: string, field: string, most: number): number {
  const value = place[name];
  // -0 is 0 to everybody but a Map.
  if (isWhole(value, 0, most)) return value === 0 ? 0 : value;
  throw bad(`${field}.${name}`, `${field}.${name}: a whole number from 0 to ${most} is needed`);
}
