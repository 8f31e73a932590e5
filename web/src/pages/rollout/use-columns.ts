import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How many characters of its font fit into an element, as its width is now. */
export function useColumns(): readonly [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(100);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void =>
      setColumns(Math.max(20, Math.floor((element.clientWidth - SCROLL_BAR_PX) / charOf(element))));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [box, columns];
}

const SCROLL_BAR_PX = 20;

function charOf(element: HTMLElement): number {
  const drawing = document.createElement('canvas').getContext('2d');
  if (drawing === null) return 8;
  const { fontSize, fontFamily } = getComputedStyle(element);
  drawing.font = `${fontSize} ${fontFamily}`;
  return drawing.measureText('0'.repeat(100)).width / 100;
}
