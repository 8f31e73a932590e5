import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { documentIdOf } from '../../../../src/lanes/read-document.ts';
import { shippedPolicyFile } from '../../../../src/policies/shipped-policies.ts';
import type { RawChunk } from '../../../../src/rescore/source/fetch-chunk.ts';
import type { ScorerSettings } from '../../../../src/rescore/worker/chunk-scorer.ts';
import { type ScoreThread, startScoreThread } from '../../../../src/rescore/worker/start-score-thread.ts';

const policy = readFileSync(shippedPolicyFile('default'), 'utf8');
const taxonomy = readFileSync(packageFile('processors', 'taxonomy', 'taxonomy.yaml'), 'utf8');
const settings: ScorerSettings = {
  ...{ topic: 'rollout.steps', replayId: 'r', late: 'ignore', withTokens: false, audits: null, reorderEvents: 100 },
  ...{ rows: { decisions: true, audits: false, trajectories: false }, hasBlobs: false },
  documents: [
    { kind: 'policy', content: policy },
    { kind: 'taxonomy', content: taxonomy },
  ],
};
const history = {
  controls: [],
  override: {},
  initial: {
    ...{ policy_id: documentIdOf(policy), taxonomy_id: documentIdOf(taxonomy) },
    ...{ weights: new Map(), gates: new Map() },
  },
};
const none = new Uint8Array(0);
const empty: RawChunk = {
  ...{ partition: 0, withTokens: false, late: 'ignore', events: none, lateVerdicts: none },
  ...{ decided: none, live: none, audited: none, findings: none, newVerdicts: none },
};

let thread: ScoreThread | null = null;
afterEach(async () => {
  await thread?.close();
  thread = null;
});

it('scores what it is handed; what it throws is the answer, and it goes on', async () => {
  thread = startScoreThread(settings);
  await expect(thread.score(empty)).rejects.toThrow('partition 0 was not begun');
  await thread.begin(0, history);
  // Two parts share one memory: it cannot be handed over twice.
  expect(await thread.score(empty)).toMatchObject({ tally: { attempts: 0 }, refused: [], batches: [], blobs: [] });
  await expect(thread.score({ ...empty, events: new Uint8Array([3, 9, 9]) })).rejects.toThrow();
  expect(await thread.score(empty)).toMatchObject({ tally: { attempts: 0 } });
});

it('says what is wrong with a document instead of an answer', async () => {
  thread = startScoreThread({ ...settings, documents: [{ kind: 'policy', content: 'name: half' }] });
  await expect(thread.begin(0, history)).rejects.toThrow(expect.objectContaining({ code: 'RS_CONFIG' }));
});

it('answers nothing any more once it is closed', async () => {
  thread = startScoreThread(settings);
  await thread.close();
  await expect(thread.score(empty)).rejects.toThrow('the thread of the replay ended');
});
