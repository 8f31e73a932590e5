/** A panel of Grafana, before it has a place and a number. */
export interface PanelSpec {
  readonly title: string;
  readonly description: string;
  readonly type: 'timeseries' | 'barchart' | 'stat' | 'table';
  /** Of 24 columns. */
  readonly width: number;
  readonly unit?: string;
  readonly isStacked?: boolean;
  readonly target: Target;
}

export type Target =
  | { readonly kind: 'prometheus'; readonly expr: string; readonly legend: string }
  | { readonly kind: 'clickhouse'; readonly sql: string; readonly isOverTime: boolean };

export const CLICKHOUSE = { type: 'grafana-clickhouse-datasource', uid: 'rollstream-clickhouse' } as const;
export const PROMETHEUS = { type: 'prometheus', uid: 'rollstream-prometheus' } as const;

const COLUMNS = 24;
const HEIGHT = 8;

/** Panels from the left, a row after the other, as `panels` of a dashboard. */
export function placedPanels(specs: readonly PanelSpec[]): object[] {
  let x = 0;
  let y = 0;
  return specs.map((spec, index) => {
    if (x + spec.width > COLUMNS) {
      x = 0;
      y += HEIGHT;
    }
    const gridPos = { h: HEIGHT, w: spec.width, x, y };
    x += spec.width;
    return panelOf(spec, index + 1, gridPos);
  });
}

function panelOf(
  { title, description, type, unit, isStacked, target }: PanelSpec,
  id: number,
  gridPos: object,
): object {
  const datasource = target.kind === 'prometheus' ? PROMETHEUS : CLICKHOUSE;
  const custom = isStacked === true ? { stacking: { mode: 'normal' }, fillOpacity: 40 } : {};
  return {
    ...{ id, title, description, type, gridPos, datasource },
    fieldConfig: {
      defaults: { ...(unit === undefined ? {} : { unit }), ...(type === 'table' ? {} : { custom }) },
      overrides: [],
    },
    options: type === 'barchart' && isStacked === true ? { stacking: 'normal' } : {},
    targets: [targetOf(target)],
  };
}

function targetOf(target: Target): object {
  if (target.kind === 'prometheus')
    return { refId: 'A', datasource: PROMETHEUS, expr: target.expr, legendFormat: target.legend };
  // format: 0 is a time series, 1 a table; both names are what the plugin's versions read.
  const format = target.isOverTime ? 0 : 1;
  const queryType = target.isOverTime ? 'timeseries' : 'table';
  return { refId: 'A', datasource: CLICKHOUSE, editorType: 'sql', rawSql: target.sql, format, queryType };
}
