import { hrefOf } from '../../state/place.ts';

export const VIEWS = ['story', 'tokens', 'explain', 'diff'] as const;
export type View = (typeof VIEWS)[number];

/** What of a rollout is looked at, all of it in the URL. */
export interface ViewerPlace {
  readonly run: string;
  readonly id: string;
  /** Empty: the first that is there. */
  readonly epoch: string;
  /** null: the newest. */
  readonly attempt: number | null;
  readonly view: View;
  /** Call that the story is opened at. */
  readonly turn: number | null;
  /** Segment of `token`; empty: the first. */
  readonly segment: string;
  /** Index of a token in its segment. */
  readonly token: number | null;
  /** What it is compared with: `attempt:N` or `replay:ID`. */
  readonly other: string;
  /** Hash of the tokenizer that a person takes it to be, `none`, or empty. */
  readonly tokenizer: string;
}

export function viewerPlace(run: string, params: Readonly<Record<string, string>>): ViewerPlace {
  const view = VIEWS.find((name) => name === params.view) ?? 'story';
  return {
    run,
    id: params.id ?? '',
    epoch: params.epoch ?? '',
    attempt: wholeOf(params.attempt),
    view,
    turn: wholeOf(params.turn),
    segment: params.segment ?? '',
    token: wholeOf(params.token),
    other: params.with ?? '',
    tokenizer: params.tokenizer ?? '',
  };
}

/** A link to another view of the same rollout, or to another place in it. */
export function viewerHref(place: ViewerPlace, changes: Partial<ViewerPlace>): string {
  const to = { ...place, ...changes };
  const params = {
    run: to.run,
    id: to.id,
    epoch: to.epoch,
    attempt: textOf(to.attempt),
    view: to.view === 'story' ? '' : to.view,
    turn: textOf(to.turn),
    segment: to.segment,
    token: textOf(to.token),
    with: to.other,
    tokenizer: to.tokenizer,
  };
  return hrefOf({ page: 'rollout', params });
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}
