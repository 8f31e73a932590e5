import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Store } from '../../../src/clickhouse/port.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { documentIdOf } from '../../../src/lanes/read-document.ts';
import { shippedPolicyFile } from '../../../src/policies/shipped-policies.ts';
import { documentsOf, readAsked } from '../../../src/rescore/replay-documents.ts';

const taxonomy = readFileSync(packageFile('processors', 'taxonomy', 'taxonomy.yaml'), 'utf8');
const policy = readFileSync(shippedPolicyFile('default'), 'utf8');
const strict = readFileSync(shippedPolicyFile('strict'), 'utf8');
/** The code was not there yet. */
const older = taxonomy.replaceAll('auth_quota', 'auth_budget');
const settings = { topicPrefix: '' };
const asDocument = (text: string, where: string) => ({ text, where });

function storeOf(...texts: readonly string[]): Pick<Store, 'query'> {
  const known = new Map(texts.map((content) => [documentIdOf(content), content]));
  const query = async (_sql: string, params: Parameters<Store['query']>[1] = {}) => {
    const content = known.get(String(params.id));
    return content === undefined ? [] : [JSON.parse(JSON.stringify({ content }))];
  };
  return { query };
}
const historyOf = (policyText: string, taxonomyText: string) => ({
  controls: [],
  override: {},
  initial: {
    ...{ policy_id: documentIdOf(policyText), taxonomy_id: documentIdOf(taxonomyText) },
    ...{ weights: new Map(), gates: new Map() },
  },
});

it('are those that decided then, where none is asked for', async () => {
  const rows = await documentsOf(storeOf(policy, taxonomy), { policy: null, taxonomy: null }, [
    historyOf(policy, taxonomy),
  ]);
  expect(rows).toEqual([
    { kind: 'policy', content: policy },
    { kind: 'taxonomy', content: taxonomy },
  ]);
});

it('that were asked for take the place of all others', async () => {
  const asked = { policy: asDocument(strict, 'strict.yaml'), taxonomy: null };
  const rows = await documentsOf(storeOf(taxonomy), asked, [historyOf(policy, taxonomy)]);
  expect(rows.map(({ content }) => documentIdOf(content))).toEqual([documentIdOf(strict), documentIdOf(taxonomy)]);
});

it('that nobody has kept are named', async () => {
  const none = { policy: null, taxonomy: null };
  await expect(documentsOf(storeOf(policy), none, [historyOf(policy, taxonomy)])).rejects.toThrow(
    documentIdOf(taxonomy),
  );
});

it('are held to each taxonomy that they meet', async () => {
  const asked = { policy: asDocument(strict, 'strict.yaml'), taxonomy: null };
  await expect(readAsked(asked, settings)).resolves.toEqual({ policy_id: documentIdOf(strict) });
  await expect(documentsOf(storeOf(older), asked, [historyOf(policy, older)])).rejects.toThrow(
    expect.objectContaining({
      code: 'RS_CONFIG',
      message: expect.stringMatching(/strict\.yaml:\d+: .*under taxonomy/),
    }),
  );
});

it('with an unknown code are refused by file and line', async () => {
  const line = strict.split('\n').findIndex((text) => text.includes('auth_quota:')) + 1;
  const misspelt = strict.replace('auth_quota:', 'auth_qouta:');
  expect(line).toBeGreaterThan(0);
  await expect(readAsked({ policy: asDocument(misspelt, 'mine.yaml'), taxonomy: null }, settings)).rejects.toThrow(
    expect.objectContaining({ code: 'RS_CONFIG', message: expect.stringContaining(`mine.yaml:${line}: `) }),
  );
});
