import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-taxonomy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function asked(...argv: readonly string[]) {
  const { code, stdout } = await cli(['taxonomy', ...argv, '--json'], { cwd: folder });
  return { code, ...JSON.parse(stdout) };
}

describe('taxonomy RAW', () => {
  it('says the code, the category, and the line that says so, of every system that uses the value', async () => {
    const { code, mappings, taxonomy } = await asked('timeout');
    expect(code).toBe(0);
    expect(mappings.map(({ system }: { system: string }) => system)).toEqual([
      ...['a2e', 'agent-lightning', 'rllm', 'strands-env', 'tau2'],
    ]);
    const [ofTool, ...ofLoops] = mappings;
    // On the wire of A2E it is the code of a tool's error.
    expect(ofTool).toMatchObject({ code: 'tool_timeout', category: 'env_fault', by: 'exact' });
    for (const mapping of ofLoops)
      expect(mapping).toMatchObject({ code: 'wall_clock', category: 'budget', by: 'exact', line: expect.any(Number) });
    expect(taxonomy).toMatchObject({ version: expect.any(String), id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('of one system: a class without its module, a pattern, and both parts of a composite', async () => {
    const one = async (raw: string, system: string) => (await asked(raw, '--system', system)).mappings;
    expect(await one('harbor.errors.AgentTimeoutError', 'harbor')).toMatchObject([
      { code: 'wall_clock', by: 'class', entry: 'AgentTimeoutError' },
    ]);
    expect(await one('ApiConnectionError', 'harbor')).toMatchObject([
      { code: 'llm_error', by: 'pattern', entry: 'Api*Error', path: 'codes.llm_error.patterns.harbor' },
    ]);
    expect(await one('submitted (exit_cost)', 'swe-agent')).toMatchObject([
      { raw: 'submitted', code: 'submitted' },
      { raw: 'exit_cost', code: 'cost' },
    ]);
    expect(await one('oom', 'nemo-gym')).toMatchObject([{ code: 'out_of_memory', attributed: 'memory' }]);
  });

  it('says what engines mean by the word', async () => {
    const { code, engines } = await asked('stop');
    expect(code).toBe(0);
    expect(engines).toContainEqual({
      engine: 'sglang',
      meaning: 'complete',
      path: 'engines.sglang.complete',
      line: expect.any(Number),
    });
  });

  it('that nobody has mapped ends with 1, and with what looks like it', async () => {
    expect(await asked('max_tokens_reach', '--system', 'strands-env')).toMatchObject({
      ...{ code: 1, known: false, mappings: [], engines: [] },
      near: [{ system: 'strands-env', raw: 'max_tokens_reached' }],
    });
    const { code, stdout } = await cli(['taxonomy', 'max_tokens_reach', '--system', 'strands-env'], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout).toBe(
      '"max_tokens_reach" is not mapped: unknown, and quarantined.\nIt looks like:\n  max_tokens_reached (strands-env)\n',
    );
  });

  it('reads the taxonomy that is configured, and refuses one that is wrong with its line', async () => {
    const file = join(folder, 'own.yaml');
    const head = ['format: rollstream-taxonomy/2', 'version: own', 'precedence: [completion]', 'engines: {}', 'codes:'];
    writeFileSync(file, [...head, '  done: { category: completion, raw: { mine: [ok] } }'].join('\n'));
    const env = { ROLLSTREAM_TAXONOMY_FILE: file };
    const own = await cli(['taxonomy', 'ok'], { cwd: folder, env });
    expect(own.code).toBe(0);
    expect(own.stdout).toMatch(/^mine +ok +done +completion +exact +.*own\.yaml:6$/m);
    writeFileSync(file, [...head, '  done: { category: completion }'].join('\n'));
    const wrong = await cli(['taxonomy', 'ok'], { cwd: folder, env });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/own\.yaml:6: codes\.done: expected a raw value/);
  });

  it('wants a value or --list, and a system that there is', async () => {
    expect(await cli(['taxonomy'])).toMatchObject({ code: 2 });
    const { code, stderr } = await cli(['taxonomy', 'timeout', '--system', 'strand-env']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/did you mean strands-env\?/);
  });
});

describe('taxonomy --list', () => {
  it('has every code, with the values of each system', async () => {
    const { code, codes, engines } = await asked('--list');
    expect(code).toBe(0);
    expect(codes).toContainEqual({
      ...{ code: 'recursion_depth', category: 'harness_fault' },
      values: [
        { system: 'strands-env', raws: ['recursion_depth_exceeded'] },
        { system: 'rollstream', raws: ['recursion_depth'] },
      ],
    });
    expect(codes).toContainEqual({ code: 'termination_conflict', category: 'unknown', values: [] });
    expect(engines).toContainEqual({ engine: 'sglang', meaning: 'aborted', words: ['abort'] });
  });

  it('of one system has what that system uses', async () => {
    const { codes } = await asked('--list', '--system', 'openenv');
    expect(codes.map(({ code }: { code: string }) => code)).toEqual(['task_complete', 'limit_unspecified']);
  });
});
