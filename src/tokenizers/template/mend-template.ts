import { RollstreamError } from '../../errors.ts';
import { createRenderer, type RendererLimits } from './create-renderer.ts';
import { findBreaks } from './find-breaks.ts';
import { unifiedDiff } from './unified-diff.ts';

/** A template that only ever grows at its end, and how it comes from the other. */
export interface Mend {
  readonly template: string;
  /** As `diff -u` writes it. */
  readonly patch: string;
  readonly says: string;
}

interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** Each keeps the thoughts of earlier turns. What an edit does is not believed: the result is rendered before it is told. */
const MENDS: ReadonlyArray<{ readonly says: string; readonly edits: readonly Edit[] }> = [
  {
    says: 'think blocks of earlier turns are kept, and no empty one is written into a turn that has none',
    edits: [
      { find: 'if loop.index0 > ns.last_query_index', replace: 'if true' },
      {
        find: 'if loop.last or (not loop.last and reasoning_content)',
        replace: 'if reasoning_content or (enable_thinking is defined and enable_thinking is false)',
      },
    ],
  },
  {
    says: 'think blocks of earlier turns are kept',
    edits: [
      {
        find: "{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}",
        replace: '',
      },
    ],
  },
  {
    says: 'think blocks of earlier turns are kept',
    edits: [
      {
        find: "set content = (message.content.split('</think>')|last).lstrip('\\n')",
        replace: 'set content = message.content',
      },
    ],
  },
  {
    says: 'think blocks of earlier turns are kept',
    edits: [
      {
        find: "set content = message.content.split('</think>')[-1].lstrip('\\n')",
        replace: 'set content = message.content',
      },
    ],
  },
];

/** A patch that was seen to work; null: none is known. */
export async function mendTemplate(
  template: string,
  config: Readonly<Record<string, unknown>>,
  limits: Partial<RendererLimits> = {},
): Promise<Mend | null> {
  for (const { says, edits } of MENDS) {
    const mended = edits.reduce((text, { find, replace }) => text.replaceAll(find, replace), template);
    if (mended === template || edits.some(({ find }) => !template.includes(find))) continue;
    if (await onlyGrows(template, mended, config, limits))
      return { template: mended, patch: unifiedDiff('chat_template.jinja', template, mended), says };
  }
  return null;
}

/** It refuses nothing that the other took. */
async function onlyGrows(
  template: string,
  mended: string,
  config: Readonly<Record<string, unknown>>,
  limits: Partial<RendererLimits>,
): Promise<boolean> {
  const [before, after] = [createRenderer(template, config, limits), createRenderer(mended, config, limits)];
  try {
    const growth = await findBreaks(after);
    return growth.breaks.length === 0 && growth.refused.length <= (await findBreaks(before)).refused.length;
  } catch (error) {
    if (error instanceof RollstreamError && error.code === 'RS_TEMPLATE_LIMIT') return false;
    throw error;
  } finally {
    await before.close();
    await after.close();
  }
}
