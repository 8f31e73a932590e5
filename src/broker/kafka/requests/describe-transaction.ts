import { createByteWriter } from '../byte-writer.ts';
import { type KafkaRequest, throwOn } from '../send-request.ts';

/** DescribeTransactions, version 0: the state of one, such as `Ongoing`, `PrepareCommit`, `CompleteCommit`. */
export function describeTransactionRequest(transactionalId: string): KafkaRequest<string> {
  return {
    apiKey: 65,
    apiName: 'DescribeTransactions',
    apiVersion: 0,
    flexible: true,
    body: [createByteWriter().uvarint(2).compactString(transactionalId).tags().bytes()],
    decode(reader) {
      reader.int32();
      const [state = ''] = reader.compactArray(() => {
        throwOn(reader.int16());
        reader.compactString();
        const name = reader.compactString() ?? '';
        reader.int32();
        reader.int64();
        reader.int64();
        reader.int16();
        reader.compactArray(() => {
          reader.compactString();
          reader.compactArray(() => reader.int32());
          reader.tags();
        });
        reader.tags();
        return name;
      });
      return state;
    },
  };
}
