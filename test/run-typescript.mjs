/**
 * Lets a test start a TypeScript file as a process of its own: `node --import ./test/run-typescript.mjs file.ts`.
 * Node 20 cannot strip types, and what is killed with -9 has to be a process.
 * What a text compiles to is kept by its hash: the compiler takes seconds of each start, and a test run starts hundreds.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire, register } from 'node:module';
import { fileURLToPath } from 'node:url';

// This file is evaluated once more on the thread that runs the hook.
const isHook = import.meta.url.endsWith('?hook');
if (!isHook) register(`${import.meta.url}?hook`);

const folder = fileURLToPath(new URL('../node_modules/.cache/run-typescript/', import.meta.url));
if (isHook) mkdirSync(folder, { recursive: true });
const { version } = createRequire(import.meta.url)('typescript/package.json');

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const kept = `${folder}${createHash('sha256').update(`${version}\n${text}`).digest('hex')}.mjs`;
  const source = await readFile(kept, 'utf8').catch(() => compiled(text, kept));
  return { format: 'module', source, shortCircuit: true };
}

let compiler;

async function compiled(text, kept) {
  compiler ??= import('typescript');
  const { default: ts } = await compiler;
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  // Whole or not at all: another process, or another thread of this one, may read or write it at the same time.
  const draft = `${kept}.${randomUUID()}`;
  await writeFile(draft, outputText);
  await rename(draft, kept);
  return outputText;
}
