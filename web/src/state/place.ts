import { useEffect, useState } from 'preact/hooks';

/** What is looked at: a page and its state, all of it in the fragment of the URL, so that each view can be linked to. */
export interface Place {
  readonly page: string;
  readonly params: Readonly<Record<string, string>>;
}

/** `#/failures?run=math` */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { page: path, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Empty values are left out. */
export function hrefOf({ page, params }: Place): string {
  const given = Object.entries(params).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given).toString();
  return query === '' ? `#/${page}` : `#/${page}?${query}`;
}

/** The place as of now; draws anew when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = (): void => setPlace(placeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** Goes there, as a new step of the browser's history, or in place of the last one. */
export function go(place: Place, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') location.hash = hrefOf(place);
  else location.replace(hrefOf(place));
}

/** Changes some values of where one is; null or empty text takes one away. */
export function goWith(changes: Readonly<Record<string, string | null>>, how: 'push' | 'replace' = 'push'): void {
  const { page, params } = placeOf(location.hash);
  const changed = Object.entries(changes).map(([name, value]) => [name, value ?? '']);
  go({ page, params: { ...params, ...Object.fromEntries(changed) } }, how);
}
