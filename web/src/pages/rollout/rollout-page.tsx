import type { PageProps } from '../../pages.ts';
import { RolloutList } from './rollout-list.tsx';
import { RolloutViewer } from './rollout-viewer.tsx';
import { viewerPlace } from './viewer-place.ts';
import './rollout.css';
import './tokens.css';

/** One rollout, or a list to find one in. */
export function RolloutPage({ run, params }: PageProps) {
  const place = viewerPlace(run, params);
  return place.id === '' ? <RolloutList run={run} params={params} /> : <RolloutViewer place={place} />;
}
