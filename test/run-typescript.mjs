/**
 * Lets a test start a TypeScript file as a process of its own: `node --import ./test/run-typescript.mjs file.ts`.
 * Node 20 cannot strip types, and what is killed with -9 has to be a process.
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';

// This file is evaluated once more on the thread that runs the hook; only that one needs the compiler.
const isHook = import.meta.url.endsWith('?hook');
if (!isHook) register(`${import.meta.url}?hook`);
const ts = isHook ? (await import('typescript')).default : null;

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: url });
  return { format: 'module', source: outputText, shortCircuit: true };
}
