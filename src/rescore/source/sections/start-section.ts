import type { Start } from '../../../../schemas/generated/step-event.ts';
import type { Section } from './section.ts';

export type StartColumns = Pick<
  Start,
  'task_metadata_json' | 'tools_json' | 'tokenizer_sha256' | 'template_sha256' | 'weights_version'
>;

/** Of a start what has columns. Without tokens what only audits and people look at is left out. */
export function startSection(withTokens: boolean): Section<StartColumns> {
  return {
    select: [
      ...['task_metadata_json', ...(withTokens ? ['tools_json'] : [])],
      ...['tokenizer_sha256', 'template_sha256', ...(withTokens ? ['weights_version'] : [])],
    ],
    read: (reader) => ({
      task_metadata_json: reader.nullableString(),
      tools_json: withTokens ? reader.nullableString() : null,
      tokenizer_sha256: reader.nullableString(),
      template_sha256: reader.nullableString(),
      weights_version: withTokens ? reader.nullableString() : null,
    }),
  };
}
