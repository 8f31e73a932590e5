import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { concatAll, Subject } from 'rxjs';
import { createAssemble } from '../../processors/assemble/assemble.ts';
import { createAuditOf } from '../../processors/audit/audit-of.ts';
import { createDecide } from '../../processors/decide/decide.ts';
import { createJudge } from '../../processors/decide/judge.ts';
import { createStaleness } from '../../processors/decide/staleness.ts';
import { createGroup } from '../../processors/group/group.ts';
import { NO_AUDITS } from '../../processors/model/audit-summary.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import type { Decoded } from '../../processors/model/record.ts';
import { rewardOf } from '../../processors/score/reward.ts';
import { createScore, scoreOf } from '../../processors/score/score.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { spentOn } from './rounds.ts';
import { shippedDocuments } from './shipped-documents.ts';
import { spreadOf } from './spread.ts';
import { wholeAttempts } from './whole-attempts.ts';

const GROUP = 16;
const GROUP_BYTES = 1024;

/** What scoring, grouping and deciding cost a trajectory, and what an open group holds beside its members. */
export const decide: Bench = {
  name: 'decide',
  async run(size) {
    return [
      await timed('score and decide, no group', null, 5000, size),
      await timed(`score and decide, groups of ${GROUP}`, GROUP, 10_000, size),
      await openGroups(size),
    ];
  },
};

type Documents = ReturnType<typeof shippedDocuments>;
type Until = 'assembled' | 'ruled' | 'decided';

/** Nanoseconds a trajectory to say what becomes of it: what the lane takes with these stages more than it takes without them. */
async function timed(name: string, groupSize: number | null, targetNs: number, size: Size): Promise<Figure> {
  const documents = shippedDocuments();
  const batches = await wholeAttempts(groupSize, size === 'full' ? 64 * GROUP : 2 * GROUP);
  const passes = size === 'full' ? 10 : 1;
  const nsOf = async (until: Until) => {
    const { cpuS } = await spentOn(() => {
      for (let pass = 0; pass < passes; pass++) fold(batches, documents, until);
    });
    return (cpuS * 1e9) / (passes * batches.length);
  };
  const ruled: number[] = [];
  const rows: number[] = [];
  for (let round = 0; round < (size === 'full' ? 9 : 1); round++) {
    const [assembledNs, ruledNs, decidedNs] = [await nsOf('assembled'), await nsOf('ruled'), await nsOf('decided')];
    // The first round is for the compiler.
    if (round === 0 && size === 'full') continue;
    ruled.push(Math.max(1, ruledNs - assembledNs));
    rows.push(Math.max(1, decidedNs - ruledNs));
  }
  const value = spreadOf(ruled);
  return {
    ...{ name, value, unit: 'ns each' },
    target: { text: `≤ ${targetNs} ns`, met: value.median <= targetNs },
    notes: [`its rows and records, of four calls: ${Math.round(spreadOf(rows).median)} ns more`],
  };
}

function fold(batches: ReadonlyArray<readonly Decoded[]>, documents: Documents, until: Until): void {
  const { inForce } = documents;
  const state = createLaneState({ topic: 'steps', partition: 0, restored: 0, starts: new Set(), inForce });
  const { judge } = createJudge({ state, documents, scoreOf, rewardOf, auditOf: createAuditOf(NO_AUDITS) });
  const policyInForce = () => documents.policyOf(inForce.policy_id);
  const source = new Subject<readonly Decoded[]>();
  let left = 0;
  const assembled = source.pipe(createAssemble(state, { reorderEvents: 256, watch: () => undefined }), concatAll());
  const ruled = assembled.pipe(
    createScore(judge),
    createGroup({ state, judge, policyInForce }),
    createStaleness(state, policyInForce),
  );
  if (until === 'assembled') assembled.subscribe();
  else if (until === 'ruled') ruled.subscribe(() => {});
  else
    ruled.pipe(createDecide(state, policyInForce)).subscribe((count) => {
      left += count;
    });
  for (const batch of batches) source.next(batch);
  if (until === 'assembled') return;
  if (state.openAttempts > 0 || (until === 'decided' && left < batches.length)) throw new Error('not all were decided');
}

/** By groups of 32 and of 64: what grows with them is their members', what does not is the group's. */
async function openGroups(size: Size): Promise<Figure> {
  const groups = size === 'full' ? 2000 : 20;
  const [half, whole] = await Promise.all([32, 64].map((members) => heapOf(groups, members)));
  const member = ((whole ?? 0) - (half ?? 0)) / (groups * 32);
  const beside = Math.max(1, (whole ?? 0) / groups - 64 * member);
  return {
    ...{ name: `open groups of 64: ${groups}`, value: spreadOf([beside]), unit: 'bytes each' },
    target: { text: `≤ ${GROUP_BYTES} beside their members`, met: beside <= GROUP_BYTES },
    notes: [`${Math.round(member)} bytes a member, which has started and sampled nothing yet`],
  };
}

async function heapOf(groups: number, members: number): Promise<number> {
  const isCompiled = import.meta.url.endsWith('.js');
  const child = fileURLToPath(new URL(isCompiled ? 'open-groups.child.js' : 'open-groups.child.ts', import.meta.url));
  const loader = !isCompiled ? ['--import', new URL('../run-typescript.mjs', import.meta.url).href] : [];
  const args = ['--expose-gc', ...loader, child, String(groups), String(members)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}
