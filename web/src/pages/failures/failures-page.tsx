import type { PageProps } from '../../pages.ts';

export function FailuresPage({ run }: PageProps) {
  return <h1>Failures {run}</h1>;
}
