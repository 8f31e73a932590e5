/** What control events put in force, as of the last record that was folded. */
export interface InForce {
  readonly policy_id: string;
  readonly taxonomy_id: string;
}
