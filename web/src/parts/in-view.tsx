import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Comes into view when it shows something else: what was picked may be far from where it was picked. */
export function InView({ of, children }: { readonly of: string; readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [of]);
  return (
    <div ref={place} class="wide in-view">
      {children}
    </div>
  );
}
