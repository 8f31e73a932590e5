import { cli } from '../src/cli/test-io.ts';

/**
 * What a command writes to stdout; it must end with this exit code. It runs in this process: where nothing is killed, a process of its
 * own shows no more, and takes longer to start than most commands have to do.
 */
export async function told(args: readonly string[], code = 0): Promise<string> {
  const ended = await cli(args);
  if (ended.code === code) return ended.stdout;
  throw new Error(`rollstream ${args.join(' ')}: ended with ${ended.code}, not ${code}\n${ended.stderr}`);
}
