/** The index of the server that grants; null: none does at the moment. */
export async function findGranting(servers: readonly string[]): Promise<number | null> {
  const texts = await Promise.all(
    servers.map(async (server) => {
      const answer = await fetch(`${server}/metrics`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      return (await answer?.text().catch(() => '')) ?? '';
    }),
  );
  const found = texts.findIndex((text) => /^rollstream_ready_trajectories\{/m.test(text));
  return found < 0 ? null : found;
}
