import type { PageProps } from '../../pages.ts';

export function SqlPage({ run }: PageProps) {
  return <h1>Sql {run}</h1>;
}
