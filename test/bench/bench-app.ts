import { pino } from 'pino';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { type App, openApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { silentRecorder } from '../../src/observe/recorder.ts';

/** A data folder, as a user has it who configures nothing. */
export function openBenchApp(data: string, withLanes: boolean): Promise<App> {
  const log = pino({ level: 'silent' });
  const config = loadConfig({ flags: { data }, env: {}, cwd: data });
  return openApp(config, { log, recorder: silentRecorder, now: Date.now, url: null, withLanes });
}

/** Appends them as a producer does, a few at a time. */
export async function appendEvents(app: App, events: readonly StepEventInit[]): Promise<void> {
  const encode = await app.codecs.encoderOf<StepEventInit>(`${app.topics.steps}-value`, stepEventSchema);
  for (let at = 0; at < events.length; at += BATCH)
    await app.broker.append(
      app.topics.steps,
      events.slice(at, at + BATCH).map((event) => {
        const value = encode(event);
        return { key: unitOf({ epoch: 0, group_id: null, ...event }), value };
      }),
    );
}

const BATCH = 200;
