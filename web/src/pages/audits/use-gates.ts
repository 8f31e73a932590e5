import { useRef, useState } from 'preact/hooks';
import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { getJson } from '../../api/request.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';

const REFRESH_MS = 10_000;

/** The gates of one run, or of all (empty). `look` looks again at once; meanwhile they are what they were. */
export function useGates(run: string): Loaded<GateStatus[]> & { readonly look: () => void } {
  const [looks, setLooks] = useState(0);
  const last = useRef<{ readonly run: string; readonly gates: GateStatus[] } | null>(null);
  const loaded = useLoaded(
    `${looks} ${run}`,
    async (signal) => {
      const query = run === '' ? '' : `?${new URLSearchParams({ run })}`;
      return (await getJson<{ gates: GateStatus[] }>(`v1/gates${query}`, signal)).gates;
    },
    REFRESH_MS,
  );
  if (loaded.value !== null) last.current = { run, gates: loaded.value };
  const value = last.current?.run === run ? last.current.gates : null;
  return { ...loaded, value, look: () => setLooks((so) => so + 1) };
}
