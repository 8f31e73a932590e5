import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';
import { checkSchemas, compatibilityProblems, describeProblem } from '../../../src/registry/compatibility.ts';

const SCHEMAS = packageFile('schemas');

it('each schema in the tree reads every released version of it', () => {
  const checks = checkSchemas(SCHEMAS);
  expect(checks.map(({ schema, version }) => [schema, version])).toEqual(
    expect.arrayContaining([
      ['decision', 1],
      ['policy-version', 1],
      ['retry-request', 1],
      ['step-event', 1],
      ['trajectory', 1],
    ]),
  );
  expect(checks.filter((check) => !check.ok)).toEqual([]);
});

describe('in a copy of the schemas', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollstream-schemas-'));
    await cp(SCHEMAS, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const edit = async (file: string, change: (text: string) => string): Promise<void> => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(change(text)).not.toBe(text);
    await writeFile(join(folder, file), change(text));
  };

  it('an incompatible change names the field, the rule and the version', async () => {
    await edit('step-event.avsc', (text) => text.replace('"name": "task_id"', '"name": "task"'));
    const [check] = checkSchemas(folder).filter((result) => !result.ok);
    expect(check).toMatchObject({ schema: 'step-event', version: 1 });
    expect(check?.problems.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'field_without_default StepEvent.task',
      'required_field_removed StepEvent.task_id',
    ]);
  });

  it('every released version counts, not only the newest', async () => {
    // v2 dropped `epoch`, which v1 had with default 0; v3 brings it back with another default.
    await cp(join(folder, 'step-event.avsc'), join(folder, 'released/step-event/v2.avsc'));
    await edit('released/step-event/v2.avsc', (text) => text.replace('"name": "epoch"', '"name": "epoch_2"'));
    await edit('step-event.avsc', (text) => text.replace(/("name": "epoch",[^}]*"default": )0/, '$11'));
    expect(
      checkSchemas(folder)
        .filter((check) => check.schema === 'step-event')
        .map((check) => [check.version, check.ok]),
    ).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('a schema that is not released yet has nothing to keep', async () => {
    await rm(join(folder, 'released/decision'), { recursive: true });
    expect(checkSchemas(folder)).toContainEqual({ schema: 'decision', version: null, ok: true, problems: [] });
  });

  it('a released schema cannot disappear', async () => {
    await rm(join(folder, 'decision.avsc'));
    expect(() => checkSchemas(folder)).toThrow('released but no longer in');
  });

  it('a file that is no schema is named', async () => {
    await writeFile(join(folder, 'decision.avsc'), '{"type": "record"}');
    expect(() => checkSchemas(folder)).toThrow(/^decision\.avsc: /);
  });
});

it('what only the library finds is a problem too', () => {
  // Two fields of the reader claim one of the writer by alias: ambiguous, and not a matter of the rules.
  const earlier = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'a', type: 'int', default: 0 },
      { name: 'b', type: 'int', default: 0 },
    ],
  } as const;
  const later = {
    type: 'record',
    name: 'R',
    fields: [{ name: 'a', aliases: ['b'], type: 'int', default: 0 }],
  } as const;
  expect(compatibilityProblems(JSON.parse(JSON.stringify(later)), JSON.parse(JSON.stringify(earlier)))).toMatchObject([
    { rule: 'unreadable', detail: expect.stringContaining('ambiguous') },
  ]);
});

it('a problem is said with the reason for the rule', () => {
  expect(describeProblem({ rule: 'symbol_removed', path: 'R.kind', detail: 'a' })).toBe(
    'R.kind: symbol_removed (a): an enum keeps its symbols, or older records change their meaning',
  );
});
