import { fileURLToPath } from 'node:url';
import { packageFile } from '../config/package-file.ts';

/** How a thread starts a module of the program: built, as it is; from its source, as tests run it, with a compiler in front. */
export function workerOptions(module: URL): { readonly filename: string; readonly execArgv: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const filename = isSource ? fileURLToPath(module) : fileURLToPath(module).replace(/\.ts$/, '.js');
  return { filename, execArgv: isSource ? ['--import', packageFile('test/run-typescript.mjs')] : [] };
}
