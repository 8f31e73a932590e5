import { engineText, recordText } from '../evidence.ts';
import type { SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** Weights that changed in the middle of an answer: each token's version is told, or the lag of none is known. */
export const judgeWeights: Judge = ({ turns }) =>
  turns.filter(({ taken }) => taken.status === 200 && taken.weightSpans.length > 1).map(judge);

const CHECK = 'weights';

function judge({ turn, taken, recorded }: SeenTurn): Judgement {
  const sent = spansText(taken.weightSpans);
  const said = engineText(taken, sent);
  if (recorded === null) return notObservable(CHECK, turn, `sampled by ${sent}; there is no record of it`, [said]);
  const kept = spansText(recorded.weightSpans);
  const stored = recordText(kept === '' ? 'no versions' : kept);
  const versions = new Set(recorded.weightSpans.map(({ version }) => version));
  // Answers of the other routes have one version at most: a record cannot hold more.
  if (taken.route !== 'generate' && versions.size < 2)
    return notObservable(CHECK, turn, `sampled by ${sent}; answers of this route do not say so`, [said]);
  if (kept === '')
    return laundered(CHECK, 'versions_lost', turn, `sampled by ${sent}; the record has no versions`, [said, stored]);
  if (kept === sent) return faithful(CHECK, turn, `the record holds ${kept}`, [said, stored]);
  const as = versions.size === 1 ? 'versions_flattened' : 'other_versions';
  return laundered(CHECK, as, turn, `sampled by ${sent}; the record holds ${kept}`, [said, stored]);
}

function spansText(spans: SeenTurn['taken']['weightSpans']): string {
  return spans.map(({ start, version }) => `${version} from ${start}`).join(', ');
}
