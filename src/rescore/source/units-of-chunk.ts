import type { UnitHistory } from '../../../processors/model/replay.ts';
import type { RawChunk } from './fetch-chunk.ts';

/** Units of a chunk in order of their bytes: the half of reading that is work, in any thread. */
export function unitsOfChunk(_raw: RawChunk): Iterable<UnitHistory> {
  throw new Error('not built yet');
}
