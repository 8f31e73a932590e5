import type { PageProps } from '../../pages.ts';

export function WallPage({ run }: PageProps) {
  return <h1>Wall {run}</h1>;
}
