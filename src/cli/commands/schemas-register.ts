import type { Command } from 'commander';
import { serviceOptions } from '../../backends/service-options.ts';
import { topicNames } from '../../config/topics.ts';
import { RollstreamError } from '../../errors.ts';
import { openConfluentRegistry } from '../../registry/confluent/open-confluent-registry.ts';
import { createRegistryHttp } from '../../registry/confluent/registry-http.ts';
import { createSubjectLevels } from '../../registry/confluent/subject-levels.ts';
import { topicSubjects } from '../../registry/topic-subjects.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { neededServices } from '../needed-services.ts';

const EXAMPLE = `
Each subject is set to BACKWARD_TRANSITIVE before its first version; a schema that cannot read what earlier versions wrote is
refused, by Avro's rules and by those of schemas/README.md. Exit code 1 when one is. Registering again changes nothing.

Example:
  $ rollstream schemas register --config rollstream.yaml`;

interface Registered {
  readonly subject: string;
  readonly ok: boolean;
  readonly id: number | null;
  readonly problem: string;
}

export function addSchemasRegister(schemas: Command, run: Run): void {
  const register = schemas
    .command('register')
    .description('the schemas of this version into the registry')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(register).action((flags: GlobalFlags) =>
    run(flags, async (context) => {
      const subjects = await registerAll(context);
      const ok = subjects.every((one) => one.ok);
      if (context.flags.json === true) {
        await context.out.write(`${JSON.stringify({ ok, subjects })}\n`);
      } else {
        const lines = subjects.map(({ subject, id, problem, ok: isOk }) => {
          const mark = isOk ? context.paint('green', 'ok') : context.paint('red', 'no');
          return `${mark}  ${subject}  ${isOk ? `id ${id}` : problem}`;
        });
        await context.out.write(`${lines.join('\n')}\n`);
      }
      return ok ? 0 : 1;
    }),
  );
}

async function registerAll({ config, log }: CommandContext): Promise<Registered[]> {
  const options = serviceOptions(neededServices(config, 'schemas register'), log).registry;
  const registry = openConfluentRegistry(options);
  const levels = createSubjectLevels(createRegistryHttp(options));
  const registered: Registered[] = [];
  for (const { subject, schema } of topicSubjects(topicNames(config.lanes.topicPrefix))) {
    try {
      // Also where all versions are known: somebody may have lowered it.
      await levels.raise(subject);
      registered.push({ subject, ok: true, id: await registry.register(subject, schema), problem: '' });
    } catch (error) {
      if (!(error instanceof RollstreamError) || error.code !== 'RS_SCHEMA_INCOMPATIBLE') throw error;
      registered.push({ subject, ok: false, id: null, problem: error.message });
    }
  }
  return registered;
}
