import { type AttemptEvents, createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, countOrNull, idOrNull, numberOrNull, objectOrNull, Refused, shown } from '../fields.ts';
import { ARRAY, type Importer, oddities, refusable } from '../importer.ts';
import { leftover } from '../json-text.ts';
import { addMiniSweEnd } from './mini-swe-end.ts';
import { addMiniSweMessages } from './mini-swe-messages.ts';

const FORMAT = 'mini-swe-agent';

/** `.traj.json` documents of mini-swe-agent: formats 1 and 1.1, and the bare array of messages. */
export const miniSweAgent: Importer = {
  name: FORMAT,

  detect(first) {
    const named = first.find((document) => String(document.trajectory_format ?? '').startsWith(FORMAT));
    if (named) return { score: 0.95, why: `trajectory_format ${String(named.trajectory_format)}` };
    return first.some((document) => isConversation(document[ARRAY]))
      ? { score: 0.6, why: 'an array of messages with commands in blocks of text, as mini-swe-agent keeps it' }
      : null;
  },

  open(context) {
    return {
      take: (line) =>
        refusable(() => {
          const { value } = line;
          const task = idOrNull(value.instance_id, 'instance_id');
          // Many runs of one instance have its id: the document's hash tells them apart.
          const rolloutId = task === null ? line.sha256 : `${task}.${line.sha256.slice(0, 12)}`;
          const identity = attemptIdentity(context, { rolloutId, taskId: task, envName: FORMAT });
          const format = value.trajectory_format;
          const version = typeof format === 'string' ? format : ARRAY in value ? 'messages' : '';
          const out = createAttemptEvents(identity, { format: FORMAT, version, location: line.location }, line.sha256);
          addDocument(out, value, oddities(line));
          return out.list;
        }),
    };
  },
};

function addDocument(out: AttemptEvents, document: JsonObject, odd: JsonObject | undefined): void {
  const field = ARRAY in document ? ARRAY : 'messages';
  const messages = arrayAt(document[field], field);
  if (field === ARRAY && messages.length === 0) throw new Refused('', 'messages', shown(messages));
  const info = objectOrNull(document.info, 'info') ?? {};
  addStart(out, info, odd);
  addMiniSweMessages(out, messages, field);
  const last = messages.at(-1);
  addMiniSweEnd(out, {
    info,
    last: isObject(last) && isObject(last.extra) ? last.extra : {},
    rest: leftover(document, [
      field,
      'info',
      'instance_id',
      ...(isText(document.trajectory_format) ? ['trajectory_format'] : []),
    ]),
  });
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string';
}

function addStart(out: AttemptEvents, info: JsonObject, odd: JsonObject | undefined): void {
  const config = isObject(info.config) ? info.config : {};
  const agent = isObject(config.agent) ? config.agent : {};
  const model = isObject(config.model) ? config.model : {};
  const sampling = isObject(model.model_kwargs) ? model.model_kwargs : {};
  const steps = countOrNull(agent.step_limit);
  const seconds = countOrNull(agent.wall_time_limit_seconds);
  out.add(
    'start',
    {
      start: {
        sampling: {
          temperature: numberOrNull(sampling.temperature),
          top_p: numberOrNull(sampling.top_p),
          max_tokens: countOrNull(sampling.max_tokens),
        },
        // 0 is no limit.
        limits: {
          max_turns: steps === 0 ? null : steps,
          max_wall_us: seconds === null || seconds === 0 || seconds > 1e9 ? null : seconds * 1e6,
        },
      },
    },
    { ...odd, config: info.config ?? undefined },
  );
}

const BLOCK = /```(?:mswea_bash_command|bash)\s*\n/;

function isConversation(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const messages = value.filter(isObject);
  const isChat = messages.length === value.length && messages.every(({ role }) => typeof role === 'string');
  return isChat && messages.some(({ role, content }) => role === 'assistant' && BLOCK.test(String(content ?? '')));
}
