import type { Command } from 'commander';
import { packageFile } from '../../config/package-file.ts';
import { checkSchemas, describeProblem } from '../../registry/compatibility.ts';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { addSchemasRegister } from './schemas-register.ts';

const EXAMPLE = `
Each schema against every released version (schemas/released): BACKWARD_TRANSITIVE. Exit code 1 when one does not hold.

Example:
  $ rollstream schemas check`;

export function addSchemas(program: Command, run: Run): void {
  const schemas = program.command('schemas').description('the Avro contracts').helpCommand(false);
  const check = schemas
    .command('check')
    .description('every schema can still read what its released versions wrote')
    .option('--folder <dir>', 'folder of the schemas (default: those that are shipped)')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(check).action((flags: GlobalFlags & { folder?: string }) =>
    run(flags, async (context) => {
      const checks = checkSchemas(flags.folder ?? packageFile('schemas'));
      const failed = checks.filter(({ ok }) => !ok);
      if (context.flags.json === true) {
        await context.out.write(`${JSON.stringify({ ok: failed.length === 0, checks })}\n`);
      } else {
        const lines = checks.map(({ schema, version, ok, problems }) => {
          const against = version === null ? 'no released version' : `v${version}`;
          const mark = ok ? context.paint('green', 'ok') : context.paint('red', 'no');
          return [`${mark}  ${schema}  ${against}`, ...problems.map((problem) => `    ${describeProblem(problem)}`)];
        });
        await context.out.write(`${lines.flat().join('\n')}\n`);
      }
      return failed.length === 0 ? 0 : 1;
    }),
  );
  addSchemasRegister(schemas, run);
}
