import { createByteWriter } from '../byte-writer.ts';
import { type KafkaRequest, throwOn } from '../send-request.ts';
import type { Setting } from '../topic-settings.ts';

const RESOURCE_TOPIC = 2;
const SET = 0;

/** IncrementalAlterConfigs, version 0, of one topic: settings that are not named stay as they are. */
export function alterConfigsRequest(topic: string, settings: readonly Setting[]): KafkaRequest<void> {
  const body = createByteWriter().int32(1).int8(RESOURCE_TOPIC).string(topic).int32(settings.length);
  for (const { name, value } of settings) body.string(name).int8(SET).string(value);
  return {
    apiKey: 44,
    apiName: 'IncrementalAlterConfigs',
    apiVersion: 0,
    flexible: false,
    body: [body.int8(0).bytes()],
    decode(reader) {
      reader.int32();
      reader.array(() => {
        throwOn(reader.int16());
        reader.string();
        reader.int8();
        reader.string();
      });
    },
  };
}
