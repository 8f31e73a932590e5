import type { ComponentType } from 'preact';
import { AuditsPage } from './pages/audits/audits-page.tsx';
import { FailuresPage } from './pages/failures/failures-page.tsx';
import { FlowPage } from './pages/flow/flow-page.tsx';
import { GroupsPage } from './pages/groups/groups-page.tsx';
import { ReplaysPage } from './pages/replays/replays-page.tsx';
import { RolloutPage } from './pages/rollout/rollout-page.tsx';
import { SqlPage } from './pages/sql/sql-page.tsx';
import { WallPage } from './pages/wall/wall-page.tsx';

export interface PageProps {
  /** Empty: all runs. */
  readonly run: string;
  /** The rest of what the URL says. */
  readonly params: Readonly<Record<string, string>>;
}

export interface Page {
  /** `#/<path>` */
  readonly path: string;
  readonly title: string;
  readonly view: ComponentType<PageProps>;
}

export const PAGES: readonly Page[] = [
  { path: 'flow', title: 'Flow', view: FlowPage },
  { path: 'failures', title: 'Failures', view: FailuresPage },
  { path: 'audits', title: 'Audits', view: AuditsPage },
  { path: 'wall', title: 'Wall clock', view: WallPage },
  { path: 'groups', title: 'Groups', view: GroupsPage },
  { path: 'rollout', title: 'Rollout', view: RolloutPage },
  { path: 'replays', title: 'Replays', view: ReplaysPage },
  { path: 'sql', title: 'SQL', view: SqlPage },
];
