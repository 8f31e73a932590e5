import { type PanelSpec, placedPanels } from './panel.ts';

export interface DashboardSpec {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly PanelSpec[];
  /** `templating.list` */
  readonly variables: readonly object[];
}

export function dashboardOf({ uid, title, panels, variables }: DashboardSpec): object {
  return {
    ...{ uid, title, tags: ['rollstream'], schemaVersion: 39, version: 1, editable: true, timezone: 'utc' },
    time: { from: 'now-24h', to: 'now' },
    refresh: '30s',
    templating: { list: variables },
    panels: placedPanels(panels),
  };
}
