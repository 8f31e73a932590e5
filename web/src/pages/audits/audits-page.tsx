import type { PageProps } from '../../pages.ts';

export function AuditsPage({ run }: PageProps) {
  return <h1>Audits {run}</h1>;
}
