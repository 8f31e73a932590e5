const TABLE = /^(?:CREATE TABLE IF NOT EXISTS|ALTER TABLE) (\S+)/;
const DROPPED = /^DROP TABLE IF EXISTS (\S+)/;
const NAME = /\w+\.\w+/g;
const VIEW = /^CREATE OR REPLACE VIEW (\S+)/;

/**
 * What a store needs that has had none of the migrations: a statement costs the engine 10 ms of a core, and most views were written several
 * times. Each view once, as it was last written, behind all tables and the views that it names; of a table that was dropped nothing but
 * the drop, since a migration that did not end may have left it.
 */
export function statementsOfNew(statements: readonly string[]): string[] {
  const views = new Map<string, string>();
  let tables: string[] = [];
  for (const sql of statements) {
    const view = VIEW.exec(sql)?.[1];
    const dropped = DROPPED.exec(sql)?.[1];
    if (dropped !== undefined) tables = tables.filter((earlier) => TABLE.exec(earlier)?.[1] !== dropped);
    if (view === undefined) tables.push(sql);
    else views.set(view, sql);
  }
  return [...tables, ...inOrderOfNeed(views)];
}

function inOrderOfNeed(views: ReadonlyMap<string, string>): Set<string> {
  const ordered = new Set<string>();
  const place = (sql: string): void => {
    for (const [name] of sql.matchAll(NAME)) {
      const needed = views.get(name);
      if (needed !== undefined && needed !== sql && !ordered.has(needed)) place(needed);
    }
    ordered.add(sql);
  };
  for (const sql of views.values()) place(sql);
  return ordered;
}
