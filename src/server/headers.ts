/** Offset of the ready topic where the next page begins. */
export const NEXT_HEADER = 'rollstream-next';
/** 1: there was more behind this page when it was read. */
export const REMAINING_HEADER = 'rollstream-remaining';
/** Trajectories in an export, counted before it was written. */
export const TRAJECTORIES_HEADER = 'rollstream-trajectories';
/** Decided attempts of its scope without a trajectory. */
export const WITHOUT_HEADER = 'rollstream-without-trajectory';
