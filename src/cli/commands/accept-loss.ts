import type { Command } from 'commander';
import { RollstreamError } from '../../errors.ts';
import type { Loss } from '../../lanes/settle-loss.ts';
import { silentRecorder } from '../../observe/recorder.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const ABOUT = `
A lane stops with RS_RECORDS_LOST when the log has deleted records that nobody had read: what was in them cannot be found out, and
the lane does not pass over them unasked. Bring the records back if you can; this command goes on without them. It names the lane
and the offset that its log begins at, as the error did: what is deleted later is not accepted by it. Units that were open are
decided as lost.

Example:
  $ rollstream accept-loss rollout.steps/3/1042 --config rollstream.yaml`;

export function addAcceptLoss(program: Command, run: Run): void {
  const command = program
    .command('accept-loss')
    .description('let a lane go on whose records were deleted unread')
    .argument('<lane...>', 'topic/partition/offset: records below the offset are given up')
    .addHelpText('after', ABOUT);
  addGlobalFlags(command).action((lanes: string[], flags: GlobalFlags) =>
    run(flags, (context) => acceptAll(context, lanes.map(laneOf))),
  );
}

interface NamedLane {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

function laneOf(text: string): NamedLane {
  const [, topic = '', partition = '', offset = ''] = /^(.+)\/(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (topic === '') throw new RollstreamError('RS_USAGE', `'${text}' is no lane: topic/partition/offset is needed`);
  return { topic, partition: Number(partition), offset: Number(offset) };
}

async function acceptAll(context: CommandContext, lanes: readonly NamedLane[]): Promise<number> {
  const { config, log, io } = context;
  const deps = { log, now: io.now, recorder: silentRecorder };
  const { openApp } = await import('../../app.ts');
  const { settleLoss } = await import('../../lanes/settle-loss.ts');
  const app = await openApp(config, { ...deps, url: null, withLanes: false });
  try {
    const { broker, store, topics, group } = app;
    const losses: Array<NamedLane & { readonly loss: Loss | null }> = [];
    for (const lane of lanes) {
      const { topic, partition, offset } = lane;
      if (topic !== topics.steps) throw new RollstreamError('RS_USAGE', `${topic} has no lanes: ${topics.steps} has`);
      const name = { group, topic, partition, stateTopic: topics.state };
      losses.push({ ...lane, loss: await settleLoss({ ...deps, broker, store }, name, offset) });
    }
    await context.out.write(
      context.flags.json === true ? `${JSON.stringify(losses)}\n` : losses.map((one) => `${lossText(one)}\n`).join(''),
    );
    return 0;
  } finally {
    await app.close();
  }
}

function lossText({ topic, partition, loss }: NamedLane & { readonly loss: Loss | null }): string {
  const lane = `${topic}/${partition}`;
  if (loss === null) return `${lane}: nothing is missing`;
  const { records, units, attempts } = loss;
  return `${lane}: ${records} offsets unread and given up; open units lost: ${units}, attempts of them: ${attempts}`;
}
