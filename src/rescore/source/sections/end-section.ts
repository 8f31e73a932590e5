import type { End, RawReason } from '../../../../schemas/generated/step-event.ts';
import type { RowBinaryReader } from '../../../clickhouse/row-binary-reader.ts';
import type { Section } from './section.ts';

export type EndColumns = Pick<End, 'reasons' | 'env_reward'>;

const readString = (reader: RowBinaryReader): string => reader.string();
const readNullableString = (reader: RowBinaryReader): string | null => reader.nullableString();
const readBool = (reader: RowBinaryReader): boolean => reader.bool();

export const endSection: Section<EndColumns> = {
  select: ['`reasons.raw`', '`reasons.system`', '`reasons.detail`', '`reasons.after_end`', 'env_reward'],
  read: (reader) => {
    const raw = reader.array(readString);
    const system = reader.array(readString);
    const detail = reader.array(readNullableString);
    const after = reader.array(readBool);
    const reasons: RawReason[] = raw.map((one, index) => ({
      raw: one,
      system: system[index] ?? '',
      detail: detail[index] ?? null,
      after_end: after[index] ?? false,
    }));
    return { reasons, env_reward: reader.nullableFloat64() };
  },
};
