import type { Command } from 'commander';
import { serviceOptions } from '../../backends/service-options.ts';
import { wantedTopics } from '../../backends/wanted-topics.ts';
import type { PlannedTopic } from '../../broker/kafka/topic-plan.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { neededServices } from '../needed-services.ts';

const ABOUT = `
Needed are LogAppendTime, no compression, batches of 8 MB, compaction for rollstream.state and ready.leases only, and records kept
for 2 × deadlines.lifetime + kafka.longest_outage. Refused is what no setting heals: another partition count, records that were
compacted, or that carry the times of their producers. Exit code 1 when something is refused.
`;

const PLAN_EXAMPLE = `${ABOUT}
Example:
  $ rollstream topics plan --config rollstream.yaml`;

const APPLY_EXAMPLE = `${ABOUT}Where one topic is refused, none is touched.

Example:
  $ rollstream topics apply --config rollstream.yaml`;

export function addTopics(program: Command, run: Run): void {
  const topics = program.command('topics').description('the topics on Kafka').helpCommand(false);
  const plan = topics
    .command('plan')
    .description('what would be created or changed; changes nothing')
    .addHelpText('after', PLAN_EXAMPLE);
  addGlobalFlags(plan).action((flags: GlobalFlags) => run(flags, (context) => planAndApply(context, false)));
  const apply = topics
    .command('apply')
    .description('create what is missing, change what could lose records')
    .addHelpText('after', APPLY_EXAMPLE);
  addGlobalFlags(apply).action((flags: GlobalFlags) => run(flags, (context) => planAndApply(context, true)));
}

async function planAndApply(context: CommandContext, doApply: boolean): Promise<number> {
  const { config, log } = context;
  const services = neededServices(config, 'topics');
  const { openTopicAdmin } = await import('../../broker/kafka/topic-admin.ts');
  const admin = await openTopicAdmin(serviceOptions(services, log).kafka);
  try {
    const plan = await admin.plan(wantedTopics(config, services));
    const isRefused = plan.some(({ action }) => action === 'refuse');
    const applied = doApply && !isRefused;
    if (applied) await admin.apply(plan);
    await context.out.write(
      context.flags.json === true ? `${JSON.stringify({ applied, topics: plan })}\n` : planText(plan, applied, context),
    );
    return isRefused ? 1 : 0;
  } finally {
    await admin.close();
  }
}

const DONE = { create: 'created', change: 'changed', keep: 'ok', refuse: 'refused' } as const;
const COLOURS = { create: 'green', change: 'yellow', keep: 'green', refuse: 'red' } as const;

function planText(plan: readonly PlannedTopic[], applied: boolean, { paint }: CommandContext): string {
  const lines = plan.flatMap(({ topic, action, partitions, settings, findings }) => {
    const what = applied ? DONE[action] : action === 'keep' ? DONE.keep : action;
    const count = partitions === 1 ? '1 partition' : `${partitions} partitions`;
    const values = settings.map(({ name, value }) => `${name}=${value}`).join(' ');
    return [
      `${paint(COLOURS[action], what.padEnd(7))}  ${topic}  ${count}${values === '' ? '' : `  ${values}`}`,
      ...findings.map(({ text }) => `         ${text}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}
