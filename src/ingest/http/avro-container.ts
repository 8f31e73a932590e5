import { RollstreamError } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../line-reader.ts';
import { type ChunkReader, createChunkReader } from './chunk-reader.ts';
import { BodyFault } from './read-step.ts';

/** An Avro object container file: its schema, then its blocks one at a time. */
export interface AvroContainer {
  /** The writer's schema, JSON. */
  readonly schemaText: string;
  readonly blocks: AsyncIterable<AvroBlock>;
}

export interface AvroBlock {
  readonly count: number;
  readonly bytes: Buffer;
}

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;
/** Of all that the header says together. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Reads the header. RS_USAGE: it is another file, or packed; its blocks throw BodyFault from the first that is damaged or cut on.
 * A block is in memory whole, and so is at most as large as a line may be.
 */
export async function readAvroContainer(
  chunks: AsyncIterable<Buffer>,
  maxBlockBytes = MAX_LINE_BYTES,
): Promise<AvroContainer> {
  const reader = createChunkReader(chunks);
  const magic = await reader.take(MAGIC.length).catch(notAvro);
  if (!magic.equals(MAGIC)) return notAvro();
  const header = await readHeader(reader);
  const codec = header.get('avro.codec')?.toString() ?? 'null';
  if (codec !== 'null') {
    throw refused(
      'avro.codec',
      `${JSON.stringify(codec.slice(0, 100))} is not read: write "null" and send it with content-encoding gzip`,
    );
  }
  const schema = header.get('avro.schema');
  if (schema === undefined) throw refused('avro.schema', 'the header has none');
  const sync = await reader.take(SYNC_BYTES);
  return { schemaText: schema.toString(), blocks: readBlocks(reader, sync, maxBlockBytes) };
}

async function readHeader(reader: ChunkReader): Promise<Map<string, Buffer>> {
  const header = new Map<string, Buffer>();
  let left = MAX_HEADER_BYTES;
  const takeBytes = async (): Promise<Buffer> => {
    const length = await reader.takeLong();
    left -= length;
    if (length < 0 || left < 0) throw refused('', `the header is broken, or larger than ${MAX_HEADER_BYTES} bytes`);
    return reader.take(length);
  };
  for (let count = await reader.takeLong(); count !== 0; count = await reader.takeLong()) {
    // A negative count stands before the size of its entries.
    if (count < 0) await reader.takeLong();
    for (let n = Math.abs(count); n > 0; n--) {
      left -= 2;
      header.set((await takeBytes()).toString(), await takeBytes());
    }
  }
  return header;
}

async function* readBlocks(reader: ChunkReader, sync: Buffer, maxBlockBytes: number): AsyncGenerator<AvroBlock> {
  while (!(await reader.isAtEnd())) {
    const count = await reader.takeLong();
    const size = await reader.takeLong();
    if (count < 0 || size < 0) throw new BodyFault('the Avro container is damaged: a block of negative size');
    if (size > maxBlockBytes) {
      throw new BodyFault(`a block of the Avro container has ${size} bytes: write blocks of at most ${maxBlockBytes}`);
    }
    const bytes = await reader.take(size);
    if (!(await reader.take(SYNC_BYTES)).equals(sync)) {
      throw new BodyFault('the Avro container is damaged: a block does not end with the sync marker');
    }
    yield { count, bytes };
  }
}

function notAvro(): never {
  throw refused('', 'the body is no Avro object container file, which begins with Obj and a byte 1');
}

function refused(field: string, problem: string): RollstreamError {
  const message = field === '' ? problem : `${field}: ${problem}`;
  return new RollstreamError('RS_USAGE', message, { facts: field === '' ? {} : { field } });
}
