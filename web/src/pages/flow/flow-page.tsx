import type { PageProps } from '../../pages.ts';

export function FlowPage({ run }: PageProps) {
  return <h1>Flow {run}</h1>;
}
