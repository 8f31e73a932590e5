import type { PageProps } from '../../pages.ts';

export function GroupsPage({ run }: PageProps) {
  return <h1>Groups {run}</h1>;
}
