import { describe, expect, it } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { atif } from '../../../../src/ingest/importers/atif.ts';
import { base, continuation, malformed, summary, trajectory, trial, type Value } from './atif-samples.ts';
import { importedDocument, only } from './imported.ts';

async function eventsIn(files: Readonly<Record<string, unknown>>): Promise<readonly StepEvent[]> {
  const taken = await importedDocument(atif, files);
  if ('refused' in taken) throw new Error(taken.refused.message);
  return taken.events;
}

const extraOf = (event: StepEvent | undefined) => JSON.parse(event?.extra_json ?? 'null');
const reasonsOf = (events: readonly StepEvent[]) =>
  only(events, 'end').map(({ end }) => end?.reasons.map(({ raw }) => raw));
/** What an event is, without where it was found. */
const withoutPlace = (events: readonly StepEvent[]) => events.map((event) => ({ ...event, source: null }));

const NAMES = ['trajectory.json', 'trajectory.cont-1.json', 'trajectory.summarization-1-summary.json'];
const PARTS: Record<string, Value> = {
  [NAMES[0] ?? '']: base,
  [NAMES[1] ?? '']: continuation,
  [NAMES[2] ?? '']: summary,
};

/** The same files, another of them found first. */
function foundFirst(name: string, files: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { [name]: files[name], ...files };
}

describe('one rollout over several documents', () => {
  it('is one, with what was copied told and not counted again', async () => {
    const events = await eventsIn(PARTS);
    expect(new Set(events.map(({ rollout_id }) => rollout_id)).size).toBe(1);
    expect(
      only(events, 'model_call').map(({ segment_id, model_call }) => `${segment_id} ${model_call?.call_id}`),
    ).toEqual([
      'main trajectory.json#2',
      'session-1-summary trajectory.summarization-1-summary.json#4',
      'main trajectory.cont-1.json#4',
      'main trajectory.cont-1.json#5',
    ]);
    const copied = only(events, 'message').filter((event) => extraOf(event)?.is_copied_context === true);
    expect(copied.map(({ segment_id, message }) => `${segment_id} ${message?.role}`)).toEqual([
      'session-1-summary user',
      'session-1-summary assistant',
      'session-1-summary user',
      'main user',
      'main assistant',
    ]);
    expect(extraOf(only(events, 'end')[0])?.missing_files).toBeUndefined();
    expect(reasonsOf(events)).toEqual([['']]);
  });

  it.each(NAMES)('is the same event by event when %s is found first', async (name) => {
    expect(withoutPlace(await eventsIn(foundFirst(name, PARTS)))).toEqual(withoutPlace(await eventsIn(PARTS)));
  });

  it('is found where its files carry a prefix that its references do not know', async () => {
    const files = Object.fromEntries(Object.entries(PARTS).map(([name, value]) => [`run-7.${name}`, value]));
    // Of another rollout, as the reference would have it.
    const events = await eventsIn({ ...files, 'trajectory.cont-1.json': malformed });
    expect(only(events, 'model_call')).toHaveLength(4);
    expect(extraOf(events[0]).trajectory.file).toBe('run-7.trajectory.json');
  });

  it('is imported without the continuation that is missing, and says which', async () => {
    const events = await eventsIn({ 'trajectory.json': base });
    expect(only(events, 'model_call')).toHaveLength(1);
    expect(only(events, 'end')[0]?.end?.reasons).toMatchObject([
      { raw: '', system: 'atif' },
      { raw: 'continuation_missing', system: 'atif', detail: 'goes on in trajectory.cont-1.json, which is not there' },
    ]);
    expect(extraOf(only(events, 'end')[0]).missing_files).toEqual([
      'trajectory.summarization-1-summary.json',
      'trajectory.cont-1.json',
    ]);
  });

  it('is imported without the base that is missing, and says which', async () => {
    const events = await eventsIn({ 'trajectory.cont-1.json': continuation });
    expect(only(events, 'model_call')).toHaveLength(2);
    expect(reasonsOf(events)).toEqual([['', 'base_missing']]);
    expect(extraOf(only(events, 'end')[0]).missing_files).toEqual(['trajectory.json']);
  });

  it('goes on over the one in the middle that is missing', async () => {
    const second = { ...continuation, continued_trajectory_ref: 'trajectory.cont-3.json' };
    const files = { 'trajectory.cont-2.json': second, 'trajectory.json': base };
    const events = await eventsIn(files);
    expect(only(events, 'model_call')).toHaveLength(3);
    expect(extraOf(only(events, 'end')[0]).missing_files).toEqual([
      'trajectory.summarization-1-summary.json',
      'trajectory.cont-1.json',
      'trajectory.cont-3.json',
    ]);
    expect(withoutPlace(await eventsIn(foundFirst('trajectory.json', files)))).toEqual(withoutPlace(events));
  });

  it('is not joined with what another session left under the name of a continuation', async () => {
    const other = { ...continuation, session_id: 'session-2' };
    const whole = { ...base, continued_trajectory_ref: undefined };
    const events = await eventsIn({ 'trajectory.cont-1.json': other, 'trajectory.json': whole });
    expect(reasonsOf(events)).toEqual([[''], ['']]);
    expect(new Set(events.map(({ rollout_id }) => rollout_id.slice(0, 9)))).toEqual(
      new Set(['session-1', 'session-2']),
    );
  });

  it('ends where its documents refer to each other in a circle', async () => {
    const [a, b] = ['b.json', 'a.json'].map((next) => ({ ...trajectory([]), continued_trajectory_ref: next }));
    expect(await eventsIn({ 'a.json': a, 'b.json': b })).toHaveLength(3);
  });
});

it('a file that is a list holds a rollout an item, told apart from the others; one that holds something else is refused', async () => {
  const events = await eventsIn({ 'runs.json': [malformed, trial] });
  expect(only(events, 'start').map(({ rollout_id }) => rollout_id)).toEqual([
    expect.stringMatching(/^session-1\.[0-9a-f]{12}$/),
    trial.id,
  ]);
  const alone = await eventsIn({ 'runs.json': [malformed, { ...trial, id: 'other' }] });
  expect(alone[0]?.event_id).toBe(events[0]?.event_id);
  expect(await importedDocument(atif, { 'runs.json': [malformed, 'a remark'] })).toMatchObject({
    refused: { field: '[1]', got: '"a remark"' },
  });
});

describe('a trial', () => {
  const FILES = {
    'agent/trajectory.cont-1.json': continuation,
    'agent/trajectory.json': base,
    'agent/trajectory.summarization-1-summary.json': summary,
    'result.json': trial,
  };

  it.each(Object.keys(FILES))('is one rollout with its trajectory when %s is found first', async (name) => {
    const events = await eventsIn(foundFirst(name, FILES));
    expect(new Set(events.map(({ rollout_id }) => rollout_id))).toEqual(new Set([trial.id]));
    expect(only(events, 'model_call')).toHaveLength(4);
    expect(withoutPlace(events)).toEqual(withoutPlace(await eventsIn(FILES)));
  });

  it('has its result beside the trajectory too, and is nothing to the result of its job', async () => {
    const files = { 'trial/trajectory.json': malformed, 'trial/result.json': trial };
    const events = await eventsIn({ ...files, 'result.json': { stats: { n: 1 } } });
    expect(only(events, 'verdict')).toHaveLength(1);
    const ids = async (job: unknown) =>
      (await eventsIn({ ...files, 'result.json': job })).map(({ event_id }) => event_id);
    expect(await ids({ stats: { n: 2 } })).toEqual(events.map(({ event_id }) => event_id));
  });

  it('takes what lies with it and is referred to by nobody as the work of a sub-agent', async () => {
    const helper = {
      ...malformed,
      session_id: 'helper',
      agent: { name: 'x', version: '1', extra: { parent_session_id: 's' } },
    };
    const events = await eventsIn({
      'agent/helper.json': helper,
      'agent/trajectory.json': malformed,
      'result.json': trial,
    });
    expect([...new Set(only(events, 'model_call').map(({ segment_id }) => segment_id))]).toEqual(['main', 'helper']);
  });
});
