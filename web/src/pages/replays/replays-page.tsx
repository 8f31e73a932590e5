import type { PageProps } from '../../pages.ts';

export function ReplaysPage({ run }: PageProps) {
  return <h1>Replays {run}</h1>;
}
