/** archived: takes no new events. deleting: its rows are being removed, by this process or the next. */
export type RunState = 'active' | 'archived' | 'deleting' | 'deleted';

export type ClosedState = Exclude<RunState, 'active'>;

export const RUN_STATES: readonly RunState[] = ['active', 'archived', 'deleting', 'deleted'];

/** Purposes that a run can be created for. */
export const PURPOSES = ['train', 'eval', 'synthesis'] as const;

export type Purpose = (typeof PURPOSES)[number];
