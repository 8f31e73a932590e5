import { type ByteReader, createByteReader } from './byte-reader.ts';
import { createByteWriter } from './byte-writer.ts';
import { REQUEST_TIMEOUT_MS } from './kafka-options.ts';
import { type KafkaNode, kafkajs } from './kafkajs.ts';

/** A request that kafkajs does not know, or would copy too often. */
export interface KafkaRequest<T> {
  readonly apiKey: number;
  readonly apiName: string;
  readonly apiVersion: number;
  /** Of a flexible version: its headers end with tagged fields. */
  readonly flexible: boolean;
  readonly body: readonly Buffer[];
  readonly decode: (reader: ByteReader) => T;
}

/** Sends it on the connection that the node's other requests use; a node answers them in order. */
export async function sendRequest<T>(node: KafkaNode, request: KafkaRequest<T>): Promise<T> {
  const { apiKey, apiName, apiVersion, flexible, body, decode } = request;
  const connection = await node.connectionPool.getConnection(0);
  if (connection.sasl !== null && !connection.isAuthenticated()) await connection.authenticate();
  const correlationId = connection.nextCorrelationId();
  const header = createByteWriter().int16(apiKey).int16(apiVersion).int32(correlationId).string(connection.clientId);
  if (flexible) header.tags();
  const parts = [header.bytes(), ...body];
  const size = Buffer.alloc(4);
  size.writeInt32BE(parts.reduce((sum, { length }) => sum + length, 0));

  const { payload } = await new Promise<{ readonly payload: Buffer }>((resolve, reject) => {
    connection.requestQueue.push({
      entry: { apiKey, apiName, apiVersion, correlationId, resolve, reject },
      expectResponse: true,
      requestTimeout: REQUEST_TIMEOUT_MS,
      sendRequest: () => {
        const { socket } = connection;
        socket.cork();
        socket.write(size);
        for (const part of parts) socket.write(part);
        socket.uncork();
      },
    });
  });
  const reader = createByteReader(payload);
  if (flexible) reader.tags();
  return decode(reader);
}

const PRODUCER_FENCED = 90;
const INVALID_PRODUCER_EPOCH = 47;

/** null: no error. Codes as kafkajs names them; it does not know the newer one of a fenced producer. */
export function errorOf(code: number): Error | null {
  if (code === 0) return null;
  return kafkajs.createErrorFromCode(code === PRODUCER_FENCED ? INVALID_PRODUCER_EPOCH : code);
}

export function throwOn(code: number): void {
  const error = errorOf(code);
  if (error !== null) throw error;
}
