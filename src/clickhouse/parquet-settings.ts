/**
 * Rows are whole trajectories, some of megabytes: few are in a block, what sorts goes to the disk, and a group of rows is
 * written once it has 64 MiB. So the memory of an export does not grow with the run.
 */
export const PARQUET_SETTINGS = `SETTINGS max_threads = 2, max_block_size = 128, max_bytes_before_external_sort = 268435456,
  max_bytes_ratio_before_external_sort = 0, output_format_parquet_row_group_size = 100000,
  output_format_parquet_row_group_size_bytes = 67108864, output_format_parquet_string_as_string = 1`;
