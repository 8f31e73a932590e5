/** Of every insert, in this process and over the wire. */
export const WRITER_SETTINGS = {
  // Else it answers before the rows are on disk.
  async_insert: 0,
  // Months of event time in one batch are no mistake here.
  max_partitions_per_insert_block: '0',
  // Rows of one key in one batch are left to FINAL, as everywhere else.
  optimize_on_insert: 0,
} as const;
