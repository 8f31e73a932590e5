import type { ReadyShape, SegmentShape } from './ready-shape.ts';

/** Every version of the weights that sampled a token, each once, in order; '': of some sampled token it is unknown. */
export function sampledVersions(shape: ReadyShape): string[] {
  // What travels by reference is not fetched for this: the record names the oldest and the newest.
  if (shape.segments_ref !== null)
    return [...new Set([shape.weights_version_min ?? '', shape.weights_version_max ?? ''])];
  const versions = new Set<string>();
  for (const segment of shape.segments) addVersionsOf(segment, versions);
  return [...versions];
}

function addVersionsOf({ sampled_mask: mask, weight_spans: spans }: SegmentShape, versions: Set<string>): void {
  const samples = (from: number, to: number): boolean => mask.subarray(from, to).includes(1);
  const first = spans[0]?.start ?? mask.length;
  if (samples(0, first)) versions.add('');
  spans.forEach(({ start, version }, index) => {
    if (versions.has(version)) return;
    if (samples(start, spans[index + 1]?.start ?? mask.length)) versions.add(version);
  });
}
