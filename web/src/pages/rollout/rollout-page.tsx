import type { PageProps } from '../../pages.ts';

export function RolloutPage({ run }: PageProps) {
  return <h1>Rollout {run}</h1>;
}
